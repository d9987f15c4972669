import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { codeOf, messageOf } from '../base/index.ts';
import { decode } from './encoding.ts';
import type { Gate } from './gate.ts';
import { jsonPath, pathProblem } from './targets.ts';

/** Why a file's text is not read: a degraded code without its path, and a sentence for people. */
export interface Refusal {
  readonly code: 'denied' | 'missing' | 'outside' | 'unreadable' | 'too_large' | 'minified' | 'not_utf8';
  readonly reason: string;
}

export type Source =
  | { readonly ok: true; readonly text: string; readonly stamp: string }
  | ({ readonly ok: false } & Refusal);

/** A file that may be read, before it is. */
export type LocatedFile =
  | { readonly ok: true; readonly real: string; readonly size: number; readonly stamp: string }
  | ({ readonly ok: false } & Refusal);

/** The names in a folder that somebody asked for. */
export interface FolderNames {
  readonly stamp: string;
  readonly names: readonly string[];
}

/** A folder that changed this little time ago may change again within one tick of its clock, in ms. */
const SETTLED_MS = 100;

/** Reads files of one working tree: only regular ones inside of it that the gate lets out, and only as text. */
export class SourceReader {
  readonly #toplevel: string;
  readonly #gate: Gate;

  /** @param toplevel a real path */
  constructor(toplevel: string, gate: Gate) {
    this.#toplevel = toplevel;
    this.#gate = gate;
  }

  /**
   * Looks whether a file may be read and how it stands; `stamp` changes whenever its content does. Without waiting:
   * every snapshot looks at each of its files, and a look takes less time than to wait for it.
   * @param maxBytes for a file that is only looked up in and never leaves; by default what the gate lets out
   */
  locate(path: string, maxBytes?: number): LocatedFile {
    const problem = pathProblem(path);
    if (problem !== null) return refuse('outside', `A path that ${problem} is not one of this project.`);
    const verdict = this.#gate.path(path);
    if (!verdict.ok) return refuse('denied', verdict.reason);
    try {
      const full = join(this.#toplevel, path);
      const real = realpathSync.native(full);
      const inside = this.#inside(real);
      if (inside === null) return refuse('outside', `${path} leads out of the project through a link.`);
      const target = this.#gate.path(inside);
      if (!target.ok) return refuse('denied', target.reason);
      const facts = statSync(real, { bigint: true });
      if (!facts.isFile()) return refuse('missing', `${path} is not a file.`);
      const size = Number(facts.size);
      const stamp = `${facts.mtimeNs}:${facts.size}:${facts.ino}`;
      if (maxBytes !== undefined && size <= maxBytes) return { ok: true, real, size, stamp };
      const allowed = this.#gate.file(path, size, null);
      return allowed.ok ? { ok: true, real, size, stamp } : refuse('too_large', allowed.reason);
    } catch (error) {
      return unreadable(path, error);
    }
  }

  async read(path: string): Promise<Source> {
    const located = this.locate(path);
    return located.ok ? this.readLocated(path, located) : located;
  }

  async readLocated(path: string, { real, stamp }: LocatedFile & { readonly ok: true }): Promise<Source> {
    try {
      // Without waiting: a file of this size is read sooner than a thread of the pool could be asked for it.
      const bytes = readFileSync(real);
      const decoded = decode(bytes);
      if (!decoded.ok) return refuse('not_utf8', notText(path, decoded.encoding));
      const { text } = decoded;
      const verdict = this.#gate.file(path, bytes.length, text);
      if (verdict.ok) return { ok: true, text, stamp };
      return refuse(verdict.code === 'minified' ? 'minified' : 'too_large', verdict.reason);
    } catch (error) {
      return unreadable(path, error);
    }
  }

  /**
   * The text of a file that is only looked up in and never leaves: it may be as long as `locate` was told, and look
   * minified. Null when it cannot be read or is not UTF-8.
   */
  async readWhole(path: string, { real }: LocatedFile & { readonly ok: true }): Promise<string | null> {
    try {
      const decoded = decode(await readFile(real));
      return decoded.ok ? decoded.text : null;
    } catch (error) {
      unreadable(path, error);
      return null;
    }
  }

  /**
   * Names in a folder of the working tree, sorted; null when it may not or cannot be looked at. A look without waiting, as
   * with `locate`.
   * @param known what was found before: it is given back while the folder stands as it did
   * @param wanted which names are of interest
   */
  namesIn(folder: string, known: FolderNames | undefined, wanted: (name: string) => boolean): FolderNames | null {
    if (folder !== '' && (pathProblem(folder) !== null || !this.#gate.path(`${folder}/`).ok)) return null;
    try {
      const full = join(this.#toplevel, folder);
      const facts = statSync(full, { bigint: true, throwIfNoEntry: false });
      if (facts === undefined) return null;
      const real = realpathSync.native(full);
      if (folder !== '' && this.#inside(real) === null) return null;
      const settled = Date.now() - Number(facts.mtimeMs) > SETTLED_MS;
      const stamp = settled ? `${facts.mtimeNs}:${facts.ino}` : '';
      if (stamp !== '' && known?.stamp === stamp) return known;
      return { stamp, names: readdirSync(real).filter(wanted).sort() };
    } catch (error) {
      unreadable(folder, error);
      return null;
    }
  }

  #inside(real: string): string | null {
    const path = relative(this.#toplevel, real);
    if (path === '' || path === '..' || path.startsWith(`..${sep}`)) return null;
    return sep === '/' ? path : path.replaceAll(sep, '/');
  }
}

function refuse(code: Refusal['code'], reason: string): { readonly ok: false } & Refusal {
  return { ok: false, code, reason };
}

function missing(path: string): { readonly ok: false } & Refusal {
  return refuse('missing', `There is no file ${path}.`);
}

function unreadable(path: string, error: unknown): { readonly ok: false } & Refusal {
  const code = codeOf(error);
  if (code === undefined) throw error;
  if (code === 'ENOENT' || code === 'ENOTDIR') return missing(path);
  return refuse('unreadable', `${path} cannot be read: ${messageOf(error)}.`);
}

function notText(path: string, encoding: string | undefined): string {
  if (encoding === undefined) return `${path} is not UTF-8 text.`;
  return `${path} says that it is ${encoding}, which it is not or which is not known.`;
}

/** The degraded code of a refusal; a path that must not leave is not named. */
export function degradedCode(refusal: Refusal, path: string): string {
  return refusal.code === 'denied' || refusal.code === 'outside' ? refusal.code : `${refusal.code}:${jsonPath(path)}`;
}
