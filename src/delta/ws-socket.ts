import type { RawData, WebSocket } from 'ws';
import type { FrameSocket, SocketHandlers } from './frame-socket.ts';
import { CLOSE } from './hub-limits.ts';

/** RFC 6455 §5.5: a control frame carries at most 125 bytes, 2 of which are the close code. */
const MAX_REASON_BYTES = 123;

/** A WebSocket as the hub and its client see it. Errors of the socket are always followed by its close. */
export function wsSocket(socket: WebSocket, onError: (error: Error) => void): FrameSocket {
  const open = () => socket.readyState === socket.OPEN;
  socket.on('error', onError);
  return {
    get buffered() {
      return socket.bufferedAmount;
    },
    send(text) {
      if (open()) socket.send(text);
    },
    ping() {
      if (open()) socket.ping();
    },
    close(code, reason) {
      socket.close(code, cut(reason));
    },
    terminate() {
      socket.terminate();
    },
    listen(handlers: SocketHandlers) {
      socket.on('message', (data: RawData, binary: boolean) => handlers.message(binary ? null : data.toString()));
      socket.on('pong', () => handlers.pong());
      socket.on('close', (code, reason) => handlers.closed(code || CLOSE.abnormal, reason.toString('utf8')));
    },
  };
}

/** The longest beginning of a reason that fits, without half a character. */
function cut(reason: string): string {
  let result = reason;
  while (Buffer.byteLength(result) > MAX_REASON_BYTES) result = Array.from(result).slice(0, -1).join('');
  return result;
}
