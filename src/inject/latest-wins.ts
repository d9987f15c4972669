import type { Clock, Disposable } from '../base/index.ts';

/**
 * Runs only the newest of a stream of tasks, after a pause: what ghost text needs while a person types.
 * A newer task takes the place of an older one whether that waits, runs or has just finished; the older one's signal aborts.
 */
export class LatestWins implements Disposable {
  readonly #clock: Clock;
  readonly #debounceMs: number;
  #current: AbortController | null = null;
  #disposed = false;

  /** @param debounceMs pause without a newer task before one starts. */
  constructor(clock: Clock, debounceMs: number) {
    this.#clock = clock;
    this.#debounceMs = debounceMs;
  }

  /**
   * Resolves with the task's result, or `undefined` when a newer task, `signal` or disposal took it out.
   * An error of a task that was taken out is not an error of anybody's.
   */
  async run<T>(task: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T | undefined> {
    this.#current?.abort();
    if (this.#disposed || signal?.aborted) return undefined;
    const own = new AbortController();
    this.#current = own;
    const cancel = () => own.abort();
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      await this.#pause(own.signal);
      if (own.signal.aborted) return undefined;
      const result = await task(own.signal);
      return own.signal.aborted ? undefined : result;
    } catch (error) {
      if (own.signal.aborted) return undefined;
      throw error;
    } finally {
      signal?.removeEventListener('abort', cancel);
      if (this.#current === own) this.#current = null;
    }
  }

  dispose(): void {
    this.#disposed = true;
    this.#current?.abort();
  }

  #pause(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#clock.timeout(this.#debounceMs, done);
      signal.addEventListener('abort', done, { once: true });
      function done(): void {
        timer.dispose();
        signal.removeEventListener('abort', done);
        resolve();
      }
    });
  }
}
