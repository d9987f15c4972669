import { lstatSync, type Stats } from 'node:fs';
import { codeOf } from '../base/index.ts';
import type { Gate } from './gate.ts';
import type { GitRepository, GitStatus, TrackedFile } from './git-port.ts';
import { languageOf } from './languages.ts';
import { jsonPath, pathToBytes } from './targets.ts';
import { compareBytes, type FileEntry, FileTree, type StoredNode } from './tree.ts';
import type { FileView, GitState } from './types.ts';
import { walk } from './walk.ts';

/** How many files are listed at most. */
export interface FileLimits {
  /** Above what git tracks in the largest repositories people open in an editor. */
  readonly tracked: number;
  /** Without git every listing is a walk over the disk, so it stops sooner. */
  readonly walked: number;
}

/** Room for twice the 100,000 files that the largest benchmark has. */
export const FILE_LIMITS: FileLimits = { tracked: 200_000, walked: 50_000 };

/** As many as GitState keeps of its other lists. */
const MAX_SUBMODULES = 200;

export interface Listing {
  readonly view: FileView;
  readonly submodules: GitState['submodules'];
  /** Degraded codes: `file_limit`, `unreadable:<folder>`. */
  readonly degraded: readonly string[];
}

/** A file to list, before its size is known. */
interface Candidate {
  readonly path: string;
  readonly kind: FileEntry['kind'];
  /** Known to be unchanged against this blob. */
  readonly oid?: string;
  /** Whether its size has to be read even where the blob is the same as before. */
  readonly look: boolean;
}

/**
 * The files of one working tree, kept between snapshots: what git says is unchanged is not looked at again, and nodes
 * of unchanged directories keep their hash.
 */
export class WorkingFiles {
  readonly #toplevel: string;
  readonly #limits: FileLimits;
  #tree = new FileTree();
  #entries = new Map<string, FileEntry>();
  #tracked: { readonly stamp: string | null; readonly files: readonly TrackedFile[] } | null = null;
  #last: { readonly stamp: string; readonly gate: Gate; readonly listing: Listing } | null = null;

  constructor(toplevel: string, limits: FileLimits) {
    this.#toplevel = toplevel;
    this.#limits = limits;
  }

  /** Lists from git. Costs nothing but a look at the changed files when neither status nor index have changed. */
  async fromGit(repository: GitRepository, status: GitStatus, gate: Gate): Promise<Listing> {
    const indexStamp = await repository.indexStamp();
    const touched = touchedFiles(status, (path) => this.#stat(path));
    const stamp = JSON.stringify([status.stamp, indexStamp, touched]);
    if (this.#last?.stamp === stamp && this.#last.gate === gate) return this.#last.listing;
    if (this.#tracked === null || this.#tracked.stamp !== indexStamp) {
      this.#tracked = { stamp: indexStamp, files: await repository.tracked() };
    }
    const { files } = this.#tracked;
    const candidates = candidatesOf(files, status).filter(({ path }) => gate.path(path).ok);
    const truncated = candidates.length > this.#limits.tracked;
    this.#replace(truncated ? candidates.slice(0, this.#limits.tracked) : candidates);
    const listing = this.#listing(truncated, submodulesOf(files, status, gate), []);
    this.#last = { stamp, gate, listing };
    return listing;
  }

  /** Lists by walking the folder. */
  async fromDisk(gate: Gate): Promise<Listing> {
    const found = await walk(this.#toplevel, gate, this.#limits.walked);
    this.#replace(found.files.map(({ path, kind }) => ({ path, kind, look: true })));
    this.#last = null;
    const unreadable = found.unreadable.slice(0, 20).map((folder) => `unreadable:${jsonPath(folder)}`);
    return this.#listing(found.truncated, [], unreadable);
  }

  /** Lists nothing, for a repository without a working tree. */
  empty(): Listing {
    this.#replace([]);
    this.#last = null;
    return this.#listing(false, [], []);
  }

  /** Whether a path was in the last listing. */
  has(path: string): boolean {
    return this.#entries.has(path);
  }

  /** Directory nodes that are not stored yet, deepest first. */
  unstored(isStored: (hash: string) => boolean): Iterable<StoredNode> {
    return this.#tree.unstored(isStored);
  }

  #listing(truncated: boolean, submodules: GitState['submodules'], degraded: readonly string[]): Listing {
    const view = { ...this.#tree.view(), ...(truncated ? { truncated: true as const } : {}) };
    return { view, submodules, degraded: truncated ? ['file_limit', ...degraded] : degraded };
  }

  #replace(candidates: readonly Candidate[]): void {
    const entries = new Map<string, FileEntry>();
    for (const candidate of candidates) {
      const entry = this.#entryOf(candidate);
      if (entry !== null) entries.set(candidate.path, entry);
    }
    for (const path of this.#entries.keys()) if (!entries.has(path)) this.#tree.delete(jsonPath(path));
    for (const [path, entry] of entries) {
      if (this.#entries.get(path) !== entry) this.#tree.set(jsonPath(path), entry);
    }
    this.#entries = entries;
  }

  /** The entry of before where nothing can have changed; null for what is not on disk. */
  #entryOf({ path, kind, oid, look }: Candidate): FileEntry | null {
    const before = this.#entries.get(path);
    if (!look && before !== undefined && before.oid === oid && before.kind === kind) return before;
    if (kind === 'submodule') return { kind, size: 0, ...(oid === undefined ? {} : { oid }) };
    const stats = this.#stat(path);
    if (stats === null || stats.isDirectory()) return null;
    const { size } = stats;
    // The index knows best what it holds; of anything else the disk does.
    const now = oid !== undefined ? kind : stats.isSymbolicLink() ? 'link' : 'file';
    if (before !== undefined && before.kind === now && before.size === size && before.oid === oid) return before;
    const language = now === 'file' ? languageOf(path) : undefined;
    return { kind: now, size, ...(language === undefined ? {} : { language }), ...(oid === undefined ? {} : { oid }) };
  }

  #stat(path: string): Stats | null {
    try {
      const full = path.isWellFormed()
        ? `${this.#toplevel}/${path}`
        : Buffer.concat([Buffer.from(`${this.#toplevel}/`), pathToBytes(path)]);
      return lstatSync(full, { throwIfNoEntry: false }) ?? null;
    } catch (error) {
      if (codeOf(error) === undefined) throw error;
      return null;
    }
  }
}

/** Size and time of every file that git does not hold clean: they may change while the status stays the same. */
function touchedFiles(status: GitStatus, stat: (path: string) => Stats | null): readonly unknown[] {
  return status.entries.map(({ path }) => {
    const stats = stat(path);
    return stats === null ? null : [stats.size, stats.mtimeMs];
  });
}

function candidatesOf(tracked: readonly TrackedFile[], status: GitStatus): readonly Candidate[] {
  const dirty = new Set<string>();
  const untracked: Candidate[] = [];
  for (const { path, staged, unstaged, conflicted } of status.entries) {
    if (staged === '?') untracked.push(untrackedFile(path));
    else if (unstaged !== '.' || conflicted) dirty.add(path);
  }
  const known = tracked.map(({ path, kind, oid, sparse }): Candidate => {
    if (kind === 'submodule') return { path, kind, oid, look: false };
    return dirty.has(path) ? { path, kind, look: true } : { path, kind, oid, look: sparse === true };
  });
  return untracked.length === 0 ? known : [...known, ...untracked].sort((a, b) => compareBytes(a.path, b.path));
}

/** Git shows a repository inside, which is a project of its own, with a trailing slash. */
function untrackedFile(path: string): Candidate {
  return path.endsWith('/')
    ? { path: path.slice(0, -1), kind: 'submodule', look: true }
    : { path, kind: 'file', look: true };
}

function submodulesOf(tracked: readonly TrackedFile[], status: GitStatus, gate: Gate): GitState['submodules'] {
  const submodules = tracked.filter(({ kind, path }) => kind === 'submodule' && gate.path(path).ok);
  if (submodules.length === 0) return [];
  const dirty = new Set(status.entries.filter(({ submodule }) => submodule?.dirty === true).map(({ path }) => path));
  return submodules
    .slice(0, MAX_SUBMODULES)
    .map(({ path, oid }) => ({ path: jsonPath(path), commit: oid, dirty: dirty.has(path) }));
}
