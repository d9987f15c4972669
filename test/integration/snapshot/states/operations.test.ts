import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { hash } from '../../../../src/base/index.ts';
import type { GitState } from '../../../../src/snapshot/index.ts';
import { askedEverywhere } from '../../../support/everywhere.ts';
import { GitSandbox } from '../../../support/git-repo.ts';
import { SnapshotBench } from '../../../support/snapshot-service.ts';
import { tempDir } from '../../../support/temp.ts';

let bench: SnapshotBench;
let repo: GitSandbox;
beforeEach(async () => {
  bench = await SnapshotBench.open();
  repo = GitSandbox.init(join(tempDir(), 'repo'));
});

/** What git says, from wherever it is asked. */
async function git(): Promise<GitState> {
  return (await askedEverywhere(bench, repo.root, 'src')).snapshot.git;
}

/** `main` and `side` both changed src/a.ts after `base`. */
function diverge(): void {
  repo.write('src/a.ts', 'base\n').write('src/b.ts', 'base\n').commit('base');
  repo.git('switch', '--quiet', '-c', 'side');
  repo.write('src/a.ts', 'side\n').commit('on side');
  repo.write('src/c.ts', 'side\n').commit('more on side');
  repo.git('switch', '--quiet', 'main');
  repo.write('src/a.ts', 'main\n').commit('on main');
}

function conflicting(...args: string[]): void {
  expect(() => repo.git(...args)).toThrow();
}

describe('HEAD', () => {
  test('unborn, empty and with files', async () => {
    repo.write('src/a.ts', '1\n');
    expect(await git()).toMatchObject({
      head: { kind: 'unborn', branch: 'main' },
      untracked: ['src/a.ts'],
      history: hash([]),
    });
    repo.git('add', '--all');
    expect(await git()).toMatchObject({
      head: { kind: 'unborn', branch: 'main' },
      staged: ['src/a.ts'],
      untracked: [],
    });
  });

  test('an orphan branch beside one with commits', async () => {
    diverge();
    repo.git('switch', '--quiet', '--orphan', 'fresh');
    repo.write('src/new.ts', '');
    expect(await git()).toMatchObject({ head: { kind: 'unborn', branch: 'fresh' }, history: hash([]) });
  });

  test('detached, at a tag and at a commit', async () => {
    diverge();
    repo.git('tag', 'v1');
    repo.git('checkout', '--quiet', 'v1');
    expect((await git()).head).toEqual({ kind: 'detached', commit: repo.head() });
    repo.git('checkout', '--quiet', 'HEAD~1');
    expect((await git()).head).toEqual({ kind: 'detached', commit: repo.head() });
  });

  test('a branch with slashes, dots and other scripts', async () => {
    diverge();
    repo.git('switch', '--quiet', '-c', 'feature/登录.v2');
    expect((await git()).head).toMatchObject({ kind: 'branch', branch: 'feature/登录.v2' });
  });

  test('a branch whose references are packed', async () => {
    diverge();
    const commit = repo.head();
    repo.git('pack-refs', '--all');
    repo.git('gc', '--quiet');
    expect(await git()).toMatchObject({ head: { kind: 'branch', branch: 'main', commit } });
  });
});

describe('under way', () => {
  beforeEach(diverge);

  test('a merge with conflicts', async () => {
    conflicting('merge', '--quiet', 'side');
    expect(await git()).toMatchObject({
      operation: 'merge',
      head: { branch: 'main', commit: repo.head() },
      conflicted: ['src/a.ts'],
      staged: ['src/c.ts'],
    });
    repo.write('src/a.ts', 'both\n').git('add', 'src/a.ts');
    expect(await git()).toMatchObject({ operation: 'merge', conflicted: [], staged: ['src/a.ts', 'src/c.ts'] });
    repo.git('commit', '--quiet', '--no-edit');
    expect((await git()).operation).toBeUndefined();
  });

  test('a merge where one side deleted and both added', async () => {
    repo.git('rm', '--quiet', 'src/b.ts');
    repo.write('src/new.ts', 'main\n').commit('deleted and added');
    repo.git('switch', '--quiet', 'side');
    repo.write('src/b.ts', 'changed\n').write('src/new.ts', 'side\n').commit('changed and added');
    conflicting('merge', '--quiet', 'main');
    expect(await git()).toMatchObject({ operation: 'merge', conflicted: ['src/a.ts', 'src/b.ts', 'src/new.ts'] });
  });

  test('a merge made without a commit', async () => {
    repo.git('merge', '--quiet', '--no-commit', '--no-ff', '-X', 'ours', 'side');
    expect(await git()).toMatchObject({ operation: 'merge', conflicted: [], staged: ['src/c.ts'] });
  });

  test.each(['--merge', '--apply'])('a rebase with conflicts (%s)', async (how) => {
    conflicting('rebase', '--quiet', how, 'side');
    expect(await git()).toMatchObject({ operation: 'rebase', head: { kind: 'detached' }, conflicted: ['src/a.ts'] });
    repo.git('rebase', '--abort');
    expect(await git()).toMatchObject({ head: { kind: 'branch', branch: 'main' }, conflicted: [] });
    expect((await git()).operation).toBeUndefined();
  });

  test.each([
    ['edit', 's/^pick/edit/'],
    ['break', '1a break'],
    ['a command that fails', '1a exec false'],
  ])('an interactive rebase that stops: %s', async (_, sed) => {
    const rebase = ['-c', `sequence.editor=sed -i -e '${sed}'`, 'rebase', '--quiet', '-i', 'HEAD~1'];
    if (sed.includes('exec')) conflicting(...rebase);
    else repo.git(...rebase);
    expect(await git()).toMatchObject({
      operation: 'rebase',
      head: { kind: 'detached', commit: repo.head() },
      conflicted: [],
    });
    repo.git('rebase', '--continue');
    expect((await git()).operation).toBeUndefined();
  });

  test('a cherry-pick, and one of several', async () => {
    conflicting('cherry-pick', 'side~1');
    expect(await git()).toMatchObject({ operation: 'cherry-pick', head: { branch: 'main' }, conflicted: ['src/a.ts'] });
    repo.git('cherry-pick', '--abort');
    conflicting('cherry-pick', 'side~1', 'side');
    expect(await git()).toMatchObject({ operation: 'cherry-pick' });
    repo.git('cherry-pick', '--skip');
    expect((await git()).operation).toBeUndefined();
  });

  test('a revert', async () => {
    conflicting('revert', '--no-edit', 'HEAD~1');
    expect(await git()).toMatchObject({ operation: 'revert', head: { branch: 'main' } });
    repo.git('revert', '--abort');
    expect((await git()).operation).toBeUndefined();
  });

  test('a bisect', async () => {
    for (let n = 0; n < 4; n++) repo.write('src/b.ts', `${n}\n`).commit(`n${n}`);
    repo.git('bisect', 'start', 'HEAD', 'HEAD~4');
    const state = await git();
    expect(state).toMatchObject({ operation: 'bisect', head: { kind: 'detached', commit: repo.head() } });
    repo.git('bisect', 'reset');
    expect(await git()).toMatchObject({ head: { kind: 'branch', branch: 'main' } });
  });

  test('stashed changes are none', async () => {
    repo.write('src/a.ts', 'stashed\n').git('stash', '--quiet');
    expect(await git()).toMatchObject({ unstaged: [], staged: [] });
    repo.git('stash', 'pop', '--quiet');
    expect(await git()).toMatchObject({ unstaged: ['src/a.ts'] });
  });
});

test('a branch that is ahead and behind, and one whose upstream is gone', async () => {
  diverge();
  const other = `${repo.root}-other`;
  repo.git('clone', '--quiet', repo.root, other);
  repo.git('remote', 'add', 'origin', other);
  repo.git('fetch', '--quiet', 'origin');
  repo.git('branch', '--quiet', '--set-upstream-to=origin/main');
  new GitSandbox(other).write('src/x.ts', '').commit('theirs');
  repo.git('fetch', '--quiet', 'origin');
  repo.write('src/y.ts', '').commit('ours');
  expect((await git()).upstream).toEqual({ name: 'origin/main', ahead: 1, behind: 1 });
  repo.git('update-ref', '-d', 'refs/remotes/origin/main');
  expect((await git()).upstream).toBeUndefined();
});
