import { type Clock, type Logger, ProjectAnchorError } from '../../base/index.ts';
import type { GitRepository } from '../git-port.ts';
import { jsonPath } from '../targets.ts';
import type { Workspace } from '../workspace.ts';
import { type AutoTagOptions, AutoTagRounds, type AutoTags } from './auto-tags.ts';
import type { IndexCache } from './cache.ts';
import { type CommitSymbols, type CommitsParts, type OutlineOfText, SymbolHistory } from './commit-symbols.ts';
import type { ComplexityReader } from './complexity.ts';
import { findSymbol } from './find-symbol.ts';
import { type TogetherFile, TogetherIndex } from './together.ts';
import { type Why, whyOf } from './why.ts';

/** What is needed of a working tree. */
export type HistoricalTree = Pick<Workspace, 'gate' | 'repository' | 'mayRead' | 'outlines'>;

export interface QuestionsParts {
  readonly outline: OutlineOfText;
  readonly complexity: ComplexityReader;
  readonly cache: IndexCache;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Answers what the history of a working tree says. */
export class HistoryQuestions {
  readonly #parts: QuestionsParts;
  readonly #together = new WeakMap<GitRepository, TogetherIndex>();
  readonly #rounds = new WeakMap<HistoricalTree, AutoTagRounds>();

  constructor(parts: QuestionsParts) {
    this.#parts = parts;
  }

  /**
   * The commits behind a file or a symbol of it.
   * @param symbol its full name, or the end of it when that is the only one; null for the file
   * @throws ProjectAnchorError `no_git`, `denied`, `no_symbol`, `no_history`, and those of git
   */
  async why(tree: HistoricalTree, path: string, symbol: string | null): Promise<Why> {
    const parts = this.#commitsOf(tree);
    if (!(await tree.mayRead(path))) {
      const verdict = tree.gate.path(path);
      throw new ProjectAnchorError(
        'denied',
        verdict.ok ? `Git ignores ${path}, or could not be asked, so it stays here.` : verdict.reason,
        'Name another file.',
      );
    }
    return whyOf(parts, path, symbol === null ? null : await symbolOf(tree, path, symbol));
  }

  /**
   * What a commit did, by symbols.
   * @param revision as git names it
   * @throws ProjectAnchorError `no_git`, `not_found`, and those of git
   */
  async commit(tree: HistoricalTree, revision: string): Promise<CommitSymbols> {
    const parts = this.#commitsOf(tree);
    const id = await parts.repository.resolve(revision);
    const [commit] = id === null ? [] : await new SymbolHistory(parts).ofCommits([id]);
    if (commit !== undefined) return commit;
    throw new ProjectAnchorError('not_found', `Git knows no commit ${revision}.`, 'Give a revision that it knows.');
  }

  /** Files that changed together with one in the last commits; none without a repository. */
  async together(tree: HistoricalTree, path: string): Promise<readonly TogetherFile[]> {
    const { repository, gate } = tree;
    if (repository === null || repository.place.bare || !(await tree.mayRead(path))) return [];
    let index = this.#together.get(repository);
    if (index === undefined) {
      index = new TogetherIndex(repository, this.#parts.cache);
      this.#together.set(repository, index);
    }
    const found = await index.of(path, (other) => gate.path(other).ok);
    return found.map(({ path: other, ...counts }) => ({ path: jsonPath(other), ...counts }));
  }

  /** One round of working out the automatic tags of a working tree; none without a repository. */
  async autoTags(tree: HistoricalTree, options: AutoTagOptions): Promise<AutoTags> {
    const { repository, gate } = tree;
    if (repository === null || repository.place.bare) return { commit: null, tags: [], keys: [], done: true };
    let rounds = this.#rounds.get(tree);
    if (rounds === undefined) {
      rounds = new AutoTagRounds({ ...this.#parts, repository, gate });
      this.#rounds.set(tree, rounds);
    }
    return rounds.next(options);
  }

  #commitsOf({ repository, gate }: HistoricalTree): CommitsParts {
    if (repository === null) {
      throw new ProjectAnchorError(
        'no_git',
        'This folder is in no repository of git, or git cannot be used here.',
        'Without commits there is no history to tell of.',
      );
    }
    const { outline, cache } = this.#parts;
    return { repository, gate, outline, cache };
  }
}

async function symbolOf({ outlines }: HistoricalTree, path: string, typed: string): Promise<string> {
  const { outline, error } = await outlines.ofFile(path);
  if (outline !== null) return findSymbol(path, outline, typed);
  throw (
    error ??
    new ProjectAnchorError(
      'no_outline',
      `${path} is in a language without outlines.`,
      'Name the file without a symbol.',
    )
  );
}
