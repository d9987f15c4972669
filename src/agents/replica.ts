import { checkingLink, type Delta, type Head, type State, StateBuilder } from '../delta/index.ts';

/** How deltas were taken: `gap` when others are missing before one, `mismatch` when it does not link to what is held. */
export type Accepted = 'applied' | 'gap' | 'mismatch';

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
   * Applies what is new of a batch, in order and delta by delta, and stops at the first one that does not fit. Deltas at
   * or below the head are duplicates. Goes in steps of less than a millisecond: an editor does not stand still meanwhile.
   * @throws ProjectAnchorError of `apply` for an operation this version does not know; what came before it is kept.
   */
  *accepting(batch: readonly Delta[]): Generator<void, Accepted> {
    for (const delta of batch) {
      const { kind } = yield* checkingLink(this.#state.anchor, this.#head, delta);
      if (kind === 'gap') return 'gap';
      if (kind === 'fork' || kind === 'broken') return 'mismatch';
      if (kind !== 'next') continue;
      yield;
      const builder = new StateBuilder(this.#state);
      yield* builder.applying(delta);
      this.#state = builder.build();
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
