import type { Clock, Disposable } from '../base/index.ts';
import { RESEND_MAX_MS, RESEND_MIN_MS } from './hub-limits.ts';

/** Weight of a new sample in the smoothed round trip, as in TCP (RFC 6298 §2: alpha = 1/8). */
const SMOOTHING = 1 / 8;

/** Smoothed round trip of one connection, in milliseconds; feed it only what was sent once (Karn's rule). */
export class RoundTrip {
  #smoothed: number | undefined;

  sample(ms: number): void {
    this.#smoothed = this.#smoothed === undefined ? ms : this.#smoothed + SMOOTHING * (ms - this.#smoothed);
  }

  /** How long to wait for an answer before the first resend. */
  get patience(): number {
    return Math.min(RESEND_MAX_MS, Math.max(RESEND_MIN_MS, 2 * (this.#smoothed ?? 0)));
  }
}

/** Calls `resend` after max(50 ms, 2 × round trip) without progress, then ever later up to every 2 s (protocol §7). */
export class ResendTimer implements Disposable {
  readonly #clock: Clock;
  readonly #roundTrip: RoundTrip;
  readonly #resend: () => void;
  #timer: Disposable | undefined;
  #delay = 0;
  #disposed = false;

  constructor(clock: Clock, roundTrip: RoundTrip, resend: () => void) {
    this.#clock = clock;
    this.#roundTrip = roundTrip;
    this.#resend = resend;
  }

  /** Something now waits for an answer; does nothing when the timer already runs. */
  start(): void {
    if (this.#timer !== undefined || this.#disposed) return;
    this.#delay = this.#roundTrip.patience;
    this.#arm();
  }

  /** An answer came: begin again with the shortest delay if `more` is still open, else stop. */
  progress(more: boolean): void {
    this.stop();
    if (more) this.start();
  }

  stop(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
  }

  dispose(): void {
    this.#disposed = true;
    this.stop();
  }

  #arm(): void {
    this.#timer = this.#clock.timeout(this.#delay, () => {
      this.#delay = Math.min(RESEND_MAX_MS, this.#delay * 2);
      // Armed first: what is called may stop or dispose this timer.
      this.#arm();
      this.#resend();
    });
  }
}
