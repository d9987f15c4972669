import { type Clock, type Disposable, disposable } from '../base/index.ts';

/** Runs `work` every `ms` until disposed. The first run is one period from now; a run never overlaps the next. */
export function every(clock: Clock, ms: number, work: () => void): Disposable {
  let timer = clock.timeout(ms, tick);
  let ended = false;
  function tick(): void {
    work();
    if (!ended) timer = clock.timeout(ms, tick);
  }
  return disposable(() => {
    ended = true;
    timer.dispose();
  });
}

/** Resolves after `ms`, or at once when `signal` aborts; the caller asks the signal which it was. */
export function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const finish = () => {
      timer.dispose();
      signal.removeEventListener('abort', finish);
      resolve();
    };
    const timer = clock.timeout(ms, finish);
    signal.addEventListener('abort', finish);
  });
}

/** A day; any length does, the handle only has to stay open. */
const KEEP_ALIVE_MS = 86_400_000;

/**
 * Keeps a command-line process from ending while something is still to be written.
 * The Clock's timers deliberately do not.
 */
export function keepAlive(): Disposable {
  const handle = setInterval(() => undefined, KEEP_ALIVE_MS);
  return disposable(() => clearInterval(handle));
}
