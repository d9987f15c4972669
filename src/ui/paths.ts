import { isAbsolute, join, relative, sep } from 'node:path';

/** Where a project lies on this disk, as the editor names it and as git does. */
export interface ProjectRoot {
  /** The workspace folder as the editor has it, symbolic links included. */
  readonly folder: string;
  /** The same folder with links resolved. */
  readonly realFolder: string;
  /** Root of the working tree (a real path), at or above `realFolder`. */
  readonly toplevel: string;
}

/** Unsaved documents have a name and no path: they are inside of nothing. */
function inside(root: string, file: string): string | null {
  if (!isAbsolute(file)) return null;
  const path = relative(root, file);
  if (path === '') return '';
  if (path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path)) return null;
  return path;
}

/**
 * The path of a file relative to the working tree, `/`-separated; `''` for the tree's root; null when it lies outside.
 * A file reached through the workspace folder's own symbolic link counts as inside.
 */
export function pathInProject(root: ProjectRoot, file: string): string | null {
  const below = inside(root.folder, file);
  const real = below === null ? file : join(root.realFolder, below);
  const path = inside(root.toplevel, real);
  return path === null ? null : path.split(sep).join('/');
}

/** Of several roots that contain the file, the one whose working tree is the deepest. */
export function deepestRoot<T extends { readonly root: ProjectRoot }>(
  candidates: readonly T[],
  file: string,
): T | null {
  const containing = candidates.filter(({ root }) => pathInProject(root, file) !== null);
  return containing.toSorted((a, b) => b.root.toplevel.length - a.root.toplevel.length)[0] ?? null;
}

/** Of several folders, the longest that contains the file or is it. */
export function longestFolder(folders: readonly string[], file: string): string | null {
  const containing = folders.filter((folder) => inside(folder, file) !== null);
  return containing.toSorted((a, b) => b.length - a.length)[0] ?? null;
}
