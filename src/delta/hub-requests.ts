import { type Disposable, DisposableStore, ProjectAnchorError } from '../base/index.ts';
import { genesisHash } from './chain.ts';
import {
  type Attach,
  encodeDeltas,
  type Fetch,
  type FromHub,
  type Got,
  type Hello,
  type Publish,
  pages,
  type Subscribe,
  type ToHub,
  type Unsubscribe,
} from './frames.ts';
import { PROTOCOL } from './hub-limits.ts';
import type { SessionName } from './hub-presence.ts';
import type { Refusal } from './hub-refusal.ts';
import type { HubServices } from './hub-services.ts';
import { type Outlet, Subscription } from './hub-subscription.ts';
import { RoundTrip } from './resend.ts';
import type { Head } from './types.ts';

/** The client's side of a connection, as its requests see it. */
export interface Peer extends Outlet {
  readonly closed: boolean;
  send(frame: FromHub): void;
}

/**
 * What one client may ask, and what it has asked for: the anchors it attached to and its subscriptions.
 * Whatever a method throws becomes a `nack`.
 */
export class HubRequests implements Disposable {
  readonly #hub: HubServices;
  readonly #peer: Peer;
  readonly #who: SessionName;
  readonly #roundTrip = new RoundTrip();
  readonly #anchors = new Set<string>();
  readonly #subscriptions = new Map<string, { readonly subscription: Subscription; readonly held: Disposable }>();

  constructor(hub: HubServices, peer: Peer, who: SessionName) {
    this.#hub = hub;
    this.#peer = peer;
    this.#who = who;
  }

  /** Answers `hello` with the heads it asked for; unknown anchors are left out. */
  async welcome(frame: Hello): Promise<void> {
    const heads: [string, Head][] = [];
    for (const asked of frame.anchors ?? []) {
      const anchor = this.#hub.anchors.byId(asked);
      if (anchor === undefined) continue;
      this.#anchors.add(anchor.id);
      heads.push([asked, await this.#hub.log.head(anchor.id)]);
    }
    this.#peer.send({ t: 'welcome', ...re(frame), protocol: PROTOCOL, heads: Object.fromEntries(heads) });
  }

  async attach(frame: Attach): Promise<void> {
    const anchor = this.#hub.anchors.attach(frame);
    this.#anchors.add(anchor.id);
    this.#peer.send({ t: 'attached', ...re(frame), anchor, head: await this.#hub.log.head(anchor.id) });
  }

  /** Pushes everything above a place of the chain; a place that is not in the chain is a fork and gets nothing. */
  async subscribe(frame: Subscribe): Promise<void> {
    const { anchor, after } = frame;
    this.#demand(anchor);
    const { feed, log } = this.#hub;
    const head = await log.head(anchor);
    const known = after.seq <= head.seq && (await feed.holds(anchor, after, genesisHash(anchor)));
    if (this.#peer.closed) return;
    this.#end(anchor);
    if (!known) {
      this.#peer.send({ t: 'subscribed', ...re(frame), anchor, head, fork: true });
      return;
    }
    this.#peer.send({ t: 'subscribed', ...re(frame), anchor, head });
    this.#begin(anchor, after.seq).wake();
  }

  async unsubscribe(frame: Unsubscribe): Promise<void> {
    this.#end(frame.anchor);
  }

  got(frame: Got): void {
    this.#subscriptions.get(frame.anchor)?.subscription.got(frame.seq);
  }

  /** Answers with as many `deltas` frames as it takes; with an empty one where there is nothing. */
  async fetch(frame: Fetch): Promise<void> {
    this.#demand(frame.anchor);
    const page = await this.#hub.feed.fetch(frame.anchor, frame.after, frame.limit);
    const parts = pages(page.items);
    for (const items of parts.length > 0 ? parts : [[]]) {
      this.#peer.sendText(encodeDeltas(frame.anchor, items, page.head, frame.n));
    }
  }

  /** The log's own gate decides what may be stored; the answer is sent when the delta is durable. */
  async publish(frame: Publish): Promise<void> {
    const { delta } = frame;
    if (typeof delta.anchor !== 'string' || typeof delta.id !== 'string') {
      throw new ProjectAnchorError('invalid', 'A delta needs an anchor and an id.');
    }
    this.#demand(delta.anchor);
    const ack = await this.#hub.log.append(delta);
    this.#peer.send({ t: 'ack', ...re(frame), id: ack.id, seq: ack.seq, hash: ack.hash });
  }

  /** Tells a client why its request is not done. */
  refuse(frame: ToHub, refusal: Refusal): void {
    const id = frame.t === 'publish' && typeof frame.delta.id === 'string' ? { id: frame.delta.id } : {};
    this.#peer.send({ t: 'nack', ...re(frame), ...id, ...refusal });
  }

  dispose(): void {
    for (const anchor of [...this.#subscriptions.keys()]) this.#end(anchor);
  }

  #demand(anchor: string): void {
    if (this.#anchors.has(anchor)) return;
    throw new ProjectAnchorError('forbidden', 'This connection has not attached to that project.', 'Attach first.');
  }

  #begin(anchor: string, after: number): Subscription {
    const { feed, clock, presence, listeners } = this.#hub;
    const subscription = new Subscription(anchor, after, {
      feed,
      clock,
      outlet: this.#peer,
      roundTrip: this.#roundTrip,
    });
    const held = new DisposableStore();
    this.#subscriptions.set(anchor, { subscription, held });
    held.add(subscription);
    const listener = {
      wake: () => subscription.wake(),
      presence: () => this.#peer.send({ t: 'presence', anchor, agents: presence.list(anchor) }),
    };
    held.add(listeners.add(anchor, listener));
    held.add(presence.enter(anchor, this.#who));
    return subscription;
  }

  #end(anchor: string): void {
    this.#subscriptions.get(anchor)?.held.dispose();
    this.#subscriptions.delete(anchor);
  }
}

/** The part of an answer that says what it answers. */
function re(frame: { readonly n?: number }): { re?: number } {
  return frame.n === undefined ? {} : { re: frame.n };
}
