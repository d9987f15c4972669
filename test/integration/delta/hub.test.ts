import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { silentLogger, systemClock } from '../../../src/base/index.ts';
import { gateDeltas, machineGate } from '../../../src/delta/delta-gate.ts';
import { nextTurn } from '../../../src/delta/group-commit.ts';
import { Hub, type HubOptions } from '../../../src/delta/hub.ts';
import { newToken, proofOf } from '../../../src/delta/hub-access.ts';
import { type Delta, genesis, type Head } from '../../../src/delta/index.ts';
import { memoryBackend } from '../../../src/delta/memory-backend.ts';
import { storeBackend } from '../../../src/delta/store-backend.ts';
import { openStore } from '../../../src/store/index.ts';
import { draft, tagOp, testAnchor } from '../../support/deltas.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { RawClient, type RawOptions } from '../../support/raw-client.ts';
import { tempDir } from '../../support/temp.ts';

const anchor = testAnchor();
const { repository, mainBranch, attachedAt } = anchor;
const attach = { t: 'attach', n: 1, repository, mainBranch, attachedAt } as const;
const subscribe = { t: 'subscribe', n: 2, anchor: anchor.id, after: genesis(anchor.id) } as const;

/** A hub on a real port in front of a real database. */
async function running(options: Partial<HubOptions> = {}) {
  const logger = silentLogger();
  const store = await openStore({ folder: tempDir(), logger });
  const clock = options.clock ?? systemClock();
  const backend = storeBackend({ store, clock, logger, gate: gateDeltas(machineGate()), closed: () => store.close() });
  const token = newToken();
  const { log, anchors, look } = backend;
  const own = { host: '127.0.0.1', port: 0, token, origins: [], log, look, anchors, clock, logger };
  const hub = await Hub.start({ ...own, ...options });
  let drained = false;
  const drain = async () => {
    if (!drained) {
      drained = true;
      await hub.drain();
    }
  };
  onTestFinished(async () => {
    await drain();
    await backend.close();
  });
  const client = (raw: RawOptions = {}) => new RawClient(hub.url, raw);
  return { hub, token, backend, store, client, drain };
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

function http(url: string, method: string, path: string, headers: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const call = request(new URL(path, url.replace('ws:', 'http:')), { method, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    call.on('error', reject);
    call.end();
  });
}

describe('the door of a hub', () => {
  test('a wrong token is 4401, and nothing is said before', async () => {
    const { client } = await running();
    const raw = await client().open();
    raw.send({ t: 'hello', protocols: ['projectanchor.v1'], token: newToken(), agent: 'a', session: 's' });
    expect(await raw.end()).toBe(4401);
    expect(raw.received).toEqual([]);
  });

  test.each([
    ['a page', { headers: { origin: 'https://evil.example' } }],
    ['a page that says null', { headers: { origin: 'null' } }],
    ['a name that was pointed here', { headers: { host: 'evil.example' } }],
  ])('%s is 4403', async (_what, raw) => {
    const { client } = await running();
    expect(await client(raw).end()).toBe(4403);
  });

  test('a page that is allowed may connect', async () => {
    const { client, token } = await running({ origins: ['http://console.example'] });
    const raw = await client({ headers: { origin: 'http://console.example' } }).greet(token);
    expect(raw.of('welcome')).toHaveLength(1);
  });

  test.each([[['projectanchor.v2']], [[]]])('sub-protocols %j are 4409', async (protocols) => {
    const { client } = await running();
    expect(await client({ protocols }).end()).toBe(4409);
  });

  test('silence is 4400 after 2 s', async () => {
    const clock = new FakeClock();
    const { client } = await running({ clock });
    const raw = await client().open();
    await raw.until('the hub to have it', () => clock.pending >= 2);
    await clock.advanceAsync(2_000);
    expect(await raw.end()).toBe(4400);
  });

  test('a frame over 256 KiB is 1009, one of exactly that size is not', async () => {
    const { client, token } = await running();
    const raw = await client().greet(token);
    const got = JSON.stringify({ t: 'got', anchor: anchor.id, seq: 0 });
    raw.send(got + ' '.repeat(256 * 1024 - got.length), attach);
    await raw.until('an answer', () => raw.of('attached').length === 1);
    raw.send(' '.repeat(256 * 1024 + 1));
    expect(await raw.end()).toBe(1009);
  });

  test('it proves that it knows the token, for a nonce that is one', async () => {
    const { hub, token } = await running();
    const nonce = 'a-nonce-of-this-test';
    const answer = await http(hub.url, 'GET', `/v1/id?n=${nonce}`);
    expect(JSON.parse(answer.text)).toEqual({ proof: proofOf(token, nonce) });
    expect((await http(hub.url, 'GET', '/v1/id?n=x')).status).toBe(400);
    expect((await http(hub.url, 'GET', '/v1/id')).status).toBe(400);
    expect(answer.text).not.toContain(token);
  });

  test('it is poked with the token only, and then looks at once', async () => {
    let looks = 0;
    const { hub, token } = await running({ look: () => looks++ });
    const poke = (headers: Record<string, string>) => http(hub.url, 'POST', '/v1/poke', headers);
    expect((await poke({})).status).toBe(401);
    expect((await poke({ authorization: `Bearer ${newToken()}` })).status).toBe(401);
    expect((await poke({ authorization: `Bearer ${token}`, origin: 'https://evil.example' })).status).toBe(403);
    expect(looks).toBe(0);
    expect((await poke({ authorization: `Bearer ${token}` })).status).toBe(204);
    expect(looks).toBe(1);
  });

  test('nothing else is there', async () => {
    const { hub } = await running();
    expect((await http(hub.url, 'GET', '/')).status).toBe(404);
    expect((await http(hub.url, 'GET', '/v1/poke')).status).toBe(404);
    expect((await http(hub.url, 'GET', '/v1/id?n=a-nonce-of-this-test', { host: 'evil.example' })).status).toBe(403);
    const raw = new RawClient(hub.url, { path: '/v2' });
    expect(await raw.end()).toBe(1006);
  });

  test.each(['//', '/v1?%', '*', 'http://[', '/v1/id?n=%ff%fe'])(
    'the request target %s harms nobody',
    async (target) => {
      const { hub, client, token } = await running();
      const { port, host } = new URL(hub.url);
      for (const upgrade of ['', 'Connection: Upgrade\r\nUpgrade: websocket\r\n']) {
        const socket = connect(Number(port), '127.0.0.1');
        const ended = once(socket, 'close');
        socket.end(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\n${upgrade}\r\n`);
        socket.resume();
        await ended;
      }
      expect((await client().greet(token)).of('welcome')).toHaveLength(1);
    },
  );

  test('an address off this machine, and a port that is taken, are one sentence each', async () => {
    await expect(running({ host: '0.0.0.0' })).rejects.toMatchObject({ code: 'hub_host' });
    const other = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    await expect(running({ port })).rejects.toMatchObject({
      code: 'hub_port',
      message: expect.stringContaining('in use'),
    });
  });
});

describe('a hub', () => {
  test('pushes what another process has appended, which it sees by looking while somebody listens', async () => {
    const { client, token, store, backend } = await running();
    const raw = await client().greet(token);
    raw.send(attach, subscribe);
    await raw.until('subscribed', () => raw.of('subscribed').length === 1);
    const other = await openStore({ file: store.file, logger: silentLogger() });
    const otherBackend = storeBackend({
      store: other,
      clock: systemClock(),
      logger: silentLogger(),
      gate: () => null,
      closed: () => other.close(),
    });
    await otherBackend.log.append(draft(anchor));
    await raw.until('the delta', () => raw.of('deltas').length > 0);
    await otherBackend.close();
    expect((await backend.log.head(anchor.id)).seq).toBe(1);
  });

  test('stores nothing that its gate refuses', async () => {
    const { client, token, backend } = await running();
    const raw = await client().greet(token);
    raw.send(attach, { t: 'publish', n: 3, delta: draft(anchor, tagOp('.env', 'note', 'x')) as never });
    await raw.until('a nack', () => raw.of('nack').length === 1);
    expect(raw.of('nack')).toMatchObject([{ re: 3, code: 'denied' }]);
    expect((await backend.log.head(anchor.id)).seq).toBe(0);
  });

  test('gives a repository the anchor that was attached first, also by an alias', async () => {
    const { client, token } = await running();
    const raw = await client().greet(token);
    raw.send(attach, { ...attach, n: 2, attachedAt: '2027-01-01T00:00:00.000Z' });
    raw.send({ ...attach, n: 3, repository: 'https://example.invalid/renamed', aliases: [anchor.id] });
    await raw.until('three answers', () => raw.of('attached').length === 3);
    expect(raw.of('attached').map((frame) => (frame['anchor'] as { id: string }).id)).toEqual(Array(3).fill(anchor.id));
  });

  test('says bye and closes with 1012 when it drains; what it had taken is answered and stored', async () => {
    const { client, token, backend, drain } = await running();
    const raw = await client().greet(token);
    raw.send(attach, ...[3, 4, 5].map((n) => ({ t: 'publish', n, delta: draft(anchor) as never }) as const));
    await raw.until('attached', () => raw.of('attached').length === 1);
    await raw.until('an ack', () => raw.of('ack').length > 0);
    await drain();
    expect(await raw.end()).toBe(1012);
    expect(raw.received.at(-1)).toEqual({ t: 'bye', retryAfter: 500 });
    expect(raw.of('ack')).toHaveLength((await backend.log.head(anchor.id)).seq);
  });

  test('is not held up by clients that do not close', async () => {
    const { client, token, drain } = await running();
    const raw = await client().greet(token);
    raw.socket.pause();
    // The limit of the test is the assertion: the closing handshake of a WebSocket takes up to 30 s.
    await expect(drain()).resolves.toBeUndefined();
  }, 15_000);

  test('disconnects a reader that does not read; it comes again and gets what it missed', async () => {
    const { log, anchors, look } = memoryBackend(silentLogger(), () => null);
    const { hub, client, token } = await running({ log, anchors, look });
    const raw = await client().greet(token);
    raw.send(attach, subscribe);
    await raw.until('its presence', () => hub.present(anchor.id).length === 1);
    raw.socket.pause();
    const big = Array.from({ length: 100 }, (_, n) => tagOp(`${'long/'.repeat(200)}${n}.ts`, 'note', 'x'));
    // The operating system takes some MiB before the hub's own backlog begins.
    while (hub.present(anchor.id).length === 1) {
      expect((await log.append(draft(anchor, ...big))).seq).toBeLessThan(400);
      await nextTurn();
    }
    const { seq: count } = await log.head(anchor.id);
    raw.socket.resume();
    expect(await raw.end()).toBe(1006);
    const pushed = (from: RawClient) => from.of('deltas').flatMap((frame) => frame['items'] as Delta[]);
    const last = pushed(raw).at(-1);
    expect(last?.seq).toBeLessThan(count);
    const again = await client().greet(token);
    let after: Head = last === undefined ? genesis(anchor.id) : { seq: last.seq, hash: last.hash };
    again.send(attach, { ...subscribe, after });
    while (after.seq < count) {
      const { seq } = after;
      await again.until('more', () => pushed(again).some((delta) => delta.seq > seq));
      after = pushed(again).reduce((a, b) => (b.seq > a.seq ? b : a));
      again.send({ t: 'got', anchor: anchor.id, seq: after.seq });
    }
    // What it had not got in time it was sent twice.
    const seqs = [...new Set(pushed(again).map((delta) => delta.seq))];
    expect(seqs).toEqual(Array.from({ length: count - (last?.seq ?? 0) }, (_, n) => n + (last?.seq ?? 0) + 1));
  });
});

describe('frames that no client sends', () => {
  test('end the connection with 4400, or are answered, and never harm the hub or the log', async () => {
    const { client, token, backend } = await running();
    const good = await client().greet(token, 'good');
    good.send(attach, subscribe);
    const valid = [
      attach,
      subscribe,
      { t: 'unsubscribe', anchor: anchor.id },
      { t: 'got', anchor: anchor.id, seq: 1 },
      { t: 'fetch', n: 5, anchor: anchor.id, after: 0, limit: 10 },
      { t: 'publish', n: 6, delta: draft(anchor) },
    ];
    const names = [
      't',
      'n',
      'anchor',
      'after',
      'seq',
      'hash',
      'limit',
      'delta',
      'ops',
      'id',
      'repository',
      '__proto__',
    ];
    const broken = fc.oneof(
      fc.string(),
      fc.json(),
      fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('latin1')),
      fc.tuple(fc.constantFrom(...valid), fc.constantFrom(...names), fc.jsonValue()).map(([frame, name, value]) => {
        return JSON.stringify({ ...frame, [name]: value });
      }),
      fc.tuple(fc.constantFrom(...valid), fc.jsonValue(), fc.constantFrom(...names)).map(([frame, value, name]) => {
        return JSON.stringify('delta' in frame ? { ...frame, delta: { ...frame.delta, [name]: value } } : frame);
      }),
      fc.tuple(fc.constantFrom(...valid), fc.nat(60)).map(([frame, at]) => JSON.stringify(frame).slice(0, at)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(broken, { minLength: 1, maxLength: 4 }), async (frames) => {
        const raw = await client().greet(token, 'broken');
        raw.send(attach, ...frames, { t: 'fetch', n: 999, anchor: anchor.id, after: 0, limit: 1 });
        const alive = () => raw.received.some((frame) => frame['re'] === 999);
        await raw.until('an answer or the end', () => raw.closed !== undefined || alive());
        if (!alive()) expect(raw.closed?.code).toBe(4400);
        raw.socket.terminate();
      }),
      { numRuns: 150 },
    );
    const { seq } = await backend.log.head(anchor.id);
    good.send({ t: 'publish', n: 7, delta: draft(anchor) as never });
    await good.until('an ack', () => good.of('ack').length === 1);
    expect(good.of('ack')).toMatchObject([{ seq: seq + 1 }]);
    expect(await backend.verify(anchor.id)).toMatchObject({ ok: true });
  });
});
