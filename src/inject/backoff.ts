import type { Clock } from '../base/index.ts';

/**
 * Leaves an endpoint alone for a while after it failed.
 * On the monotonic clock, so that a jump of the wall clock neither shortens nor stretches a pause; that, and one clock for all
 * tests, is why it is these few lines and not a library's circuit breaker, which reads the wall clock itself.
 */
export class Backoff {
  readonly #clock: Clock;
  readonly #ms: number;
  readonly #until = new Map<string, number>();

  /** @param ms pause after a failure. */
  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
  }

  /** Milliseconds that `endpoint` is still to be left alone; 0 when it may be asked. */
  remaining(endpoint: string): number {
    const until = this.#until.get(endpoint);
    if (until === undefined) return 0;
    const remaining = until - this.#clock.monotonic();
    if (remaining > 0) return remaining;
    this.#until.delete(endpoint);
    return 0;
  }

  failed(endpoint: string): void {
    this.#until.set(endpoint, this.#clock.monotonic() + this.#ms);
  }

  succeeded(endpoint: string): void {
    this.#until.delete(endpoint);
  }
}
