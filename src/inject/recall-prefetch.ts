import { LRUCache } from 'lru-cache';
import type { Clock } from '../base/index.ts';
import type { RecalledText } from './types.ts';

/** Files whose memory is kept ahead: those a person moves between. */
const FILES = 50;
/** All of it together, in UTF-8 bytes. */
const BYTES = 256 * 1024;
/** Memory changes slowly; after this it is fetched again. */
const FRESH_MS = 10 * 60_000;

/** Memory fetched before it is needed, by anchor and file: a completion takes what is here and waits for nothing. */
export class RecallPrefetch {
  readonly #kept: LRUCache<string, RecalledText>;
  readonly #asking = new Map<string, Promise<void>>();

  constructor(clock: Clock) {
    this.#kept = new LRUCache({
      max: FILES,
      maxSize: BYTES,
      sizeCalculation: ({ content }) => Math.max(1, Buffer.byteLength(content, 'utf8')),
      ttl: FRESH_MS,
      // Without a resolution the cache would keep a timer of its own.
      ttlResolution: 0,
      perf: { now: () => clock.monotonic() + 1 },
    });
  }

  /** What was fetched ahead and is still fresh, or null. */
  get(anchor: string, file: string): RecalledText | null {
    return this.#kept.get(keyOf(anchor, file)) ?? null;
  }

  /** Asks for a file unless it is fresh or being asked for. Only answers are kept: after a failure the next call asks again. */
  ensure(anchor: string, file: string, ask: () => Promise<RecalledText>): Promise<void> {
    const key = keyOf(anchor, file);
    if (this.#kept.has(key)) return Promise.resolve();
    const running = this.#asking.get(key);
    if (running !== undefined) return running;
    const asking = ask()
      .then((recalled) => {
        if (['ready', 'empty'].includes(recalled.outcome.status)) this.#kept.set(key, recalled);
      })
      .finally(() => this.#asking.delete(key));
    this.#asking.set(key, asking);
    return asking;
  }

  clear(): void {
    this.#kept.clear();
  }
}

function keyOf(anchor: string, file: string): string {
  return `${anchor}\n${file}`;
}
