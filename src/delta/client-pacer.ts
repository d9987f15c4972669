import type { Clock } from '../base/index.ts';
import { RateLimit } from './rate-limit.ts';

/** Requests a client has under way at once (our choice): enough to fill group commits, few enough to resend. */
const IN_FLIGHT = 64;
/** A tenth below the hub's own limit (protocol §7), as frames bunch up on their way. */
const PER_SECOND = 90;
const BURST = 900;

/** Lets requests out in order, as many and as fast as a hub takes without a `too_fast`. */
export class Pacer {
  readonly #clock: Clock;
  readonly #rate: RateLimit;
  readonly #queue: (() => void)[] = [];
  #inFlight = 0;
  #careful = false;
  #waiting = false;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#rate = new RateLimit(clock, PER_SECOND, BURST);
  }

  /** Resolves when it is this request's turn; `leave` must follow. */
  enter(): Promise<void> {
    return new Promise((resolve) => {
      this.#queue.push(resolve);
      this.#next();
    });
  }

  leave(): void {
    this.#inFlight--;
    this.#next();
  }

  /** One at a time, to find out which request a hub does not survive. */
  careful(on: boolean): void {
    this.#careful = on;
    this.#next();
  }

  #next(): void {
    while (!this.#waiting && this.#queue.length > 0 && this.#inFlight < (this.#careful ? 1 : IN_FLIGHT)) {
      const wait = this.#rate.take();
      if (wait > 0) {
        this.#waiting = true;
        this.#clock.timeout(wait, () => {
          this.#waiting = false;
          this.#next();
        });
        return;
      }
      this.#inFlight++;
      this.#queue.shift()?.();
    }
  }
}
