import { silentLogger } from '../../src/base/index.ts';
import type { Frame } from '../../src/delta/frames.ts';
import { DeltaFeed } from '../../src/delta/hub-feed.ts';
import { Listeners } from '../../src/delta/hub-listeners.ts';
import { PresenceBoard } from '../../src/delta/hub-presence.ts';
import type { AnchorDirectory, HubServices } from '../../src/delta/hub-services.ts';
import { HubConnection } from '../../src/delta/hub-session.ts';
import { Sessions } from '../../src/delta/hub-sessions.ts';
import { MemoryDeltaLog } from '../../src/delta/memory-log.ts';
import type { DeltaDraft } from '../../src/delta/types.ts';
import type { Anchor } from '../../src/snapshot/index.ts';
import { FakeClock, settle } from './fake-clock.ts';
import { MemorySocket } from './socket-pair.ts';

export const TOKEN = 'a token of this test, long enough for a file';

/** Anchors as a hub knows them, without a database. */
export class MemoryAnchors implements AnchorDirectory {
  readonly known: Anchor[] = [];

  attach(wish: Omit<Anchor, 'id'>): Anchor {
    const found = this.known.find(({ repository }) => repository === wish.repository);
    if (found !== undefined) return found;
    const { repository, mainBranch, attachedAt } = wish;
    const anchor = { id: `${repository}#${mainBranch}@${attachedAt}`, repository, mainBranch, attachedAt };
    this.known.push(anchor);
    return anchor;
  }

  byId(id: string): Anchor | undefined {
    return this.known.find((anchor) => anchor.id === id);
  }
}

/** Everything of a hub but the network, on a clock that a test moves. */
export class HubBench {
  readonly clock = new FakeClock();
  readonly log = new MemoryDeltaLog(silentLogger(), (draft) => this.gate(draft));
  readonly anchors = new MemoryAnchors();
  readonly services: HubServices;
  /** Why the gate refuses, when it does. */
  gate: (draft: DeltaDraft) => string | null = () => null;

  constructor() {
    const feed = new DeltaFeed(this.log);
    const listeners: Listeners = new Listeners((anchor, listening) => {
      if (listening) void feed.follow(anchor);
      else feed.unfollow(anchor);
    });
    const presence: PresenceBoard = new PresenceBoard(this.clock, (anchor) => {
      for (const listener of listeners.of(anchor)) listener.presence();
    });
    this.services = {
      clock: this.clock,
      logger: silentLogger(),
      log: this.log,
      anchors: this.anchors,
      knowsToken: (token) => token === TOKEN,
      feed,
      listeners,
      sessions: new Sessions(this.clock),
      presence,
    };
    this.log.onAppended((anchor) => {
      void feed.advance(anchor).then(() => {
        for (const listener of listeners.of(anchor)) listener.wake();
      });
    });
  }

  /** The hub's end of a new connection, and the client's. */
  open(): { readonly connection: HubConnection; readonly hub: MemorySocket; readonly client: MemorySocket } {
    const [hub, client] = MemorySocket.pair();
    return { connection: new HubConnection(hub, this.services), hub, client };
  }

  /** A connection that has said hello, with what the hub sends it. */
  async greeted(session = 's1'): Promise<TestClient> {
    const client = new TestClient(this);
    await client.send({ t: 'hello', n: 0, protocols: ['projectanchor.v1'], token: TOKEN, agent: 'test', session });
    client.take();
    return client;
  }
}

/** A client that sends what a test says and shows what came back. */
export class TestClient {
  readonly connection: HubConnection;
  readonly hub: MemorySocket;
  readonly socket: MemorySocket;
  readonly #received: Record<string, unknown>[] = [];
  #taken = 0;

  constructor(bench: HubBench) {
    const { connection, hub, client } = bench.open();
    this.connection = connection;
    this.hub = hub;
    this.socket = client;
    client.listen({
      message: (text) => this.#received.push(JSON.parse(text ?? 'null') as Record<string, unknown>),
      pong: () => undefined,
      closed: () => undefined,
    });
  }

  get end() {
    return this.socket.end;
  }

  async send(...frames: readonly (Frame | string)[]): Promise<void> {
    for (const frame of frames) this.socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
    await settle();
    await settle();
  }

  /** What came since the last call. */
  take(type?: string): Record<string, unknown>[] {
    const news = this.#received.slice(this.#taken);
    this.#taken = this.#received.length;
    return type === undefined ? news : news.filter((frame) => frame['t'] === type);
  }
}
