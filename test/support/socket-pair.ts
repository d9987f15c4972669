import type { FrameSocket, SocketHandlers } from '../../src/delta/frame-socket.ts';

/** One end of a connection in memory. Frames arrive in order, a microtask after they were sent. */
export class MemorySocket implements FrameSocket {
  /** Every frame given to `send`, lost ones included. */
  readonly sent: string[] = [];
  /** What `buffered` says; a test sets it to play a reader that does not read. */
  buffered = 0;
  /** Frames for which this is true are lost on their way. */
  loses: (text: string) => boolean = () => false;
  /** Whether this end answers pings. */
  alive = true;
  pings = 0;
  /** How this end was closed, once it is. */
  end: { readonly code: number; readonly reason: string } | undefined;
  #peer: MemorySocket | undefined;
  #handlers: SocketHandlers | undefined;
  readonly #early: (string | null)[] = [];

  static pair(): readonly [MemorySocket, MemorySocket] {
    const a = new MemorySocket();
    const b = new MemorySocket();
    a.#peer = b;
    b.#peer = a;
    return [a, b];
  }

  send(text: string): void {
    if (this.end !== undefined) return;
    this.sent.push(text);
    if (!this.loses(text)) this.#later((peer) => peer.#take(text));
  }

  sendBinary(): void {
    this.#later((peer) => peer.#take(null));
  }

  ping(): void {
    this.pings++;
    this.#later((peer) => {
      if (peer.alive) peer.#later((self) => self.#handlers?.pong());
    });
  }

  close(code: number, reason: string): void {
    if (this.end !== undefined) return;
    this.#later((peer) => peer.#closed(code, reason));
    this.#closed(code, reason);
  }

  terminate(): void {
    if (this.end !== undefined) return;
    this.#later((peer) => peer.#closed(1006, ''));
    this.#closed(1006, '');
  }

  listen(handlers: SocketHandlers): void {
    this.#handlers = handlers;
    for (const text of this.#early.splice(0)) handlers.message(text);
  }

  /** The frames given to `send` so far, parsed. */
  frames(): Record<string, unknown>[] {
    return this.sent.map((text) => JSON.parse(text) as Record<string, unknown>);
  }

  #later(work: (peer: MemorySocket) => void): void {
    queueMicrotask(() => {
      if (this.#peer !== undefined) work(this.#peer);
    });
  }

  #take(text: string | null): void {
    if (this.end !== undefined) return;
    if (this.#handlers === undefined) this.#early.push(text);
    else this.#handlers.message(text);
  }

  #closed(code: number, reason: string): void {
    if (this.end !== undefined) return;
    this.end = { code, reason };
    queueMicrotask(() => this.#handlers?.closed(code, reason));
  }
}
