import type { Clock, Disposable } from '../base/index.ts';

/** One pending call at most: starting it again forgets the earlier one. */
export class Timer implements Disposable {
  readonly #clock: Clock;
  #pending: Disposable | null = null;
  #disposed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls `callback` once, `ms` milliseconds from now, unless started again or ended before. */
  start(ms: number, callback: () => void): void {
    this.cancel();
    if (!this.#disposed) this.#pending = this.#clock.timeout(ms, callback);
  }

  cancel(): void {
    this.#pending?.dispose();
    this.#pending = null;
  }

  dispose(): void {
    this.#disposed = true;
    this.cancel();
  }
}
