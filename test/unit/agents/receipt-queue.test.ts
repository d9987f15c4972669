import { describe, expect, test } from 'vitest';
import { ReceiptQueue } from '../../../src/agents/receipt-queue.ts';
import { silentLogger } from '../../../src/base/index.ts';
import type { Receipt, ReceiptDraft } from '../../../src/inject/index.ts';
import { FakeClock, settle } from '../../support/fake-clock.ts';

function draft(id: string): ReceiptDraft {
  return {
    id,
    at: '2026-11-30T12:00:00.000Z',
    anchor: 'a',
    workspace: 'w',
    snapshot: null,
    head: { seq: 0, hash: '' },
    asOf: '2026-11-30T12:00:00.000Z',
    type: 'chat',
    file: null,
    items: [],
    dropped: [],
    tokens: 0,
    bytes: 0,
    recall: { status: 'off', ms: 0, bytes: 0 },
    contextHash: '',
  };
}

function setUp() {
  const clock = new FakeClock();
  const written: string[] = [];
  const log = { failing: false };
  const queue = new ReceiptQueue(
    async (each): Promise<Receipt> => {
      await Promise.resolve();
      if (log.failing) throw new Error('the disk is full');
      written.push(each.id);
      return { ...each, prev: '', hash: '' };
    },
    clock,
    silentLogger(),
  );
  return { clock, written, log, queue };
}

describe('receipts on their way to the log', () => {
  test('are appended in order within 250 ms, without the request waiting', async () => {
    const { clock, written, queue } = setUp();
    queue.enqueue(draft('1'));
    queue.enqueue(draft('2'));
    expect(written).toEqual([]);
    await clock.advanceAsync(250);
    expect(written).toEqual(['1', '2']);
    expect(queue.waiting).toBe(0);
    expect(clock.pending).toBe(0);
  });

  test('stay queued while the log refuses, and are tried again', async () => {
    const { clock, written, log, queue } = setUp();
    log.failing = true;
    queue.enqueue(draft('1'));
    await clock.advanceAsync(250);
    await expect(queue.flush()).rejects.toThrow('the disk is full');
    expect(queue.waiting).toBe(1);
    queue.enqueue(draft('2'));
    await clock.advanceAsync(250);
    expect(queue.waiting).toBe(2);
    log.failing = false;
    await clock.advanceAsync(2_000);
    expect(written).toEqual(['1', '2']);
    expect(clock.pending).toBe(0);
  });

  test('are all written by one flush, those that come meanwhile included', async () => {
    const { clock, written, queue } = setUp();
    queue.enqueue(draft('1'));
    const flushed = queue.flush();
    queue.enqueue(draft('2'));
    await flushed;
    expect(written).toEqual(['1', '2']);
    await clock.advanceAsync(5_000);
    expect(written).toEqual(['1', '2']);
  });

  test('are not lost when the owner goes away, nor are late ones', async () => {
    const { written, queue } = setUp();
    queue.enqueue(draft('1'));
    queue.dispose();
    await settle();
    expect(written).toEqual(['1']);
    queue.enqueue(draft('2'));
    await settle();
    expect(written).toEqual(['1', '2']);
  });
});
