import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codeOf, silentLogger } from '../../../src/base/index.ts';
import { type ClientStatus, HubClient } from '../../../src/delta/client.ts';
import { Follower } from '../../../src/delta/follower.ts';
import type { Delta } from '../../../src/delta/index.ts';
import { chainOf, draft, tagOp, testAnchor, viewOf } from '../../support/deltas.ts';
import { settle } from '../../support/fake-clock.ts';
import { HubBench } from '../../support/hub-bench.ts';
import { MemoryDoor } from '../../support/memory-door.ts';

const anchor = testAnchor();

interface Options {
  readonly bench?: HubBench;
  readonly door?: MemoryDoor;
  readonly random?: () => number;
  readonly session?: string;
}

/** A client without a log of its own: what it lacks it fetches from the hub. */
function clientOf(options: Options = {}) {
  const bench = options.bench ?? new HubBench();
  const door = options.door ?? new MemoryDoor(bench);
  const client = new HubClient({
    door,
    who: { agent: 'test', session: options.session ?? 's1' },
    clock: bench.clock,
    logger: silentLogger(),
    random: options.random ?? (() => 0.999_999),
  });
  const source = {
    read: (id: string, after: number, limit: number) => client.fetch(id, after, limit),
    state: () => bench.log.state(anchor.id),
  };
  const follower = new Follower(viewOf(anchor), source, silentLogger());
  const applied: Delta[] = [];
  follower.onDeltas(({ items }) => applied.push(...items));
  const statuses: ClientStatus[] = [];
  client.onStatus((status) => statuses.push(status));
  const start = async () => {
    client.follow(anchor, [], follower);
    client.start();
    await bench.clock.advanceAsync(1);
  };
  return { bench, door, client, follower, applied, statuses, start, clock: bench.clock };
}

const settled = async (clock: HubBench['clock']) => {
  for (let n = 0; n < 10; n++) await settle();
  await clock.advanceAsync(0);
};

describe('a client', () => {
  it('follows from where it is and agrees with the log on seq, hash and stateHash', async () => {
    const { bench, follower, start, statuses, client } = clientOf();
    for (let n = 0; n < 70; n++) await bench.log.append(draft(anchor, tagOp(`${n}.ts`, 'note', 'x')));
    await start();
    await settled(bench.clock);
    expect(follower.view(0)).toEqual(await bench.log.state(anchor.id));
    await bench.log.append(draft(anchor));
    await settled(bench.clock);
    expect(follower.view(0)).toEqual(await bench.log.state(anchor.id));
    expect(statuses).toEqual([{ kind: 'connected', url: 'ws://127.0.0.1:7/v1' }]);
    expect(client.pushes(anchor.id)).toBe(true);
  });

  it('says what it got at most every 10 ms, and again for duplicates', async () => {
    const { bench, door, start, clock } = clientOf();
    await start();
    for (let n = 0; n < 20; n++) {
      await bench.log.append(draft(anchor));
      await settled(clock);
      await clock.advanceAsync(1);
    }
    await clock.advanceAsync(20);
    const gots = () => door.lines[0]?.client.frames().filter(({ t }) => t === 'got') ?? [];
    expect(gots().length).toBeLessThanOrEqual(4);
    expect(gots().at(-1)).toMatchObject({ seq: 20 });
    const before = gots().length;
    const push = door.lines[0]?.hub.sent.findLast((text) => text.includes('"deltas"')) ?? '';
    door.lines[0]?.hub.send(push);
    await settled(clock);
    expect(gots().length).toBe(before + 1);
  });

  it('never sends the token to what cannot prove that it knows it', async () => {
    const { door, start, client, clock } = clientOf();
    door.proves = false;
    await start();
    await clock.advanceAsync(60_000);
    expect(door.dials).toEqual([]);
    expect(client.status.kind).toBe('alone');
  });

  it('resumes after a disconnection and gets what it missed, once', async () => {
    const { bench, door, follower, applied, start, clock, statuses } = clientOf();
    await start();
    await bench.log.append(draft(anchor));
    await settled(clock);
    door.down = true;
    door.lines[0]?.hub.terminate();
    await settled(clock);
    for (let n = 0; n < 5; n++) await bench.log.append(draft(anchor));
    door.down = false;
    await clock.advanceAsync(1_000);
    await settled(clock);
    expect(applied.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(follower.view(0)).toEqual(await bench.log.state(anchor.id));
    expect(statuses.map(({ kind }) => kind)).toEqual(['connected', 'offline', 'connected']);
    const [, second] = door.lines;
    const subscribe = second?.client.frames().find(({ t }) => t === 'subscribe');
    expect(subscribe?.['after']).toMatchObject({ seq: 1 });
  });

  it('fetches the gap that a lost push left', async () => {
    const { bench, door, applied, start, clock } = clientOf();
    await start();
    const hub = door.lines[0]?.hub;
    if (hub === undefined) throw new Error('not connected');
    hub.loses = (text) => text.includes('"t":"deltas"');
    await bench.log.append(draft(anchor));
    await settled(clock);
    hub.loses = () => false;
    await bench.log.append(draft(anchor));
    await settled(clock);
    expect(applied.map(({ seq }) => seq)).toEqual([1, 2]);
    expect(door.lines[0]?.client.frames().filter(({ t }) => t === 'fetch')).toHaveLength(1);
  });

  it('never applies what does not fit, says so, and does not ask for ever', async () => {
    const { door, follower, start, clock, bench, client } = clientOf();
    await start();
    await bench.log.append(draft(anchor));
    await settled(clock);
    const reasons: string[] = [];
    follower.onMismatch((reason) => reasons.push(reason));
    const head = { seq: 2, hash: 'ab'.repeat(32) };
    for (let n = 0; n < 5; n++) {
      const [forged] = chainOf(anchor, 1, { seq: 1, hash: 'ab'.repeat(32) });
      door.lines[0]?.hub.send(JSON.stringify({ t: 'deltas', anchor: anchor.id, items: [forged], head }));
      await settled(clock);
    }
    expect(reasons.length).toBe(5);
    expect(follower.head.seq).toBe(1);
    expect(client.pushes(anchor.id)).toBe(false);
  });

  it('asks again when its place is not in the chain of the hub, and leaves it at that', async () => {
    const { bench, door, client, start, clock, follower } = clientOf();
    await follower.take(chainOf(anchor, 3, undefined, 'other'));
    follower.doubt = async () => 'resynced';
    await bench.log.append(draft(anchor));
    await start();
    await clock.advanceAsync(60_000);
    expect(door.lines[0]?.client.frames().filter(({ t }) => t === 'subscribe')).toHaveLength(3);
    expect(client.pushes(anchor.id)).toBe(false);
    expect(follower.head.seq).toBe(3);
  });

  it('learns who else is there', async () => {
    const { bench, client, start, clock } = clientOf();
    const other = clientOf({ bench, session: 's2' });
    await start();
    await other.start();
    await clock.advanceAsync(100);
    expect(client.agents(anchor.id).map(({ session }) => session)).toEqual(['s1', 's2']);
    other.client.dispose();
    await clock.advanceAsync(100);
    expect(client.agents(anchor.id).map(({ session }) => session)).toEqual(['s1']);
  });

  it('leaves nothing running when it is disposed', async () => {
    const { client, start, clock, bench } = clientOf();
    await start();
    client.dispose();
    await settled(clock);
    await clock.advanceAsync(100);
    expect(clock.pending).toBe(0);
    expect(bench.services.listeners.any).toBe(false);
    await expect(client.publish(draft(anchor))).rejects.toThrow('ended before it answered');
  });
});

describe('publishing', () => {
  it('resolves with the place in the chain', async () => {
    const { bench, client, start, applied, clock } = clientOf();
    await start();
    const delta = draft(anchor);
    const ack = client.publish(delta);
    await settled(clock);
    expect(await ack).toEqual({ id: delta.id, ...(await bench.log.head(anchor.id)) });
    expect(applied.map(({ id }) => id)).toEqual([delta.id]);
  });

  it('waits for a hub', async () => {
    const { door, client, start, clock } = clientOf();
    door.down = true;
    await start();
    const acked = client.publish(draft(anchor));
    expect(client.waiting).toBe(1);
    await clock.advanceAsync(5_000);
    door.down = false;
    await clock.advanceAsync(10_000);
    expect((await acked).seq).toBe(1);
    expect(client.waiting).toBe(0);
  });

  it.each([
    ['the delta', 'client' as const, '"t":"publish"'],
    ['the ack', 'hub' as const, '"t":"ack"'],
  ])('sends again when %s is lost, and the log has it once', async (_what, end, frame) => {
    const { bench, door, client, start, clock } = clientOf();
    await start();
    const socket = door.lines[0]?.[end];
    if (socket === undefined) throw new Error('not connected');
    socket.loses = (text) => text.includes(frame);
    const acked = client.publish(draft(anchor));
    await settled(clock);
    await clock.advanceAsync(49);
    socket.loses = () => false;
    const sent = () => door.lines[0]?.client.frames().filter(({ t }) => t === 'publish').length;
    expect(sent()).toBe(1);
    await clock.advanceAsync(1);
    expect(sent()).toBe(2);
    await settled(clock);
    expect((await acked).seq).toBe(1);
    expect((await bench.log.head(anchor.id)).seq).toBe(1);
  });

  it('survives the end of the connection, and is one delta', async () => {
    const { bench, door, client, start, clock } = clientOf();
    await start();
    const [line] = door.lines;
    if (line === undefined) throw new Error('not connected');
    line.hub.loses = (text) => text.includes('"t":"ack"');
    const acked = client.publish(draft(anchor));
    await settled(clock);
    line.hub.close(1012, 'restart');
    await clock.advanceAsync(1_000);
    expect((await acked).seq).toBe(1);
    expect((await bench.log.head(anchor.id)).seq).toBe(1);
  });

  it('is one publish per id', async () => {
    const { client, start, clock, bench } = clientOf();
    await start();
    const delta = draft(anchor);
    const both = Promise.all([client.publish(delta), client.publish(delta)]);
    await settled(clock);
    const [one, two] = await both;
    expect(one).toEqual(two);
    expect((await bench.log.head(anchor.id)).seq).toBe(1);
  });

  it('is given up with the words of a final nack', async () => {
    const { bench, client, start, clock } = clientOf();
    bench.gate = () => 'The path .env never leaves this machine.';
    await start();
    const acked = client.publish(draft(anchor));
    const caught = acked.catch((error: unknown) => error);
    await settled(clock);
    expect(codeOf(await caught)).toBe('denied');
    expect(String(await caught)).toContain('.env');
  });

  it('is tried again after a nack that is not final, no sooner than it says', async () => {
    const { bench, client, start, clock, door } = clientOf();
    await start();
    const append = bench.log.append.bind(bench.log);
    bench.log.append = async () => {
      throw new Error('locked');
    };
    const acked = client.publish(draft(anchor));
    await settled(clock);
    bench.log.append = append;
    const sent = () => door.lines[0]?.client.frames().filter(({ t }) => t === 'publish').length;
    await clock.advanceAsync(999);
    expect(sent()).toBe(1);
    await clock.advanceAsync(1_000);
    expect(sent()).toBe(2);
    expect((await acked).seq).toBe(1);
  });

  it('never runs into the limits of the hub', async () => {
    const { client, start, clock, door, bench } = clientOf();
    await start();
    const acked = Promise.all(Array.from({ length: 1_500 }, () => client.publish(draft(anchor))));
    await clock.advanceAsync(12_000);
    await settled(clock);
    expect((await acked).length).toBe(1_500);
    expect((await bench.log.head(anchor.id)).seq).toBe(1_500);
    expect(door.lines[0]?.hub.frames().filter(({ t }) => t === 'nack')).toEqual([]);
  });

  it('keeps the order of one client', async () => {
    const { client, start, clock, bench } = clientOf();
    const drafts = Array.from({ length: 100 }, () => draft(anchor));
    const acked = Promise.all(drafts.map((each) => client.publish(each)));
    await start();
    await settled(clock);
    await acked;
    const log = await bench.log.read(anchor.id, 0, 500);
    expect(log.map(({ id }) => id)).toEqual(drafts.map(({ id }) => id));
  });

  it('sets a frame aside after which the hub ended the connection twice, and goes on with the others', async () => {
    const { bench, door, client, start, clock } = clientOf();
    const poison = draft(anchor, tagOp('poison.ts', 'note', 'x'));
    bench.log.append = ((append) => async (raw: Parameters<typeof append>[0]) => {
      if (raw.id === poison.id) door.lines.at(-1)?.hub.terminate();
      return append(raw.id === poison.id ? { ...raw, ops: [] } : raw);
    })(bench.log.append.bind(bench.log));
    await start();
    const good = [client.publish(draft(anchor)), client.publish(draft(anchor))];
    const bad = client.publish(poison).catch((error: unknown) => error);
    const later = client.publish(draft(anchor));
    await clock.advanceAsync(60_000);
    expect(codeOf(await bad)).toBe('set_aside');
    expect(String(await bad)).toContain(poison.id);
    await Promise.all([...good, later]);
    expect((await bench.log.head(anchor.id)).seq).toBe(3);
    expect(client.status.kind).toBe('connected');
  });
});

describe('a line that loses three frames in ten, both ways', () => {
  it('loses no delta and doubles none', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const random = seeded(seed);
        const bench = new HubBench();
        const clients = ['s1', 's2'].map((session) => {
          const door = new MemoryDoor(bench);
          door.spoil = (client, hub) => {
            client.loses = (text) => !text.includes('"hello"') && random() < 0.3;
            hub.loses = (text) => !text.includes('"welcome"') && random() < 0.3;
          };
          return clientOf({ bench, door, session, random });
        });
        for (const client of clients) await client.start();
        const acked = Promise.all(
          Array.from({ length: 20 }, (_, n) =>
            clients[n % 2]?.client.publish(draft(anchor, tagOp(`${n}.ts`, 'n', 'x'))),
          ),
        );
        await bench.clock.advanceAsync(60_000);
        await acked;
        const state = await bench.log.state(anchor.id);
        expect(state.seq).toBe(20);
        for (const { follower, applied } of clients) {
          expect(follower.view(0)).toEqual(state);
          expect(applied.map(({ seq }) => seq)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
        }
      }),
      { numRuns: 10 },
    );
  });
});

describe('reconnection', () => {
  it('waits 250 ms doubling to 30 s, with full jitter', async () => {
    const bench = new HubBench();
    const door = new MemoryDoor(bench);
    door.down = true;
    const { start, clock } = clientOf({ bench, door, random: () => 0.5 });
    await start();
    await clock.advanceAsync(200_000);
    const waits = door.dials.slice(1).map((at, n) => Math.round(at - (door.dials[n] ?? 0)));
    expect(waits.slice(0, 10)).toEqual([125, 250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000]);
  });

  it('begins again with short waits after a connection that lasted', async () => {
    const { door, start, clock } = clientOf();
    door.down = true;
    await start();
    await clock.advanceAsync(20_000);
    door.down = false;
    await clock.advanceAsync(30_000);
    const dials = door.dials.length;
    door.lines.at(-1)?.hub.terminate();
    await clock.advanceAsync(251);
    expect(door.dials.length).toBe(dials + 1);
  });

  it('does not hammer a hub that ends every connection at once', async () => {
    const { door, start, clock } = clientOf();
    door.spoil = (_client, hub) => {
      hub.loses = (text) => {
        if (text.includes('"welcome"')) clock.timeout(5, () => hub.terminate());
        return false;
      };
    };
    await start();
    await clock.advanceAsync(60_000);
    expect(door.dials.length).toBeLessThan(12);
  });

  it('waits as long as a bye asks', async () => {
    const bench = new HubBench();
    const { door, start, clock } = clientOf({ bench, random: () => 0 });
    await start();
    await clock.advanceAsync(5_000);
    const hub = door.lines[0]?.hub;
    hub?.send(JSON.stringify({ t: 'bye', retryAfter: 3_000 }));
    await settled(clock);
    hub?.close(1012, 'restart');
    await settled(clock);
    await clock.advanceAsync(2_990);
    expect(door.dials.length).toBe(1);
    await clock.advanceAsync(20);
    expect(door.dials.length).toBe(2);
  });

  it('is done at once when it is told that a hub appeared', async () => {
    const { door, start, clock, client } = clientOf();
    door.address = null;
    await start();
    await clock.advanceAsync(100_000);
    door.address = { url: 'ws://127.0.0.1:8/v1', token: 'a token of this test, long enough for a file' };
    client.nudge('ws://127.0.0.1:8/v1');
    await settled(clock);
    expect(client.status).toEqual({ kind: 'connected', url: 'ws://127.0.0.1:8/v1' });
  });

  it('leaves a hub that another has replaced, though it has not noticed yet', async () => {
    const { door, start, clock, client } = clientOf();
    await start();
    client.nudge('ws://127.0.0.1:7/v1');
    await settled(clock);
    expect(door.dials.length).toBe(1);
    door.address = { url: 'ws://127.0.0.1:8/v1', token: 'a token of this test, long enough for a file' };
    client.nudge('ws://127.0.0.1:8/v1');
    await clock.advanceAsync(251);
    expect(client.status).toEqual({ kind: 'connected', url: 'ws://127.0.0.1:8/v1' });
  });

  it.each([
    [4401, 'token'],
    [4403, 'let this program in'],
    [4409, 'another version'],
  ])('is not tried again after %i until another hub is there', async (code, words) => {
    const { door, start, clock, client } = clientOf();
    door.spoil = (_client, hub) => hub.close(code, '');
    await start();
    await clock.advanceAsync(120_000);
    expect(door.dials.length).toBe(1);
    expect(client.status).toMatchObject({ kind: 'refused', reason: expect.stringContaining(words) });
    door.spoil = () => undefined;
    door.address = { url: 'ws://127.0.0.1:8/v1', token: 'a token of this test, long enough for a file ' };
    await clock.advanceAsync(60_000);
    expect(door.dials.length).toBeGreaterThan(1);
  });

  it('follows a hub that does not answer any more', async () => {
    const { door, start, clock, statuses } = clientOf();
    await start();
    const [line] = door.lines;
    if (line === undefined) throw new Error('not connected');
    line.hub.alive = false;
    line.hub.loses = () => true;
    await clock.advanceAsync(50_000);
    expect(statuses.map(({ kind }) => kind)).toEqual(['connected', 'offline', 'connected']);
  });

  it('follows a sleep of the machine', async () => {
    const { door, start, clock } = clientOf();
    await start();
    clock.set(clock.now() + 3_600_000);
    await clock.advanceAsync(20_000);
    expect(door.dials.length).toBe(2);
  });

  it('leaves a hub that does not speak the protocol', async () => {
    const { door, start, clock, client } = clientOf();
    await start();
    door.lines[0]?.hub.send('garbage');
    await settled(clock);
    expect(client.status.kind).toBe('offline');
    await clock.advanceAsync(1_000);
    expect(client.status.kind).toBe('connected');
  });
});

/** A small generator of numbers in [0, 1), the same for the same seed (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
