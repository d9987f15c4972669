import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { WebSocket, WebSocketServer } from 'ws';
import {
  type Clock,
  codeOf,
  type Disposable,
  DisposableStore,
  Emitter,
  type Event,
  isLoopback,
  type Logger,
  messageOf,
  ProjectAnchorError,
} from '../base/index.ts';
import type { PresentAgent } from './frames.ts';
import { sameSecret } from './hub-access.ts';
import { DeltaFeed } from './hub-feed.ts';
import { answerHttp, type Door, mayEnter, targetOf } from './hub-http.ts';
import { CLOSE, HUB_PATH, MAX_FRAME_BYTES, PROTOCOL, WATCH_MS } from './hub-limits.ts';
import { Listeners } from './hub-listeners.ts';
import { PresenceBoard, type SessionName } from './hub-presence.ts';
import type { AnchorDirectory, HubServices } from './hub-services.ts';
import { HubConnection } from './hub-session.ts';
import { Sessions } from './hub-sessions.ts';
import type { DeltaLog } from './log-port.ts';
import { every, sleep } from './timers.ts';
import { wsSocket } from './ws-socket.ts';

export interface HubOptions {
  /** A loopback address. */
  readonly host: string;
  /** 0 = any free one. */
  readonly port: number;
  readonly token: string;
  /** Values of `Origin` that may connect; programs send none and always may. */
  readonly origins: readonly string[];
  /** With the gate in it: what may not leave its author is refused again here (protocol §9). */
  readonly log: DeltaLog;
  /** Looks at once whether another process has appended; what it finds comes by the log's `onAppended`. */
  readonly look: () => void;
  readonly anchors: AnchorDirectory;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** How long a draining hub waits for answers under way, and again for its clients to close, in ms. */
const DRAIN_MS = 1_000;
/** How long it waits before it reads the log again after that failed, in ms. */
const RETRY_MS = 250;

/** Refuses what only a hub for other machines would need (protocol §7). */
export function checkHubHost(host: string): void {
  if (isLoopback(host)) return;
  throw new ProjectAnchorError(
    'hub_host',
    `A hub on ${host} could be reached from other machines, which needs TLS and an access file and will come in a later version.`,
    'Leave the host out, or use 127.0.0.1.',
  );
}

/**
 * The WebSocket server in front of a log. It holds nothing of its own: everything it tells is in the log.
 * Whoever starts it drains it.
 */
export class Hub {
  readonly #options: HubOptions;
  readonly #server: Server;
  readonly #sockets: WebSocketServer;
  readonly #services: HubServices;
  readonly #connections = new Map<WebSocket, HubConnection>();
  readonly #held = new DisposableStore();
  readonly #presence: Emitter<string>;
  #watch: Disposable | undefined;

  private constructor(options: HubOptions, server: Server, sockets: WebSocketServer) {
    const { clock, logger, log, anchors } = options;
    this.#options = options;
    this.#server = server;
    this.#sockets = sockets;
    this.#presence = this.#held.add(new Emitter((error) => logger.error(`hub: ${messageOf(error)}`)));
    const listeners = new Listeners((anchor, listening) => this.#listening(anchor, listening));
    const presence = this.#held.add(new PresenceBoard(clock, (anchor) => this.#present(anchor)));
    const feed = new DeltaFeed(log);
    const knowsToken = (token: string) => sameSecret(token, options.token);
    const sessions = new Sessions(clock);
    this.#services = { clock, logger, log, anchors, knowsToken, feed, listeners, sessions, presence };
    this.#held.add(log.onAppended((anchor) => this.#push(anchor)));
    this.#accept();
  }

  /**
   * Starts to listen.
   * @throws ProjectAnchorError `hub_host` for an address off this machine, `hub_port` when the port cannot be had.
   */
  static async start(options: HubOptions): Promise<Hub> {
    checkHubHost(options.host);
    const [{ createServer }, { WebSocketServer }] = await Promise.all([import('node:http'), import('ws')]);
    const server = createServer();
    const sockets = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: MAX_FRAME_BYTES,
      // Completing the handshake lets a client that speaks another version read close code 4409.
      handleProtocols: (offered) => (offered.has(PROTOCOL) ? PROTOCOL : (offered.values().next().value ?? false)),
    });
    const hub = new Hub(options, server, sockets);
    try {
      await listen(server, options);
    } catch (error) {
      hub.#held.dispose();
      throw error;
    }
    server.on('error', (error) => options.logger.warn(`hub: the server failed: ${messageOf(error)}`));
    return hub;
  }

  get url(): string {
    const { address, port, family } = this.#server.address() as AddressInfo;
    return `ws://${family === 'IPv6' ? `[${address}]` : address}:${port}${HUB_PATH}`;
  }

  /** Anchors where somebody came or went. */
  get onPresence(): Event<string> {
    return this.#presence.event;
  }

  present(anchor: string): readonly PresentAgent[] {
    return this.#services.presence.list(anchor);
  }

  /** The process of the hub is an agent too: it is listed while the result is not disposed. */
  enter(anchor: string, who: SessionName): Disposable {
    return this.#services.presence.enter(anchor, who);
  }

  /** Says `bye` to everybody and stops. Nothing is lost: all that was acknowledged is in the log. */
  async drain(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    const said = Promise.all([...this.#connections.values()].map((connection) => connection.drain()));
    await this.#within(DRAIN_MS, said);
    await this.#within(DRAIN_MS, closed);
    for (const socket of this.#connections.keys()) socket.terminate();
    this.#server.closeAllConnections();
    await closed;
    this.#watch?.dispose();
    this.#held.dispose();
  }

  async #within(ms: number, work: Promise<unknown>): Promise<void> {
    const done = new AbortController();
    await Promise.race([work, sleep(this.#options.clock, ms, done.signal)]);
    done.abort();
  }

  #accept(): void {
    const { token, host, origins, look } = this.#options;
    const port = () => (this.#server.address() as AddressInfo).port;
    const door: Door = { token, host, origins, port };
    this.#server.on('request', (request, response) => answerHttp(door, look, request, response));
    this.#server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      if (targetOf(request).path !== HUB_PATH) {
        socket.on('error', (error) => this.#options.logger.debug(`hub: a socket failed: ${messageOf(error)}`));
        socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n');
        return;
      }
      this.#sockets.handleUpgrade(request, socket, head, (opened) => this.#open(opened, mayEnter(door, request)));
    });
  }

  #open(opened: WebSocket, mayEnter: boolean): void {
    const { logger } = this.#options;
    const socket = wsSocket(opened, (error) => logger.debug(`hub: a socket failed: ${messageOf(error)}`));
    if (!mayEnter) socket.close(CLOSE.origin, 'this address or page may not talk to the hub');
    else if (opened.protocol !== PROTOCOL) socket.close(CLOSE.version, `this hub speaks ${PROTOCOL}`);
    else {
      this.#connections.set(opened, new HubConnection(socket, this.#services));
      opened.on('close', () => this.#connections.delete(opened));
    }
  }

  /** An anchor got its first subscriber or lost its last. */
  #listening(anchor: string, listening: boolean): void {
    const { feed, listeners } = this.#services;
    if (listening) this.#retry(anchor, () => feed.follow(anchor));
    else feed.unfollow(anchor);
    if (listeners.any) this.#watch ??= every(this.#options.clock, WATCH_MS, this.#options.look);
    else {
      this.#watch?.dispose();
      this.#watch = undefined;
    }
  }

  /** Something was appended: reads it once and has every subscriber send it. */
  #push(anchor: string): void {
    const { feed, listeners } = this.#services;
    if (!listeners.has(anchor)) return;
    this.#retry(anchor, async () => {
      await feed.advance(anchor);
      for (const listener of listeners.of(anchor)) listener.wake();
    });
  }

  #present(anchor: string): void {
    for (const listener of this.#services.listeners.of(anchor)) listener.presence();
    this.#presence.fire(anchor);
  }

  /** A log that cannot be read now is read again: a push that is due must not be forgotten. */
  #retry(anchor: string, work: () => Promise<void>): void {
    work().catch((error: unknown) => {
      this.#options.logger.warn(`hub: the log could not be read: ${messageOf(error)}`);
      if (this.#held.disposed || !this.#services.listeners.has(anchor)) return;
      this.#held.add(this.#options.clock.timeout(RETRY_MS, () => this.#retry(anchor, work)));
    });
  }
}

function listen(server: Server, { host, port }: HubOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error: Error) => reject(portError(host, port, error));
    server.once('error', failed);
    server.listen({ host, port }, () => {
      server.off('error', failed);
      resolve();
    });
  });
}

function portError(host: string, port: number, error: Error): ProjectAnchorError {
  const taken = codeOf(error) === 'EADDRINUSE';
  return new ProjectAnchorError(
    'hub_port',
    taken ? `Port ${port} of ${host} is in use.` : `The hub cannot listen on ${host}:${port} (${messageOf(error)}).`,
    'Choose another port, or 0 for any free one.',
    { cause: error },
  );
}
