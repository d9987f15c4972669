import type { Gate } from '../gate.ts';
import type { ChangedFile, CommitWithFiles, GitRepository } from '../git-port.ts';
import { commitInfo } from '../git-state.ts';
import { jsonPath } from '../targets.ts';
import type { CommitInfo, Outline } from '../types.ts';
import { type IndexCache, kept } from './cache.ts';
import { bodyOf } from './message.ts';
import { type SymbolChange, symbolChanges, type Version } from './symbol-changes.ts';

/** The outline of any text of a path; null where there is none: another language, or text that is none of it. */
export type OutlineOfText = (path: string, text: string) => Promise<Outline | null>;

/** What a commit did to one file. */
export interface FileSymbols {
  readonly path: string;
  /** Where it was renamed from. */
  readonly from?: string;
  readonly symbols: readonly SymbolChange[];
  /** Symbols that are not told. */
  readonly more?: number;
  /** Its symbols are not known: no outline, or a text that is not here. */
  readonly unknown?: true;
}

/** What a commit did, by symbols; no line of a diff is part of it. */
export interface CommitSymbols extends CommitInfo {
  readonly body?: string;
  readonly files: readonly FileSymbols[];
  /** Files that are not told. */
  readonly more?: number;
}

export interface CommitsParts {
  readonly repository: GitRepository;
  readonly gate: Gate;
  readonly outline: OutlineOfText;
  readonly cache: IndexCache;
}

/** One file of one commit. */
export interface Touch {
  readonly commit: string;
  readonly file: ChangedFile;
}

/** Another number with every change of what is found in the same texts. */
const KIND = 'commit-symbols.2';
/** Files of one commit whose symbols are told: more are a mass edit, of which each file says little. */
const MAX_FILES = 50;
/** Symbols of one file that are told and kept. */
const MAX_SYMBOLS = 100;

type Stored = Pick<FileSymbols, 'symbols' | 'more'>;

/** The version of a file that is a blob: null where there was no file, undefined where nobody can say what was in it. */
type VersionOf = (path: string, blob: string | null) => Promise<Version | null | undefined>;

/** Finds which symbols commits changed, from the outlines before and after. Texts are read, compared and let go. */
export class SymbolHistory {
  readonly #parts: CommitsParts;

  constructor(parts: CommitsParts) {
    this.#parts = parts;
  }

  /** Of certain commits, in the order given; a merge against its first parent. */
  async ofCommits(commits: readonly string[]): Promise<readonly CommitSymbols[]> {
    const { repository, gate } = this.#parts;
    const changes = await repository.changes(commits);
    const allowed = changes.map(({ files }) => files.filter(({ path }) => gate.path(path).ok));
    const touches = changes.flatMap(({ commit }, at) =>
      (allowed[at] ?? []).slice(0, MAX_FILES).map((file) => ({ commit, file })),
    );
    const found = (await this.ofFiles(touches)).values();
    return changes.map((change, at) => {
      const files = (allowed[at] ?? []).slice(0, MAX_FILES).flatMap(() => found.next().value ?? []);
      const more = (allowed[at]?.length ?? 0) - files.length;
      return { ...toldCommit(change, gate), files, ...(more > 0 ? { more } : {}) };
    });
  }

  /** Of certain files of certain commits, in the order given. */
  async ofFiles(touches: readonly Touch[]): Promise<readonly FileSymbols[]> {
    const { cache, repository } = this.#parts;
    const known = touches.map(({ commit, file }) => kept<Stored>(cache, KIND, keyOf(commit, file)));
    const wanted = touches.filter((_, at) => known[at] === undefined).flatMap(({ file }) => blobsOf(file));
    const texts: ReadonlyMap<string, string> = wanted.length === 0 ? new Map() : await repository.texts(wanted);
    // What one commit left is mostly what another one began with.
    const versions = new Map<string, Version | undefined>();
    const versionOf: VersionOf = async (path, blob) => {
      if (blob === null) return null;
      const key = `${blob} ${path}`;
      if (!versions.has(key)) versions.set(key, await this.#version(path, texts.get(blob)));
      return versions.get(key);
    };
    const found: (Stored | null)[] = [];
    for (const [at, { file }] of touches.entries()) found.push(known[at] ?? (await this.#compare(file, versionOf)));
    cache.batch(() => {
      for (const [at, { commit, file }] of touches.entries()) {
        const stored = found[at] ?? null;
        if (stored !== null && known[at] === undefined) cache.put(KIND, keyOf(commit, file), JSON.stringify(stored));
      }
    });
    return touches.map(({ file }, at) => told(file, found[at] ?? null, this.#parts.gate));
  }

  /** Null when one of the texts or outlines cannot be had. */
  async #compare(file: ChangedFile, versionOf: VersionOf): Promise<Stored | null> {
    const after = await versionOf(file.path, file.after);
    if (after === undefined) return null;
    const lists: (readonly SymbolChange[])[] = [];
    let unsure = 0;
    for (const blob of file.before) {
      const before = await versionOf(file.from ?? file.path, blob);
      if (before === undefined) return null;
      const changes = symbolChanges(before, after);
      const sure = changes.filter((change) => isSure(change, before, after));
      unsure = Math.max(unsure, changes.length - sure.length);
      lists.push(sure);
    }
    const allowed = inAll(lists).filter(({ symbol }) => this.#parts.gate.text(symbol).ok);
    const more = Math.max(0, allowed.length - MAX_SYMBOLS) + unsure;
    return { symbols: allowed.slice(0, MAX_SYMBOLS), ...(more > 0 ? { more } : {}) };
  }

  /** Undefined where nobody can say what was in it. */
  async #version(path: string, text: string | undefined): Promise<Version | undefined> {
    if (text === undefined || !this.#parts.gate.file(path, Buffer.byteLength(text), text).ok) return undefined;
    const outline = await this.#parts.outline(path, text);
    return outline === null ? undefined : { text, outline };
  }
}

/** Of outlines that were cut nobody can say what came and went beyond their ends. */
function isSure({ change, was }: SymbolChange, before: Version | null, after: Version | null): boolean {
  if (before === null || after === null) return true;
  const cut = before.outline.more !== undefined || after.outline.more !== undefined;
  return !cut || (change === 'changed' && was === undefined);
}

/** What a merge only took over from one of its parents is no change of the merge. */
function inAll([first = [], ...others]: readonly (readonly SymbolChange[])[]): readonly SymbolChange[] {
  const names = others.map((changes) => new Set(changes.map(({ symbol }) => symbol)));
  return first.filter(({ symbol }) => names.every((each) => each.has(symbol)));
}

/** A commit as it may be given out. */
export function toldCommit(commit: CommitWithFiles, gate: Gate): CommitInfo & { readonly body?: string } {
  const body = bodyOf(commit.body, gate);
  return { ...commitInfo(commit, gate), ...(body === undefined ? {} : { body }) };
}

function told({ path, from }: ChangedFile, stored: Stored | null, gate: Gate): FileSymbols {
  return {
    path: jsonPath(path),
    ...(from === undefined || !gate.path(from).ok ? {} : { from: jsonPath(from) }),
    ...(stored ?? { symbols: [], unknown: true as const }),
  };
}

function keyOf(commit: string, { path }: ChangedFile): string {
  return `${commit} ${jsonPath(path)}`;
}

function blobsOf({ before, after }: ChangedFile): readonly string[] {
  return [...before, after].filter((blob) => blob !== null);
}
