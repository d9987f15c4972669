import { estimateTokenCount } from 'tokenx';
import type { Item, Section } from './sections/section.ts';
import type { InjectRequest, InjectSettings } from './types.ts';

/**
 * The stated estimator of every budget: tokenx, 3 to 6 % above a real tokenizer on code, Markdown and JSON.
 * The true count comes from the API's usage.
 */
export function estimateTokens(text: string): number {
  return estimateTokenCount(text);
}

/** Shares of a request, in estimated tokens (protocol §8). */
export interface Budget {
  /** Never exceeded. */
  readonly ceiling: number;
  /** Where items that only round the picture off stop being added. */
  readonly aim: number;
  /** Most that recall may take of the ceiling. */
  readonly recall: number;
}

/** Recall's share (protocol §8): 300 of a completion, 600 of an explanation or a chat turn. */
const RECALL = { completion: 300, explain: 600, chat: 600 } as const;
/** A completion aims at 800 of 1,200. */
const AIM = 2 / 3;

/** The budget of a kind of request under the person's settings. */
export function budgetFor(type: InjectRequest['type'], settings: InjectSettings): Budget {
  const setting = type === 'completion' ? settings.completionTokens : settings.explainTokens;
  const ceiling = Number.isFinite(setting) ? Math.max(0, Math.trunc(setting)) : 0;
  return {
    ceiling,
    aim: type === 'completion' ? Math.floor(ceiling * AIM) : ceiling,
    recall: Math.min(RECALL[type], ceiling),
  };
}

/** What a text costs as lines of their own: a line end costs at most one token, so sums never fall below the whole. */
export function costOfLines(text: string): number {
  return text.split('\n').reduce((sum, line) => sum + estimateTokens(line) + 1, 0);
}

/** An item that was left out, and why. */
export interface Left {
  readonly item: Item;
  readonly tokens: number;
  readonly why: string;
}

export interface Chosen {
  /** The sections with the items that go in; sections without one are gone. */
  readonly sections: readonly Section[];
  readonly left: readonly Left[];
}

/** What choosing goes by. */
export interface Rules {
  readonly budget: Budget;
  /** Text that stands before everything as soon as there is anything. */
  readonly preamble: string;
  /** `costOfLines`, or one that remembers. */
  readonly cost: (text: string) => number;
  /** Why an item that would fit must not go in, or null. */
  readonly objection: (item: Item) => string | null;
}

/**
 * Chooses whole items, most needed first, under the budget. The sum of what is chosen, headings included, never exceeds it,
 * and a smaller item may still fit where a larger one did not.
 */
export function choose(sections: readonly Section[], { budget, preamble, cost, objection }: Rules): Chosen {
  const candidates = sections
    .flatMap((section) => section.items.map((item) => ({ section, item })))
    .sort((a, b) => a.item.rank - b.item.rank);
  const opened = new Set<string>();
  const kept = new Set<Item>();
  const left: Left[] = [];
  let used = cost(preamble);
  for (const { section, item } of candidates) {
    const own = cost(item.text);
    const headings = headingsOf(section, item).filter((heading) => !opened.has(heading));
    const total = headings.reduce((sum, heading) => sum + cost(heading), used + own);
    const why = refusal(item, own, total, budget) ?? objection(item);
    if (why !== null) {
      left.push({ item, tokens: own, why });
      continue;
    }
    used = total;
    kept.add(item);
    for (const heading of headings) opened.add(heading);
  }
  const withItems = sections
    .map((section) => ({ ...section, items: section.items.filter((item) => kept.has(item)) }))
    .filter(({ items }) => items.length > 0);
  return { sections: withItems, left };
}

function refusal(item: Item, own: number, total: number, budget: Budget): string | null {
  if (item.kind === 'recall' && own > budget.recall) return `over its share of ${budget.recall} tokens`;
  if (total > budget.ceiling) return `over the budget of ${budget.ceiling} tokens`;
  if (!item.core && total > budget.aim) return `over the aim of ${budget.aim} tokens`;
  return null;
}

function headingsOf(section: Section, item: Item): string[] {
  return [section.heading, item.group].filter((heading) => heading !== undefined);
}
