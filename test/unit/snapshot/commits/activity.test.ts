import { describe, expect, test } from 'vitest';
import { activityOf, churning } from '../../../../src/snapshot/commits/activity.ts';
import type { CommitWithFiles } from '../../../../src/snapshot/git-port.ts';

const NOW = Date.UTC(2026, 10, 30);
const DAY = 86_400_000;

function commit(daysAgo: number, ...paths: readonly string[]): CommitWithFiles {
  const files = paths.map((path) => {
    const [from, to] = path.split(' -> ');
    if (path.startsWith('-')) return { path: path.slice(1), before: ['1'], after: null };
    return to === undefined
      ? { path, before: ['1'], after: '2' }
      : { path: to, from: from ?? '', before: ['1'], after: '1' };
  });
  return { commit: 'c', subject: '', body: '', authors: [], at: NOW - daysAgo * DAY, files };
}

function times(count: number, make: (at: number) => CommitWithFiles): readonly CommitWithFiles[] {
  return Array.from({ length: count }, (_, at) => make(at));
}

const all = () => true;

describe('what the last commits say of files', () => {
  test('files that changed often: ten commits in ninety days, and of the most', () => {
    const others = times(30, (at) => commit(1, `other${at}`));
    const busy = times(12, () => commit(2, 'busy', 'package-lock.json'));
    const less = times(11, () => commit(3, 'less'));
    const before = times(50, () => commit(91, 'before'));
    const activity = activityOf([...others, ...busy, ...less, ...before], NOW);
    expect(activity.churn.get('before')).toBeUndefined();
    expect(activity.touched.has('before')).toBe(true);
    // 5 % of 32 files are two.
    expect(churning(activity, (path) => path !== 'package-lock.json')).toEqual(['busy', 'less']);
    expect(churning(activityOf([...others.slice(0, 15), ...busy, ...less], NOW), all)).toEqual([
      'busy',
      'package-lock.json',
    ]);
    expect(churning(activityOf([...others, ...times(9, () => commit(1, 'nine'))], NOW), all)).toEqual([]);
    expect(churning(activityOf([], NOW), all)).toEqual([]);
  });

  test('a file counts under its present name; a mass edit is no work on any', () => {
    const mass = commit(1, ...Array.from({ length: 201 }, (_, at) => `f${at}`));
    const { churn, touched } = activityOf(
      [mass, commit(2, 'new'), commit(3, 'old -> new', '-gone'), ...times(9, () => commit(4, 'old', 'gone'))],
      NOW,
    );
    expect(churn.get('new')).toBe(11);
    expect([touched.has('old'), touched.has('gone'), touched.has('f1'), churn.has('f1')]).toEqual([
      false,
      false,
      true,
      false,
    ]);
  });
});
