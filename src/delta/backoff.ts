import { RECONNECT_MAX_MS, RECONNECT_MIN_MS } from './hub-limits.ts';

/**
 * How long to wait before the next try, in ms: full jitter over 250 ms doubling to 30 s (protocol §7).
 * @param failures how many tries in a row have failed before
 * @param random uniform in [0, 1)
 */
export function backoff(failures: number, random: () => number): number {
  return random() * Math.min(RECONNECT_MAX_MS, RECONNECT_MIN_MS * 2 ** failures);
}
