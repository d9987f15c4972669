import { codeOf, Emitter, type Event, type Logger, messageOf } from '../base/index.ts';
import { apply, stateHash } from './apply.ts';
import { checkLink, genesis } from './chain.ts';
import { MAX_FETCH } from './hub-limits.ts';
import type { DeltaBatch } from './service.ts';
import type { Delta, Head, State, StateView } from './types.ts';

/** Where a follower gets what it was not given: its own log, or a hub. */
export interface FollowerSource {
  /** Deltas with seq above `after`, in order; a source may give fewer than `limit`, none only at its head. */
  read(anchor: string, after: number, limit: number): Promise<readonly Delta[]>;
  /** The state at the source's head, to begin again from when the chains have parted. */
  state(anchor: string): Promise<StateView>;
}

/**
 * What became of what was offered: `followed`, it is held now or was before; `resynced`, it did not fit and was not
 * applied, and the place is to be compared with the giver's anew.
 */
export type Taken = 'followed' | 'resynced';

/** Hashes of this many deltas below the head are remembered, to tell a duplicate from a fork without asking. */
const REMEMBERED = 1_000;

/**
 * The verified picture of one anchor: `(seq, hash, state)` that only moves by deltas which follow it (protocol §7).
 * Duplicates are ignored, a gap is fetched, and what does not fit is never applied.
 */
export class Follower {
  readonly anchor: string;
  readonly #source: FollowerSource;
  readonly #logger: Logger;
  readonly #deltas: Emitter<DeltaBatch>;
  readonly #mismatches: Emitter<string>;
  readonly #hashes = new Map<number, string>();
  #head: Head;
  #state: State;
  #stateHash: string | undefined;
  #stopped: StateView['stopped'];
  #turn: Promise<unknown> = Promise.resolve();

  constructor(start: StateView, source: FollowerSource, logger: Logger) {
    const failed = (error: unknown) => logger.error(`a listener failed: ${messageOf(error)}`);
    this.anchor = start.state.anchor;
    this.#source = source;
    this.#logger = logger;
    this.#deltas = new Emitter(failed);
    this.#mismatches = new Emitter(failed);
    this.#head = { seq: start.seq, hash: start.hash };
    this.#state = start.state;
    this.#stateHash = start.stateHash;
    this.#stopped = start.stopped;
  }

  get head(): Head {
    return this.#head;
  }

  get state(): State {
    return this.#state;
  }

  /** Why it does not go on: a delta that only a newer version can read (protocol §1), or one that does not verify. */
  get stopped(): StateView['stopped'] {
    return this.#stopped;
  }

  /** The whole view; the state's hash is computed when it is first asked for. */
  view(pending: number): StateView {
    this.#stateHash ??= stateHash(this.#state);
    const view = { ...this.#head, stateHash: this.#stateHash, pending, state: this.#state };
    return this.#stopped === undefined ? view : { ...view, stopped: this.#stopped };
  }

  /** What was applied, in order and without gaps. After a resync the next batch begins at the new place. */
  get onDeltas(): Event<DeltaBatch> {
    return this.#deltas.event;
  }

  /** Tells, as a sentence, that something was offered that does not fit. */
  get onMismatch(): Event<string> {
    return this.#mismatches.event;
  }

  /** Takes in deltas in order; fetches what is missing before them. Calls are served one after the other. */
  take(items: readonly Delta[]): Promise<Taken> {
    return this.#inTurn(() => this.#take(items));
  }

  /** Reads on to the head of the source. */
  catchUp(): Promise<Taken> {
    return this.#inTurn(() => this.#readOn(Number.POSITIVE_INFINITY));
  }

  /** The giver says that this place is not in its chain: compares it with the source. */
  doubt(reason: string): Promise<Taken> {
    return this.#inTurn(() => this.#resync(reason));
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => undefined);
    return result;
  }

  async #take(items: readonly Delta[]): Promise<Taken> {
    const first = items.find((delta) => delta.seq > this.#head.seq);
    if (first !== undefined && first.seq > this.#head.seq + 1) {
      const filled = await this.#readOn(first.seq - 1);
      if (filled === 'resynced') return filled;
    }
    const misfit = await this.#accept(items);
    return misfit === undefined ? 'followed' : await this.#resync(misfit.reason);
  }

  /** Reads from the source up to `seq`, or as far as it goes. */
  async #readOn(seq: number): Promise<Taken> {
    while (this.#head.seq < seq && this.#stopped === undefined) {
      const items = await this.#source.read(this.anchor, this.#head.seq, MAX_FETCH);
      if (items.length === 0) break;
      const misfit = await this.#accept(items);
      if (misfit === undefined) continue;
      if (misfit.kind === 'broken') this.#stop(damaged(misfit.reason));
      else await this.#adopt();
      return 'resynced';
    }
    return 'followed';
  }

  /** Applies what follows the head and tells it as one batch; returns the first delta that does not fit. */
  async #accept(items: readonly Delta[]): Promise<Misfit | undefined> {
    const applied: Delta[] = [];
    try {
      for (const delta of items) {
        const link = checkLink(this.anchor, this.#head, delta);
        if (link.kind === 'fork' || link.kind === 'broken') return link;
        if (link.kind === 'old' && (await this.#hashAt(delta.seq)) !== delta.hash) {
          return { kind: 'fork', reason: `there is another delta ${delta.seq}` };
        }
        if (link.kind === 'next' && this.#apply(delta)) applied.push(delta);
        // What is above a gap, or from a delta on that cannot be read, is left.
        if (this.#head.seq < delta.seq) return undefined;
      }
      return undefined;
    } finally {
      if (applied.length > 0) this.#deltas.fire({ anchor: this.anchor, items: applied, head: this.#head });
    }
  }

  #apply(delta: Delta): boolean {
    if (this.#stopped !== undefined) return false;
    try {
      this.#state = apply(this.#state, delta);
    } catch (error) {
      this.#stop(unreadable(delta.seq, error));
      return false;
    }
    this.#stateHash = undefined;
    this.#head = { seq: delta.seq, hash: delta.hash };
    this.#hashes.set(delta.seq, delta.hash);
    this.#hashes.delete(delta.seq - REMEMBERED);
    return true;
  }

  async #hashAt(seq: number): Promise<string | undefined> {
    const known = this.#hashes.get(seq);
    return known ?? (await this.#hashInSource(seq));
  }

  /** Something did not fit: asks the source which of the two chains is its own, and follows that one. */
  async #resync(reason: string): Promise<Taken> {
    this.#logger.warn(`hash mismatch, resyncing (${reason})`);
    this.#mismatches.fire(reason);
    const mine = this.#head.seq === 0 ? genesis(this.anchor).hash : await this.#hashInSource(this.#head.seq);
    if (mine === this.#head.hash) await this.#readOn(Number.POSITIVE_INFINITY);
    else await this.#adopt();
    return 'resynced';
  }

  async #hashInSource(seq: number): Promise<string | undefined> {
    const [delta] = await this.#source.read(this.anchor, seq - 1, 1);
    return delta?.seq === seq ? delta.hash : undefined;
  }

  async #adopt(): Promise<void> {
    const view = await this.#source.state(this.anchor);
    this.#head = { seq: view.seq, hash: view.hash };
    this.#state = view.state;
    this.#stateHash = view.stateHash;
    this.#stopped = view.stopped;
    this.#hashes.clear();
  }

  #stop(stopped: NonNullable<StateView['stopped']>): void {
    this.#stopped = stopped;
    this.#logger.error(stopped.message);
  }
}

interface Misfit {
  readonly kind: 'fork' | 'broken';
  readonly reason: string;
}

function unreadable(seq: number, error: unknown): NonNullable<StateView['stopped']> {
  const message = `Delta ${seq} cannot be read by this version (${messageOf(error)}); what follows it is not shown and nothing can be added. Update ProjectAnchor.`;
  return { code: codeOf(error) ?? 'invalid', message };
}

function damaged(reason: string): NonNullable<StateView['stopped']> {
  const message = `The log does not verify: ${reason}. What follows is not shown and nothing can be added. Run project-anchor verify.`;
  return { code: 'chain_broken', message };
}
