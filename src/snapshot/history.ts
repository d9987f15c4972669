import { codeOf, type Logger, messageOf, ProjectAnchorError } from '../base/index.ts';
import type { Gate } from './gate.ts';
import type { Commit, CommitWithPaths, GitRepository, HeadMove } from './git-port.ts';
import { notedCommit } from './git-state.ts';
import { isCopying, isRewriting, matchCommits } from './rewrites.ts';
import { type CommitPair, MAX_PAIRS, type NotedCommit, type Rewritten } from './service.ts';
import type { GitState, Snapshot } from './types.ts';

/** Most commits that one snapshot reports. */
export const MAX_COMMITS = 20;
/** Most commits of both sides that are compared; a history of more is not rewritten within a second's work. */
const MAX_COMPARED = 20_000;
/** Steps of a rebase that are looked through for the snapshot before it. */
const MAX_STEPS = 500;

/** What a snapshot reports beside what is true: commits that were made, and commits that were replaced. */
export interface News {
  readonly commits: readonly NotedCommit[];
  readonly rewritten: Rewritten;
}

export const NO_NEWS: News = { commits: [], rewritten: { pairs: [] } };

/** What is needed of an earlier snapshot. */
export type Seen = Pick<Snapshot, 'git' | 'takenAt' | 'parent'>;

/** During a rebase HEAD is on no branch; what was replaced is known when it comes back. */
export function isWithinRebase({ head, operation }: Pick<GitState, 'head' | 'operation'>): boolean {
  return operation === 'rebase' && head.kind === 'detached';
}

/**
 * The last snapshot that was not taken within a rebase, from `latest` backwards.
 * @param read an earlier snapshot by its id; undefined when it is not kept any more
 */
export function seenBeforeRebase(latest: Seen, read: (id: string) => Seen | undefined): Seen {
  let seen: Seen | undefined = latest;
  for (let step = 0; seen !== undefined && step < MAX_STEPS; step++) {
    if (!isWithinRebase(seen.git)) return seen;
    seen = seen.parent === null ? undefined : read(seen.parent);
  }
  return latest;
}

export interface HistoryOptions {
  readonly repository: GitRepository;
  readonly gate: Gate;
  readonly logger: Logger;
  /** `commitsSince` of the two heads, where it was asked for already. */
  readonly made?: Promise<readonly CommitWithPaths[]> | undefined;
}

/** Where HEAD stands. */
type Standing = Pick<GitState, 'head' | 'operation'>;

/** Where a branch stood and stands. */
interface Move {
  readonly before: Seen;
  readonly now: Standing;
  readonly since: string;
  readonly until: string;
  readonly told: readonly CommitPair[];
}

/**
 * Finds what happened to a branch between two looks at it. One command of git where commits were made, two where they
 * were replaced. It never throws for what git cannot answer: an older commit may be gone for good.
 */
export class History {
  readonly #options: HistoryOptions;

  constructor(options: HistoryOptions) {
    this.#options = options;
  }

  /**
   * @param before the last snapshot outside of a rebase
   * @param recent the newest commits of the branch now
   * @param told what git's post-rewrite hook said
   */
  async since(before: Seen, now: Standing, recent: readonly Commit[], told: readonly CommitPair[]): Promise<News> {
    const since = before.git.head.commit;
    const until = now.head.commit;
    if (until === undefined || since === until || isWithinRebase(now)) return NO_NEWS;
    try {
      if (since === undefined) return await this.#first(before, now, until);
      const move = { before, now, since, until, told: told.filter(isPair) };
      return await this.#moved(move, recent);
    } catch (error) {
      if (!(error instanceof ProjectAnchorError) || !codeOf(error)?.startsWith('git_')) throw error;
      this.#options.logger.warn(messageOf(error));
      return NO_NEWS;
    }
  }

  /** Only of a branch that was seen without a commit is it known that all its commits were made since. */
  async #first(before: Seen, now: Standing, until: string): Promise<News> {
    if (before.git.head.kind !== 'unborn') return NO_NEWS;
    const commits = await this.#options.repository.commitsSince(null, until, MAX_COMMITS);
    const from = before.git.head.branch === now.head.branch ? Number.NEGATIVE_INFINITY : second(before.takenAt);
    return { ...NO_NEWS, commits: this.#noted(commits.filter(({ at }) => at >= from)) };
  }

  async #moved(move: Move, recent: readonly Commit[]): Promise<News> {
    const { before, now, since, until } = move;
    if (before.git.head.branch !== now.head.branch) return this.#switched(move);
    if (recent.some(({ commit }) => commit === since)) {
      if (now.head.branch === undefined) return this.#switched(move);
      return {
        ...NO_NEWS,
        commits: this.#noted(await this.#commitsSince(since, until)),
      };
    }
    const moves = await this.#options.repository.headMoves();
    // From one commit to another without a branch is a checkout, unless somebody says that it was not.
    const rewrote =
      now.head.branch !== undefined || move.told.length > 0 || moves.some((each) => isStepTo(each, until));
    return rewrote ? this.#replaced(move, moves) : this.#switched(move);
  }

  /** On another branch only what was made since is news: the rest was there before. */
  async #switched({ before, since, until, told }: Move): Promise<News> {
    const { repository } = this.#options;
    const from = second(before.takenAt);
    const made = (await this.#commitsSince(since, until)).filter(({ at }) => at >= from);
    const rewritten = capped(told);
    if (made.length === 0) return { commits: [], rewritten };
    const steps = (await repository.headMoves()).filter(isCopying).map(({ to }) => to);
    const copies = new Set([...steps, ...(steps.length === 0 ? told.map((pair) => pair.new) : [])]);
    return { commits: this.#noted(made.filter(({ commit }) => !copies.has(commit))), rewritten };
  }

  async #replaced({ before, since, until, told }: Move, moves: readonly HeadMove[]): Promise<News> {
    const { repository } = this.#options;
    const { gone, made } = await repository.divergence(since, until, MAX_COMPARED);
    const pairs = matchCommits({ gone, made, moves, told, seenAt: Date.parse(before.takenAt) });
    const copies = new Set(pairs.map((pair) => pair.new));
    const news = made.filter(({ commit }) => !copies.has(commit)).slice(-MAX_COMMITS);
    const ids = news.map(({ commit }) => commit).toReversed();
    const commits = ids.length === 0 ? [] : await repository.withPaths(ids);
    return { commits: this.#noted(commits), rewritten: capped(pairs) };
  }

  #commitsSince(since: string, until: string): Promise<readonly CommitWithPaths[]> {
    return this.#options.made ?? this.#options.repository.commitsSince(since, until, MAX_COMMITS);
  }

  #noted(newestFirst: readonly CommitWithPaths[]): readonly NotedCommit[] {
    return newestFirst.toReversed().map((commit) => notedCommit(commit, commit.paths, this.#options.gate));
  }
}

function isStepTo(move: HeadMove, commit: string): boolean {
  return move.to === commit && isRewriting(move);
}

/** The newest ones: what stands at the head of a branch is asked for most. */
function capped(pairs: readonly CommitPair[]): Rewritten {
  const more = pairs.length - MAX_PAIRS;
  return more > 0 ? { pairs: pairs.slice(more), more } : { pairs };
}

/** Two full ids that differ: what comes from a hook came through a shell. */
function isPair(pair: CommitPair): boolean {
  return isFullId(pair.old) && isFullId(pair.new) && pair.old !== pair.new;
}

function isFullId(id: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(id);
}

/** Git's times are whole seconds. */
function second(time: string): number {
  return Math.floor(Date.parse(time) / 1000) * 1000;
}
