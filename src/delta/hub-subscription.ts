import type { Clock, Disposable } from '../base/index.ts';
import { encodeDeltas, pages } from './frames.ts';
import type { DeltaFeed, FeedPage } from './hub-feed.ts';
import { CATCH_UP_WINDOW_BYTES } from './hub-limits.ts';
import { ResendTimer, type RoundTrip } from './resend.ts';

/** The connection that a subscription sends through. */
export interface Outlet {
  /** Bytes that the operating system has not taken yet. */
  readonly buffered: number;
  sendText(text: string): void;
  /** The log could not be read: the connection is of no use any more. */
  fail(error: unknown): void;
}

export interface SubscriptionPorts {
  readonly feed: DeltaFeed;
  readonly outlet: Outlet;
  readonly clock: Clock;
  readonly roundTrip: RoundTrip;
}

interface InFlight {
  /** The page holds what is above `after` up to `last`. */
  readonly after: number;
  readonly last: number;
  readonly bytes: number;
  readonly sentAt: number;
  again: boolean;
}

/**
 * What one connection still has to hear of one anchor. Two places say everything: `sent`, the last delta given to
 * the socket, and the pages in flight, those that the reader has not got yet.
 *
 * Until it has caught up once, at most a window is in flight, so that a healthy reader far behind is paced; from then
 * on every new delta is sent at once.
 */
export class Subscription implements Disposable {
  readonly anchor: string;
  readonly #ports: SubscriptionPorts;
  readonly #resend: ResendTimer;
  readonly #inFlight: InFlight[] = [];
  #inFlightBytes = 0;
  #sent: number;
  #caughtUp = false;
  #busy = false;
  #again = false;
  #disposed = false;

  constructor(anchor: string, after: number, ports: SubscriptionPorts) {
    this.anchor = anchor;
    this.#sent = after;
    this.#ports = ports;
    this.#resend = new ResendTimer(ports.clock, ports.roundTrip, () => this.#guard(this.#repeatOldest()));
  }

  /** The feed may have more: sends what it has and the window allows. */
  wake(): void {
    this.#again = true;
    if (!this.#busy) this.#guard(this.#pump());
  }

  /** The reader has everything up to `seq`. */
  got(seq: number): void {
    const before = this.#inFlight.length;
    for (let first = this.#inFlight[0]; first !== undefined && first.last <= seq; first = this.#inFlight[0]) {
      this.#inFlight.shift();
      this.#inFlightBytes -= first.bytes;
      if (!first.again) this.#ports.roundTrip.sample(this.#ports.clock.monotonic() - first.sentAt);
    }
    if (this.#inFlight.length === before) return;
    this.#resend.progress(this.#inFlight.length > 0);
    if (!this.#caughtUp) this.wake();
  }

  dispose(): void {
    this.#disposed = true;
    this.#resend.dispose();
  }

  async #pump(): Promise<void> {
    this.#busy = true;
    try {
      while (this.#again && !this.#disposed) {
        this.#again = false;
        while (await this.#next());
      }
    } finally {
      this.#busy = false;
    }
  }

  /** Sends one page; false when there is nothing to send now. */
  async #next(): Promise<boolean> {
    if (this.#full) return false;
    const page = await this.#ports.feed.read(this.anchor, this.#sent);
    if (this.#disposed) return false;
    if (page.items.length === 0) {
      this.#caughtUp = true;
      return false;
    }
    this.#send(page);
    return true;
  }

  get #full(): boolean {
    return !this.#caughtUp && this.#inFlightBytes >= CATCH_UP_WINDOW_BYTES;
  }

  #send(page: FeedPage): void {
    for (const items of pages(page.items)) {
      if (this.#full) break;
      const last = items.at(-1)?.seq ?? this.#sent;
      const bytes = items.reduce((sum, item) => sum + item.bytes, 0);
      const sentAt = this.#ports.clock.monotonic();
      this.#inFlight.push({ after: this.#sent, last, bytes, sentAt, again: false });
      this.#inFlightBytes += bytes;
      this.#sent = last;
      this.#ports.outlet.sendText(encodeDeltas(this.anchor, items, page.head));
    }
    this.#resend.start();
  }

  /** Sends the oldest page in flight once more. A reader that lacks more than it finds the gap and fetches. */
  async #repeatOldest(): Promise<void> {
    const [oldest] = this.#inFlight;
    // What the system has not even taken yet cannot have been lost.
    if (oldest === undefined || this.#ports.outlet.buffered > 0) return;
    for (const page of this.#inFlight) page.again = true;
    const page = await this.#ports.feed.read(this.anchor, oldest.after, oldest.last - oldest.after);
    if (this.#disposed) return;
    for (const items of pages(page.items)) this.#ports.outlet.sendText(encodeDeltas(this.anchor, items, page.head));
  }

  #guard(work: Promise<void>): void {
    work.catch((error: unknown) => {
      if (!this.#disposed) this.#ports.outlet.fail(error);
    });
  }
}
