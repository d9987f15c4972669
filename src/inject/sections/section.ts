import type { ProjectView } from '../types.ts';
import type { OpenText } from '../window.ts';

/** One fact of the context: it goes in whole or not at all. */
export interface Item {
  /** Section in the words of the receipt: `anchor`, `dependencies`, `focus`, `tags`, `mark`, `import`, `git`, `outline`, `recall`. */
  readonly kind: string;
  /** What it is about: a target, `path#sym:Name`, a package name. */
  readonly ref: string;
  /** Why it is offered, for the receipt. */
  readonly why: string;
  /** One line, or several for recall. */
  readonly text: string;
  /** Heading below the section's that it shares with its neighbours, such as the file that symbols come from. */
  readonly group?: string;
  /** Whether the open text says the same: then it is left out. Asked only of what would fit. */
  readonly inSight?: () => boolean;
  /** Lower is chosen first. */
  readonly rank: number;
  /** Whether it may go beyond what a completion aims at, up to its ceiling. */
  readonly core: boolean;
  /** Paths that it speaks of: none may be on the deny list. */
  readonly paths: readonly string[];
}

/** Items under one heading, in the order they are shown. */
export interface Section {
  readonly heading?: string;
  readonly items: readonly Item[];
}

/** What sections are made from, all of it in memory. */
export interface Scene {
  readonly view: ProjectView;
  /** The request's file relative to the root, or null. */
  readonly path: string | null;
  /** 1-based line of the cursor or of the selection's beginning, when known. */
  readonly line: number | null;
  readonly open: OpenText;
  /** Line numbers are shown where they do not change with every key: not in completions. */
  readonly numbered: boolean;
}

/**
 * Order in which facts are chosen under the budget: what the next line needs before what rounds the picture off.
 * It is not the order in which they are shown: that is from stable to volatile.
 */
export const Rank = {
  anchor: 0,
  focus: 10,
  recall: 15,
  /** A completion looks at the code first. */
  recallInCompletion: 45,
  enclosing: 20,
  dependencies: 30,
  imports: 40,
  /** What is only named says less than what is imported. */
  named: 42,
  git: 50,
  marks: 60,
  outline: 70,
  members: 80,
} as const;
