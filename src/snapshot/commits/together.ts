import { codeOf } from '../../base/index.ts';
import type { CommitWithFiles, GitRepository } from '../git-port.ts';
import { type IndexCache, kept } from './cache.ts';
import { PresentNames } from './present-names.ts';

/** A file that changed in the same commits as another one. */
export interface TogetherFile {
  readonly path: string;
  /** Commits that changed both. */
  readonly commits: number;
  /** Commits that changed the file that was asked about; the share of both in them is the strength. */
  readonly of: number;
}

/** What is kept of one commit; names as they were then. */
interface Entry {
  readonly changed: readonly string[];
  readonly deleted?: readonly string[];
  readonly renamed?: readonly (readonly [from: string, to: string])[];
}

interface Kept {
  readonly head: string;
  /** Newest first. */
  readonly entries: readonly Entry[];
}

const KIND = 'together.1';
/** Commits that are looked at. */
const WINDOW = 1_000;
/** A commit of more files is a mass edit: that its files changed together says nothing of them. */
const MAX_FILES = 30;
/** Fewer common commits are chance. */
const MIN_COMMITS = 2;
const MAX_TOLD = 10;

/** Which files changed in which of the last commits, kept up to date with HEAD. */
export class TogetherIndex {
  readonly #repository: GitRepository;
  readonly #cache: IndexCache;
  #held: { readonly head: string; readonly groups: readonly ReadonlySet<string>[] } | null = null;

  constructor(repository: GitRepository, cache: IndexCache) {
    this.#repository = repository;
    this.#cache = cache;
  }

  /**
   * Files that changed together with one in the last 1,000 commits that are no merges: at least twice, the most often
   * first, at most 10. A file that was renamed counts under its present name, one that is gone does not.
   * @param isAllowed whether a path may be given out
   */
  async of(path: string, isAllowed: (path: string) => boolean): Promise<readonly TogetherFile[]> {
    const head = await this.#repository.resolve('HEAD');
    if (head === null) return [];
    if (this.#held?.head !== head) this.#held = { head, groups: groupsOf(await this.#upTo(head)) };
    return changedWith(this.#held.groups, path, isAllowed);
  }

  async #upTo(head: string): Promise<readonly Entry[]> {
    const place = this.#repository.place.gitDir;
    const before = kept<Kept>(this.#cache, KIND, place);
    if (before?.head === head) return before.entries;
    const since = before !== undefined && (await this.#isBehind(before.head, head)) ? before : null;
    const made = await this.#repository.changesSince(since?.head ?? null, head, WINDOW);
    const entries = [...made.map(entryOf), ...(since?.entries ?? [])].slice(0, WINDOW);
    this.#cache.put(KIND, place, JSON.stringify({ head, entries } satisfies Kept));
    return entries;
  }

  /** Whether nothing of what was known has been replaced since. */
  async #isBehind(before: string, head: string): Promise<boolean> {
    try {
      return (await this.#repository.divergence(before, head, WINDOW)).gone.length === 0;
    } catch (error) {
      // A commit that was replaced may be gone for good.
      if (codeOf(error) !== 'git_failed') throw error;
      return false;
    }
  }
}

/** A commit of too many files is kept without them: it is one of the last ones all the same. */
function entryOf({ files }: CommitWithFiles): Entry {
  const told = files.length > MAX_FILES ? [] : files;
  const deleted = told.filter(({ after }) => after === null).map(({ path }) => path);
  // Also of a mass edit the renames count: a folder that was moved is one.
  const renamed = files.flatMap(({ path, from }) => (from === undefined ? [] : [[from, path] as const]));
  return {
    changed: told.filter(({ after }) => after !== null).map(({ path }) => path),
    ...(deleted.length === 0 ? {} : { deleted }),
    ...(renamed.length === 0 ? {} : { renamed }),
  };
}

/** The files of every commit under their present names. */
function groupsOf(entries: readonly Entry[]): readonly ReadonlySet<string>[] {
  const names = new PresentNames();
  return entries.map(({ changed, deleted = [], renamed = [] }) => names.past({ changed, deleted, renamed }));
}

function changedWith(
  groups: readonly ReadonlySet<string>[],
  path: string,
  isAllowed: (path: string) => boolean,
): readonly TogetherFile[] {
  const own = groups.filter((group) => group.has(path));
  const counts = new Map<string, number>();
  for (const group of own) {
    for (const other of group) if (other !== path) counts.set(other, (counts.get(other) ?? 0) + 1);
  }
  return [...counts]
    .filter(([other, commits]) => commits >= MIN_COMMITS && isAllowed(other))
    .sort(([a, more], [b, less]) => less - more || (a < b ? -1 : 1))
    .slice(0, MAX_TOLD)
    .map(([other, commits]) => ({ path: other, commits, of: own.length }));
}
