import {
  type Clock,
  type Disposable,
  DisposableStore,
  Emitter,
  type Event,
  type Logger,
  messageOf,
} from '../base/index.ts';
import type { Anchor } from '../snapshot/index.ts';
import type { ClientStatus, HubClient, Subscriber } from './client.ts';
import type { HubKeeper, HubRole } from './hub-keeper.ts';
import { LEASE_RENEW_MS } from './hub-limits.ts';
import type { Poker } from './hub-poker.ts';
import type { SessionName } from './hub-presence.ts';
import { every } from './timers.ts';

export interface HubLinkOptions {
  readonly who: SessionName;
  readonly logger: Logger;
  /** Competes for the hub; absent where this process never runs it. */
  readonly keeper?: HubKeeper;
  /** Makes a client; absent where this process never stays connected. */
  readonly client?: () => HubClient;
  /** Where the hub of this machine is, as far as the lease says; asked where there is no keeper to watch it. */
  readonly hubUrl?: () => string | undefined;
  readonly clock: Clock;
  /** Tells a hub elsewhere of appends; absent where nobody is to be told. */
  readonly poker?: Poker;
  /** Why there is neither keeper nor client although they were asked for, as a sentence. */
  readonly refusal?: string;
}

export interface LinkStatus {
  readonly kind: 'alone' | 'hub' | 'connected' | 'offline' | 'refused';
  readonly url?: string;
  readonly reason?: string;
}

interface Followed {
  readonly anchor: Anchor;
  readonly aliases: readonly string[];
  readonly subscriber: Subscriber;
  /** What ends when the role changes: a subscription of the client, or the presence at the own hub. */
  current: Disposable | undefined;
}

/**
 * How one process hangs together with its machine's hub: it runs it, or is its client, or only tells it of appends.
 * Whoever competes becomes a client whenever somebody else runs the hub, and never stops anybody.
 */
export class HubLink {
  readonly #options: HubLinkOptions;
  readonly #held = new DisposableStore();
  readonly #changes: Emitter<void>;
  readonly #followed = new Map<string, Followed>();
  #client: HubClient | undefined;
  #ofRole = new DisposableStore();
  #disposed = false;

  constructor(options: HubLinkOptions) {
    this.#options = options;
    this.#changes = this.#held.add(
      new Emitter((error) => options.logger.error(`a listener failed: ${messageOf(error)}`)),
    );
  }

  /** Something of `status` or `agents` has changed. */
  get onChange(): Event<void> {
    return this.#changes.event;
  }

  get status(): LinkStatus {
    const { keeper, refusal } = this.#options;
    if (refusal !== undefined) return { kind: 'refused', reason: refusal };
    if (keeper?.role.kind === 'holder') return { kind: 'hub', url: keeper.role.hub.url };
    const status: ClientStatus = this.#client?.status ?? { kind: 'alone' };
    const problem = keeper?.role.problem;
    return problem === undefined || status.kind === 'connected' ? status : { ...status, reason: problem };
  }

  /** How many agents are at the followed anchors, this one included; undefined when nobody can tell. */
  get agents(): number | undefined {
    const role = this.#options.keeper?.role;
    const sessions = new Set<string>();
    for (const anchor of this.#followed.keys()) {
      const here = role?.kind === 'holder' ? role.hub.present(anchor) : (this.#client?.agents(anchor) ?? []);
      for (const { agent, session } of here) sessions.add(JSON.stringify([agent, session]));
    }
    return sessions.size === 0 ? undefined : sessions.size;
  }

  /** Whether a hub pushes an anchor's deltas, so that nobody here has to look for them. */
  pushes(anchor: string): boolean {
    return this.#client?.pushes(anchor) ?? false;
  }

  start(): void {
    const { keeper } = this.#options;
    if (keeper !== undefined) {
      this.#held.add(keeper.onRole((role) => this.#take(role)));
      keeper.start();
    }
    if (keeper?.role.kind !== 'holder') this.#connect();
    if (keeper === undefined && this.#client !== undefined) this.#watchLease();
  }

  follow(anchor: Anchor, aliases: readonly string[], subscriber: Subscriber): void {
    const followed: Followed = { anchor, aliases, subscriber, current: undefined };
    this.#followed.set(anchor.id, followed);
    this.#join(followed);
  }

  /** Something was appended here: a hub in another process is told, as well as it goes. */
  appended(): void {
    const { kind, url } = this.status;
    if (kind !== 'hub') this.#options.poker?.poke(kind === 'connected' ? url : undefined);
  }

  /** Ends the connection, or the hub, in good order. */
  async dispose(): Promise<void> {
    if (this.#disposed) return;
    this.#disposed = true;
    await this.#options.poker?.idle();
    this.#ofRole.dispose();
    await this.#options.keeper?.dispose();
    this.#held.dispose();
  }

  #take(role: HubRole): void {
    if (role.kind === 'holder') {
      this.#ofRole.dispose();
      this.#ofRole = new DisposableStore();
      this.#ofRole.add(role.hub.onPresence(() => this.#changes.fire()));
      this.#client = undefined;
      for (const followed of this.#followed.values()) this.#join(followed);
    } else if (this.#client === undefined) {
      this.#connect();
    } else if (role.url !== undefined) {
      this.#client.nudge(role.url);
    }
    this.#changes.fire();
  }

  /** A client that has given up dialling often hears of a new hub at once. */
  #watchLease(): void {
    const { clock, hubUrl, logger } = this.#options;
    let last: string | undefined;
    const look = () => {
      try {
        const url = hubUrl?.();
        if (url !== last && url !== undefined && url !== '') this.#client?.nudge(url);
        last = url;
      } catch (error) {
        logger.debug(`the hub's lease could not be read: ${messageOf(error)}`);
      }
    };
    this.#held.add(every(clock, LEASE_RENEW_MS, look));
  }

  #connect(): void {
    const client = this.#options.client?.();
    if (client === undefined || this.#disposed) return;
    this.#ofRole.dispose();
    this.#ofRole = new DisposableStore();
    this.#client = this.#ofRole.add(client);
    this.#ofRole.add(client.onStatus(() => this.#changes.fire()));
    this.#ofRole.add(client.onPresence(() => this.#changes.fire()));
    for (const followed of this.#followed.values()) this.#join(followed);
    client.start();
  }

  #join({ anchor, aliases, subscriber }: Followed): void {
    const role = this.#options.keeper?.role;
    if (role?.kind === 'holder') this.#ofRole.add(role.hub.enter(anchor.id, this.#options.who));
    else if (this.#client !== undefined) this.#ofRole.add(this.#client.follow(anchor, aliases, subscriber));
  }
}
