import type { Clock, Disposable } from '../base/index.ts';
import { Timer } from './timer.ts';

export interface SettleOptions {
  /** It is over when nothing came for this long. */
  readonly quietMs: number;
  /** It counts as over this long after it began, whatever still comes. */
  readonly capMs: number;
  /** How long it must have been quiet as things stand, when that may be longer than `quietMs`. A failure counts as 0. */
  needs?(): Promise<number>;
}

/** How often is looked whether it is over, while more quiet is needed. */
const AGAIN_MS = 100;

/** Gathers a burst of calls into one, made when the burst is over. */
export class Settle implements Disposable {
  readonly #options: SettleOptions;
  readonly #clock: Clock;
  readonly #settled: () => void;
  readonly #timer: Timer;
  /** Monotonic times of the burst's first and last call; null while there is none. */
  #burst: { readonly first: number; readonly last: number } | null = null;

  constructor(options: SettleOptions, clock: Clock, settled: () => void) {
    this.#options = options;
    this.#clock = clock;
    this.#settled = settled;
    this.#timer = new Timer(clock);
  }

  /** Begins a burst, or belongs to the one there is. */
  call(): void {
    const now = this.#clock.monotonic();
    const { quietMs, capMs } = this.#options;
    const first = this.#burst?.first ?? now;
    this.#burst = { first, last: now };
    // At its end the burst's timer stays as it is: calls that never cease would put it off for ever.
    if (now !== first && now + quietMs >= first + capMs) return;
    this.#timer.start(Math.min(quietMs, capMs), () => void this.#look());
  }

  /** Belongs to the burst if there is one. */
  extend(): void {
    if (this.#burst !== null) this.call();
  }

  /** Forgets the burst: nothing is made of it. */
  cancel(): void {
    this.#burst = null;
    this.#timer.cancel();
  }

  dispose(): void {
    this.#burst = null;
    this.#timer.dispose();
  }

  async #look(): Promise<void> {
    const looked = this.#burst;
    const needed = await this.#needs();
    const burst = this.#burst;
    if (looked === null || burst === null) return;
    const { quietMs, capMs } = this.#options;
    const now = this.#clock.monotonic();
    const left = burst.first + capMs - now;
    const called = burst.last !== looked.last;
    if (left > 0 && (called || now - burst.last < needed)) {
      this.#timer.start(Math.min(left, called ? quietMs : AGAIN_MS), () => void this.#look());
      return;
    }
    this.cancel();
    this.#settled();
  }

  async #needs(): Promise<number> {
    try {
      return (await this.#options.needs?.()) ?? 0;
    } catch {
      // Whoever is told that it is over meets the failure too, and reports it.
      return 0;
    }
  }
}
