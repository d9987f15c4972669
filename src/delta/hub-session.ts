import { randomUUID } from 'node:crypto';
import { type Disposable, DisposableStore, messageOf } from '../base/index.ts';
import type { FrameSocket } from './frame-socket.ts';
import { decodeToHub, encode, type FromHub, type Got, type Hello, type ToHub } from './frames.ts';
import { type Heartbeat, startHeartbeat } from './heartbeat.ts';
import {
  BYE_RETRY_AFTER_MS,
  CLOSE,
  HELLO_WITHIN_MS,
  MAX_BACKLOG_BYTES,
  PROTOCOL,
  REQUESTS_PER_SECOND,
} from './hub-limits.ts';
import { refusalOf } from './hub-refusal.ts';
import { HubRequests, type Peer } from './hub-requests.ts';
import type { HubServices } from './hub-services.ts';
import type { Session } from './hub-sessions.ts';

/** What may follow `hello` and is answered in order. */
type Request = Exclude<ToHub, Hello | Got>;

/** Why a connection is closed from this side. */
interface Violation {
  readonly code: number;
  readonly reason: string;
}

/** A client that said who it is. */
interface Client {
  readonly session: Session;
  readonly requests: HubRequests;
}

/**
 * One connection to the hub: greets, admits requests, has them answered in order, and ends.
 *
 * States: *greeting* (nothing but `hello` is taken, for 2 s) → *open* → *closed*. Whatever ends the connection ends
 * its subscriptions and presence with it.
 */
export class HubConnection implements Peer, Disposable {
  readonly #socket: FrameSocket;
  readonly #hub: HubServices;
  readonly #held = new DisposableStore();
  readonly #heartbeat: Heartbeat;
  /** Requests being answered, by what makes them the same: a resend of one of them is dropped. */
  readonly #answering = new Map<string, Promise<void>>();
  readonly #id = randomUUID();
  #client: Client | undefined;
  #turn: Promise<void> = Promise.resolve();
  #unnumbered = 0;
  #closed = false;

  constructor(socket: FrameSocket, hub: HubServices) {
    this.#socket = socket;
    this.#hub = hub;
    this.#heartbeat = this.#held.add(startHeartbeat(hub.clock, socket, (why) => this.#drop(why)));
    const greeting = hub.clock.timeout(HELLO_WITHIN_MS, () => {
      if (this.#client === undefined) this.#close(CLOSE.protocol, 'no hello within 2 s');
    });
    this.#held.add(greeting);
    socket.listen({
      message: (text) => this.#receive(text),
      pong: () => this.#heartbeat.heard(),
      closed: () => this.dispose(),
    });
  }

  get closed(): boolean {
    return this.#closed;
  }

  get buffered(): number {
    return this.#socket.buffered;
  }

  send(frame: FromHub): void {
    this.sendText(encode(frame));
  }

  sendText(text: string): void {
    if (this.#closed) return;
    this.#socket.send(text);
    if (this.#socket.buffered > MAX_BACKLOG_BYTES) this.#drop('it does not read what it is sent');
  }

  /** The log could not be read for a push: the client comes again and resumes where it was. */
  fail(error: unknown): void {
    this.#hub.logger.warn(`hub: a subscription ended: ${messageOf(error)}`);
    this.#close(CLOSE.internal, 'the log could not be read');
  }

  /** Answers what is under way, says `bye` and closes with 1012. */
  async drain(): Promise<void> {
    await Promise.all(this.#answering.values());
    this.send({ t: 'bye', retryAfter: BYE_RETRY_AFTER_MS });
    this.#close(CLOSE.restart, 'the hub is stopping');
  }

  /** Ends the connection without a word. */
  terminate(): void {
    this.dispose();
    this.#socket.terminate();
  }

  dispose(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#held.dispose();
  }

  #receive(text: string | null): void {
    this.#heartbeat.heard();
    if (this.#closed) return;
    const violation = text === null ? notProtocol('a message is binary') : this.#take(text);
    if (violation !== undefined) this.#close(violation.code, violation.reason);
  }

  #take(text: string): Violation | undefined {
    const decoded = decodeToHub(text);
    if (decoded.kind === 'bad') return notProtocol(decoded.reason);
    if (decoded.kind === 'unknown') return notProtocol(`there is no ${decoded.type} frame`);
    const { frame } = decoded;
    if (this.#client === undefined) {
      return frame.t === 'hello' ? this.#greet(frame) : notProtocol('the first frame must be hello');
    }
    if (frame.t === 'hello') return notProtocol('hello twice');
    if (frame.t === 'got') this.#client.requests.got(frame);
    else this.#admit(frame, this.#client);
    return undefined;
  }

  #greet(frame: Hello): Violation | undefined {
    if (!frame.protocols.includes(PROTOCOL)) return { code: CLOSE.version, reason: `this hub speaks ${PROTOCOL}` };
    if (!this.#hub.knowsToken(frame.token)) return { code: CLOSE.token, reason: 'wrong token' };
    const who = { agent: frame.agent, session: frame.session };
    const requests = this.#held.add(new HubRequests(this.#hub, this, who));
    const { session, leave } = this.#hub.sessions.join(who, () => {
      this.#close(CLOSE.normal, 'newer connections of this session took over');
    });
    this.#held.add({ dispose: leave });
    this.#client = { session, requests };
    this.#answer('hello', frame, requests, () => requests.welcome(frame));
    return undefined;
  }

  /** Counts a request against its session's limits and has it answered. */
  #admit(frame: Request, { session, requests }: Client): void {
    const key = this.#keyOf(frame);
    if (this.#answering.has(key)) return;
    const admission = session.admit(key);
    if (admission.kind === 'ok') {
      this.#answer(key, frame, requests, () => perform(requests, frame));
      return;
    }
    const message = `More than ${REQUESTS_PER_SECOND} requests a second.`;
    requests.refuse(frame, { code: 'too_fast', message, retryAfter: admission.retryAfter });
    if (admission.last) this.#close(CLOSE.tooFast, 'too fast, ten times in a row');
  }

  /**
   * Requests are begun in order, each when the one before is answered. Only a publish is not waited for, so that the
   * log can put many into one commit; its answer is sent when it is durable.
   */
  #answer(key: string, frame: Request | Hello, requests: HubRequests, perform: () => Promise<void>): void {
    const answered = this.#turn
      .then(() => (this.#closed ? undefined : perform()))
      .catch((error: unknown) => requests.refuse(frame, refusalOf(error)))
      .finally(() => this.#answering.delete(key));
    this.#answering.set(key, answered);
    if (frame.t !== 'publish') this.#turn = answered;
  }

  /** What makes two frames the same request: a publish is its delta, anything else its number on this connection. */
  #keyOf(frame: Request): string {
    if (frame.t === 'publish' && typeof frame.delta.id === 'string') return `publish ${frame.delta.id}`;
    return `${this.#id} ${frame.n ?? `unnumbered ${this.#unnumbered++}`}`;
  }

  #close(code: number, reason: string): void {
    if (this.#closed) return;
    this.#socket.close(code, reason);
    this.dispose();
  }

  #drop(why: string): void {
    this.#hub.logger.info(`hub: a connection was ended: ${why}`);
    this.terminate();
  }
}

function notProtocol(reason: string): Violation {
  return { code: CLOSE.protocol, reason };
}

function perform(requests: HubRequests, frame: Request): Promise<void> {
  switch (frame.t) {
    case 'attach':
      return requests.attach(frame);
    case 'subscribe':
      return requests.subscribe(frame);
    case 'unsubscribe':
      return requests.unsubscribe(frame);
    case 'fetch':
      return requests.fetch(frame);
    case 'publish':
      return requests.publish(frame);
  }
}
