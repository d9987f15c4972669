import { describe, expect, it } from 'vitest';
import { Emitter } from '../../../src/base/index.ts';
import type { TakenSnapshot, Trigger } from '../../../src/snapshot/index.ts';
import { followGit, type GitRepository } from '../../../src/ui/git-extension.ts';
import { HEAD_DEBOUNCE_MS, SnapshotScheduler } from '../../../src/ui/snapshot-scheduler.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const failed = (error: unknown) => {
  throw error;
};

/** The git extension with one repository that is open from the start. */
function extension() {
  const opened = new Emitter<GitRepository>(failed);
  const closed = new Emitter<GitRepository>(failed);
  const repository = (root: string) => {
    const changed = new Emitter<void>(failed);
    return { rootUri: { fsPath: root }, state: { onDidChange: changed.event }, changed };
  };
  const first = repository('/first');
  const api = { repositories: [first], onDidOpenRepository: opened.event, onDidCloseRepository: closed.event };
  return { api, first, repository, opened, closed };
}

describe('followGit', () => {
  it('tells of each repository once when it is there or opens, and of each change', () => {
    const { api, first, repository, opened } = extension();
    const seen: string[] = [];
    followGit(api, (root) => seen.push(root));
    const second = repository('/second');
    opened.fire(second);
    opened.fire(second);
    expect(seen).toEqual(['/first', '/second']);
    first.changed.fire();
    second.changed.fire();
    expect(seen).toEqual(['/first', '/second', '/first', '/second']);
  });

  it('tells nothing of repositories that were closed, and nothing after its end', () => {
    const { api, first, repository, opened, closed } = extension();
    const seen: string[] = [];
    const following = followGit(api, (root) => seen.push(root));
    closed.fire(first);
    first.changed.fire();
    const second = repository('/second');
    opened.fire(second);
    expect(seen).toEqual(['/first', '/second']);
    following.dispose();
    second.changed.fire();
    opened.fire(repository('/third'));
    expect(seen).toHaveLength(2);
  });

  it('is enough by itself for a commit to be seen: no watch, no poll', async () => {
    const { api, first } = extension();
    const clock = new FakeClock();
    const taken: Trigger[] = [];
    const world = { head: 'ref: refs/heads/main 1' };
    const scheduler = new SnapshotScheduler(
      {
        take: async (trigger) => {
          taken.push(trigger);
          return {} as TakenSnapshot;
        },
        git: async () => ({ head: world.head, index: null, work: 'none' }),
        failed: (_, error) => failed(error),
      },
      clock,
    );
    await scheduler.start(null);
    followGit(api, () => scheduler.gitMayHaveChanged());
    await clock.advanceAsync(HEAD_DEBOUNCE_MS);
    expect(taken).toEqual(['editor']);
    world.head = 'ref: refs/heads/main 2';
    first.changed.fire();
    await clock.advanceAsync(HEAD_DEBOUNCE_MS);
    expect(taken).toEqual(['editor', 'commit']);
  });
});
