import { describe, expect, it } from 'vitest';
import type { TakenSnapshot, Trigger } from '../../../src/snapshot/index.ts';
import type { GitWork } from '../../../src/ui/git-moment.ts';
import {
  BURST_CAP_MS,
  EDITOR_DEBOUNCE_MS,
  HEAD_DEBOUNCE_MS,
  LOOK_QUIET_MS,
  REPLAY_QUIET_MS,
  SnapshotScheduler,
} from '../../../src/ui/snapshot-scheduler.ts';
import { FakeClock, settle } from '../../support/fake-clock.ts';

const MINUTE = 60_000;
/** Until a look that is due has been taken: git is at rest, and nothing is written. */
const LOOK_MS = HEAD_DEBOUNCE_MS + LOOK_QUIET_MS;
const TAKEN = { stored: true } as unknown as TakenSnapshot;

/** A scheduler over a recorded `take`; `held` keeps snapshots in flight until `release` is called. */
function scheduler(options: { held?: boolean } = {}) {
  const clock = new FakeClock();
  const taken: Trigger[] = [];
  const failures: string[] = [];
  const waiting: PromiseWithResolvers<TakenSnapshot>[] = [];
  const world = {
    head: 'ref: refs/heads/main 1' as string | null,
    index: '1' as string | null,
    work: 'none' as GitWork,
    unreadable: null as Error | null,
  };
  const subject = new SnapshotScheduler(
    {
      take: (trigger) => {
        taken.push(trigger);
        if (options.held !== true) return Promise.resolve(TAKEN);
        const outcome = Promise.withResolvers<TakenSnapshot>();
        waiting.push(outcome);
        return outcome.promise;
      },
      git: async () => {
        if (world.unreadable !== null) throw world.unreadable;
        const { head, index, work } = world;
        return { head, index, work };
      },
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
    subject.gitMayHaveChanged();
    await clock.advanceAsync(HEAD_DEBOUNCE_MS);
    expect(taken).toEqual(['editor']);
    world.head = 'ref: refs/heads/main 2';
    subject.gitMayHaveChanged();
    subject.gitMayHaveChanged();
    await clock.advanceAsync(HEAD_DEBOUNCE_MS);
    expect(taken).toEqual(['editor', 'commit']);
  });

  it('takes one on every signal while HEAD cannot be read', async () => {
    const { subject, clock, taken, world } = scheduler();
    world.head = null;
    await subject.start(null);
    subject.gitMayHaveChanged();
    await clock.advanceAsync(HEAD_DEBOUNCE_MS);
    expect(taken).toEqual(['editor', 'commit']);
  });

  it('sees a commit at once: well under a second', async () => {
    const { subject, clock, taken, world } = scheduler();
    await subject.start(null);
    world.head = 'ref: refs/heads/main 2';
    world.index = '2';
    subject.gitMayHaveChanged();
    await clock.advanceAsync(100);
    expect(taken).toEqual(['editor', 'commit']);
    // What the commit wrote into the index is no news of its own.
    await clock.advanceAsync(BURST_CAP_MS);
    expect(taken).toHaveLength(2);
  });

  it('asks every so many minutes, whatever was touched; the service stores nothing when all is equal', async () => {
    const { subject, clock, taken } = scheduler();
    await subject.start(null);
    subject.setInterval(15);
    await clock.advanceAsync(15 * MINUTE + LOOK_MS - 1);
    expect(taken).toEqual(['editor']);
    await clock.advanceAsync(1);
    expect(taken).toEqual(['editor', 'interval']);
    await clock.advanceAsync(15 * MINUTE);
    expect(taken).toEqual(['editor', 'interval', 'interval']);
  });

  it('ticks once after the machine slept for hours', async () => {
    const { subject, clock, taken } = scheduler();
    await subject.start(null);
    subject.setInterval(15);
    await clock.advanceAsync(MINUTE);
    await clock.sleepAsync(9 * 60 * MINUTE);
    await clock.advanceAsync(LOOK_MS);
    expect(taken).toEqual(['editor', 'interval']);
    await clock.advanceAsync(14 * MINUTE);
    expect(taken).toHaveLength(2);
    // Neither does a clock that is set forward bring more of them.
    clock.set(clock.now() + 48 * 60 * MINUTE);
    await clock.advanceAsync(MINUTE);
    expect(taken).toEqual(['editor', 'interval', 'interval']);
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

  it('takes one when the interval ends amid a formatter over the whole tree: after the last file', async () => {
    const { subject, clock, taken } = scheduler();
    await subject.start(null);
    subject.setInterval(15);
    await clock.advanceAsync(15 * MINUTE - 500);
    for (let file = 0; file < 2000; file++) {
      subject.filesTouched();
      await clock.advanceAsync(2);
    }
    expect(taken).toEqual(['editor']);
    await clock.advanceAsync(LOOK_QUIET_MS);
    expect(taken).toEqual(['editor', 'interval']);
    await clock.advanceAsync(MINUTE);
    expect(taken).toHaveLength(2);
  });

  it('looks once after the index changed, when that has ceased', async () => {
    const { subject, clock, taken, world } = scheduler();
    await subject.start(null);
    for (let add = 2; add < 12; add++) {
      world.index = `${add}`;
      subject.gitMayHaveChanged();
      await clock.advanceAsync(LOOK_QUIET_MS / 2);
    }
    expect(taken).toEqual(['editor']);
    await clock.advanceAsync(LOOK_MS);
    expect(taken).toEqual(['editor', 'interval']);
    subject.gitMayHaveChanged();
    await clock.advanceAsync(LOOK_MS);
    expect(taken).toHaveLength(2);
  });

  it('does not look again for what another snapshot has seen', async () => {
    const { subject, clock, taken, world } = scheduler();
    await subject.start('a.ts');
    world.index = '2';
    subject.gitMayHaveChanged();
    await clock.advanceAsync(HEAD_DEBOUNCE_MS);
    subject.marked();
    await clock.advanceAsync(LOOK_MS);
    expect(taken).toEqual(['editor', 'mark']);
  });

  it('takes one for a rebase of fifty commits, when it is over', async () => {
    const { subject, clock, taken, world } = scheduler();
    await subject.start(null);
    world.work = 'replaying';
    for (let pick = 1; pick <= 50; pick++) {
      world.head = `detached ${pick}`;
      world.index = `${pick}`;
      subject.gitMayHaveChanged();
      await clock.advanceAsync(REPLAY_QUIET_MS / 2);
    }
    // It has taken longer than anything else is waited for.
    expect(clock.monotonic()).toBeGreaterThan(2 * BURST_CAP_MS);
    expect(taken).toEqual(['editor']);
    world.work = 'none';
    world.head = 'ref: refs/heads/main 50';
    subject.gitMayHaveChanged();
    await clock.advanceAsync(200);
    expect(taken).toEqual(['editor', 'commit']);
    await clock.advanceAsync(BURST_CAP_MS);
    expect(taken).toHaveLength(2);
  });

  it('takes none amid a rebase for an index that changed just before it', async () => {
    const { subject, clock, taken, world } = scheduler();
    await subject.start(null);
    world.index = '2';
    subject.gitMayHaveChanged();
    await clock.advanceAsync(LOOK_QUIET_MS / 2);
    world.work = 'replaying';
    for (let ms = 0; ms < 3 * BURST_CAP_MS; ms += 300) {
      world.head = `detached ${ms}`;
      subject.gitMayHaveChanged();
      await clock.advanceAsync(300);
    }
    expect(taken).toEqual(['editor']);
    world.work = 'none';
    await clock.advanceAsync(REPLAY_QUIET_MS + LOOK_MS);
    expect(taken).toEqual(['editor', 'commit']);
  });

  it('looks in time at an index that never rests', async () => {
    const { subject, clock, taken, world } = scheduler();
    await subject.start(null);
    for (let ms = 0; ms < 2 * BURST_CAP_MS; ms += 200) {
      world.index = `${ms}`;
      subject.gitMayHaveChanged();
      await clock.advanceAsync(200);
    }
    expect(taken.length).toBeGreaterThanOrEqual(2);
    expect(taken.length).toBeLessThanOrEqual(3);
  });

  it('takes one where a rebase stops for a person, at once or, when only its silence tells, soon', async () => {
    for (const [work, ms] of [
      ['none', HEAD_DEBOUNCE_MS],
      ['replaying', REPLAY_QUIET_MS + 100],
    ] as const) {
      const { subject, clock, taken, world } = scheduler();
      await subject.start(null);
      world.work = work;
      world.head = 'detached 3';
      subject.gitMayHaveChanged();
      await clock.advanceAsync(ms);
      expect(taken, work).toEqual(['editor', 'commit']);
    }
  });

  it('waits while git writes the index, but not for a lock that was left behind', async () => {
    const { subject, clock, taken, world } = scheduler();
    await subject.start(null);
    world.work = 'writing';
    subject.gitMayHaveChanged();
    await clock.advanceAsync(3000);
    world.work = 'none';
    world.head = 'ref: refs/heads/other 2';
    subject.gitMayHaveChanged();
    await clock.advanceAsync(200);
    expect(taken).toEqual(['editor', 'commit']);
    world.work = 'writing';
    world.head = 'ref: refs/heads/other 3';
    subject.gitMayHaveChanged();
    await clock.advanceAsync(BURST_CAP_MS - 1);
    expect(taken).toHaveLength(2);
    await clock.advanceAsync(1);
    expect(taken).toEqual(['editor', 'commit', 'commit']);
  });

  it('is not starved by signals that never cease', async () => {
    const { subject, clock, taken, world } = scheduler();
    await subject.start(null);
    for (let ms = 0; ms < 3 * BURST_CAP_MS; ms += 10) {
      world.head = `ref: refs/heads/main ${ms}`;
      subject.gitMayHaveChanged();
      await clock.advanceAsync(10);
    }
    expect(taken.length).toBeGreaterThanOrEqual(3);
    expect(taken.length).toBeLessThanOrEqual(4);
  });

  it('says when git cannot be looked at, and sees the next move', async () => {
    const { subject, clock, taken, failures, world } = scheduler();
    world.unreadable = new Error('EIO');
    await subject.start(null);
    expect(failures).toEqual(['editor: EIO']);
    subject.gitMayHaveChanged();
    await clock.advanceAsync(HEAD_DEBOUNCE_MS);
    expect(failures).toEqual(['editor: EIO', 'commit: EIO']);
    world.unreadable = null;
    subject.gitMayHaveChanged();
    await clock.advanceAsync(HEAD_DEBOUNCE_MS);
    expect(taken).toEqual(['commit']);
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
    subject.gitMayHaveChanged();
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
