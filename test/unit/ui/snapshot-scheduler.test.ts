import { describe, expect, it } from 'vitest';
import type { TakenSnapshot, Trigger } from '../../../src/snapshot/index.ts';
import { EDITOR_DEBOUNCE_MS, HEAD_DEBOUNCE_MS, SnapshotScheduler } from '../../../src/ui/snapshot-scheduler.ts';
import { FakeClock, settle } from '../../support/fake-clock.ts';

const MINUTE = 60_000;
const TAKEN = { stored: true } as unknown as TakenSnapshot;

/** A scheduler over a recorded `take`; `held` keeps snapshots in flight until `release` is called. */
function scheduler(options: { held?: boolean } = {}) {
  const clock = new FakeClock();
  const taken: Trigger[] = [];
  const failures: string[] = [];
  const waiting: PromiseWithResolvers<TakenSnapshot>[] = [];
  const world = { head: 'ref: refs/heads/main 1' as string | null };
  const subject = new SnapshotScheduler(
    {
      take: (trigger) => {
        taken.push(trigger);
        if (options.held !== true) return Promise.resolve(TAKEN);
        const outcome = Promise.withResolvers<TakenSnapshot>();
        waiting.push(outcome);
        return outcome.promise;
      },
      head: () => Promise.resolve(world.head),
      failed: (trigger, error) => failures.push(`${trigger}: ${error instanceof Error ? error.message : error}`),
    },
    clock,
  );
  return { subject, clock, taken, failures, waiting, world };
}

describe('SnapshotScheduler', () => {
  it('takes one at the start and one per switch of the active editor, however fast the tabs fly', async () => {
    const { subject, clock, taken } = scheduler();
    await subject.start('a.ts');
    expect(taken).toEqual(['editor']);
    subject.editorChanged('b.ts');
    await clock.advanceAsync(EDITOR_DEBOUNCE_MS - 1);
    subject.editorChanged('c.ts');
    await clock.advanceAsync(EDITOR_DEBOUNCE_MS - 1);
    expect(taken).toEqual(['editor']);
    await clock.advanceAsync(1);
    expect(taken).toEqual(['editor', 'editor']);
  });

  it('does not count a return to the same editor as a switch', async () => {
    const { subject, clock, taken } = scheduler();
    await subject.start('a.ts');
    subject.editorChanged('b.ts');
    subject.editorChanged('a.ts');
    await clock.advanceAsync(EDITOR_DEBOUNCE_MS * 2);
    expect(taken).toEqual(['editor']);
  });

  it('takes one when HEAD moved, and none when a signal came without a move', async () => {
    const { subject, clock, taken, world } = scheduler();
    await subject.start(null);
    subject.headMayHaveMoved();
    await clock.advanceAsync(HEAD_DEBOUNCE_MS);
    expect(taken).toEqual(['editor']);
    world.head = 'ref: refs/heads/main 2';
    subject.headMayHaveMoved();
    subject.headMayHaveMoved();
    await clock.advanceAsync(HEAD_DEBOUNCE_MS);
    expect(taken).toEqual(['editor', 'commit']);
  });

  it('takes one on every signal while HEAD cannot be read', async () => {
    const { subject, clock, taken, world } = scheduler();
    world.head = null;
    await subject.start(null);
    subject.headMayHaveMoved();
    await clock.advanceAsync(HEAD_DEBOUNCE_MS);
    expect(taken).toEqual(['editor', 'commit']);
  });

  it('looks before an interval snapshot and takes none while nothing was touched', async () => {
    const { subject, clock, taken } = scheduler();
    await subject.start(null);
    subject.setInterval(15);
    await clock.advanceAsync(15 * MINUTE);
    expect(taken).toEqual(['editor']);
    subject.filesTouched();
    await clock.advanceAsync(15 * MINUTE - 1);
    expect(taken).toEqual(['editor']);
    await clock.advanceAsync(1);
    expect(taken).toEqual(['editor', 'interval']);
    await clock.advanceAsync(30 * MINUTE);
    expect(taken).toEqual(['editor', 'interval']);
  });

  it('has no interval when it is set to 0', async () => {
    const { subject, clock, taken } = scheduler();
    await subject.start(null);
    subject.setInterval(15);
    subject.setInterval(0);
    subject.filesTouched();
    await clock.advanceAsync(60 * MINUTE);
    expect(taken).toEqual(['editor']);
    expect(clock.pending).toBe(0);
  });

  it('saving is no trigger', async () => {
    const { subject, clock, taken } = scheduler();
    await subject.start('a.ts');
    subject.filesTouched();
    await clock.advanceAsync(5 * MINUTE);
    expect(taken).toEqual(['editor']);
  });

  it('keeps one in flight and gathers what is wished for meanwhile into one, under the strongest trigger', async () => {
    const { subject, taken, waiting } = scheduler({ held: true });
    void subject.start(null);
    await settle();
    subject.marked();
    const asked = subject.manual();
    subject.marked();
    await settle();
    expect(taken).toEqual(['editor']);
    waiting[0]?.resolve(TAKEN);
    await settle();
    expect(taken).toEqual(['editor', 'manual']);
    waiting[1]?.resolve(TAKEN);
    await expect(asked).resolves.toBe(TAKEN);
    await settle();
    expect(taken).toHaveLength(2);
  });

  it('goes on after a failure and says which snapshot failed', async () => {
    const { subject, taken, waiting, failures } = scheduler({ held: true });
    void subject.start(null);
    await settle();
    waiting[0]?.reject(new Error('git is gone'));
    await settle();
    expect(failures).toEqual(['editor: git is gone']);
    const asked = subject.manual();
    await settle();
    waiting[1]?.reject(new Error('still gone'));
    await expect(asked).rejects.toThrow('still gone');
    expect(failures).toHaveLength(1);
    subject.marked();
    await settle();
    expect(taken).toEqual(['editor', 'manual', 'mark']);
  });

  it('leaves no timer behind and takes nothing after its end', async () => {
    const { subject, clock, taken, failures } = scheduler();
    await subject.start('a.ts');
    subject.setInterval(1);
    subject.editorChanged('b.ts');
    subject.headMayHaveMoved();
    subject.dispose();
    expect(clock.pending).toBe(0);
    subject.editorChanged('c.ts');
    subject.marked();
    await expect(subject.manual()).rejects.toThrow('closed');
    await clock.advanceAsync(10 * MINUTE);
    expect(taken).toEqual(['editor']);
    expect(failures).toEqual([]);
  });
});
