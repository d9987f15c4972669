/** The folder of a path, `''` for the project's root. */
export function folderOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash < 0 ? '' : path.slice(0, slash);
}

/** The last part of a path. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/**
 * A path from a folder of the project, without `.` and `..`.
 * @returns null when it leads out of the project or is absolute
 */
export function joined(folder: string, relative: string): string | null {
  if (relative.startsWith('/')) return null;
  const segments = folder === '' ? [] : folder.split('/');
  for (const part of relative.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') segments.push(part);
    else if (segments.pop() === undefined) return null;
  }
  return segments.join('/');
}

/** Folder and name as one path. */
export function under(folder: string, name: string): string {
  if (folder === '') return name;
  return name === '' ? folder : `${folder}/${name}`;
}

/** Whether a path is a folder or lies in it; everything lies in the root. */
export function isWithin(path: string, folder: string): boolean {
  return folder === '' || path === folder || (path.startsWith(folder) && path[folder.length] === '/');
}

/** A folder and those above it, nearest first, the root `''` last. */
export function foldersAbove(folder: string): readonly string[] {
  const folders = [folder];
  for (let at = folder; at !== ''; ) {
    at = folderOf(at);
    folders.push(at);
  }
  return folders;
}

/** How many leading segments two paths share. */
function shared(a: string, b: string): number {
  const left = a.split('/');
  const right = b.split('/');
  let count = 0;
  while (count < left.length && count < right.length && left[count] === right[count]) count++;
  return count;
}

/** Paths in order of how near they are to another one, then of how short they are. */
export function nearestFirst(paths: readonly string[], to: string): readonly string[] {
  if (paths.length < 2) return paths;
  return paths
    .map((path) => ({ path, near: shared(path, to) }))
    .sort((a, b) => b.near - a.near || a.path.length - b.path.length || (a.path < b.path ? -1 : 1))
    .map(({ path }) => path);
}
