/**
 * One connection that carries text frames, as the hub and its client see it.
 * `ws-socket.ts` adapts a real WebSocket; tests connect two of them in memory.
 */
export interface FrameSocket {
  /** Bytes given to `send` that the operating system has not taken yet. */
  readonly buffered: number;
  /** Queues a frame; does nothing on a connection that is closing or closed. */
  send(text: string): void;
  ping(): void;
  /** Begins the closing handshake; `closed` follows. */
  close(code: number, reason: string): void;
  /** Ends the connection at once, unsent bytes are dropped; `closed` follows. */
  terminate(): void;
  /** Sets who listens, once, before anything can have arrived. */
  listen(handlers: SocketHandlers): void;
}

export interface SocketHandlers {
  /** `null` stands for a binary message, which the protocol does not have. */
  message(text: string | null): void;
  pong(): void;
  /** The last call. 1006 means that no close frame was seen. */
  closed(code: number, reason: string): void;
}
