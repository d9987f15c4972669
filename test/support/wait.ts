/** How often a condition is looked at when nothing else is said (milliseconds). */
const DEFAULT_INTERVAL_MS = 25;

export interface WaitOptions {
  /** Gives up after this long (milliseconds). */
  readonly timeoutMs: number;
  readonly intervalMs?: number;
  /** What is waited for, for the message of a timeout. A function is asked at the end, so that it can say how far it got. */
  readonly what: string | (() => string);
}

/**
 * Looks at `probe` until it gives something other than `undefined` or `false`, and returns that.
 * An error of the probe counts as "not yet" and is told when the time is over.
 */
export async function waitFor<T>(
  probe: () => T | undefined | false | Promise<T | undefined | false>,
  options: WaitOptions,
): Promise<T> {
  const deadline = Date.now() + options.timeoutMs;
  let lastError: unknown;
  for (;;) {
    try {
      const found = await probe();
      if (found !== undefined && found !== false) return found;
      lastError = undefined;
    } catch (error) {
      lastError = error;
    }
    if (Date.now() >= deadline) {
      const what = typeof options.what === 'string' ? options.what : options.what();
      throw new Error(`waited ${options.timeoutMs} ms in vain for ${what}`, { cause: lastError });
    }
    await delay(options.intervalMs ?? DEFAULT_INTERVAL_MS);
  }
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
