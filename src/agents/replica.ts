import { apply, checkLink, type Delta, type Head, type State } from '../delta/index.ts';

/**
 * What became of a batch: `applied` (with the deltas that were new), `gap` when deltas before it are missing,
 * `mismatch` when it does not link to what is held here.
 */
export type Acceptance =
  | { readonly kind: 'applied'; readonly items: readonly Delta[] }
  | { readonly kind: 'gap' | 'mismatch'; readonly items: readonly Delta[] };

/** One anchor's state held in memory; it only moves by deltas that verify against its head (protocol §7, receiving). */
export class Replica {
  #state: State;
  #head: Head;

  constructor(state: State, head: Head) {
    this.#state = state;
    this.#head = head;
  }

  get state(): State {
    return this.#state;
  }

  get head(): Head {
    return this.#head;
  }

  /**
   * Applies what is new of a batch in order and stops at the first delta that does not fit.
   * Deltas at or below the head are duplicates; the one at the head must have its hash.
   * @throws ProjectAnchorError of `apply` for an operation this version does not know; what came before it is kept.
   */
  accept(batch: readonly Delta[]): Acceptance {
    const items: Delta[] = [];
    for (const delta of batch) {
      const link = checkLink(this.#state.anchor, this.#head, delta);
      if (link.kind === 'gap') return { kind: 'gap', items };
      if (link.kind === 'fork' || link.kind === 'broken') return { kind: 'mismatch', items };
      if (link.kind !== 'next') continue;
      this.#state = apply(this.#state, delta);
      this.#head = { seq: delta.seq, hash: delta.hash };
      items.push(delta);
    }
    return { kind: 'applied', items };
  }

  /** Starts over from a state that the log vouches for. */
  reset(state: State, head: Head): void {
    this.#state = state;
    this.#head = head;
  }
}
