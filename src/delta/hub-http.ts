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

/** The path and query of a request. Not by `URL`, which throws for some of what a client may send. */
export function targetOf(request: IncomingMessage): { readonly path: string; readonly query: URLSearchParams } {
  const [path = '', query = ''] = (request.url ?? '').split('?', 2);
  return { path, query: new URLSearchParams(query) };
}

/**
 * The two plain HTTP doors beside the WebSocket: `GET /v1/id?n=` proves that this is the hub that wrote the token,
 * `POST /v1/poke` says that some process has appended to the file.
 */
export function answerHttp(door: Door, poked: () => void, request: IncomingMessage, response: ServerResponse): void {
  request.resume();
  const { status, body } = answerOf(door, poked, request);
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(body === undefined ? '' : JSON.stringify(body));
}

function answerOf(door: Door, poked: () => void, request: IncomingMessage): { status: number; body?: object } {
  const { path, query } = targetOf(request);
  if (!mayEnter(door, request)) return refusal(403, 'This address or page may not talk to the hub.');
  if (path === ID_PATH && request.method === 'GET') {
    const nonce = query.get('n');
    if (!isNonce(nonce)) return refusal(400, 'n must be 16 to 128 letters, digits, "-" or "_".');
    return { status: 200, body: { proof: proofOf(door.token, nonce) } };
  }
  if (path === POKE_PATH && request.method === 'POST') {
    const bearer = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1];
    if (bearer === undefined || !sameSecret(bearer, door.token)) return refusal(401, 'Wrong token.');
    poked();
    return { status: 204 };
  }
  return refusal(404, 'There is nothing here.');
}

function refusal(status: number, error: string): { status: number; body: object } {
  return { status, body: { error } };
}
