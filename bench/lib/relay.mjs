/** The baseline of the hub: a bare `ws` relay without a log, in a process of its own. Prints its port, ends with its stdin. */
import { WebSocketServer } from 'ws';

const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
server.on('connection', (socket) => {
  socket.on('message', (data) => {
    for (const other of server.clients) if (other !== socket) other.send(data);
  });
});
server.on('listening', () =>
  process.stdout.write(`${/** @type {import('node:net').AddressInfo} */ (server.address()).port}\n`),
);
process.stdin.on('end', () => process.exit(0)).resume();
