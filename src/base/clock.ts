import type { Disposable } from './disposable.ts';

/**
 * Time as a port, so that every timer in the product can be driven by a test.
 * `now` is wall time (milliseconds since 1970, may jump); `monotonic` never goes back and is for durations.
 */
export interface Clock {
  now(): number;
  monotonic(): number;
  /** Runs `callback` once after `ms`; disposing cancels it. The timer does not keep the process alive. */
  timeout(ms: number, callback: () => void): Disposable;
}

/** The machine's own clock. */
export function systemClock(): Clock {
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    timeout(ms, callback) {
      const handle = setTimeout(callback, ms);
      handle.unref?.();
      return { dispose: () => clearTimeout(handle) };
    },
  };
}

/** The protocol's time form, `YYYY-MM-DDThh:mm:ss.sssZ` (protocol §1), of a wall time in milliseconds. */
export function timestamp(ms: number): string {
  return new Date(ms).toISOString();
}
