import { describe, expect, it } from 'vitest';
import { ProjectAnchorError } from '../../../src/base/index.ts';
import { type Ack, type DeltaDraft, genesis } from '../../../src/delta/index.ts';
import { draft, tagOp, testAnchor } from '../../support/deltas.ts';
import { settle } from '../../support/fake-clock.ts';
import { HubBench, TestClient, TOKEN } from '../../support/hub-bench.ts';

const anchor = testAnchor();
const { repository, mainBranch, attachedAt } = anchor;
const attach = { t: 'attach', n: 1, repository, mainBranch, attachedAt } as const;
const subscribe = { t: 'subscribe', n: 2, anchor: anchor.id, after: genesis(anchor.id) } as const;
const publish = (n: number, delta: DeltaDraft) => ({ t: 'publish', n, delta: delta as never }) as const;

async function subscribed(bench: HubBench, session?: string) {
  const client = await bench.greeted(session);
  await client.send(attach, subscribe);
  return client;
}

const seqs = (frames: readonly Record<string, unknown>[]) =>
  frames.flatMap((frame) => (frame['items'] as { seq: number }[]).map(({ seq }) => seq));

describe('the greeting', () => {
  it('answers hello with the protocol and the heads asked for, unknown ones left out', async () => {
    const bench = new HubBench();
    bench.anchors.attach(anchor);
    const client = new TestClient(bench);
    await client.send({
      t: 'hello',
      n: 7,
      protocols: ['projectanchor.v9', 'projectanchor.v1'],
      token: TOKEN,
      agent: 'a',
      session: 's',
      anchors: [anchor.id, 'unknown'],
    });
    expect(client.take()).toEqual([
      { t: 'welcome', re: 7, protocol: 'projectanchor.v1', heads: { [anchor.id]: genesis(anchor.id) } },
    ]);
  });

  it.each([
    ['a wrong token', { protocols: ['projectanchor.v1'], token: 'wrong' }, 4401],
    ['another version', { protocols: ['projectanchor.v2'], token: TOKEN }, 4409],
  ])('closes on %s', async (_what, hello, code) => {
    const client = new TestClient(new HubBench());
    await client.send({ t: 'hello', agent: 'a', session: 's', ...hello });
    expect(client.end?.code).toBe(code);
    expect(client.take()).toEqual([]);
  });

  it('waits 2 s for hello and no longer', async () => {
    const bench = new HubBench();
    const client = new TestClient(bench);
    await bench.clock.advanceAsync(1_999);
    expect(client.end).toBeUndefined();
    await bench.clock.advanceAsync(1);
    expect(client.end).toEqual({ code: 4400, reason: 'no hello within 2 s' });
    expect(bench.clock.pending).toBe(0);
  });

  it('lets a client that said hello in time stay', async () => {
    const bench = new HubBench();
    const client = await bench.greeted();
    await bench.clock.advanceAsync(10_000);
    expect(client.end).toBeUndefined();
  });

  it.each([
    ['another frame first', JSON.stringify(attach)],
    ['no JSON', 'hello'],
    ['an unknown frame', '{"t":"weather"}'],
  ])('closes with 4400 on %s', async (_what, text) => {
    const client = new TestClient(new HubBench());
    await client.send(text);
    expect(client.end?.code).toBe(4400);
  });

  it('closes with 4400 on a second hello and on a binary message', async () => {
    const bench = new HubBench();
    const twice = await bench.greeted();
    await twice.send({ t: 'hello', protocols: ['projectanchor.v1'], token: TOKEN, agent: 'a', session: 's' });
    expect(twice.end?.code).toBe(4400);
    const binary = await bench.greeted();
    binary.socket.sendBinary();
    await settle();
    expect(binary.end?.code).toBe(4400);
  });
});

describe('requests', () => {
  it('are answered in order, with the number of what they answer', async () => {
    const bench = new HubBench();
    const client = await bench.greeted();
    const delta = draft(anchor);
    await client.send(attach, subscribe, publish(3, delta), {
      t: 'fetch',
      n: 4,
      anchor: anchor.id,
      after: 0,
      limit: 10,
    });
    const answers = client.take().filter((frame) => frame['re'] !== undefined);
    expect(answers.map((frame) => [frame['t'], frame['re']])).toEqual([
      ['attached', 1],
      ['subscribed', 2],
      ['ack', 3],
      ['deltas', 4],
    ]);
    expect(answers[0]?.['anchor']).toEqual(anchor);
    expect(answers[2]).toMatchObject({ id: delta.id, seq: 1 });
  });

  it('push a delta to every subscriber, its author included, exactly once', async () => {
    const bench = new HubBench();
    const author = await subscribed(bench, 's1');
    const other = await subscribed(bench, 's2');
    author.take();
    other.take();
    await author.send(publish(3, draft(anchor)));
    const own = author.take();
    expect(own.map((frame) => frame['t']).sort()).toEqual(['ack', 'deltas']);
    expect(seqs(other.take('deltas'))).toEqual([1]);
    await author.send({ t: 'got', anchor: anchor.id, seq: 1 });
    await bench.clock.advanceAsync(60);
    expect(author.take('deltas')).toEqual([]);
  });

  it('publish is idempotent by id', async () => {
    const bench = new HubBench();
    const client = await subscribed(bench);
    client.take();
    const delta = draft(anchor);
    await client.send(publish(3, delta), publish(4, delta), publish(3, delta));
    await client.send(publish(5, delta));
    const acks = client.take('ack');
    expect(new Set(acks.map((ack) => ack['seq']))).toEqual(new Set([1]));
    expect((await bench.log.head(anchor.id)).seq).toBe(1);
  });

  it('are forbidden on anchors that were not attached, existing or not', async () => {
    const bench = new HubBench();
    bench.anchors.attach(anchor);
    const client = await bench.greeted();
    const other = testAnchor('other');
    await client.send(
      subscribe,
      publish(3, draft(anchor)),
      { t: 'fetch', n: 4, anchor: anchor.id, after: 0, limit: 1 },
      publish(5, draft(other)),
    );
    const nacks = client.take('nack');
    expect(nacks.map((nack) => [nack['re'], nack['code']])).toEqual([
      [2, 'forbidden'],
      [3, 'forbidden'],
      [4, 'forbidden'],
      [5, 'forbidden'],
    ]);
    expect(new Set(nacks.map((nack) => nack['message'])).size).toBe(1);
  });

  it.each([
    ['no operations', (delta: DeltaDraft) => ({ ...delta, ops: [] }), 'invalid'],
    ['an unknown operation', (delta: DeltaDraft) => ({ ...delta, ops: [{ op: 'dance' }] }), 'unsupported_op'],
    ['an id that is none', (delta: DeltaDraft) => ({ ...delta, id: 'x' }), 'invalid'],
    ['no anchor', (delta: DeltaDraft) => ({ ...delta, anchor: 5 }), 'invalid'],
    ['too many operations', (delta: DeltaDraft) => ({ ...delta, ops: Array(257).fill(delta.ops[0]) }), 'too_large'],
  ])('publish refuses %s for good', async (_what, spoil, code) => {
    const bench = new HubBench();
    const client = await subscribed(bench);
    client.take();
    await client.send({ t: 'publish', n: 3, delta: spoil(draft(anchor)) as never });
    expect(client.take('nack')).toMatchObject([{ re: 3, code }]);
    expect((await bench.log.head(anchor.id)).seq).toBe(0);
  });

  it('publish passes on what the gate of the log says', async () => {
    const bench = new HubBench();
    const client = await subscribed(bench);
    client.take();
    bench.gate = () => 'The path .env never leaves this machine.';
    await client.send(publish(3, draft(anchor)));
    expect(client.take('nack')).toMatchObject([{ re: 3, code: 'denied', message: expect.stringContaining('.env') }]);
    expect((await bench.log.head(anchor.id)).seq).toBe(0);
  });

  it('publish says busy, with a time to wait, when the log cannot be written', async () => {
    const bench = new HubBench();
    const client = await subscribed(bench);
    client.take();
    bench.log.append = async () => {
      throw new ProjectAnchorError('disk_full', 'There is no room left.', 'Free some.');
    };
    await client.send(publish(3, draft(anchor)));
    expect(client.take('nack')).toMatchObject([
      { re: 3, code: 'busy', retryAfter: 1_000, message: expect.stringContaining('Free some') },
    ]);
    expect(client.end).toBeUndefined();
  });

  it('fetch answers in frames of at most 64, and with an empty one at the head', async () => {
    const bench = new HubBench();
    const client = await subscribed(bench);
    for (let n = 0; n < 150; n++) await bench.log.append(draft(anchor));
    await settle();
    client.take();
    await client.send({ t: 'fetch', n: 9, anchor: anchor.id, after: 10, limit: 130 });
    const frames = client.take('deltas').filter((frame) => frame['re'] === 9);
    expect(frames.map((frame) => (frame['items'] as unknown[]).length)).toEqual([64, 64, 2]);
    expect(seqs(frames)).toEqual(Array.from({ length: 130 }, (_, n) => n + 11));
    await client.send({ t: 'fetch', n: 10, anchor: anchor.id, after: 150, limit: 5 });
    expect(client.take('deltas')).toMatchObject([{ re: 10, items: [], head: { seq: 150 } }]);
  });
});

describe('a subscription', () => {
  it('resumes after a place of the chain', async () => {
    const bench = new HubBench();
    const acks: Ack[] = [];
    for (let n = 0; n < 3; n++) acks.push(await bench.log.append(draft(anchor)));
    const client = await bench.greeted();
    const after = { seq: 2, hash: acks[1]?.hash ?? '' };
    await client.send(attach, { ...subscribe, after });
    const frames = client.take();
    expect(frames.find((frame) => frame['t'] === 'subscribed')).toMatchObject({ head: { seq: 3 } });
    expect(seqs(frames.filter((frame) => frame['t'] === 'deltas'))).toEqual([3]);
  });

  it.each([
    ['another hash', { seq: 1, hash: 'ab'.repeat(32) }],
    ['a place above the head', { seq: 9, hash: 'ab'.repeat(32) }],
    ['another beginning', { seq: 0, hash: 'ab'.repeat(32) }],
  ])('calls %s a fork and pushes nothing', async (_what, after) => {
    const bench = new HubBench();
    await bench.log.append(draft(anchor));
    const client = await bench.greeted();
    await client.send(attach, { ...subscribe, after });
    const frames = client.take();
    expect(frames.find((frame) => frame['t'] === 'subscribed')).toMatchObject({ fork: true, head: { seq: 1 } });
    expect(frames.filter((frame) => frame['t'] === 'deltas')).toEqual([]);
  });

  it('ends when it is told so', async () => {
    const bench = new HubBench();
    const client = await subscribed(bench);
    await client.send({ t: 'unsubscribe', anchor: anchor.id });
    client.take();
    await bench.log.append(draft(anchor));
    await bench.clock.advanceAsync(5_000);
    expect(client.take()).toEqual([]);
    expect(bench.services.listeners.any).toBe(false);
  });

  it('is sent again what it did not get, after 50 ms and then ever later up to 2 s', async () => {
    const bench = new HubBench();
    const client = await subscribed(bench);
    await bench.log.append(draft(anchor));
    await settle();
    client.take();
    const times: number[] = [];
    for (let now = 0; now < 10_000; now += 10) {
      await bench.clock.advanceAsync(10);
      if (client.take('deltas').length > 0) times.push(now + 10);
    }
    expect(times).toEqual([50, 150, 350, 750, 1550, 3150, 5150, 7150, 9150]);
    await client.send({ t: 'got', anchor: anchor.id, seq: 1 });
    await bench.clock.advanceAsync(20_000);
    expect(client.take('deltas')).toEqual([]);
  });

  it('waits twice the round trip where that is longer', async () => {
    const bench = new HubBench();
    const client = await subscribed(bench);
    await bench.log.append(draft(anchor));
    await settle();
    await bench.clock.advanceAsync(40);
    await client.send({ t: 'got', anchor: anchor.id, seq: 1 });
    client.take();
    await bench.log.append(draft(anchor));
    await settle();
    client.take();
    await bench.clock.advanceAsync(79);
    expect(client.take('deltas')).toEqual([]);
    await bench.clock.advanceAsync(1);
    expect(seqs(client.take('deltas'))).toEqual([2]);
  });

  it('is not sent again what the system has not taken yet', async () => {
    const bench = new HubBench();
    const client = await subscribed(bench);
    await bench.log.append(draft(anchor));
    await settle();
    client.take();
    client.hub.buffered = 10;
    await bench.clock.advanceAsync(1_000);
    expect(client.take('deltas')).toEqual([]);
    client.hub.buffered = 0;
    await bench.clock.advanceAsync(2_000);
    expect(client.take('deltas').length).toBeGreaterThan(0);
  });

  it('is paced by got while it is far behind, and gets everything', async () => {
    const bench = new HubBench();
    const big = tagOp(`${'long/'.repeat(200)}a.ts`, 'note', 'x');
    const bytes = JSON.stringify(big).length * 100;
    for (let n = 0; n < 30; n++) await bench.log.append(draft(anchor, ...Array(100).fill(big)));
    expect(bytes * 30).toBeGreaterThan(3 * 1024 * 1024);
    const client = await subscribed(bench);
    const first = client.take('deltas');
    const inFlight = JSON.stringify(first).length;
    expect(inFlight).toBeGreaterThan(1024 * 1024);
    // The window, and the frame that filled it.
    expect(inFlight).toBeLessThan((1024 + 256) * 1024);
    const all = [...seqs(first)];
    for (let turn = 0; turn < 100 && all.at(-1) !== 30; turn++) {
      await client.send({ t: 'got', anchor: anchor.id, seq: all.at(-1) ?? 0 });
      all.push(...seqs(client.take('deltas')));
    }
    expect(all).toEqual(Array.from({ length: 30 }, (_, n) => n + 1));
  });

  it('ends with its connection when the log cannot be read', async () => {
    const bench = new HubBench();
    const client = await subscribed(bench);
    bench.services.feed.read = async () => {
      throw new Error('busy');
    };
    await bench.log.append(draft(anchor));
    await settle();
    expect(client.end?.code).toBe(1011);
  });
});

describe('limits', () => {
  const fetch = (n: number) => ({ t: 'fetch', n, anchor: anchor.id, after: 0, limit: 1 }) as const;

  it('let 1,000 requests through at once, then 100 a second', async () => {
    const bench = new HubBench();
    const client = await subscribed(bench);
    client.take();
    for (let n = 10; n < 1_008; n++) await client.send(fetch(n));
    expect(client.take('nack')).toEqual([]);
    await client.send(fetch(2_000));
    expect(client.take('nack')).toMatchObject([{ re: 2_000, code: 'too_fast', retryAfter: 10 }]);
    await bench.clock.advanceAsync(10);
    await client.send(fetch(2_001));
    expect(client.take('nack')).toEqual([]);
  });

  it('close after ten too_fast in a row, not before', async () => {
    const bench = new HubBench();
    const client = await subscribed(bench);
    for (let n = 10; n < 1_008; n++) await client.send(fetch(n));
    for (let n = 0; n < 9; n++) await client.send(fetch(3_000 + n));
    expect(client.end).toBeUndefined();
    await bench.clock.advanceAsync(10);
    await client.send(fetch(4_000));
    for (let n = 0; n < 9; n++) await client.send(fetch(5_000 + n));
    expect(client.end).toBeUndefined();
    await client.send(fetch(6_000));
    expect(client.end?.code).toBe(4429);
  });

  it('belong to the session, whatever socket it uses', async () => {
    const bench = new HubBench();
    const one = await subscribed(bench, 'same');
    const two = await subscribed(bench, 'same');
    for (let n = 10; n < 1_006; n++) await one.send(fetch(n));
    two.take();
    await two.send(fetch(10));
    expect(two.take('nack')).toMatchObject([{ code: 'too_fast' }]);
  });

  it('do not count resends', async () => {
    const bench = new HubBench();
    const client = await subscribed(bench);
    for (let n = 10; n < 1_000; n++) await client.send(fetch(n));
    for (let n = 10; n < 500; n++) await client.send(fetch(n));
    client.take();
    for (let n = 2_000; n < 2_008; n++) await client.send(fetch(n));
    const answers = client.take();
    expect(answers.map((frame) => frame['t'])).toEqual(Array(8).fill('deltas'));
  });

  it('end the oldest socket of a session that opens a fifth', async () => {
    const bench = new HubBench();
    const sockets: TestClient[] = [];
    for (let n = 0; n < 5; n++) sockets.push(await bench.greeted('same'));
    expect(sockets.map(({ end }) => end?.code)).toEqual([1000, undefined, undefined, undefined, undefined]);
  });

  it('disconnect a reader with 8 MiB of backlog', async () => {
    const bench = new HubBench();
    const client = await subscribed(bench);
    client.hub.buffered = 8 * 1024 * 1024;
    await bench.log.append(draft(anchor));
    await settle();
    expect(client.end).toBeUndefined();
    client.hub.buffered++;
    await bench.log.append(draft(anchor));
    await settle();
    expect(client.end?.code).toBe(1006);
    expect(bench.services.listeners.any).toBe(false);
  });
});

describe('the end of a connection', () => {
  it('comes after two pings without a sign of life', async () => {
    const bench = new HubBench();
    const client = await bench.greeted();
    await bench.clock.advanceAsync(60_000);
    expect(client.end).toBeUndefined();
    client.socket.alive = false;
    await bench.clock.advanceAsync(30_000);
    expect(client.end).toBeUndefined();
    await bench.clock.advanceAsync(15_000);
    expect(client.end?.code).toBe(1006);
  });

  it('leaves nothing behind', async () => {
    const bench = new HubBench();
    const client = await subscribed(bench);
    await bench.log.append(draft(anchor));
    await settle();
    client.socket.close(1000, '');
    await settle();
    await bench.clock.advanceAsync(50);
    expect(bench.clock.pending).toBe(0);
    expect(bench.services.listeners.any).toBe(false);
    expect(bench.services.presence.list(anchor.id)).toEqual([]);
  });

  it('is said before it happens when the hub drains, after the answers under way', async () => {
    const bench = new HubBench();
    const client = await subscribed(bench);
    client.take();
    client.socket.send(JSON.stringify(publish(3, draft(anchor))));
    await Promise.resolve();
    const drained = client.connection.drain();
    await settle();
    await drained;
    await settle();
    const types = client.take().map((frame) => frame['t']);
    expect(types).toContain('ack');
    expect(types.at(-1)).toBe('bye');
    expect(client.end?.code).toBe(1012);
  });
});

describe('presence', () => {
  it('lists sessions, not sockets, and tells all of them of changes', async () => {
    const bench = new HubBench();
    const one = await subscribed(bench, 's1');
    await subscribed(bench, 's1');
    const two = await subscribed(bench, 's2');
    await bench.clock.advanceAsync(100);
    const [last] = one.take('presence').slice(-1);
    expect(last).toMatchObject({ anchor: anchor.id, agents: [{ agent: 'test', session: 's1' }, { session: 's2' }] });
    two.socket.close(1000, '');
    await bench.clock.advanceAsync(100);
    expect(one.take('presence')).toMatchObject([{ agents: [{ session: 's1' }] }]);
  });
});
