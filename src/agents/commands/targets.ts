import { lstatSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { ProjectAnchorError } from '../../base/index.ts';
import { decodePath, formatTarget, type Target } from '../../snapshot/index.ts';

/** Where the words of a command line are read from. */
export interface Place {
  /** Real path of the workspace root. */
  readonly toplevel: string;
  /** Absolute folder that relative paths start from. */
  readonly cwd: string;
}

export interface NamedTarget {
  /** In the protocol's form. */
  readonly target: string;
  /** False when nothing of that name is on this disk: it may be on another branch. */
  readonly exists: boolean;
}

/**
 * A file or folder as a person types it, relative to the workspace root with `/`; `''` for the root itself.
 * @throws ProjectAnchorError `outside`.
 */
export function pathInProject(place: Place, typed: string): string {
  const path = relativeTo(place.toplevel, resolve(realOrSame(place.cwd), typed));
  if (path !== null) return path;
  // The same file may be named through a symbolic link above the root.
  const real = realOrSame(resolve(place.cwd, typed));
  const found = relativeTo(place.toplevel, real);
  if (found !== null) return found;
  throw new ProjectAnchorError(
    'outside',
    `${typed} is outside the project in ${place.toplevel}.`,
    'Give a path inside it, or another --cwd.',
  );
}

/**
 * The target that a person means: a path from where they are (else from the root, as listings show it), a folder with
 * or without its slash, with `#L10-L20`, `#L10` or `#sym:Name` behind it; `.` for the folder they are in.
 * @throws ProjectAnchorError `outside` or `invalid`.
 */
export function targetFrom(place: Place, typed: string): NamedTarget {
  // A variable of a script that is not set must not mark the whole project.
  if (typed === '')
    throw new ProjectAnchorError('invalid', 'The target is empty.', 'Name a file or folder, or "." for this one.');
  const literal = locate(place, typed);
  if (literal.kind !== 'missing') return named(literal, '');
  const [, path = typed, fragment = ''] = /^(.+?)(#L\d+(?:-L\d+)?|#sym:.+)$/su.exec(typed) ?? [];
  const found = fragment === '' ? literal : locate(place, path);
  if (found.kind !== 'missing' || !path.includes('%')) return named(found, fragment, typed);
  const decoded = locate(place, decodePath(path));
  return named(decoded.kind === 'missing' ? found : decoded, fragment, typed);
}

interface Located {
  readonly kind: 'file' | 'directory' | 'missing';
  readonly path: string;
}

function locate(place: Place, typed: string): Located {
  const fromHere = look(place.toplevel, pathInProject(place, typed), typed);
  if (fromHere.kind !== 'missing' || isAbsolute(typed)) return fromHere;
  const root = { ...place, cwd: place.toplevel };
  const fromRoot = typed.startsWith('..') ? fromHere : look(place.toplevel, pathInProject(root, typed), typed);
  return fromRoot.kind === 'missing' ? fromHere : fromRoot;
}

function look(toplevel: string, path: string, typed: string): Located {
  if (path.includes('\0')) throw new ProjectAnchorError('invalid', 'A path cannot hold a zero byte.', 'Remove it.');
  const status = lstatSync(join(toplevel, path), { throwIfNoEntry: false });
  if (status === undefined) return { kind: 'missing', path };
  // A link to a folder is a folder only for those who say so: git lists the link itself.
  const folder = status.isDirectory() || (typed.endsWith('/') && isFolder(join(toplevel, path)));
  return { kind: folder ? 'directory' : 'file', path };
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function named(located: Located, fragment: string, typed = ''): NamedTarget {
  return { target: formatTarget(targetOf(located, fragment, typed)), exists: located.kind !== 'missing' };
}

function targetOf({ kind, path }: Located, fragment: string, typed: string): Target {
  const folder = kind === 'directory' || (kind === 'missing' && typed.endsWith('/'));
  if (fragment !== '') {
    if (folder) {
      throw new ProjectAnchorError('invalid', `${typed} is a folder, which has no lines or symbols.`, 'Name a file.');
    }
    return fragmentTarget(path, fragment);
  }
  if (path === '') return { kind: 'project' };
  return { kind: folder ? 'directory' : 'file', path };
}

function fragmentTarget(path: string, fragment: string): Target {
  const lines = /^#L(\d+)(?:-L(\d+))?$/.exec(fragment);
  if (lines === null) return { kind: 'symbol', path, symbol: decodePath(fragment.slice('#sym:'.length)) };
  const start = Number(lines[1]);
  return { kind: 'lines', path, start, end: lines[2] === undefined ? start : Number(lines[2]) };
}

function realOrSame(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function relativeTo(toplevel: string, path: string): string | null {
  const found = relative(toplevel, path);
  if (found === '..' || found.startsWith(`..${sep}`) || isAbsolute(found)) return null;
  return sep === '/' ? found : found.replaceAll(sep, '/');
}
