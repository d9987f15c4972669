import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type Clock,
  codeOf,
  type Disposable,
  DisposableStore,
  Emitter,
  type Logger,
  messageOf,
  ProjectAnchorError,
} from '../base/index.ts';
import type { DeltaBatch, Head, LogService, State } from '../delta/index.ts';
import type { Anchor } from '../snapshot/index.ts';
import { Replica } from './replica.ts';

/** Most deltas the log gives in one answer (protocol §7, `fetch`). */
const FETCH_LIMIT = 500;
/** Deltas are applied for so long, in ms, before the editor has a turn; the step that is under way is finished. */
const SLICE_MS = 1;

/**
 * The state of one anchor, kept in step with the log: pushed deltas are verified and applied, gaps are fetched, and what
 * does not link is replaced by the log's own state.
 */
export class LiveState implements Disposable {
  readonly #anchor: Anchor;
  readonly #log: LogService;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #owned = new DisposableStore();
  readonly #deltas: Emitter<DeltaBatch>;
  readonly #changed: Emitter<void>;
  #replica: Replica | null = null;
  #catchingUp: Promise<void> | null = null;
  /** Highest seq announced while deltas could not be applied at once. */
  #announced = 0;
  #stopped: ProjectAnchorError | null = null;

  constructor(anchor: Anchor, log: LogService, clock: Clock, logger: Logger) {
    this.#anchor = anchor;
    this.#log = log;
    this.#clock = clock;
    this.#logger = logger;
    const failed = (error: unknown) => logger.error(`A listener failed: ${messageOf(error)}`);
    this.#deltas = this.#owned.add(new Emitter<DeltaBatch>(failed));
    this.#changed = this.#owned.add(new Emitter<void>(failed));
    // Before `open`, so that nothing is missed between its answer and the first push.
    this.#owned.add(log.onDeltas((batch) => this.#receive(batch)));
  }

  /** Opens the anchor and resolves when its state is held. */
  async start(): Promise<void> {
    const { seq, hash, state } = await this.#log.open(this.#anchor);
    this.#replica = new Replica(state, { seq, hash });
    await this.reach(this.#announced);
  }

  get state(): State {
    return this.#held.state;
  }

  get head(): Head {
    return this.#held.head;
  }

  /** Why it stopped following, when it met an operation of a newer version (protocol §1). */
  get stopped(): ProjectAnchorError | null {
    return this.#stopped;
  }

  /** Applied deltas, in order and once each. */
  get onDeltas() {
    return this.#deltas.event;
  }

  get onDidChange() {
    return this.#changed.event;
  }

  /** Resolves when everything up to `seq` is held: whoever made a change sees it at once. */
  async reach(seq: number): Promise<void> {
    this.#announced = Math.max(this.#announced, seq);
    if (this.head.seq < seq && this.#stopped === null) await this.#catchUp();
  }

  dispose(): void {
    this.#owned.dispose();
  }

  get #held(): Replica {
    if (this.#replica === null) throw new Error('the state is not started');
    return this.#replica;
  }

  #receive(batch: DeltaBatch): void {
    if (batch.anchor !== this.#anchor.id || this.#stopped !== null) return;
    if (this.#replica === null || this.#catchingUp !== null) {
      this.#announced = Math.max(this.#announced, batch.head.seq);
      return;
    }
    const applied = this.#apply(batch.items);
    if (applied === true) return;
    this.#catchUp(applied).catch((error: unknown) =>
      this.#logger.error(`The project's log could not be followed: ${messageOf(error)}`),
    );
  }

  /** False when deltas are missing or do not link; a promise when they are too many to be applied at once. */
  #apply(items: DeltaBatch['items']): boolean | Promise<boolean> {
    const steps = this.#accepting(items);
    return this.#forSlice(steps) ?? this.#inSlices(steps);
  }

  async #inSlices(steps: Generator<void, boolean>): Promise<boolean> {
    for (;;) {
      await nextTurn();
      if (this.#owned.disposed) return true;
      const applied = this.#forSlice(steps);
      if (applied !== undefined) return applied;
    }
  }

  /** Undefined when there is more to do. */
  #forSlice(steps: Generator<void, boolean>): boolean | undefined {
    const end = this.#clock.monotonic() + SLICE_MS;
    do {
      const { done, value } = steps.next();
      if (done === true) return value;
    } while (this.#clock.monotonic() < end);
    return undefined;
  }

  *#accepting(items: DeltaBatch['items']): Generator<void, boolean> {
    const from = this.head.seq;
    try {
      return (yield* this.#held.accepting(items)) === 'applied';
    } catch (error) {
      if (codeOf(error) !== 'unsupported_op') throw error;
      this.#stopped = new ProjectAnchorError(
        'needs_update',
        'The log of this project holds a change that this version does not know.',
        'Update ProjectAnchor; until then it reads only what came before.',
        { cause: error },
      );
      this.#changed.fire();
      return true;
    } finally {
      this.#tell(items, from);
    }
  }

  #tell(items: DeltaBatch['items'], from: number): void {
    const { head } = this;
    const applied = items.filter(({ seq }) => seq > from && seq <= head.seq);
    if (applied.length === 0) return;
    this.#deltas.fire({ anchor: this.#anchor.id, items: applied, head });
    this.#changed.fire();
  }

  /** @param applying what is being applied already, and whether it fits */
  #catchUp(applying: boolean | Promise<boolean> = false): Promise<void> {
    this.#catchingUp ??= this.#toHead(applying).finally(() => {
      this.#catchingUp = null;
    });
    return this.#catchingUp;
  }

  async #toHead(applying: boolean | Promise<boolean>): Promise<void> {
    if ((await applying) && this.#announced <= this.head.seq) return;
    while (!this.#owned.disposed && this.#stopped === null) {
      const items = await this.#log.deltas(this.#anchor.id, this.head.seq, FETCH_LIMIT);
      if (!(await this.#apply(items))) return this.#startOver();
      const more = items.length === FETCH_LIMIT || this.#announced > this.head.seq;
      if (!more || items.length === 0) return;
    }
  }

  async #startOver(): Promise<void> {
    this.#logger.warn('hash mismatch, resyncing');
    const { seq, hash, state } = await this.#log.state(this.#anchor.id);
    this.#held.reset(state, { seq, hash });
    this.#changed.fire();
  }
}
