import { type Clock, type Disposable, DisposableStore, type Logger } from '../base/index.ts';
import { GotSender } from './client-got.ts';
import type { FrameSocket } from './frame-socket.ts';
import {
  type AckFrame,
  type Attach,
  type Attached,
  type Deltas,
  decodeFromHub,
  encode,
  type Fetch,
  type FromHub,
  type Hello,
  type Nack,
  type Presence,
  type Publish,
  type SnapshotRequired,
  type Subscribe,
  type Subscribed,
  type ToHub,
  type Welcome,
} from './frames.ts';
import { type Heartbeat, startHeartbeat } from './heartbeat.ts';
import { CLOSE } from './hub-limits.ts';
import { ResendTimer, RoundTrip } from './resend.ts';

/** What can be asked; `n` is given by the connection. */
export type Ask = Omit<Hello, 'n'> | Omit<Attach, 'n'> | Omit<Subscribe, 'n'> | Omit<Fetch, 'n'> | Omit<Publish, 'n'>;
export type Answer = Welcome | Attached | Subscribed | Deltas | AckFrame | Nack | SnapshotRequired;

/** How a connection ended. */
export interface ConnectionEnd {
  readonly code: number;
  readonly reason: string;
  /** This side ended it. */
  readonly byUs: boolean;
  /** What the hub's `bye` asked to wait, in ms. */
  readonly retryAfter: number | undefined;
}

/** The connection ended before the answer came; whether the hub has handled the request is not known. */
export class ConnectionLost extends Error {
  /** The hub may have ended it because of this very request. */
  readonly suspicious: boolean;

  constructor(suspicious: boolean) {
    super('the connection ended before the answer came');
    this.name = 'ConnectionLost';
    this.suspicious = suspicious;
  }
}

/** Ends of a connection that say nothing about the frames sent on it. */
const INNOCENT: ReadonlySet<number> = new Set([
  CLOSE.normal,
  CLOSE.goingAway,
  CLOSE.restart,
  CLOSE.token,
  CLOSE.origin,
  CLOSE.version,
  CLOSE.tooFast,
]);

export interface ConnectionEvents {
  /** Deltas that were pushed. */
  deltas(frame: Deltas): void;
  presence(frame: Presence): void;
}

interface Pending {
  readonly text: string;
  readonly limit: number;
  readonly sentAt: number;
  readonly resend: ResendTimer;
  readonly collected: Deltas['items'][number][];
  again: boolean;
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

/** How long a hub may take to answer `hello`, in ms (our choice). */
const WELCOME_WITHIN_MS = 5_000;

/** One live connection from the client's side: numbered requests that are sent again until answered, and pushes. */
export class ClientConnection {
  readonly ended: Promise<ConnectionEnd>;
  readonly #socket: FrameSocket;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #events: ConnectionEvents;
  readonly #held = new DisposableStore();
  readonly #heartbeat: Heartbeat;
  readonly #roundTrip = new RoundTrip();
  readonly #pending = new Map<number, Pending>();
  readonly #got: GotSender;
  #next = 1;
  #closed = false;
  #byUs = false;
  #retryAfter: number | undefined;

  constructor(socket: FrameSocket, clock: Clock, logger: Logger, events: ConnectionEvents) {
    this.#socket = socket;
    this.#clock = clock;
    this.#logger = logger;
    this.#events = events;
    this.#got = this.#held.add(new GotSender(clock, (anchor, seq) => this.#send({ t: 'got', anchor, seq })));
    this.#heartbeat = this.#held.add(startHeartbeat(clock, socket, (why) => this.#abandon(why)));
    this.ended = new Promise((resolve) => {
      socket.listen({
        message: (text) => this.#receive(text),
        pong: () => this.#heartbeat.heard(),
        closed: (code, reason) => {
          this.#end(!INNOCENT.has(code));
          resolve({ code, reason, byUs: this.#byUs, retryAfter: this.#retryAfter });
        },
      });
    });
  }

  /** Says hello. A hub that does not answer is left. */
  async greet(hello: Omit<Hello, 'n'>): Promise<void> {
    const limit: Disposable = this.#clock.timeout(WELCOME_WITHIN_MS, () => this.#abandon('no welcome within 5 s'));
    try {
      await this.ask(hello);
    } finally {
      limit.dispose();
    }
  }

  /**
   * Sends a request until it is answered. The answer to a `fetch` comes as one frame, whatever it took.
   * @throws ConnectionLost when the connection ends first, ProjectAnchorError `too_large` for what fits no frame.
   */
  async ask(request: Ask): Promise<Answer> {
    if (this.#closed) throw new ConnectionLost(false);
    const n = this.#next++;
    const text = encode({ ...request, n } as ToHub);
    return await new Promise<Answer>((resolve, reject) => {
      const resend = new ResendTimer(this.#clock, this.#roundTrip, () => this.#again(n));
      const limit = request.t === 'fetch' ? request.limit : 0;
      const sentAt = this.#clock.monotonic();
      this.#pending.set(n, { text, limit, sentAt, resend, collected: [], again: false, resolve, reject });
      // The hub takes one hello; it is waited for, not sent again.
      if (request.t !== 'hello') resend.start();
      this.#socket.send(text);
    });
  }

  unsubscribe(anchor: string): void {
    this.#send({ t: 'unsubscribe', anchor });
  }

  /** Everything of an anchor up to `seq` is held. */
  got(anchor: string, seq: number): void {
    if (!this.#closed) this.#got.got(anchor, seq);
  }

  /** Ends the connection in good order. */
  close(): void {
    this.#byUs = true;
    this.#socket.close(CLOSE.normal, '');
    this.#end(false);
  }

  /** Ends the connection at once, for a hub that may not even hear of it. */
  leave(why: string): void {
    if (!this.#closed) this.#abandon(why);
  }

  #send(frame: ToHub): void {
    if (!this.#closed) this.#socket.send(encode(frame));
  }

  #again(n: number): void {
    const pending = this.#pending.get(n);
    // What the system has not even taken yet cannot have been lost.
    if (pending === undefined || this.#socket.buffered > 0) return;
    pending.again = true;
    this.#socket.send(pending.text);
  }

  #receive(text: string | null): void {
    this.#heartbeat.heard();
    if (this.#closed) return;
    const decoded = text === null ? { kind: 'bad' as const, reason: 'a message is binary' } : decodeFromHub(text);
    if (decoded.kind === 'frame') this.#take(decoded.frame);
    else if (decoded.kind === 'unknown') this.#logger.debug(`the hub sent an unknown frame ${decoded.type}`);
    else this.#abandon(decoded.reason);
  }

  #take(frame: FromHub): void {
    switch (frame.t) {
      case 'presence':
        this.#events.presence(frame);
        return;
      case 'bye':
        this.#retryAfter = frame.retryAfter;
        return;
      case 'deltas':
        if (frame.re === undefined) this.#events.deltas(frame);
        else this.#collect(frame, frame.re);
        return;
      default:
        if (frame.re !== undefined) this.#answer(frame.re, frame);
    }
  }

  /** A fetch is answered when as much came as was asked for, or all there is. */
  #collect(frame: Deltas, re: number): void {
    const pending = this.#pending.get(re);
    if (pending === undefined) return;
    const before = pending.collected.at(-1)?.seq ?? 0;
    pending.collected.push(...frame.items.filter((item) => item.seq > before));
    const last = pending.collected.at(-1)?.seq ?? Number.POSITIVE_INFINITY;
    const complete = frame.items.length === 0 || pending.collected.length >= pending.limit || last >= frame.head.seq;
    if (complete) this.#answer(re, { ...frame, items: pending.collected });
  }

  #answer(re: number, answer: Answer): void {
    const pending = this.#pending.get(re);
    if (pending === undefined) return;
    this.#pending.delete(re);
    pending.resend.dispose();
    if (!pending.again) this.#roundTrip.sample(this.#clock.monotonic() - pending.sentAt);
    pending.resolve(answer);
  }

  #abandon(why: string): void {
    this.#logger.info(`left the hub: ${why}`);
    this.#byUs = true;
    this.#end(false);
    this.#socket.terminate();
  }

  #end(suspicious: boolean): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#held.dispose();
    for (const pending of this.#pending.values()) {
      pending.resend.dispose();
      pending.reject(new ConnectionLost(suspicious));
    }
    this.#pending.clear();
  }
}
