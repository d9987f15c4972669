import { lstatSync, type Stats } from 'node:fs';
import { codeOf } from '../base/index.ts';
import type { Gate } from './gate.ts';
import type { GitRepository, GitStatus, TrackedFile } from './git-port.ts';
import { languageOf } from './languages.ts';
import { phase } from './phases.ts';
import { jsonPath, pathToBytes } from './targets.ts';
import { TrackedFiles } from './tracked-files.ts';
import { compareBytes, type FileEntry, FileTree, type PlacedNode } from './tree.ts';
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

/** What has changed in the listing since somebody last asked. */
export interface Changes {
  /** It was begun anew: any path may have changed. */
  readonly all: boolean;
  /** Paths that came, went, or have another entry. */
  readonly paths: Set<string>;
}

export interface Listing {
  readonly view: FileView;
  readonly submodules: GitState['submodules'];
  /** Degraded codes: `file_limit`, `unreadable:<folder>`. */
  readonly degraded: readonly string[];
}

/** A file to list, before its size is known. */
interface Candidate {
  readonly kind: FileEntry['kind'];
  /** Known to be unchanged against this blob. */
  readonly oid?: string;
  /** Whether its size has to be read even where the blob is the same as before. */
  readonly look: boolean;
  /** Bytes, where they are known. */
  readonly size?: number | undefined;
}

/** What git says of files that it does not hold clean, by path. */
type Touched = ReadonlyMap<string, Candidate>;

type Stat = (path: string) => Stats | null;

/**
 * The files of one working tree, kept between snapshots. What a listing costs depends on what has changed since the last
 * one, not on how many files there are: only those are looked at, and nodes of unchanged directories keep their hash.
 */
export class WorkingFiles {
  readonly #toplevel: string;
  readonly #limits: FileLimits;
  #tree = new FileTree();
  #entries = new Map<string, FileEntry>();
  #tracked: TrackedFiles | null = null;
  /** Whether `#entries` are only the beginning of too many files. */
  #truncated = false;
  /** What was not clean at the last listing. */
  #touched: Touched = new Map();
  #changes: Changes = { all: true, paths: new Set() };
  #last: { readonly stamp: string; readonly listing: Listing } | null = null;

  constructor(toplevel: string, limits: FileLimits) {
    this.#toplevel = toplevel;
    this.#limits = limits;
  }

  /**
   * Reads what git tracks, if that has changed, and lists it as if all of it were clean. Needs no status, so that it can
   * be done while git makes one.
   */
  async prepare(repository: GitRepository, gate: Gate): Promise<void> {
    const stamp = await repository.indexStamp();
    if (this.#tracked?.isOf(stamp, gate) !== true) await this.#readIndex(repository, stamp, gate);
  }

  /** Lists from git. Costs nothing but a look at the changed files when neither status nor index have changed. */
  async fromGit(repository: GitRepository, status: GitStatus, gate: Gate): Promise<Listing> {
    const stamp = await repository.indexStamp();
    const known = this.#tracked?.isOf(stamp, gate) === true ? this.#tracked : null;
    const tracked = known ?? (await this.#readIndex(repository, stamp, gate));
    return phase('listing', () => this.#list(tracked, status, gate));
  }

  async #readIndex(repository: GitRepository, stamp: string | null, gate: Gate): Promise<TrackedFiles> {
    const files = await phase('index', () => repository.tracked());
    return phase('listing', () => {
      const before = this.#tracked?.judgedBy(gate) === true ? this.#tracked : null;
      const tracked = new TrackedFiles(stamp, gate, files, before);
      if (before === null) this.#clear();
      this.#tracked = tracked;
      this.#last = null;
      this.#truncated ||= tracked.files.length > this.#limits.tracked;
      if (!this.#truncated) {
        const stat: Stat = (path) => this.#stat(path);
        for (const { path, now } of tracked.changes) this.#refresh(path, candidateOf(now), stat);
        // Hashed now, while git still looks.
        this.#tree.view();
      }
      return tracked;
    });
  }

  #list(tracked: TrackedFiles, status: GitStatus, gate: Gate): Listing {
    const stat = once((path) => this.#stat(path));
    const stamp = JSON.stringify([status.stamp, tracked.stamp, standing(status, stat)]);
    if (this.#last?.stamp === stamp) return this.#last.listing;
    const touched = touchedFiles(tracked, status, gate);
    const untracked = [...touched.keys()].filter((path) => tracked.find(path) === null).length;
    const truncated = tracked.files.length + untracked > this.#limits.tracked;
    if (truncated || this.#truncated) {
      this.#replace(firstOf(tracked, touched, this.#limits.tracked), stat);
    } else {
      for (const path of new Set([...this.#touched.keys(), ...touched.keys(), ...tracked.sparse])) {
        this.#refresh(path, touched.get(path) ?? candidateOf(tracked.find(path)), stat);
      }
    }
    this.#truncated = truncated;
    this.#touched = touched;
    const listing = this.#listing(truncated, submodulesOf(tracked, status), []);
    this.#last = { stamp, listing };
    return listing;
  }

  /** Lists by walking the folder. */
  async fromDisk(gate: Gate): Promise<Listing> {
    const found = await phase('listing', () => walk(this.#toplevel, gate, this.#limits.walked));
    this.#forgetGit();
    const stat: Stat = (path) => this.#stat(path);
    this.#replace(new Map(found.files.map(({ path, kind }) => [path, { kind, look: true }])), stat);
    const unreadable = found.unreadable.slice(0, 20).map((folder) => `unreadable:${jsonPath(folder)}`);
    return this.#listing(found.truncated, [], unreadable);
  }

  /** Lists nothing, for a repository without a working tree. */
  empty(): Listing {
    this.#forgetGit();
    this.#clear();
    return this.#listing(false, [], []);
  }

  /** Whether a path was in the last listing. */
  has(path: string): boolean {
    return this.#entries.has(path);
  }

  /** What the last listing says of a path. */
  entry(path: string): FileEntry | undefined {
    return this.#entries.get(path);
  }

  /** Paths of the last listing. */
  paths(): Iterable<string> {
    return this.#entries.keys();
  }

  /** What has changed since the last call; there is one reader. */
  takeChanges(): Changes {
    const changes = this.#changes;
    this.#changes = { all: false, paths: new Set() };
    return changes;
  }

  /** Git's blob id of a path, where git held it clean at the last listing. */
  blob(path: string): string | undefined {
    return this.#entries.get(path)?.oid;
  }

  /** Whether the last listing was git's, not a walk over the disk. */
  get isFromGit(): boolean {
    return this.#tracked !== null;
  }

  /** Paths that git did not hold clean at the last listing. */
  get touched(): Iterable<string> {
    return this.#touched.keys();
  }

  /** Directory nodes that are not stored yet, deepest first. */
  unstored(isStored: (hash: string) => boolean): Iterable<PlacedNode> {
    return this.#tree.unstored(isStored);
  }

  #listing(truncated: boolean, submodules: GitState['submodules'], degraded: readonly string[]): Listing {
    const view = { ...this.#tree.view(), ...(truncated ? { truncated: true as const } : {}) };
    return { view, submodules, degraded: truncated ? ['file_limit', ...degraded] : degraded };
  }

  #forgetGit(): void {
    this.#tracked = null;
    this.#last = null;
  }

  #clear(): void {
    this.#tree = new FileTree();
    this.#entries = new Map();
    this.#touched = new Map();
    this.#truncated = false;
    this.#changes = { all: true, paths: new Set() };
  }

  #replace(candidates: ReadonlyMap<string, Candidate>, stat: Stat): void {
    for (const path of this.#entries.keys()) if (!candidates.has(path)) this.#refresh(path, null, stat);
    for (const [path, candidate] of candidates) this.#refresh(path, candidate, stat);
  }

  /** Brings one path up to date: null for what is no file of the project any more. */
  #refresh(path: string, candidate: Candidate | null, stat: Stat): void {
    const before = this.#entries.get(path);
    const now = candidate === null ? null : entryOf(path, candidate, before, stat);
    if (now === before) return;
    this.#changes.paths.add(path);
    if (now === null) {
      if (before === undefined) return;
      this.#entries.delete(path);
      this.#tree.delete(jsonPath(path));
    } else {
      this.#entries.set(path, now);
      this.#tree.set(jsonPath(path), now);
    }
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

/** The entry of before where nothing can have changed; null for what is not on disk. */
function entryOf(
  path: string,
  { kind, oid, look, size: known }: Candidate,
  before: FileEntry | undefined,
  stat: Stat,
): FileEntry | null {
  if (!look && before !== undefined && before.oid === oid && before.kind === kind) return before;
  if (kind === 'submodule') return { kind, size: 0, ...(oid === undefined ? {} : { oid }) };
  if (known !== undefined) return entry(path, before, { kind, size: known, oid });
  const stats = stat(path);
  if (stats === null || stats.isDirectory()) return null;
  const { size } = stats;
  // The index knows best what it holds; of anything else the disk does.
  const now = oid !== undefined ? kind : stats.isSymbolicLink() ? 'link' : 'file';
  return entry(path, before, { kind: now, size, oid });
}

/** The one of before when nothing of it has changed: then its directory has not either. */
function entry(
  path: string,
  before: FileEntry | undefined,
  { kind, size, oid }: { readonly kind: FileEntry['kind']; readonly size: number; readonly oid: string | undefined },
): FileEntry {
  if (before !== undefined && before.kind === kind && before.size === size && before.oid === oid) return before;
  const language = kind === 'file' ? languageOf(path) : undefined;
  return { kind, size, ...(language === undefined ? {} : { language }), ...(oid === undefined ? {} : { oid }) };
}

/** The same, looking at every path once. */
function once(stat: Stat): Stat {
  const known = new Map<string, Stats | null>();
  return (path) => {
    let stats = known.get(path);
    if (stats === undefined) {
      stats = stat(path);
      known.set(path, stats);
    }
    return stats;
  };
}

/** Size and time of every file that git does not hold clean: they may change while the status stays the same. */
function standing(status: GitStatus, stat: Stat): readonly unknown[] {
  return status.entries.map(({ path }) => {
    const stats = stat(path);
    return stats === null ? null : [stats.size, stats.mtimeMs];
  });
}

function touchedFiles(tracked: TrackedFiles, status: GitStatus, gate: Gate): Touched {
  const touched = new Map<string, Candidate>();
  for (const { path, staged, unstaged, conflicted } of status.entries) {
    if (staged === '?') {
      // Git shows a repository inside, which is a project of its own, with a trailing slash.
      const isRepository = path.endsWith('/');
      const bare = isRepository ? path.slice(0, -1) : path;
      if (gate.path(bare).ok) touched.set(bare, { kind: isRepository ? 'submodule' : 'file', look: true });
    } else if (unstaged !== '.' || conflicted) {
      const file = tracked.find(path);
      if (file !== null && file.kind !== 'submodule') touched.set(path, { kind: file.kind, look: true });
    }
  }
  return touched;
}

/** A file that git holds clean. */
function candidateOf(file: TrackedFile | null): Candidate | null {
  return file === null ? null : cleanCandidate(file);
}

function cleanCandidate({ kind, oid, sparse, size }: TrackedFile): Candidate {
  return { kind, oid, look: sparse === true, size };
}

/** The first files in byte order, up to `limit`. */
function firstOf(tracked: TrackedFiles, touched: Touched, limit: number): ReadonlyMap<string, Candidate> {
  const all = new Map<string, Candidate>(tracked.files.map((file) => [file.path, cleanCandidate(file)]));
  for (const [path, candidate] of touched) all.set(path, candidate);
  return new Map([...all].sort(([a], [b]) => compareBytes(a, b)).slice(0, limit));
}

function submodulesOf({ submodules }: TrackedFiles, status: GitStatus): GitState['submodules'] {
  if (submodules.length === 0) return [];
  const dirty = new Set(status.entries.filter(({ submodule }) => submodule?.dirty === true).map(({ path }) => path));
  return submodules
    .slice(0, MAX_SUBMODULES)
    .map(({ path, oid }) => ({ path: jsonPath(path), commit: oid, dirty: dirty.has(path) }));
}
