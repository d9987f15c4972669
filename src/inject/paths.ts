import { posix, win32 } from 'node:path';

/** Where a request's file is, seen from a project. */
export type Place =
  | { readonly kind: 'inside'; readonly path: string }
  | { readonly kind: 'outside'; readonly name: string }
  /** A document without a place on disk, or no file at all. */
  | { readonly kind: 'nowhere' };

/**
 * Makes a file path relative to the workspace root, `/`-separated, without touching the disk.
 * @param toplevel absolute path of the root; its form decides whether Windows' rules apply.
 * @param file absolute or relative path; `untitled:` documents and undefined are nowhere.
 */
export function placeOf(toplevel: string, file: string | undefined): Place {
  if (file === undefined || file === '' || file.startsWith('untitled:')) return { kind: 'nowhere' };
  const api = /^(?:[A-Za-z]:[\\/]|\\\\)/.test(toplevel) ? win32 : posix;
  const absolute = api.resolve(toplevel, file);
  const relative = api.relative(toplevel, absolute);
  const outside =
    relative === '' || relative === '..' || relative.startsWith(`..${api.sep}`) || api.isAbsolute(relative);
  return outside
    ? { kind: 'outside', name: api.basename(absolute) }
    : { kind: 'inside', path: relative.replaceAll(api.sep, '/') };
}
