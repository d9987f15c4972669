import { ProjectAnchorError } from '../base/index.ts';

/**
 * What a mark is on (protocol §4). Paths are relative to the workspace root with `/`, as on disk: without the escapes
 * of the string form and without a trailing slash. A byte that is not UTF-8 stands in a path as the lone surrogate
 * U+DC80..U+DCFF of its value, so that every name has exactly one form; the string form writes it `%XX`.
 */
export type Target =
  | { readonly kind: 'project' }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'directory'; readonly path: string }
  /** 1-based, inclusive. */
  | { readonly kind: 'lines'; readonly path: string; readonly start: number; readonly end: number }
  /** Dotted name of an outline item, such as `Class.method`. */
  | { readonly kind: 'symbol'; readonly path: string; readonly symbol: string };

/** Linux's PATH_MAX; nothing on disk is longer. */
const MAX_LENGTH = 4096;

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function invalid(what: string, remedy: string): ProjectAnchorError {
  return new ProjectAnchorError('invalid', what, remedy);
}

function shown(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}

function percent(byte: number): string {
  return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
}

function escapeBytes(bytes: Uint8Array): string {
  return Array.from(bytes, percent).join('');
}

/**
 * The string form of a path, symbol or branch name (protocol §1): `%`, `#`, control characters and bytes that are not
 * UTF-8 are written `%XX`, nothing else is.
 * @param name bytes as git or the disk has them, or text in the form that `Target` describes.
 * @throws ProjectAnchorError `invalid` for text with a lone surrogate that stands for no byte.
 */
export function encodePath(name: string | Uint8Array): string {
  const text = typeof name === 'string' ? name : pathFromBytes(name);
  return text.replace(/[%#\p{Cc}\p{Cs}]/gu, (character) => {
    const code = character.charCodeAt(0);
    if (code >= 0xdc80 && code <= 0xdcff) return percent(code - 0xdc00);
    if (!character.isWellFormed()) {
      throw invalid(`The name ${shown(text.toWellFormed())} has half of a character.`, 'Rename it.');
    }
    return escapeBytes(Buffer.from(character, 'utf8'));
  });
}

/**
 * Undoes `encodePath`.
 * @throws ProjectAnchorError `invalid` when a `%` is not followed by two hex digits.
 */
export function decodePath(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(/(?:%[0-9A-Fa-f]{2})+|%/g, (run) => {
    if (run === '%') throw invalid(`${shown(text)} has a single "%".`, 'Write "%25" for "%".');
    return pathFromBytes(Buffer.from(run.replaceAll('%', ''), 'hex'));
  });
}

/** Text for the bytes of a name: UTF-8, and U+DC00 + byte for each byte that is not. */
export function pathFromBytes(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    return decodeByPieces(bytes);
  }
}

/** The bytes of a name on disk: undoes `pathFromBytes`. */
export function pathToBytes(path: string): Buffer {
  if (path.isWellFormed()) return Buffer.from(path, 'utf8');
  const parts = path.split(/([\udc80-\udcff])/u);
  return Buffer.concat(
    parts.map((part, index) => (index % 2 === 1 ? Buffer.of(part.charCodeAt(0) - 0xdc00) : Buffer.from(part, 'utf8'))),
  );
}

function decodeByPieces(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const length = validLength(bytes, at);
    if (length === 0) text += String.fromCharCode(0xdc00 + (bytes[at] ?? 0));
    else text += UTF8.decode(bytes.subarray(at, at + length));
    at += Math.max(1, length);
  }
  return text;
}

/** Length of the valid UTF-8 character at `at`, or 0. */
function validLength(bytes: Uint8Array, at: number): number {
  for (let length = 1; length <= 4 && at + length <= bytes.length; length++) {
    try {
      UTF8.decode(bytes.subarray(at, at + length));
      return length;
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
  }
  return 0;
}

/**
 * Why a path cannot be the path of a file or folder in a workspace, as the rest of a sentence; null when it can.
 * Paths are relative, `/`-separated, without `.`, `..` and empty segments (protocol §1).
 */
export function pathProblem(path: string): string | null {
  if (path === '') return 'is empty';
  if (path.length > MAX_LENGTH) return `is longer than ${MAX_LENGTH} characters`;
  if (path.includes('\0')) return 'has a zero byte';
  if (path.startsWith('/')) return 'is absolute';
  for (const segment of path.split('/')) {
    if (segment === '') return 'has an empty part (a doubled or trailing "/")';
    if (segment === '.' || segment === '..') return `has the part "${segment}"`;
  }
  return null;
}

function checkedPath(path: string, text: string): string {
  const problem = pathProblem(path);
  if (problem === null) return path;
  throw invalid(
    `${shown(text)} is not a target: its path ${problem}.`,
    'Give a path relative to the project, such as src/a.ts, src/ for a folder, or "." for the whole project.',
  );
}

function parseFragment(path: string, fragment: string, text: string): Target {
  const lines = /^L([1-9]\d{0,9})-L([1-9]\d{0,9})$/.exec(fragment);
  if (lines !== null) {
    const start = Number(lines[1]);
    const end = Number(lines[2]);
    if (start <= end) return { kind: 'lines', path, start, end };
    throw invalid(`${shown(text)} ends before it begins.`, `Write ${encodePath(path)}#L${end}-L${start}.`);
  }
  const symbol = /^sym:(.+)$/s.exec(fragment)?.[1];
  if (symbol !== undefined) return { kind: 'symbol', path, symbol: decodePath(symbol) };
  throw invalid(
    `${shown(text)} is not a target: "#${fragment.slice(0, 40)}" names neither lines nor a symbol.`,
    'Write path#L10-L20 or path#sym:Name.Member; write "%23" for a "#" in a file name.',
  );
}

/**
 * Reads the string form of a target. Only the one canonical form is taken, so that a target is one key in the state.
 * @throws ProjectAnchorError `invalid`, naming the canonical form where there is one.
 */
export function parseTarget(text: string): Target {
  const target = parseLoosely(text);
  const form = formatTarget(target);
  if (form === text) return target;
  throw invalid(`${shown(text)} is not written as targets are.`, `Write ${form} instead.`);
}

function parseLoosely(text: string): Target {
  if (text.length > MAX_LENGTH * 3) throw invalid('This target is too long.', `Give at most ${MAX_LENGTH} characters.`);
  if (text === '.' || text === './') return { kind: 'project' };
  const bare = text.startsWith('./') ? text.slice(2) : text;
  const hash = bare.indexOf('#');
  const left = decodePath(hash < 0 ? bare : bare.slice(0, hash));
  if (hash >= 0) return parseFragment(checkedPath(left, text), bare.slice(hash + 1), text);
  if (left.endsWith('/')) return { kind: 'directory', path: checkedPath(left.slice(0, -1), text) };
  return { kind: 'file', path: checkedPath(left, text) };
}

/**
 * The string form of a target, as keys of the state have it.
 * @throws ProjectAnchorError `invalid` for a path outside the workspace and for lines that end before they begin.
 */
export function formatTarget(target: Target): string {
  if (target.kind === 'project') return '.';
  const path = encodePath(checkedPath(target.path, target.path.toWellFormed()));
  switch (target.kind) {
    case 'file':
      return path;
    case 'directory':
      return `${path}/`;
    case 'symbol':
      if (target.symbol === '') throw invalid(`The symbol in ${shown(path)} has no name.`, 'Write path#sym:Name.');
      return `${path}#sym:${encodePath(target.symbol)}`;
    case 'lines':
      if (!Number.isSafeInteger(target.start) || !Number.isSafeInteger(target.end) || target.start < 1) {
        throw invalid(`The lines of ${shown(path)} are not numbers from 1 up.`, 'Write path#L10-L20.');
      }
      if (target.end < target.start) throw invalid(`The lines of ${shown(path)} end before they begin.`, 'Swap them.');
      return `${path}#L${target.start}-L${target.end}`;
  }
}

/** The path that a target is on, without a trailing slash; null for the whole project. */
export function targetPath(target: Target): string | null {
  return target.kind === 'project' ? null : target.path;
}

/** A path as JSON can hold it: as it is, or in its string form when it has bytes that are not UTF-8. */
export function jsonPath(path: string): string {
  return path.isWellFormed() ? path : encodePath(path);
}
