import type { PathIndex } from './types.ts';

/** Above what projects of a million lines ask for. */
const MAX_KNOWN = 100_000;

/** Answers that hold until a file comes. */
export class Remembered<V> {
  readonly #index: PathIndex;
  readonly #known = new Map<string, V>();
  #version = 0;

  constructor(index: PathIndex) {
    this.#index = index;
  }

  /**
   * The answer of a key, made when it is not known.
   * @param holds whether a known one is still right
   */
  get(key: string, make: () => V, holds: (known: V) => boolean = () => true): V {
    if (this.#version !== this.#index.version || this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#version = this.#index.version;
    const known = this.#known.get(key);
    if (known !== undefined && holds(known)) return known;
    const made = make();
    this.#known.set(key, made);
    return made;
  }
}
