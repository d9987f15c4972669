import type { Clock, Disposable } from '../base/index.ts';
import { Timer } from './timer.ts';

export interface SettleOptions {
  /** It is over when nothing came for this long. */
  readonly quietMs: number;
  /** It counts as over this long after it began, whatever still comes. */
  readonly capMs: number;
  /** What it takes as things stand, when that may be more than these. A failure counts as nothing more. */
  needs?(): Promise<SettleNeeds>;
}

/** As in `SettleOptions`. */
export interface SettleNeeds {
  readonly quietMs: number;
  readonly capMs: number;
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

  /** Whether there is a burst. */
  get pending(): boolean {
    return this.#burst !== null;
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
    const needs = await this.#needs();
    const burst = this.#burst;
    if (looked === null || burst === null) return;
    const now = this.#clock.monotonic();
    const left = burst.first + needs.capMs - now;
    const called = burst.last !== looked.last;
    if (left > 0 && (called || now - burst.last < needs.quietMs)) {
      this.#timer.start(Math.min(left, called ? this.#options.quietMs : AGAIN_MS), () => void this.#look());
      return;
    }
    this.cancel();
    this.#settled();
  }

  async #needs(): Promise<SettleNeeds> {
    // The timer has waited for the usual quiet.
    const usual = { quietMs: 0, capMs: this.#options.capMs };
    try {
      return (await this.#options.needs?.()) ?? usual;
    } catch {
      // Whoever is told that it is over meets the failure too, and reports it.
      return usual;
    }
  }
}
