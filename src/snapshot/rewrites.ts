import type { BranchCommit, HeadMove } from './git-port.ts';
import type { CommitPair } from './service.ts';

/** What is known of commits that left a branch and those that came instead. */
export interface Replacement {
  /** Commits of the branch that are not in it any more, oldest first. */
  readonly gone: readonly BranchCommit[];
  /** Commits that are in it only now, oldest first. */
  readonly made: readonly BranchCommit[];
  /** Where HEAD went of late, oldest first; empty where no reflog is kept. */
  readonly moves: readonly HeadMove[];
  /** What git's post-rewrite hook said. */
  readonly told: readonly CommitPair[];
  /** When `gone` was last seen to be the branch, in ms. */
  readonly seenAt: number;
}

/**
 * Which of the gone commits live on in which of the made ones, in the order of the gone. What was amended or picked has
 * one new commit, what was squashed shares one. Every step needs evidence of its own; where that fits more than one
 * commit there is no pair, because a wrong one would say for good that work lives on where it does not.
 */
export function matchCommits(replacement: Replacement): readonly CommitPair[] {
  const matching = new Matching(replacement);
  matching.bySteps();
  matching.byIdentity();
  matching.byAuthoring();
  matching.byContent();
  matching.byAutosquash();
  matching.byMelding();
  return matching.pairs();
}

/** `rebase (pick): …`, `rebase -i (fixup): …`, `pull --rebase git@host:x (pick): …`: what a step of a rebase did. */
const REBASE_STEP =
  /^(?:rebase|pull)\b.*? \((start|pick|edit|reword|squash|fixup|merge|continue|reset|skip|finish|abort)\): /;
/** Steps that make a commit of one that there was. */
const COPYING: ReadonlySet<string> = new Set(['pick', 'edit', 'reword', 'squash', 'fixup', 'merge', 'continue']);
/** Written by a person from nothing, whatever else may look alike. */
const WRITTEN_ANEW = /^(?:commit|commit \((?:initial|merge)\)|revert): /;
/** What `git commit --fixup` and its like put before the subject of the commit that they belong to. */
const AUTOSQUASH = /^(?:(?:fixup|squash|amend)! )+/;

/** Whether a move of HEAD was a step of a rebase that made a commit of one that there was. */
export function isCopying({ action }: HeadMove): boolean {
  return COPYING.has(stepOf(action) ?? '');
}

/** Whether a move of HEAD put one commit in the place of another, alone or within a rebase. */
export function isRewriting({ action }: HeadMove): boolean {
  return isOfRebase(action) || action.startsWith('commit (amend)');
}

function isOfRebase(action: string): boolean {
  return /^rebase\b/.test(action) || stepOf(action) !== undefined;
}

function stepOf(action: string): string | undefined {
  return REBASE_STEP.exec(action)?.[1];
}

class Matching {
  readonly #replacement: Replacement;
  readonly #gone: readonly BranchCommit[];
  readonly #made: ReadonlyMap<string, BranchCommit>;
  readonly #places: ReadonlyMap<string, number>;
  readonly #newPlaces: ReadonlyMap<string, number>;
  /** The last place of each tree among the gone. */
  readonly #treePlaces: ReadonlyMap<string, number>;
  /** Old → new. */
  readonly #found = new Map<string, string>();
  readonly #taken = new Set<string>();

  constructor(replacement: Replacement) {
    this.#replacement = replacement;
    this.#gone = replacement.gone;
    this.#made = new Map(replacement.made.map((each) => [each.commit, each]));
    this.#places = new Map(replacement.gone.map(({ commit }, place) => [commit, place]));
    this.#newPlaces = new Map(replacement.made.map(({ commit }, place) => [commit, place]));
    this.#treePlaces = new Map(replacement.gone.map(({ tree }, place) => [tree, place]));
  }

  pairs(): readonly CommitPair[] {
    return this.#gone.flatMap(({ commit: old }) => {
      const now = this.#found.get(old);
      return now === undefined ? [] : [{ old, new: now }];
    });
  }

  /** What the hook and the reflog name: one commit after the other, however often it was amended. */
  bySteps(): void {
    const { moves, told } = this.#replacement;
    const amended = moves.filter(({ action }) => action.startsWith('commit (amend)'));
    const next = new Map([
      ...amended.map(({ from, to }) => [from, to] as const),
      ...told.map((p) => [p.old, p.new] as const),
    ]);
    for (const { commit } of this.#gone) {
      const seen = new Set([commit]);
      for (let at = next.get(commit); at !== undefined && !seen.has(at); at = next.get(at)) {
        if (this.#made.has(at)) {
          this.#pair(commit, at);
          break;
        }
        seen.add(at);
      }
    }
  }

  /** A picked commit keeps its author, the time it was written and its subject. */
  byIdentity(): void {
    const key = ({ author, authoredAt, subject }: BranchCommit) => JSON.stringify([author, authoredAt, subject]);
    const made = Map.groupBy(this.#unmatchedMade(), key);
    for (const [identity, olds] of Map.groupBy(this.#unmatchedGone(), key)) {
      const news = made.get(identity) ?? [];
      // Twins keep their order; where one of them is missing nobody can say which.
      if (news.length !== olds.length) continue;
      for (const [at, now] of news.entries()) this.#pair(olds[at]?.commit ?? '', now.commit);
    }
  }

  /** A reworded commit keeps its author and the time it was written; one written anew has a time of its own. */
  byAuthoring(): void {
    const key = ({ author, authoredAt }: BranchCommit) => JSON.stringify([author, authoredAt]);
    const made = Map.groupBy(this.#unmatchedMade(), key);
    for (const [authoring, olds] of Map.groupBy(this.#unmatchedGone(), key)) {
      const [old, ...moreOlds] = olds;
      const [now, ...moreNews] = made.get(authoring) ?? [];
      if (old === undefined || now === undefined || moreOlds.length + moreNews.length > 0) continue;
      if (this.#mayBeReworded(now) && this.#keepsOrder(old, now)) this.#pair(old.commit, now.commit);
    }
  }

  /** Whether it stands between the counterparts of its neighbours, as it would without having been moved. */
  #keepsOrder({ commit: old }: BranchCommit, { commit: now }: BranchCommit): boolean {
    const place = this.#places.get(old) ?? 0;
    const newPlace = (id: string | undefined) => this.#newPlaces.get(id ?? '');
    const counterpart = ({ commit }: BranchCommit) => newPlace(this.#found.get(commit));
    const before = this.#gone.slice(0, place).findLast((each) => counterpart(each) !== undefined);
    const after = this.#gone.slice(place + 1).find((each) => counterpart(each) !== undefined);
    const at = newPlace(now) ?? 0;
    const low = before === undefined ? -1 : (counterpart(before) ?? -1);
    const high = after === undefined ? Number.POSITIVE_INFINITY : (counterpart(after) ?? Number.POSITIVE_INFINITY);
    return low < at && at < high;
  }

  #mayBeReworded({ commit, authoredAt }: BranchCommit): boolean {
    const { moves, seenAt } = this.#replacement;
    const action = moves.findLast(({ to }) => to === commit)?.action ?? '';
    if (isOfRebase(action)) return true;
    // Two commits of one second could still be made by a script, one after the other.
    return !WRITTEN_ANEW.test(action) && authoredAt < Math.floor(seenAt / 1000) * 1000;
  }

  /** Several in a row were made one where the new commit leads from what was before them to what was after them. */
  byContent(): void {
    for (const now of this.#replacement.made) {
      const last = this.#treePlaces.get(now.tree) ?? -1;
      const run: BranchCommit[] = [];
      for (let at = last; at >= 0; at--) {
        const old = this.#gone[at];
        if (old === undefined || !this.#isFreeFor(old, now)) break;
        if (run[0] !== undefined && run[0].parents[0] !== old.commit) break;
        run.unshift(old);
      }
      const [first] = run;
      if (first === undefined || !this.#sameStart(first, now)) continue;
      for (const { commit } of run) this.#pair(commit, now.commit);
    }
  }

  #isFreeFor(old: BranchCommit, now: BranchCommit): boolean {
    const known = this.#found.get(old.commit);
    // A merge is no part of a row.
    return old.parents.length <= 1 && now.parents.length <= 1 && (known === undefined || known === now.commit);
  }

  #sameStart(old: BranchCommit, now: BranchCommit): boolean {
    const [before, after] = [old.parents[0], now.parents[0]];
    return before === after || (before !== undefined && after !== undefined && this.#found.get(before) === after);
  }

  /** `fixup! subject` belongs to the commit with that subject before it. */
  byAutosquash(): void {
    const { moves } = this.#replacement;
    const melds = this.#melds();
    for (const old of this.#unmatchedGone()) {
      const subject = old.subject.replace(AUTOSQUASH, '');
      if (subject === old.subject) continue;
      const place = this.#places.get(old.commit) ?? 0;
      const target = this.#gone.slice(0, place).findLast((each) => each.subject === subject);
      const now = target === undefined ? undefined : this.#found.get(target.commit);
      if (now === undefined) continue;
      const room = (melds.get(now) ?? 0) - this.#meldedInto(now);
      if (moves.length === 0 || room > 0) this.#pair(old.commit, now);
    }
  }

  /**
   * The reflog of a rebase tells how many were melded into a commit: those that are missing right after it, provided
   * that the numbers fit everywhere, so that none was dropped.
   */
  byMelding(): void {
    const melded = new Map<string, string>();
    for (const [now, count] of this.#melds()) {
      const missing = count - this.#meldedInto(now);
      if (missing === 0) continue;
      const last = this.#gone.findLastIndex(({ commit }) => this.#found.get(commit) === now);
      const after = last < 0 ? [] : this.#gone.slice(last + 1);
      const end = after.findIndex(({ commit }) => this.#found.has(commit));
      const run = end < 0 ? after : after.slice(0, end);
      if (run.length !== missing) return;
      for (const { commit } of run) melded.set(commit, now);
    }
    if (melded.size !== this.#unmatchedGone().length) return;
    for (const [old, now] of melded) this.#pair(old, now);
  }

  /** By made commit, how many others were melded into it. */
  #melds(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const { from, to, action } of this.#replacement.moves) {
      const step = stepOf(action);
      const before = counts.get(from) ?? 0;
      if (step === 'squash' || step === 'fixup') counts.set(to, before + 1);
      else if (step === 'reword' && before > 0) counts.set(to, before);
    }
    return new Map([...counts].filter(([commit]) => this.#made.has(commit)));
  }

  /** Without the one that the others were melded into. */
  #meldedInto(now: string): number {
    const olds = [...this.#found.values()].filter((each) => each === now);
    return Math.max(0, olds.length - 1);
  }

  #pair(old: string, now: string): void {
    this.#found.set(old, now);
    this.#taken.add(now);
  }

  #unmatchedGone(): readonly BranchCommit[] {
    return this.#gone.filter(({ commit }) => !this.#found.has(commit));
  }

  #unmatchedMade(): readonly BranchCommit[] {
    return this.#replacement.made.filter(({ commit }) => !this.#taken.has(commit));
  }
}
