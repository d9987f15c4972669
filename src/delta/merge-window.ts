import { type Clock, codeOf, type Disposable } from '../base/index.ts';
import { checkOps } from './limits.ts';
import { mergeOps, splitOps } from './merge.ts';
import type { Ack, Op } from './types.ts';

/** Protocol §5, in ms: a window closes this long after its last operation ... */
const AFTER_LAST_MS = 500;
/** ... or this long after its first, whichever is sooner. */
const AFTER_FIRST_MS = 1_000;

/** Answers that will not change: one operation in the delta is at fault (protocol §7). */
const FINAL: ReadonlySet<string> = new Set(['invalid', 'too_large', 'forbidden', 'denied', 'unsupported_op']);

/** Makes a delta of operations and stores it; resolves when it is durable. */
export type Publish = (ops: readonly Op[]) => Promise<Ack>;

interface Entry {
  readonly ops: readonly Op[];
  readonly resolve: (ack: Ack) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Collects the operations of one author on one anchor and publishes them merged, in order.
 * Its timers do not keep a process alive: who does not live on calls `flush` instead of waiting for the window.
 */
export class MergeWindow {
  readonly #clock: Clock;
  readonly #publish: Publish;
  #entries: Entry[] = [];
  #last: Disposable | undefined;
  #first: Disposable | undefined;
  #published: Promise<void> = Promise.resolve();

  constructor(clock: Clock, publish: Publish) {
    this.#clock = clock;
    this.#publish = publish;
  }

  /** How many operations wait for the window to close. */
  get waiting(): number {
    return this.#entries.reduce((sum, entry) => sum + entry.ops.length, 0);
  }

  /**
   * Adds operations to the window; resolves with the ack of the delta that holds the last of them.
   * By hand, the window closes at once: what waits goes first, in the same delta.
   * @throws ProjectAnchorError `invalid`, `unsupported_op` or `too_large` for these operations alone, before they can
   *   spoil a delta they would share with others; later, whatever publishing throws.
   */
  async add(ops: readonly Op[], options: { readonly byHand: boolean }): Promise<Ack> {
    if (ops.length === 0) throw new TypeError('there is nothing to add');
    checkOps(ops);
    splitOps(ops);
    return await new Promise<Ack>((resolve, reject) => {
      this.#entries.push({ ops, resolve, reject });
      if (options.byHand) this.#close();
      else this.#wait();
    });
  }

  /** Closes the window now; resolves when everything added so far is durable or has failed. */
  async flush(): Promise<void> {
    this.#close();
    await this.#published;
  }

  #wait(): void {
    this.#last?.dispose();
    this.#last = this.#clock.timeout(AFTER_LAST_MS, () => this.#close());
    this.#first ??= this.#clock.timeout(AFTER_FIRST_MS, () => this.#close());
  }

  #close(): void {
    this.#last?.dispose();
    this.#first?.dispose();
    this.#last = undefined;
    this.#first = undefined;
    if (this.#entries.length === 0) return;
    const entries = this.#entries;
    this.#entries = [];
    this.#published = this.#published.then(() => this.#send(entries));
  }

  async #send(entries: readonly Entry[]): Promise<void> {
    let ack: Ack | undefined;
    try {
      for (const list of splitOps(mergeOps(entries.flatMap((entry) => entry.ops)))) ack = await this.#publish(list);
      if (ack === undefined) throw new TypeError('a window with operations made no delta');
      for (const entry of entries) entry.resolve(ack);
    } catch (error) {
      // A mark must not fail for the fact that shared its delta.
      const apart = entries.length > 1 && ack === undefined && FINAL.has(codeOf(error) ?? '');
      if (apart) for (const entry of entries) await this.#send([entry]);
      else for (const entry of entries) entry.reject(error);
    }
  }
}
