import { setImmediate as eventsHandled } from 'node:timers/promises';
import { codeOf, type Logger, messageOf, ProjectAnchorError } from '../base/index.ts';
import type { Located } from './anchor.ts';
import { CodeIndex } from './code-index/index.ts';
import type { IndexCache } from './commits/index.ts';
import { type FileLimits, type Listing, WorkingFiles } from './files.ts';
import type { Gate } from './gate.ts';
import { readHead } from './git-files.ts';
import type { Commit, CommitWithPaths, GitPlace, GitRepository } from './git-port.ts';
import { gitStateOf, HISTORY, noGitState } from './git-state.ts';
import { History, MAX_COMMITS, type News, NO_NEWS, type Seen } from './history.ts';
import { Manifests } from './manifests.ts';
import { Origins } from './origins.ts';
import { Outlines } from './outlines.ts';
import { phase } from './phases.ts';
import type { CommitPair } from './service.ts';
import type { TextReaders } from './text-readers.ts';
import type { GitState, ProjectIdentity, Snapshot } from './types.ts';

export interface WorkspaceOptions {
  readonly gate: Gate;
  readonly readers: TextReaders;
  readonly signatures: boolean;
  readonly limits: FileLimits;
  readonly cache: IndexCache;
  /** Resolves when nothing more urgent is under way. */
  readonly idle: () => Promise<void>;
  readonly logger: Logger;
}

/** What was read of git and the files at one moment. */
export interface Observed {
  readonly git: GitState;
  readonly listing: Listing;
  /** Paths that git does not hold clean. */
  readonly touched: readonly string[];
  readonly degraded: readonly string[];
  /** Whether every file that counts is in the listing. */
  readonly complete: boolean;
}

/** Degraded codes of git's errors. */
const GIT_CODES: Readonly<Record<string, string>> = {
  git_missing: 'no_git',
  git_unsafe: 'unsafe_repository',
  git_too_old: 'git_too_old',
  git_broken: 'broken_git',
  git_timeout: 'timeout:git',
  git_failed: 'failed:git',
};

/** The degraded code of an error of git, or undefined when it is another error. */
export function gitCode(error: unknown): string | undefined {
  const code = error instanceof ProjectAnchorError ? codeOf(error) : undefined;
  return code !== undefined && Object.hasOwn(GIT_CODES, code) ? GIT_CODES[code] : undefined;
}

/** What news are asked for. */
export interface Since {
  /** The last snapshot outside of a rebase. */
  readonly before: Seen;
  /** What git's post-rewrite hook said. */
  readonly told: readonly CommitPair[];
}

/** One working tree under one set of rules, with what is worth keeping between snapshots. */
export class Workspace {
  readonly identity: ProjectIdentity;
  readonly gate: Gate;
  readonly outlines: Outlines;
  readonly manifests: Manifests;
  readonly origins: Origins;
  readonly files: WorkingFiles;
  readonly index: CodeIndex;
  readonly #located: Located;
  readonly #logger: Logger;
  #log: { readonly key: string; readonly commits: readonly Commit[] } | null = null;
  #partial: boolean | null = null;
  #listed: Promise<Observed> | null = null;
  /** News that were asked for while git made the status, in case that confirms what they were asked of. */
  #news: { readonly key: string; readonly news: Promise<News> } | null = null;
  /** Paths outside of the listing, whether git ignores them; rules may change, so they are forgotten with every listing. */
  readonly #ignored = new Map<string, boolean>();

  constructor(identity: ProjectIdentity, located: Located, options: WorkspaceOptions) {
    const { gate, readers, signatures, limits, logger, cache, idle } = options;
    this.identity = identity;
    this.gate = gate;
    this.outlines = new Outlines(identity.toplevel, gate, readers, { signatures });
    this.manifests = new Manifests(this.outlines.source, gate);
    this.origins = new Origins(this.outlines.source, gate);
    this.files = new WorkingFiles(identity.toplevel, limits);
    this.index = new CodeIndex({ files: this.files, outlines: this.outlines, cache, idle });
    this.#located = located;
    this.#logger = logger;
  }

  /** Git, or null where it cannot be used. */
  get repository(): GitRepository | null {
    return this.#located.repository;
  }

  /**
   * Looks at git and the files. What cannot be read is taken from `previous`, the workspace's last snapshot, and said in
   * `degraded`.
   * @param since what news will be asked for afterwards; git looks them up meanwhile
   */
  observe(previous: Snapshot | null, since: Since | null = null): Promise<Observed> {
    const observing = this.#observe(previous, since);
    this.#listed ??= observing;
    return observing;
  }

  async #observe(previous: Snapshot | null, since: Since | null): Promise<Observed> {
    const { repository, place, problem } = this.#located;
    this.#ignored.clear();
    this.#news = null;
    if (repository !== null && !repository.place.bare) {
      try {
        return await this.#observeGit(repository, previous, since);
      } catch (error) {
        return this.#fromBefore(repository.place, previous, this.#said(error));
      }
    }
    if (problem !== null) this.#logger.warn(problem.message);
    const head = place === null ? ({ kind: 'none' } as const) : headOf(await readHead(place));
    const code = place?.bare === true ? 'bare' : gitCode(problem);
    const listing = code === 'bare' ? this.files.empty() : await this.files.fromDisk(this.gate);
    return {
      git: noGitState(head),
      listing,
      touched: [],
      degraded: code === undefined ? [] : [code],
      complete: listing.view.truncated !== true,
    };
  }

  /** Lists the files, unless that was done: for questions that come before the first snapshot. */
  async listed(): Promise<void> {
    this.#listed ??= this.observe(null);
    await this.#listed;
  }

  /**
   * Whether a file may be read at all: one that git ignores never leaves. What was listed is known; anything else is
   * asked of git once.
   */
  async mayRead(path: string): Promise<boolean> {
    if (!this.gate.path(path).ok) return false;
    const { repository } = this.#located;
    if (repository === null || repository.place.bare || this.files.has(path)) return true;
    const known = this.#ignored.get(path);
    if (known !== undefined) return !known;
    try {
      const ignored = await repository.isIgnored(path);
      this.#ignored.set(path, ignored);
      return !ignored;
    } catch (error) {
      // Nobody can say, so it stays here.
      if (gitCode(error) === undefined) throw error;
      this.#logger.warn(messageOf(error));
      return false;
    }
  }

  /**
   * What happened to the branch between two snapshots.
   * @param made the commits between both heads, where they were asked for already
   */
  async newsSince(
    since: Since,
    now: Pick<GitState, 'head' | 'operation'>,
    made?: Promise<readonly CommitWithPaths[]>,
  ): Promise<News> {
    const { repository } = this;
    if (repository === null) return NO_NEWS;
    const { before, told } = since;
    const key = JSON.stringify([before.git.head, before.takenAt, told, now.head, now.operation]);
    if (this.#news?.key !== key) {
      const history = new History({ repository, gate: this.gate, logger: this.#logger, made });
      const known = this.#log?.commits ?? [];
      const recent = known[0]?.commit === now.head.commit ? known : [];
      const news = phase('commits', () => history.since(before, now, recent, told));
      this.#news = { key, news };
    }
    return this.#news.news;
  }

  /** Every part for itself: one that git cannot give does not take the others with it. */
  async #observeGit(repository: GitRepository, previous: Snapshot | null, since: Since | null): Promise<Observed> {
    const degraded: string[] = [];
    const instead = <T>(code: string, value: T) => {
      return (error: unknown): T => {
        const said = this.#said(error);
        degraded.push(said === 'failed:git' ? code : said);
        return value;
      };
    };
    const [status, operation, shallow, partial] = await Promise.all([
      phase('status', () => repository.status()),
      repository.operation().catch(instead('failed:git', undefined)),
      repository.shallowStamp(),
      this.#isPartial(repository).catch(instead('failed:git', false)),
      this.#readAhead(repository, since),
    ]);
    const recent = await this.#recent(repository, status.commit, shallow).catch(instead('failed:log', []));
    const listed = await this.files.fromGit(repository, status, this.gate).catch(instead('failed:list', null));
    const listing = listed ?? (await this.#listingBefore(previous));
    const bounded = shallow !== null || partial;
    const git = gitStateOf({ status, operation, recent, bounded, submodules: listing.submodules }, this.gate);
    return {
      git,
      listing,
      touched: status.entries.map(({ path }) => path),
      degraded: [...degraded, ...(shallow === null ? [] : ['shallow']), ...(partial ? ['partial'] : [])],
      complete: listed !== null && listing.view.truncated !== true,
    };
  }

  /**
   * Reads what needs no status while git makes one: the index, and the log of where HEAD's files point. What fails here is
   * asked for again afterwards, and told then.
   */
  async #readAhead(repository: GitRepository, since: Since | null): Promise<void> {
    const log = this.#readLogAhead(repository, since);
    const index = async () => {
      // The log first: it is git that works on it.
      await eventsHandled();
      await this.files.prepare(repository, this.gate);
    };
    await Promise.allSettled([log, index()]);
  }

  async #readLogAhead(repository: GitRepository, since: Since | null): Promise<void> {
    const head = await readHead(repository.place);
    if (head.commit === null) return;
    const from = since?.before.git.head.commit;
    const moved = from !== undefined && from !== head.commit;
    // Nearly always the branch has simply grown; then this is what the news are made of.
    const made = moved ? repository.commitsSince(from, head.commit, MAX_COMMITS) : undefined;
    made?.catch(() => undefined);
    await this.#recent(repository, head.commit, await repository.shallowStamp());
    if (since === null) return;
    const operation = await repository.operation();
    const now = { head: headOf(head), ...(operation === undefined ? {} : { operation }) };
    await this.newsSince(since, now, made);
  }

  /** The code of an error of git, which the log gets in full; any other error goes on. */
  #said(error: unknown): string {
    const code = gitCode(error);
    if (code === undefined) throw error;
    this.#logger.warn(messageOf(error));
    return code;
  }

  async #isPartial(repository: GitRepository): Promise<boolean> {
    this.#partial ??= (await repository.config()).partial;
    return this.#partial;
  }

  /** The log changes only when HEAD or the shallow boundary does. */
  async #recent(repository: GitRepository, commit: string | null, shallow: string | null): Promise<readonly Commit[]> {
    if (commit === null) return [];
    const key = `${commit} ${shallow}`;
    if (this.#log?.key !== key) {
      this.#log = { key, commits: await phase('log', () => repository.log(commit, HISTORY)) };
    }
    return this.#log.commits;
  }

  /** Git as it was; where nothing is known of before, what its files say. */
  async #fromBefore(place: GitPlace, previous: Snapshot | null, code: string): Promise<Observed> {
    const git = previous?.git ?? noGitState(headOf(await readHead(place)));
    return { git, listing: await this.#listingBefore(previous), touched: [], degraded: [code], complete: false };
  }

  async #listingBefore(previous: Snapshot | null): Promise<Listing> {
    if (previous === null) return this.files.fromDisk(this.gate);
    return { view: previous.files, submodules: previous.git.submodules, degraded: [] };
  }
}

function headOf({
  branch,
  commit,
}: {
  readonly branch: string | null;
  readonly commit: string | null;
}): GitState['head'] {
  if (branch === null) return commit === null ? { kind: 'none' } : { kind: 'detached', commit };
  return commit === null ? { kind: 'unborn', branch } : { kind: 'branch', branch, commit };
}
