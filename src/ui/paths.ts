import path, { type PlatformPath } from 'node:path';

/** Where a project lies on this disk, as the editor names it and as git does. */
export interface ProjectRoot {
  /** The workspace folder as the editor has it, symbolic links included. */
  readonly folder: string;
  /** The same folder with links resolved. */
  readonly realFolder: string;
  /** Root of the working tree (a real path), at or above `realFolder`. */
  readonly toplevel: string;
}

/** The path rules in force: this machine's, unless a test tries those of another one. */
export type PathRules = Pick<PlatformPath, 'isAbsolute' | 'join' | 'relative' | 'sep'>;

/**
 * A path below a root, in the system's own form; `''` for the root itself, null outside. Compared segment by segment, on
 * Windows without regard to case. Unsaved documents have a name and no path: they are inside of nothing.
 */
function inside(root: string, file: string, { isAbsolute, relative, sep }: PathRules): string | null {
  if (!isAbsolute(file)) return null;
  const below = relative(root, file);
  if (below === '') return '';
  if (below === '..' || below.startsWith(`..${sep}`) || isAbsolute(below)) return null;
  return below;
}

/**
 * The path of a file relative to the working tree, `/`-separated; `''` for the tree's root; null when it lies outside.
 * A file reached through the workspace folder's own symbolic link counts as inside.
 */
export function pathInProject(root: ProjectRoot, file: string, rules: PathRules = path): string | null {
  const below = inside(root.folder, file, rules);
  const real = below === null ? file : rules.join(root.realFolder, below);
  const found = inside(root.toplevel, real, rules);
  return found === null ? null : found.split(rules.sep).join('/');
}

/** Of several folders, the longest that contains the file or is it. */
export function longestFolder(folders: readonly string[], file: string, rules: PathRules = path): string | null {
  const containing = folders.filter((folder) => inside(folder, file, rules) !== null);
  return containing.toSorted((a, b) => b.length - a.length)[0] ?? null;
}

/** Whether two spellings are one place. */
export function isSamePath(a: string, b: string, rules: PathRules = path): boolean {
  return inside(a, b, rules) === '';
}
