import { describe, expect, onTestFinished, test } from 'vitest';
import { hash, silentLogger } from '../../../src/base/index.ts';
import { genesis, ReceiptLog, receiptHash, receiptsGenesis } from '../../../src/delta/index.ts';
import { MEMORY, openStore, type Store } from '../../../src/store/index.ts';
import { ANCHOR } from '../../support/arbitraries/delta.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { receiptDraft } from '../../support/receipts.ts';

async function memoryStore(): Promise<Store> {
  const store = await openStore({ file: MEMORY, logger: silentLogger() });
  onTestFinished(() => store.close());
  return store;
}

function logOn(store: Store, pid = 1): ReceiptLog {
  return new ReceiptLog({ store, clock: new FakeClock(), self: { pid, processStart: `start-${pid}` } });
}

test('receipts chain from the genesis of their anchor, each hashed with its prev', async () => {
  const log = logOn(await memoryStore());
  expect(receiptsGenesis(ANCHOR)).toBe(hash({ anchor: ANCHOR, schema: 'projectanchor.receipts.v1' }));
  const first = await log.append(receiptDraft());
  const second = await log.append(receiptDraft());
  await log.append(receiptDraft({ anchor: 'other' }));
  expect(first.prev).toBe(receiptsGenesis(ANCHOR));
  expect(second.prev).toBe(first.hash);
  for (const { hash: own, ...receipt } of [first, second]) expect(own).toBe(hash(receipt));
  expect(log.last(ANCHOR, 5)).toEqual([second, first]);
  expect(log.last(ANCHOR, 1)).toEqual([second]);
  expect(log.last('nobody', 5)).toEqual([]);
});

test('a receipt that is sent twice is one receipt', async () => {
  const log = logOn(await memoryStore());
  const draft = receiptDraft();
  const [first, again] = await Promise.all([log.append(draft), log.append(draft)]);
  expect(again).toEqual(first);
  expect(await log.append({ ...draft, tokens: 99 })).toEqual(first);
  expect(log.last(ANCHOR, 5)).toHaveLength(1);
});

test('what cannot be written in canonical JSON is refused and takes no other with it', async () => {
  const log = logOn(await memoryStore());
  const [bad, good] = await Promise.allSettled([log.append(receiptDraft({ tokens: 0.5 })), log.append(receiptDraft())]);
  expect(bad).toMatchObject({ status: 'rejected', reason: { code: 'invalid' } });
  expect(good.status).toBe('fulfilled');
});

describe('gaps', () => {
  test('a process that ends without closing leaves one, once', async () => {
    const store = await memoryStore();
    await logOn(store, 7).announce(ANCHOR);
    const next = logOn(store, 8);
    await next.announce(ANCHOR);
    await Promise.all([next.leaveGaps(() => false), logOn(store, 9).leaveGaps(({ pid }) => pid === 8)]);
    const [gap, ...more] = next.last(ANCHOR, 5);
    expect(more).toEqual([]);
    expect(gap).toMatchObject({ type: 'gap', anchor: ANCHOR, head: genesis(ANCHOR), items: [], tokens: 0 });
    expect(gap?.dropped[0]?.why).toContain('process 7 ended');
    expect(gap?.hash).toBe(receiptHash({ ...(gap as NonNullable<typeof gap>) }));
  });

  test('one that still runs, or has closed, leaves none', async () => {
    const store = await memoryStore();
    const running = logOn(store, 7);
    const closed = logOn(store, 8);
    await running.announce(ANCHOR);
    await closed.announce(ANCHOR);
    await closed.close();
    const next = logOn(store, 9);
    await next.leaveGaps(({ pid, processStart }) => pid === 7 && processStart === 'start-7');
    expect(next.last(ANCHOR, 5)).toEqual([]);
    await next.leaveGaps(() => false);
    expect(next.last(ANCHOR, 5)).toHaveLength(1);
  });
});
