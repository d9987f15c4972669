import { LRUCache } from 'lru-cache';
import { type Allow, dependenciesOf } from './dependencies.ts';
import { ECOSYSTEMS, type Ecosystem, ecosystemOf, type Locked } from './ecosystems/index.ts';
import { folderOf, foldersAbove, nameOf, under } from './resolve/paths.ts';
import { degradedCode, type FolderNames, type SourceReader } from './source-reader.ts';
import { jsonPath } from './targets.ts';
import type { Dependencies } from './types.ts';

/** A manifest as it stands. */
export interface Manifest {
  readonly ecosystem: Ecosystem;
  /** Null when it cannot be read. */
  readonly dependencies: Dependencies | null;
  /** The code that says why. */
  readonly degraded: string | null;
}

/** A lock file as it stands. */
export interface Lock {
  readonly path: string;
  /** Null when it is malformed. */
  readonly locked: Locked | null;
}

interface Kept {
  readonly stamp: string;
  /** Other files that its meaning depends on, with how they stood. */
  readonly others: ReadonlyMap<string, string>;
  readonly manifest: Manifest;
}

/** Lock files of large monorepos have some MB; this one nobody writes. */
const MAX_LOCK_BYTES = 32 * 1024 * 1024;
/** A manifest refers to fewer files than this. */
const MAX_OTHERS = 50;
const LOCKS: ReadonlySet<string> = new Set(ECOSYSTEMS.flatMap(({ locks }) => locks));

/** Manifests and lock files of one working tree on the disk, read again only when something of them has changed. */
export class ManifestFiles {
  readonly #source: SourceReader;
  readonly #allow: Allow;
  readonly #folders = new LRUCache<string, FolderNames>({ max: 5_000 });
  readonly #kept = new LRUCache<string, Kept>({ max: 500 });
  readonly #locks = new LRUCache<string, Lock & { readonly stamp: string }>({ max: 50 });

  constructor(source: SourceReader, allow: Allow) {
    this.#source = source;
    this.#allow = allow;
  }

  /**
   * Paths of the manifests that apply to what is in a folder, nearest first.
   * @param seen manifests of folders that were looked at already, for calls about many folders
   */
  above(folder: string, seen = new Map<string, readonly string[]>()): readonly string[] {
    return foldersAbove(folder).flatMap((each) => {
      let found = seen.get(each);
      if (found === undefined) {
        const names = this.#names(each).filter((name) => ecosystemOf(name) !== undefined);
        found = names.map((name) => under(each, name));
        seen.set(each, found);
      }
      return found;
    });
  }

  /** @returns null for a file that is gone, that may not be read, or that is no manifest */
  async manifest(path: string): Promise<Manifest | null> {
    const ecosystem = ecosystemOf(nameOf(path));
    if (ecosystem === undefined) return null;
    const located = this.#source.locate(path);
    if (!located.ok) {
      if (located.code === 'missing' || located.code === 'denied') return null;
      return { ecosystem, dependencies: null, degraded: degradedCode(located, path) };
    }
    const before = this.#kept.get(path);
    if (before?.stamp === located.stamp && this.#stand(before.others)) return before.manifest;
    const others = new Map<string, string>();
    const source = await this.#source.readLocated(path, located);
    const declared = source.ok ? await ecosystem.read(path, source.text, this.#related(others)) : null;
    const manifest: Manifest =
      source.ok && declared !== null
        ? { ecosystem, dependencies: dependenciesOf(declared, source.text, this.#allow), degraded: null }
        : { ecosystem, dependencies: null, degraded: source.ok ? malformed(path) : degradedCode(source, path) };
    this.#kept.set(path, { stamp: located.stamp, others, manifest });
    return manifest;
  }

  /** The lock file that counts for a manifest, or null when there is none that can be read. */
  async lock(path: string, { locks, sharesLock }: Ecosystem): Promise<Lock | null> {
    if (locks.length === 0) return null;
    const folder = folderOf(path);
    for (const each of sharesLock(nameOf(path)) ? foldersAbove(folder) : [folder]) {
      const names = this.#names(each);
      for (const name of locks) {
        const lock = names.includes(name) ? await this.#readLock(under(each, name)) : null;
        if (lock !== null) return lock;
      }
    }
    return null;
  }

  async #readLock(path: string): Promise<Lock | null> {
    const located = this.#source.locate(path, MAX_LOCK_BYTES);
    if (!located.ok) return null;
    const before = this.#locks.get(path);
    if (before?.stamp === located.stamp) return before;
    const text = await this.#source.readWhole(path, located);
    const name = nameOf(path);
    const ecosystem = ECOSYSTEMS.find(({ locks }) => locks.includes(name));
    if (text === null || ecosystem === undefined) return null;
    const lock = { path, stamp: located.stamp, locked: await ecosystem.readLock(name, text) };
    this.#locks.set(path, lock);
    return lock;
  }

  /** One look per folder, not per name: manifests have many names. */
  #names(folder: string): readonly string[] {
    const found = this.#source.namesIn(folder, this.#folders.get(folder), isOfInterest);
    if (found === null) this.#folders.delete(folder);
    else this.#folders.set(folder, found);
    return found?.names ?? [];
  }

  #related(others: Map<string, string>) {
    return async (path: string): Promise<string | null> => {
      if (others.size >= MAX_OTHERS) return null;
      others.set(path, this.#stampOf(path));
      const source = await this.#source.read(path);
      return source.ok ? source.text : null;
    };
  }

  #stand(others: ReadonlyMap<string, string>): boolean {
    for (const [path, stamp] of others) if (this.#stampOf(path) !== stamp) return false;
    return true;
  }

  #stampOf(path: string): string {
    const located = this.#source.locate(path);
    return located.ok ? located.stamp : located.code;
  }
}

function isOfInterest(name: string): boolean {
  return LOCKS.has(name) || ecosystemOf(name) !== undefined;
}

/** The code of a manifest or lock file that is not what its name says. */
export function malformed(path: string): string {
  return `malformed:${jsonPath(path)}`;
}
