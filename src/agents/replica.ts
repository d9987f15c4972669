import { apply, checkLink, type Delta, type Head, type State } from '../delta/index.ts';

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
   * Applies what is new of a batch, in order, and stops at the first delta that does not fit: `gap` when others are
   * missing before it, `mismatch` when it does not link to what is held. Deltas at or below the head are duplicates.
   * @throws ProjectAnchorError of `apply` for an operation this version does not know; what came before it is kept.
   */
  accept(batch: readonly Delta[]): 'applied' | 'gap' | 'mismatch' {
    for (const delta of batch) {
      const { kind } = checkLink(this.#state.anchor, this.#head, delta);
      if (kind === 'gap') return 'gap';
      if (kind === 'fork' || kind === 'broken') return 'mismatch';
      if (kind !== 'next') continue;
      this.#state = apply(this.#state, delta);
      this.#head = { seq: delta.seq, hash: delta.hash };
    }
    return 'applied';
  }

  /** Starts over from a state that the log vouches for. */
  reset(state: State, head: Head): void {
    this.#state = state;
    this.#head = head;
  }
}
