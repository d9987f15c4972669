import { describe, expect, onTestFinished, test } from 'vitest';
import { canonical, silentLogger } from '../../../src/base/index.ts';
import { sealDelta } from '../../../src/delta/chain.ts';
import {
  apply,
  type DeltaDraft,
  EmbeddedLog,
  emptyState,
  genesis,
  type Op,
  stateHash,
} from '../../../src/delta/index.ts';
import { toRow } from '../../../src/delta/rows.ts';
import { MEMORY, openStore, type Store } from '../../../src/store/index.ts';
import { ANCHOR, draftOf } from '../../support/arbitraries/delta.ts';
import { deltaLogContract } from '../../support/contracts/delta-log.ts';
import { FakeClock } from '../../support/fake-clock.ts';

async function memoryStore(): Promise<Store> {
  const store = await openStore({ file: MEMORY, logger: silentLogger() });
  onTestFinished(() => store.close());
  return store;
}

function logOn(store: Store, deny: (draft: DeltaDraft) => string | null = () => null): EmbeddedLog {
  return new EmbeddedLog({ store, clock: new FakeClock(), logger: silentLogger(), deny });
}

deltaLogContract('embedded, in memory', async ({ deny }) => ({ log: logOn(await memoryStore(), deny) }));

const tag = (value: string): Op => ({
  op: 'add_tag',
  target: 'a.ts',
  key: 'k',
  value,
  by: 'user',
  at: '2026-11-30T12:00:00.000Z',
  source: 'user',
});

describe('checkpoints', () => {
  test('the log writes one after a thousand deltas, for a state that it names rightly', async () => {
    const store = await memoryStore();
    const log = logOn(store);
    const drafts = Array.from({ length: 1_001 }, (_, n) => draftOf([tag(`v${n}`)]));
    await Promise.all(drafts.map((draft) => log.append(draft)));
    await log.close();
    const deltas = (await Promise.all([0, 500, 1_000].map((after) => log.read(ANCHOR, after, 500)))).flat();
    const checkpoints = deltas.flatMap((delta) => delta.ops).filter((op) => op.op === 'checkpoint');
    expect(checkpoints).toHaveLength(1);
    const [{ seq, stateHash: announced }] = checkpoints as [Extract<Op, { op: 'checkpoint' }>];
    expect(seq).toBeGreaterThanOrEqual(1_000);
    const state = deltas.filter((delta) => delta.seq <= seq).reduce(apply, emptyState(ANCHOR));
    expect(announced).toBe(stateHash(state));
  });

  test('and after each MiB', async () => {
    const store = await memoryStore();
    const log = logOn(store);
    const big = (n: number): Op => ({
      op: 'add_focus',
      target: `${n}/${'x'.repeat(4_000)}`,
      by: 'user',
      at: '2026-11-30T12:00:00.000Z',
    });
    for (let n = 0; n < 11; n++) await log.append(draftOf(Array.from({ length: 30 }, (_, m) => big(30 * n + m))));
    await log.close();
    const deltas = await log.read(ANCHOR, 0, 500);
    expect(deltas.filter((delta) => delta.ops[0]?.op === 'checkpoint')).toHaveLength(1);
  });
});

describe('a log that cannot be followed', () => {
  test('written by a newer version: shown up to there, and nothing is added', async () => {
    const store = await memoryStore();
    const first = sealDelta(draftOf([tag('one')]), genesis(ANCHOR));
    const second = sealDelta(draftOf([{ op: 'teleport' } as unknown as Op]), first);
    for (const delta of [first, second]) store.deltas.insert(ANCHOR, toRow(delta));
    const log = logOn(store);
    const view = await log.state(ANCHOR);
    expect(view).toMatchObject({
      seq: 1,
      stopped: { code: 'unsupported_op', message: expect.stringContaining('Update') },
    });
    expect(canonical(view.state)).toBe(canonical(apply(emptyState(ANCHOR), [tag('one')])));
    await expect(log.append(draftOf([tag('two')]))).rejects.toMatchObject({ code: 'unsupported_op' });
    expect((await log.head(ANCHOR)).seq).toBe(2);
  });

  test('damaged: shown up to there, and nothing is added', async () => {
    const store = await memoryStore();
    const first = sealDelta(draftOf([tag('one')]), genesis(ANCHOR));
    const second = sealDelta(draftOf([tag('two')]), first);
    store.deltas.insert(ANCHOR, toRow(first));
    store.deltas.insert(ANCHOR, { ...toRow(second), body: toRow(second).body.replace('two', 'tmo') });
    const log = logOn(store);
    expect(await log.state(ANCHOR)).toMatchObject({ seq: 1, stopped: { code: 'chain_broken' } });
    await expect(log.append(draftOf([tag('three')]))).rejects.toMatchObject({ code: 'chain_broken' });
  });
});

test('a state is cached in the store, used by the next log, and ignored when its delta is not there', async () => {
  const store = await memoryStore();
  const log = logOn(store);
  await Promise.all(Array.from({ length: 150 }, (_, n) => log.append(draftOf([tag(`v${n}`)]))));
  const view = await log.state(ANCHOR);
  expect(store.states.get(ANCHOR)).toMatchObject({ seq: 150, hash: view.hash, json: canonical(view.state) });

  store.states.put(ANCHOR, { seq: 150, hash: view.hash, json: canonical(apply(view.state, [tag('from the cache')])) });
  expect((await logOn(store).state(ANCHOR)).state.tags?.['a.ts']?.['k']?.set?.value).toBe('from the cache');
  store.states.put(ANCHOR, {
    seq: 150,
    hash: 'f'.repeat(64),
    json: canonical(apply(view.state, [tag('of another log')])),
  });
  expect((await logOn(store).state(ANCHOR)).stateHash).toBe(view.stateHash);
  store.states.put(ANCHOR, { seq: 150, hash: view.hash, json: '{"not":"a state"}' });
  expect((await logOn(store).state(ANCHOR)).stateHash).toBe(view.stateHash);
});
