import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import type { Frame } from '../../src/delta/frames.ts';
import { waitFor } from './wait.ts';

const LIMIT_MS = 20_000;

export interface RawOptions {
  readonly protocols?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly path?: string;
}

/** A WebSocket that sends whatever a test says and keeps what came back. */
export class RawClient {
  readonly socket: WebSocket;
  readonly received: Record<string, unknown>[] = [];
  closed: { readonly code: number; readonly reason: string } | undefined;

  constructor(url: string, { protocols = ['projectanchor.v1'], headers = {}, path }: RawOptions = {}) {
    const target = path === undefined ? url : new URL(path, url).href;
    this.socket = new WebSocket(target, [...protocols], { headers: { ...headers }, perMessageDeflate: false });
    onTestFinished(() => this.socket.terminate());
    this.socket.on('message', (data) => this.received.push(JSON.parse(data.toString()) as Record<string, unknown>));
    this.socket.on('close', (code, reason) => {
      this.closed = { code, reason: reason.toString() };
    });
    this.socket.on('error', () => undefined);
  }

  async open(): Promise<this> {
    await once(this.socket, 'open');
    return this;
  }

  async greet(token: string, session = 'raw'): Promise<this> {
    await this.open();
    this.send({ t: 'hello', n: 0, protocols: ['projectanchor.v1'], token, agent: 'raw', session });
    await this.until('welcome', () => this.of('welcome').length > 0);
    return this;
  }

  send(...frames: readonly (Frame | string)[]): void {
    for (const frame of frames) this.socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  }

  of(type: string): Record<string, unknown>[] {
    return this.received.filter((frame) => frame['t'] === type);
  }

  async until(what: string, probe: () => boolean): Promise<void> {
    await waitFor(async () => probe() || undefined, { timeoutMs: LIMIT_MS, intervalMs: 2, what });
  }

  /** Waits for the end of the connection and returns its close code. */
  async end(): Promise<number | undefined> {
    await this.until('the end of the connection', () => this.closed !== undefined);
    return this.closed?.code;
  }
}
