import {
  type Clock,
  type Disposable,
  disposable,
  Emitter,
  type Event,
  type Logger,
  messageOf,
  ProjectAnchorError,
} from '../base/index.ts';
import type { Anchor } from '../snapshot/index.ts';
import { backoff } from './backoff.ts';
import { type Answer, ClientConnection, type ConnectionEnd, ConnectionLost } from './client-connection.ts';
import { ClientRequests } from './client-requests.ts';
import type { Taken } from './follower.ts';
import type { Deltas, PresentAgent } from './frames.ts';
import type { HubDoor } from './hub-door.ts';
import type { HubAddress } from './hub-file.ts';
import { CLOSE, PROTOCOL } from './hub-limits.ts';
import type { SessionName } from './hub-presence.ts';
import { sleep } from './timers.ts';
import type { Ack, Delta, DeltaDraft, Head } from './types.ts';

/** Who wants to hear of an anchor, such as a Follower. */
export interface Subscriber {
  readonly head: Head;
  take(items: readonly Delta[]): Promise<Taken>;
  /** The hub does not know the place that this subscriber holds. */
  doubt(reason: string): Promise<Taken>;
}

/** What the connection to the hub is like. `refused`: it is not tried again while the same hub is there. */
export interface ClientStatus {
  readonly kind: 'alone' | 'connected' | 'offline' | 'refused';
  readonly url?: string;
  readonly reason?: string;
}

export interface ClientOptions {
  readonly door: HubDoor;
  readonly who: SessionName;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Uniform in [0, 1); for the jitter of reconnection. */
  readonly random: () => number;
}

interface Followed {
  readonly anchor: Anchor;
  readonly aliases: readonly string[];
  readonly subscriber: Subscriber;
  agents: readonly PresentAgent[];
  /** The hub pushes this anchor's deltas on the live connection. */
  pushed: boolean;
  /** How often its deltas did not fit on this connection. */
  misfits: number;
}

/** How one visit to the hub went. */
interface Visit {
  /** Milliseconds from the welcome to the end; 0 when there was none. */
  readonly lived: number;
  /** What the hub asked to wait, in ms. */
  readonly retryAfter: number;
}

const NO_VISIT: Visit = { lived: 0, retryAfter: 0 };

/** Anchors named in `hello`; the others are attached right after it anyway. */
const MAX_NAMED = 64;
/** A connection that lasted this long, in ms, was a good one: the next tries begin again with short waits. */
const GOOD_AFTER_MS = 2_000;
/** Pushes that do not fit, again and again, are not asked for any more on that connection. */
const MAX_MISFITS = 3;
/** Close codes after which the same hub, known by its token, is not tried again; with the reason for people. */
const REFUSALS: ReadonlyMap<number, string> = new Map([
  [CLOSE.token, 'The hub of this machine does not take its own token. End the program that runs it.'],
  [CLOSE.origin, 'The hub of this machine does not let this program in.'],
  [CLOSE.version, 'The hub of this machine speaks another version. Update ProjectAnchor everywhere on this machine.'],
]);

/**
 * The client of this machine's hub: finds it, stays connected, follows anchors and publishes.
 * Every subscription resumes where its subscriber is, so that a lost connection loses nothing.
 */
export class HubClient implements Disposable {
  readonly #options: ClientOptions;
  readonly #requests: ClientRequests;
  readonly #status: Emitter<ClientStatus>;
  readonly #presence: Emitter<string>;
  readonly #followed = new Map<string, Followed>();
  readonly #stop = new AbortController();
  #current: ClientStatus = { kind: 'alone' };
  #connection: ClientConnection | undefined;
  #pause = new AbortController();
  /** Token of the hub that will not have us. */
  #refusedBy: string | undefined;

  constructor(options: ClientOptions) {
    const failed = (error: unknown) => options.logger.error(`a listener failed: ${messageOf(error)}`);
    this.#options = options;
    this.#requests = new ClientRequests(options.clock, options.random);
    this.#status = new Emitter(failed);
    this.#presence = new Emitter(failed);
  }

  get status(): ClientStatus {
    return this.#current;
  }

  get onStatus(): Event<ClientStatus> {
    return this.#status.event;
  }

  /** Anchors of which the list of agents changed. */
  get onPresence(): Event<string> {
    return this.#presence.event;
  }

  /** Publishes that are not acknowledged yet. */
  get waiting(): number {
    return this.#requests.waiting;
  }

  /** Begins to dial. It goes on until the client is disposed. */
  start(): void {
    void this.#run();
  }

  /** The hub of this machine is at this url now: dial at once instead of waiting, and leave another one. */
  nudge(url: string): void {
    this.#pause.abort();
    if (this.#current.kind === 'connected' && this.#current.url !== url) this.#connection?.leave('it was replaced');
  }

  /** Follows an anchor from where its subscriber is, now and after every reconnection, until disposed. */
  follow(anchor: Anchor, aliases: readonly string[], subscriber: Subscriber): Disposable {
    const followed: Followed = { anchor, aliases, subscriber, agents: [], pushed: false, misfits: 0 };
    this.#followed.set(anchor.id, followed);
    if (this.#connection !== undefined) this.#join(this.#connection, followed);
    return disposable(() => {
      if (this.#followed.get(anchor.id) !== followed) return;
      this.#followed.delete(anchor.id);
      this.#connection?.unsubscribe(anchor.id);
    });
  }

  /** Whether the hub pushes an anchor's deltas at this moment. */
  pushes(anchor: string): boolean {
    return this.#followed.get(anchor)?.pushed ?? false;
  }

  agents(anchor: string): readonly PresentAgent[] {
    return this.#followed.get(anchor)?.agents ?? [];
  }

  /** Publishes to a followed anchor; resolves when the hub has it durably. The same id twice is one publish. */
  publish(draft: DeltaDraft): Promise<Ack> {
    return this.#requests.publish(draft);
  }

  /** Deltas of a followed anchor above `after`, as the hub has them. */
  fetch(anchor: string, after: number, limit: number): Promise<readonly Delta[]> {
    return this.#requests.fetch(anchor, after, limit);
  }

  dispose(): void {
    this.#stop.abort();
    this.#pause.abort();
    this.#requests.dispose();
    this.#connection?.close();
  }

  /** Visits the hub again and again; waits longer the more often in a row that fails. */
  async #run(): Promise<void> {
    const { clock, random } = this.#options;
    for (let failures = 0; !this.#stop.signal.aborted; failures++) {
      this.#pause = new AbortController();
      const visit = await this.#visit().catch((error: unknown) => this.#failed(error));
      if (visit.lived >= GOOD_AFTER_MS || this.#pause.signal.aborted) failures = 0;
      await sleep(clock, visit.retryAfter + backoff(failures, random), this.#pause.signal);
    }
  }

  /** From looking for the hub to the end of the connection. */
  async #visit(): Promise<Visit> {
    const { door, clock, logger } = this.#options;
    const address = await door.find();
    if (address === null || !(await door.prove(address))) return this.#unreachable();
    if (address.token === this.#refusedBy) return NO_VISIT;
    const connection = new ClientConnection(await door.connect(address), clock, logger, {
      deltas: (frame) => this.#deltas(connection, frame),
      presence: (frame) => this.#present(frame.anchor, frame.agents),
    });
    const welcomed = await this.#greet(connection, address);
    const since = clock.monotonic();
    if (welcomed) this.#arrive(connection, address);
    const end = await connection.ended;
    this.#leave(end, address);
    return { lived: welcomed ? clock.monotonic() - since : 0, retryAfter: end.retryAfter ?? 0 };
  }

  async #greet(connection: ClientConnection, { token }: HubAddress): Promise<boolean> {
    const { agent, session } = this.#options.who;
    const anchors = [...this.#followed.keys()].slice(0, MAX_NAMED);
    try {
      if (this.#stop.signal.aborted) connection.close();
      await connection.greet({ t: 'hello', protocols: [PROTOCOL], token, agent, session, anchors });
      return true;
    } catch (error) {
      if (error instanceof ConnectionLost) return false;
      throw error;
    }
  }

  #arrive(connection: ClientConnection, { url }: HubAddress): void {
    this.#connection = connection;
    this.#tell({ kind: 'connected', url });
    for (const followed of this.#followed.values()) this.#join(connection, followed);
  }

  #leave(end: ConnectionEnd, { url, token }: HubAddress): void {
    this.#connection = undefined;
    this.#requests.lost();
    for (const followed of this.#followed.values()) {
      followed.pushed = false;
      followed.misfits = 0;
      this.#present(followed.anchor.id, []);
    }
    const refusal = REFUSALS.get(end.code);
    if (refusal !== undefined) {
      this.#refusedBy = token;
      this.#tell({ kind: 'refused', url, reason: refusal });
    } else {
      this.#options.logger.info(`the hub at ${url} is gone (${end.code}${end.reason === '' ? '' : ` ${end.reason}`})`);
      this.#tell({ kind: 'offline', url });
    }
  }

  #unreachable(): Visit {
    const { kind } = this.#current;
    if (kind !== 'alone' && kind !== 'offline') this.#tell({ kind: kind === 'connected' ? 'offline' : 'alone' });
    return NO_VISIT;
  }

  #failed(error: unknown): Visit {
    if (error instanceof ProjectAnchorError) {
      this.#tell({ kind: 'refused', reason: error.message });
      return NO_VISIT;
    }
    this.#options.logger.debug(`no connection to the hub: ${messageOf(error)}`);
    return this.#unreachable();
  }

  /** Attaches and subscribes on a fresh connection, or on the live one for an anchor that is new. */
  #join(connection: ClientConnection, followed: Followed): void {
    this.#attach(connection, followed).catch((error: unknown) => {
      if (error instanceof ConnectionLost) return;
      this.#options.logger.warn(`the hub does not serve this project: ${messageOf(error)}`);
    });
  }

  async #attach(connection: ClientConnection, followed: Followed): Promise<void> {
    const { repository, mainBranch, attachedAt, id } = followed.anchor;
    const answer = await connection.ask({
      t: 'attach',
      repository,
      mainBranch,
      attachedAt,
      aliases: [...followed.aliases],
    });
    if (answer.t !== 'attached') throw refused(answer);
    if (answer.anchor.id !== id) {
      throw new ProjectAnchorError('moved', 'It knows this project under another anchor.', 'The own log is followed.');
    }
    if (this.#connection === connection) this.#requests.attached(id, connection);
    await this.#subscribe(connection, followed);
  }

  /** Asks for everything after the subscriber's place; a place that the hub does not have is compared first. */
  async #subscribe(connection: ClientConnection, followed: Followed): Promise<void> {
    const { anchor, subscriber } = followed;
    for (; followed.misfits < MAX_MISFITS; followed.misfits++) {
      const after = subscriber.head;
      const answer = await connection.ask({ t: 'subscribe', anchor: anchor.id, after });
      if (answer.t !== 'subscribed') throw refused(answer);
      if (answer.fork === undefined) {
        followed.pushed = this.#connection === connection;
        return;
      }
      await subscriber.doubt(`the hub has another delta ${after.seq}`);
    }
    followed.pushed = false;
    connection.unsubscribe(anchor.id);
    throw new ProjectAnchorError('fork', 'Its chain and the one here have parted.', 'The own log is followed.');
  }

  #deltas(connection: ClientConnection, frame: Deltas): void {
    const followed = this.#followed.get(frame.anchor);
    if (followed === undefined) return;
    const { subscriber } = followed;
    const taken = async () => {
      if ((await subscriber.take(frame.items)) === 'followed') {
        connection.got(frame.anchor, subscriber.head.seq);
        return;
      }
      followed.misfits++;
      await this.#subscribe(connection, followed);
    };
    taken().catch((error: unknown) => {
      if (!(error instanceof ConnectionLost)) {
        this.#options.logger.warn(`deltas from the hub were not taken: ${messageOf(error)}`);
      }
    });
  }

  #present(anchor: string, agents: readonly PresentAgent[]): void {
    const followed = this.#followed.get(anchor);
    if (followed === undefined) return;
    followed.agents = agents;
    this.#presence.fire(anchor);
  }

  #tell(status: ClientStatus): void {
    const { kind, url, reason } = this.#current;
    if (kind === status.kind && url === status.url && reason === status.reason) return;
    this.#current = status;
    this.#status.fire(status);
  }
}

function refused(answer: Answer): ProjectAnchorError {
  if (answer.t === 'nack') return new ProjectAnchorError(answer.code, answer.message);
  return new ProjectAnchorError('protocol', `It answered with ${answer.t}.`);
}
