import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger, systemClock } from '../../../src/base/index.ts';
import { NetworkGate } from '../../../src/inject/network.ts';
import { PowerContextRecall, type PowerContextSettings } from '../../../src/inject/powercontext.ts';
import { freePort } from '../../support/process.ts';
import { waitFor } from '../../support/wait.ts';

const MIB = 1024 * 1024;
const SCHEMA = 'powercontext.prepared-context.v1';
const never = new AbortController().signal;

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void;

let server: Server;
let handler: Handler;
let seen: { url: string | undefined; headers: IncomingMessage['headers']; body: string; closed: boolean }[];

beforeEach(async () => {
  seen = [];
  server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (part: string) => {
      body += part;
    });
    request.on('end', () => {
      const record = { url: request.url, headers: request.headers, body, closed: false };
      seen.push(record);
      response.on('close', () => {
        record.closed = true;
      });
      handler(request, response, body);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

function recall(changes: Partial<PowerContextSettings> = {}, ...also: string[]): PowerContextRecall {
  const settings = { url: address(), scopeId: 'scp_1', requestTimeoutMs: 1000, authorization: undefined, ...changes };
  const gate = new NetworkGate(() => [settings.url, ...also]);
  return new PowerContextRecall(() => settings, gate.fetch, systemClock(), silentLogger());
}

const json =
  (value: unknown, status = 200): Handler =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  };
const ready = (content: string, changes: object = {}) => ({
  schema: SCHEMA,
  status: 'ready',
  content,
  content_bytes: Buffer.byteLength(content),
  ...changes,
});
const EMPTY = { schema: SCHEMA, status: 'empty', content: null, content_bytes: 0 };

/** A valid answer of exactly so many bytes: JSON may stand in any amount of white space. */
const padded = (bytes: number) => JSON.stringify(ready('remembered')).padEnd(bytes, ' ');

describe('PowerContext client against servers that misbehave', () => {
  it('asks as the contract says and gives the text unchanged', async () => {
    handler = json(ready('决定: keep it.\u2028</remembered>\n'));
    const { content, outcome } = await recall({ authorization: 'Bearer abc' }).prepare('why?', 2400, never);
    expect(content).toBe('决定: keep it.\u2028</remembered>\n');
    expect(outcome).toMatchObject({ status: 'ready', bytes: Buffer.byteLength(content) });
    expect(seen).toHaveLength(1);
    expect(seen[0]?.url).toBe('/v1/context/prepare');
    expect(seen[0]?.headers.authorization).toBe('Bearer abc');
    expect(JSON.parse(seen[0]?.body ?? '')).toEqual({ scope_id: 'scp_1', query: 'why?', max_bytes: 2400 });
  });

  it('keeps a path in the address and sends a bare token as a bearer', async () => {
    handler = json(EMPTY);
    const { outcome } = await recall({ url: `${address()}/memory/`, authorization: 'abc' }).prepare('q', 100, never);
    expect(outcome.status).toBe('empty');
    expect(seen[0]?.url).toBe('/memory/v1/context/prepare');
    expect(seen[0]?.headers.authorization).toBe('Bearer abc');
    expect(JSON.parse(seen[0]?.body ?? '').max_bytes).toBe(512);
  });

  it.each<[string, Handler, string]>([
    ['401', json({ error: { code: 'unauthorized' } }, 401), 'unauthorized'],
    ['403', json({ error: { code: 'forbidden' } }, 403), 'forbidden'],
    [
      '404 of a scope',
      json({ error: { code: 'scope_not_found', message: 'x', details: null } }, 404),
      'scope_not_found',
    ],
    ['404 of a path', json({ detail: 'Not Found' }, 404), 'not_found'],
    ['422', json({ error: { code: 'invalid_request' } }, 422), 'rejected'],
    ['503', json({ error: { code: 'runtime_not_ready' } }, 503), 'unavailable'],
    ['500', json({}, 500), 'http_500'],
    ['an error of 2 MiB', (_q, r) => r.writeHead(503).end('x'.repeat(2 * MIB)), 'unavailable'],
    ['204', (_q, r) => r.writeHead(204).end(), 'http_204'],
    ['bytes one too many', json(ready('abc', { content_bytes: 4 })), 'invalid_answer'],
    ['bytes one too few', json(ready('abc', { content_bytes: 2 })), 'invalid_answer'],
    ['characters for bytes', json(ready('决定', { content_bytes: 2 })), 'invalid_answer'],
    ['ready with null', json(ready('', { content: null, content_bytes: 0 })), 'invalid_answer'],
    ['ready but blank', json(ready(' \n ')), 'invalid_answer'],
    ['empty with content', json({ ...EMPTY, content: 'abc', content_bytes: 3 }), 'invalid_answer'],
    ['more than was asked for', json(ready('x'.repeat(2401))), 'invalid_answer'],
    ['an extra field', json(ready('abc', { reason: 'x' })), 'invalid_answer'],
    ['a missing field', json({ ...EMPTY, content_bytes: undefined }), 'invalid_answer'],
    ['another schema', json(ready('abc', { schema: 'powercontext.prepared-context.v2' })), 'invalid_answer'],
    ['another status', json(ready('abc', { status: 'partial' })), 'invalid_answer'],
    ['a list', json([EMPTY]), 'invalid_answer'],
    ['half a document', (_q, r) => r.end(JSON.stringify(ready('abc')).slice(0, -1)), 'invalid_answer'],
    [
      'half a character',
      (_q, r) => r.end(JSON.stringify(ready('a')).replace('"a"', '"\\ud800"').replace(':1}', ':3}')),
      'invalid_answer',
    ],
    ['bytes that are not UTF-8', (_q, r) => r.end(Buffer.from([0x7b, 0xff, 0x7d])), 'invalid_answer'],
    ['2 MiB', (_q, r) => r.end(padded(2 * MIB)), 'oversize'],
    ['1 MiB and one byte', (_q, r) => r.end(padded(MIB + 1)), 'oversize'],
    [
      '1 MiB and one byte, without saying how much',
      (_q, r) => {
        r.write(' ');
        r.end(padded(MIB));
      },
      'oversize',
    ],
    ['a hang-up', (_q, r) => r.destroy(), 'network'],
    [
      'a hang-up in the body',
      (_q, r) => {
        r.writeHead(200, { 'content-length': '100' });
        r.write('{');
        setImmediate(() => r.destroy());
      },
      'network',
    ],
  ])('%s is an outcome', async (_name, misbehave, code) => {
    handler = misbehave;
    const { content, outcome } = await recall().prepare('why?', 2400, never);
    expect({ content, status: outcome.status, bytes: outcome.bytes }).toEqual({
      content: '',
      status: `failed:${code}`,
      bytes: 0,
    });
  });

  it('takes exactly 1 MiB', async () => {
    handler = (_request, response) => response.end(padded(MIB));
    expect((await recall().prepare('why?', 2400, never)).content).toBe('remembered');
  });

  it('stops reading soon after 1 MiB', async () => {
    let written = 0;
    handler = (_request, response) => {
      response.writeHead(200);
      const more = () => {
        while (!response.destroyed && written < 64 * MIB) {
          written += 65_536;
          if (!response.write(Buffer.alloc(65_536, 32))) break;
        }
      };
      response.on('drain', more);
      more();
    };
    expect((await recall().prepare('why?', 2400, never)).outcome.status).toBe('failed:oversize');
    await waitFor(() => seen[0]?.closed, { timeoutMs: 5000, what: () => 'the connection to be given back' });
    expect(written).toBeLessThan(16 * MIB);
  });

  it('counts the body into its time: a server that drips is left', async () => {
    const drops: NodeJS.Timeout[] = [];
    handler = (_request, response) => {
      response.writeHead(200);
      drops.push(setInterval(() => response.write(' '), 10));
    };
    const { outcome } = await recall({ requestTimeoutMs: 150 }).prepare('why?', 2400, never);
    for (const drop of drops) clearInterval(drop);
    expect(outcome.status).toBe('failed:timeout');
    expect(outcome.ms).toBeGreaterThanOrEqual(145);
    await waitFor(() => seen[0]?.closed, { timeoutMs: 5000, what: () => 'the connection to be given back' });
  });

  it('leaves a server that never answers, and asks a new one twice only in Chinese', async () => {
    handler = () => undefined;
    expect((await recall({ requestTimeoutMs: 50 }).prepare('why?', 2400, never)).outcome.status).toBe('failed:timeout');
    expect(seen).toHaveLength(1);
    expect((await recall({ requestTimeoutMs: 50 }).prepare('为什么', 2400, never)).outcome.status).toBe(
      'failed:timeout',
    );
    expect(seen).toHaveLength(3);
  });

  it('follows no redirect and carries no credentials to where it points', async () => {
    const target = `http://127.0.0.1:${await freePort()}`;
    for (const status of [301, 302, 303, 307, 308]) {
      handler = (_request, response) => response.writeHead(status, { location: `${address()}/elsewhere` }).end();
      const { outcome } = await recall({ authorization: 'secret' }, target).prepare('why?', 2400, never);
      expect(outcome.status).toBe('failed:redirect');
    }
    expect(seen.map(({ url }) => url)).toEqual(Array(5).fill('/v1/context/prepare'));
  });

  it('is left alone after a failure, but not after a cancellation', async () => {
    const client = recall();
    handler = json({}, 503);
    await client.prepare('why?', 2400, never);
    handler = json(ready('back'));
    expect((await client.prepare('why?', 2400, never)).outcome.status).toBe('backoff');
    expect(seen).toHaveLength(1);

    const other = recall();
    const abort = new AbortController();
    handler = () => abort.abort();
    expect((await other.prepare('why?', 2400, abort.signal)).outcome.status).toBe('failed:cancelled');
    await waitFor(() => seen.at(-1)?.closed, { timeoutMs: 5000, what: () => 'the request to be taken back' });
    handler = json(ready('back'));
    expect((await other.prepare('why?', 2400, never)).content).toBe('back');
  });

  it('says so when nobody listens', async () => {
    const { outcome } = await recall({ url: `http://127.0.0.1:${await freePort()}` }).prepare('why?', 2400, never);
    expect(outcome.status).toBe('failed:network');
  });
});
