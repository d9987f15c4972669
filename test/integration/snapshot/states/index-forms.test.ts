import { renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { askedEverywhere } from '../../../support/everywhere.ts';
import { GitSandbox } from '../../../support/git-repo.ts';
import { SnapshotBench } from '../../../support/snapshot-service.ts';
import { tempDir } from '../../../support/temp.ts';

let bench: SnapshotBench;
let repo: GitSandbox;
beforeEach(async () => {
  bench = await SnapshotBench.open();
  repo = GitSandbox.init(join(tempDir(), 'repo'));
  repo.write('src/a.ts', '1\n').write('src/deep/b.ts', '1\n').write('z.md', '').commit('one');
});

async function listed(): Promise<readonly string[]> {
  const { snapshot } = await askedEverywhere(bench, repo.root, 'src');
  expect(snapshot.degraded).toEqual([]);
  return (await bench.service.files(repo.root, 'latest')).map(({ path }) => path);
}

const ALL = ['src/a.ts', 'src/deep/b.ts', 'z.md'];

describe('the index in every form', () => {
  test.each([2, 3, 4])('version %i', async (version) => {
    repo.git('update-index', `--index-version=${version}`, '--force-write-index');
    expect(await listed()).toEqual(ALL);
    repo.write('src/c.ts', '').git('add', '--all');
    expect(await listed()).toEqual(['src/a.ts', 'src/c.ts', 'src/deep/b.ts', 'z.md']);
  });

  test('split in two (core.splitIndex)', async () => {
    repo.git('config', 'core.splitIndex', 'true');
    repo.git('update-index', '--split-index');
    repo.write('src/c.ts', '').git('add', '--all');
    expect(await listed()).toEqual(['src/a.ts', 'src/c.ts', 'src/deep/b.ts', 'z.md']);
    repo.git('rm', '--quiet', 'src/a.ts');
    expect(await listed()).toEqual(['src/c.ts', 'src/deep/b.ts', 'z.md']);
  });

  test('with an untracked cache and many files (feature.manyFiles)', async () => {
    repo.git('config', 'feature.manyFiles', 'true');
    repo.git('update-index', '--untracked-cache');
    repo.git('status');
    repo.write('loose.ts', '');
    expect(await listed()).toEqual(['loose.ts', ...ALL]);
  });

  test('without a checksum (index.skipHash)', async () => {
    repo.git('config', 'index.skipHash', 'true');
    repo.git('update-index', '--force-write-index');
    expect(await listed()).toEqual(ALL);
  });

  test('marked as unchanged, as not here, and as to be added', async () => {
    repo.git('update-index', '--assume-unchanged', 'src/a.ts');
    repo.git('update-index', '--skip-worktree', 'z.md');
    repo.write('new.ts', 'x\n').git('add', '--intent-to-add', 'new.ts');
    expect(await listed()).toEqual(['new.ts', ...ALL]);
    const { git } = (await bench.take(repo.root)).snapshot;
    expect(git).toMatchObject({ staged: [], unstaged: ['new.ts'], untracked: [] });
  });

  test('none at all: everything is deleted there and still on the disk', async () => {
    rmSync(join(repo.root, '.git/index'));
    expect(await listed()).toEqual(ALL);
    const { git } = (await bench.take(repo.root)).snapshot;
    expect(git).toMatchObject({ staged: ALL, untracked: ALL });
  });

  test('a file that became a link, a folder, and a folder that became a file', async () => {
    await bench.take(repo.root);
    rmSync(join(repo.root, 'z.md'));
    symlinkSync('src/a.ts', join(repo.root, 'z.md'));
    renameSync(join(repo.root, 'src/a.ts'), join(repo.root, 'kept.ts'));
    repo.write('src/a.ts/inner.ts', '').remove('src/deep').write('src/deep', '');
    expect(await listed()).toEqual(['kept.ts', 'src/a.ts/inner.ts', 'src/deep', 'z.md']);
  });
});
