import { type EncodedDelta, encodeDelta } from './frames.ts';
import { MAX_FETCH, MAX_ITEMS } from './hub-limits.ts';
import type { DeltaLog } from './log-port.ts';
import type { Head } from './types.ts';

/** What is kept of each followed anchor, so that a push to many subscribers reads and serialises a delta once. */
const TAIL_ITEMS = 256;
const TAIL_BYTES = 2 * 1024 * 1024;

interface Tail {
  head: Head;
  readonly items: EncodedDelta[];
  bytes: number;
  reading: Promise<void> | undefined;
  stale: boolean;
}

export interface FeedPage {
  readonly items: readonly EncodedDelta[];
  /** The newest place known; never below the last item. */
  readonly head: Head;
}

/** The hub's view of the log: encoded deltas, the newest ones of every subscribed anchor from memory. */
export class DeltaFeed {
  readonly #log: DeltaLog;
  readonly #tails = new Map<string, Tail>();

  constructor(log: DeltaLog) {
    this.#log = log;
  }

  /** Begins to keep the newest deltas of an anchor. */
  async follow(anchor: string): Promise<void> {
    const head = await this.#log.head(anchor);
    if (this.#tails.has(anchor)) return;
    this.#tails.set(anchor, { head, items: [], bytes: 0, reading: undefined, stale: false });
  }

  unfollow(anchor: string): void {
    this.#tails.delete(anchor);
  }

  /** Reads what was appended since; calls that come meanwhile share one more look. */
  async advance(anchor: string): Promise<void> {
    const tail = this.#tails.get(anchor);
    if (tail === undefined) return;
    tail.stale = true;
    while (tail.stale) {
      tail.reading ??= this.#readOn(anchor, tail).finally(() => {
        tail.reading = undefined;
      });
      await tail.reading;
    }
  }

  /** Deltas above `after`, in order, for a push: from memory where they are kept. */
  async read(anchor: string, after: number, limit = MAX_ITEMS): Promise<FeedPage> {
    const tail = this.#tails.get(anchor);
    if (tail === undefined) return await this.fetch(anchor, after, limit);
    if (after >= tail.head.seq) return { items: [], head: tail.head };
    const first = tail.items[0]?.seq ?? Number.POSITIVE_INFINITY;
    if (first > after + 1) return await this.fetch(anchor, after, limit);
    const skip = after + 1 - first;
    return { items: tail.items.slice(skip, skip + limit), head: tail.head };
  }

  /** Deltas above `after`, in order, as the log has them now. */
  async fetch(anchor: string, after: number, limit: number): Promise<FeedPage> {
    const head = await this.#log.head(anchor);
    const items = (await this.#log.read(anchor, after, limit)).map(encodeDelta);
    return { items, head: newer(head, items.at(-1)) };
  }

  /** Whether this place is in the chain: the only question that a resume has to answer. */
  async holds(anchor: string, place: Head, genesis: string): Promise<boolean> {
    if (place.seq === 0) return place.hash === genesis;
    const [delta] = await this.#log.read(anchor, place.seq - 1, 1);
    return delta?.seq === place.seq && delta.hash === place.hash;
  }

  async #readOn(anchor: string, tail: Tail): Promise<void> {
    while (tail.stale) {
      tail.stale = false;
      for (;;) {
        const deltas = await this.#log.read(anchor, tail.head.seq, MAX_FETCH);
        for (const delta of deltas) keep(tail, encodeDelta(delta));
        if (deltas.length < MAX_FETCH) break;
      }
    }
  }
}

function keep(tail: Tail, item: EncodedDelta): void {
  tail.items.push(item);
  tail.bytes += item.bytes;
  tail.head = { seq: item.seq, hash: item.hash };
  while (tail.items.length > TAIL_ITEMS || tail.bytes > TAIL_BYTES) {
    const dropped = tail.items.shift();
    if (dropped === undefined) break;
    tail.bytes -= dropped.bytes;
  }
}

function newer(a: Head, b: Head | undefined): Head {
  return b === undefined || b.seq <= a.seq ? a : { seq: b.seq, hash: b.hash };
}
