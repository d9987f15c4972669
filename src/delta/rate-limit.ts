import type { Clock } from '../base/index.ts';

/**
 * A bucket of permissions that refills steadily: `burst` at once, `perSecond` in the long run.
 * The hub counts a session's requests with it, and the client keeps itself below the same limit.
 */
export class RateLimit {
  readonly #clock: Clock;
  readonly #perSecond: number;
  readonly #burst: number;
  #left: number;
  #at: number;

  constructor(clock: Clock, perSecond: number, burst: number) {
    this.#clock = clock;
    this.#perSecond = perSecond;
    this.#burst = burst;
    this.#left = burst;
    this.#at = clock.monotonic();
  }

  /** Takes one permission, or says in how many milliseconds there will be one. 0 means taken. */
  take(): number {
    const now = this.#clock.monotonic();
    this.#left = Math.min(this.#burst, this.#left + ((now - this.#at) / 1000) * this.#perSecond);
    this.#at = now;
    if (this.#left >= 1) {
      this.#left -= 1;
      return 0;
    }
    return Math.max(1, Math.ceil(((1 - this.#left) / this.#perSecond) * 1000));
  }
}
