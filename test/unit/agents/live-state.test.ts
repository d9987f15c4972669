import { describe, expect, onTestFinished, test } from 'vitest';
import { LiveState } from '../../../src/agents/live-state.ts';
import { silentLogger } from '../../../src/base/index.ts';
import { apply, emptyState, type Op } from '../../../src/delta/index.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { FakeLogService } from '../../support/fake-log-service.ts';
import { waitFor } from '../../support/wait.ts';

const ANCHOR = {
  id: 'https://example.com/shop#main@2026-11-30T12:00:00.000Z',
  repository: 'https://example.com/shop',
  mainBranch: 'main',
  attachedAt: '2026-11-30T12:00:00.000Z',
};

/** A clock on which every look takes so long. */
class SlowClock extends FakeClock {
  looks = 0;
  readonly #ms: number;

  constructor(ms: number) {
    super();
    this.#ms = ms;
  }

  override monotonic(): number {
    this.looks += 1;
    return super.monotonic() + this.looks * this.#ms;
  }
}

function focuses(count: number, from = 0): Op[] {
  return Array.from({ length: count }, (_, n) => ({
    op: 'add_focus',
    target: `src/f${from + n}.ts`,
    by: 'user',
    at: ANCHOR.attachedAt,
  }));
}

async function started(msPerStep: number) {
  const log = new FakeLogService();
  const live = new LiveState(ANCHOR, log, new SlowClock(msPerStep), silentLogger());
  onTestFinished(() => live.dispose());
  await live.start();
  return { log, live };
}

const reached = (live: LiveState, seq: number) =>
  waitFor(() => live.head.seq === seq, { timeoutMs: 5_000, what: `delta ${seq}` });

describe('deltas that take long to apply', () => {
  test('small ones are there at once', async () => {
    const { log, live } = await started(0.01);
    // As many as a mark with tags has.
    log.append(focuses(3));
    expect(live.head.seq).toBe(1);
    expect(Object.keys(live.state.focus ?? {})).toHaveLength(3);
  });

  test('large ones let others have a turn, and are seen whole or not at all', async () => {
    const { log, live } = await started(1);
    log.append(focuses(100));
    expect(live.head.seq).toBe(0);
    expect(live.state).toEqual(emptyState(ANCHOR.id));
    let turns = 0;
    const counting = setInterval(() => {
      turns += 1;
      const size = Object.keys(live.state.focus ?? {}).length;
      expect([0, 100]).toContain(size);
    }, 0);
    onTestFinished(() => clearInterval(counting));
    await reached(live, 1);
    expect(turns).toBeGreaterThan(3);
    expect(live.state).toEqual(log.deltasOf.reduce(apply, emptyState(ANCHOR.id)));
  });

  test('what comes meanwhile follows, in order and once', async () => {
    const { log, live } = await started(1);
    const told: number[] = [];
    live.onDeltas(({ items }) => told.push(...items.map(({ seq }) => seq)));
    log.append(focuses(50));
    log.append(focuses(50, 50));
    log.append([{ op: 'remove_focus', target: 'src/f0.ts' }]);
    await live.reach(3);
    await reached(live, 3);
    expect(told).toEqual([1, 2, 3]);
    expect(Object.keys(live.state.focus ?? {})).toHaveLength(99);
    expect(log.stateReads).toBe(1);
  });

  test('whoever made a change waits for it, however much comes before', async () => {
    const { log, live } = await started(1);
    log.append(focuses(50));
    log.hold = true;
    const { seq } = log.append([{ op: 'add_focus', target: 'mine.ts', by: 'user', at: ANCHOR.attachedAt }]);
    await live.reach(seq);
    expect(live.state.focus?.['mine.ts']).toBeDefined();
  });

  test('one that does not link is replaced by the state of the log', async () => {
    const { log, live } = await started(1);
    log.hold = true;
    log.append(focuses(50));
    const [delta] = log.deltasOf;
    if (delta === undefined) throw new Error('there is one');
    log.push([{ ...delta, ops: focuses(40) }]);
    await reached(live, 1);
    expect(Object.keys(live.state.focus ?? {})).toHaveLength(50);
    expect(log.stateReads).toBeLessThanOrEqual(2);
  });

  test('nothing goes on after the end', async () => {
    const { log, live } = await started(1);
    log.append(focuses(100));
    live.dispose();
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    expect(live.head.seq).toBe(0);
  });
});
