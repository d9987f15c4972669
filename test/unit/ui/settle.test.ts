import { describe, expect, it } from 'vitest';
import { Settle, type SettleNeeds } from '../../../src/ui/settle.ts';
import { FakeClock, settle } from '../../support/fake-clock.ts';

function settling(needs?: () => Promise<SettleNeeds>) {
  const clock = new FakeClock();
  const at: number[] = [];
  const options = { quietMs: 50, capMs: 1000, ...(needs === undefined ? {} : { needs }) };
  const subject = new Settle(options, clock, () => at.push(clock.monotonic()));
  return { subject, clock, at };
}

describe('Settle', () => {
  it('makes one of many calls, a moment after the last', async () => {
    const { subject, clock, at } = settling();
    for (let call = 0; call < 10; call++) {
      subject.call();
      await clock.advanceAsync(40);
    }
    await clock.advanceAsync(1000);
    expect(at).toEqual([9 * 40 + 50]);
  });

  it('waits for more quiet while that is needed, and no longer than the cap', async () => {
    const world = { quietMs: 300, capMs: 1000 };
    const { subject, clock, at } = settling(async () => ({ ...world }));
    subject.call();
    await clock.advanceAsync(600);
    expect(at).toEqual([350]);
    world.quietMs = Number.POSITIVE_INFINITY;
    subject.call();
    await clock.advanceAsync(2000);
    expect(at).toEqual([350, 1600]);
    world.capMs = 5000;
    const start = clock.monotonic();
    subject.call();
    await clock.advanceAsync(10_000);
    expect(at.slice(2)).toEqual([start + 5000]);
  });

  it('comes to an end whatever is called while it looks', async () => {
    const { subject, clock, at } = settling(async () => {
      // A call between the look and its answer, up to the cap and beyond.
      if (clock.monotonic() < 5000) subject.call();
      return { quietMs: 0, capMs: 1000 };
    });
    subject.call();
    await clock.advanceAsync(10_000);
    expect(at).toEqual([1000]);
    expect(clock.pending).toBe(0);
  });

  it('counts a failed look as no need', async () => {
    const { subject, clock, at } = settling(() => Promise.reject(new Error('EIO')));
    subject.call();
    await clock.advanceAsync(50);
    expect(at).toEqual([50]);
  });

  it('extends what is there, begins nothing by that, and forgets what is cancelled', async () => {
    const { subject, clock, at } = settling();
    subject.extend();
    await clock.advanceAsync(100);
    expect(at).toEqual([]);
    subject.call();
    await clock.advanceAsync(40);
    subject.extend();
    await clock.advanceAsync(40);
    expect(at).toEqual([]);
    subject.cancel();
    await clock.advanceAsync(100);
    expect(at).toEqual([]);
    subject.call();
    await clock.advanceAsync(50);
    expect(at).toHaveLength(1);
  });

  it('makes nothing of a look that was cancelled or ended meanwhile', async () => {
    for (const end of ['cancel', 'dispose'] as const) {
      const answer = Promise.withResolvers<SettleNeeds>();
      const { subject, clock, at } = settling(() => answer.promise);
      subject.call();
      await clock.advanceAsync(50);
      subject[end]();
      answer.resolve({ quietMs: 0, capMs: 1000 });
      await settle();
      await clock.advanceAsync(2000);
      expect(at, end).toEqual([]);
      expect(clock.pending, end).toBe(0);
    }
  });
});
