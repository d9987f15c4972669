import { LRUCache } from 'lru-cache';
import type { Gate } from '../snapshot/index.ts';
import { costOfLines } from './budget.ts';

/** Lines of a few large files; about 2 MB at the most. */
const LINES = 8_192;
/** Longer texts come once. */
const LONGEST = 1_000;

/** Remembers what lines cost and whether they may leave: while a person types, the same lines come with every key. */
export class Warm {
  readonly #costs = new LRUCache<string, number>({ max: LINES });
  #verdicts = new LRUCache<string, boolean>({ max: 2 * LINES });
  #gate: Gate | null = null;

  readonly cost = (text: string): number => {
    const known = this.#costs.get(text);
    if (known !== undefined) return known;
    const cost = costOfLines(text);
    if (text.length <= LONGEST) this.#costs.set(text, cost);
    return cost;
  };

  /** Whether a gate lets a path or a text out. Another gate has other rules: nothing is remembered across. */
  passes(gate: Gate, what: 'path' | 'text', value: string): boolean {
    if (gate !== this.#gate) {
      this.#gate = gate;
      this.#verdicts = new LRUCache({ max: 2 * LINES });
    }
    const key = `${what} ${value}`;
    const known = this.#verdicts.get(key);
    if (known !== undefined) return known;
    const passes = gate[what](value).ok;
    if (value.length <= LONGEST) this.#verdicts.set(key, passes);
    return passes;
  }
}
