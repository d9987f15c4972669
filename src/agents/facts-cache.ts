import { LRUCache } from 'lru-cache';
import type { FileFacts } from '../snapshot/index.ts';

/** Facts of this many files are kept: those a person has open and moves between. */
const FACTS_KEPT = 200;

/** The facts of files that were asked for last. An older answer never replaces a newer one. */
export class FactsCache {
  readonly #facts = new LRUCache<string, FileFacts>({ max: FACTS_KEPT });
  /** Per path, the number of its last request. */
  readonly #asked = new LRUCache<string, number>({ max: FACTS_KEPT });
  #requests = 0;

  get(path: string): FileFacts | null {
    return this.#facts.get(path) ?? null;
  }

  /** Gives what `compute` finds, and keeps it unless the path was asked for again meanwhile. */
  async refresh(path: string, compute: () => Promise<FileFacts>): Promise<FileFacts> {
    const request = ++this.#requests;
    this.#asked.set(path, request);
    const facts = await compute();
    if (this.#asked.get(path) === request) this.#facts.set(path, facts);
    return facts;
  }

  clear(): void {
    this.#facts.clear();
    this.#asked.clear();
  }
}
