import type { IncomingMessage, ServerResponse } from 'node:http';
import { hostAllowed, isNonce, originAllowed, proofOf, sameSecret } from './hub-access.ts';
import { ID_PATH, POKE_PATH } from './hub-limits.ts';

/** What a hub knows about who may talk to it. */
export interface Door {
  readonly token: string;
  readonly host: string;
  readonly port: () => number;
  readonly origins: readonly string[];
}

/** Whether a request, upgrade or not, was sent to this address by a program or an allowed page. */
export function mayEnter(door: Door, request: IncomingMessage): boolean {
  const { host, origin } = request.headers;
  return hostAllowed(host, door.port(), door.host) && originAllowed(origin, door.origins);
}

/**
 * The two plain HTTP doors beside the WebSocket: `GET /v1/id?n=` proves that this is the hub that wrote the token,
 * `POST /v1/poke` says that some process has appended to the file.
 */
export function answerHttp(door: Door, poked: () => void, request: IncomingMessage, response: ServerResponse): void {
  request.resume();
  const reply = (status: number, body: object | undefined) => {
    const text = body === undefined ? '' : JSON.stringify(body);
    response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' }).end(text);
  };
  const url = new URL(request.url ?? '/', 'http://hub');
  if (!mayEnter(door, request)) return void reply(403, { error: 'This address or page may not talk to the hub.' });
  if (url.pathname === ID_PATH && request.method === 'GET') {
    const nonce = url.searchParams.get('n');
    if (!isNonce(nonce)) return void reply(400, { error: 'n must be 16 to 128 letters, digits, "-" or "_".' });
    return void reply(200, { proof: proofOf(door.token, nonce) });
  }
  if (url.pathname === POKE_PATH && request.method === 'POST') {
    const bearer = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1];
    if (bearer === undefined || !sameSecret(bearer, door.token)) return void reply(401, { error: 'Wrong token.' });
    poked();
    return void reply(204, undefined);
  }
  return void reply(404, { error: 'There is nothing here.' });
}
