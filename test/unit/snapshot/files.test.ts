import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FILE_LIMITS, WorkingFiles } from '../../../src/snapshot/files.ts';
import { createGate } from '../../../src/snapshot/index.ts';
import { FakeGit } from '../../support/fake-git.ts';
import { tempDir } from '../../support/temp.ts';

const gate = createGate();

function world() {
  const root = tempDir();
  const git = new FakeGit(root);
  for (let n = 0; n < 20; n++) git.write(`d${n % 4}/f${n}.ts`, `${n}`);
  git.commit('one');
  return { git, root, files: new WorkingFiles(root, FILE_LIMITS) };
}

describe('the files of a working tree', () => {
  test('nothing is listed again while status and index stay the same', async () => {
    const { git, files } = world();
    const first = await files.fromGit(git, await git.status(), gate);
    expect(await files.fromGit(git, await git.status(), gate)).toBe(first);
    git.stage();
    const again = await files.fromGit(git, await git.status(), gate);
    expect(again).not.toBe(first);
    expect(again).toEqual(first);
    expect(await files.fromGit(git, await git.status(), createGate({ exclude: ['d0/'] }))).not.toEqual(first);
  });

  test('what changes is the path of what changed', async () => {
    const { git, files } = world();
    await files.fromGit(git, await git.status(), gate);
    const stored = new Set([...files.unstored(() => false)].map(({ hash }) => hash));
    expect(stored.size).toBe(5);
    git.write('d1/f1.ts', 'longer');
    await files.fromGit(git, await git.status(), gate);
    expect([...files.unstored((hash) => stored.has(hash))]).toHaveLength(2);
  });

  test('added, removed, and links that nobody tracks', async () => {
    const { git, root, files } = world();
    git.write('new/n.ts', '1');
    symlinkSync('nowhere', join(root, 'link'));
    git.remove('d0/f0.ts');
    const status = await git.status();
    const link = { path: 'link', staged: '?', unstaged: '?', conflicted: false };
    const { view } = await files.fromGit(git, { ...status, entries: [...status.entries, link] }, gate);
    expect(view.count).toBe(21);
    expect(['new/n.ts', 'link', 'd0/f0.ts', 'd0/f4.ts'].map((path) => files.has(path))).toEqual([
      true,
      true,
      false,
      true,
    ]);
    const nodes = [...files.unstored(() => false)].map(({ json }) => json).join();
    expect(nodes).toContain('"kind":"link","name":"link","size":7');
  });

  test('sizes that the index knows are taken from it, of what is clean', async () => {
    const { git, files } = world();
    git.write('d0/f0.ts', 'changed');
    const tracked = await git.tracked();
    git.tracked = () => Promise.resolve(tracked.map((file) => ({ ...file, size: 1000 })));
    expect((await files.fromGit(git, await git.status(), gate)).view.bytes).toBe(19 * 1000 + 'changed'.length);
    git.write('d0/f0.ts', '0');
    expect((await files.fromGit(git, await git.status(), gate)).view.bytes).toBe(20 * 1000);
  });

  test('of too many files the first are listed, and all again when there are fewer', async () => {
    const { git, root } = world();
    const files = new WorkingFiles(root, { ...FILE_LIMITS, tracked: 20 });
    const all = await files.fromGit(git, await git.status(), gate);
    expect(all.degraded).toEqual([]);
    git.write('a.ts', 'new');
    const cut = await files.fromGit(git, await git.status(), gate);
    expect(cut).toMatchObject({ view: { count: 20, truncated: true }, degraded: ['file_limit'] });
    expect([files.has('a.ts'), files.has('d3/f19.ts'), files.has('d3/f7.ts')]).toEqual([true, true, false]);
    git.commit('two');
    expect((await files.fromGit(git, await git.status(), gate)).degraded).toEqual(['file_limit']);
    git.remove('a.ts');
    git.commit('three');
    expect(await files.fromGit(git, await git.status(), gate)).toEqual(all);
  });

  test('an index read ahead of the status gives the same listing', async () => {
    const { git, root, files } = world();
    git.write('d1/f1.ts', 'longer');
    git.remove('d2/f2.ts');
    git.write('new.ts', '1');
    await files.prepare(git, gate);
    const ahead = await files.fromGit(git, await git.status(), gate);
    expect(ahead).toEqual(await new WorkingFiles(root, FILE_LIMITS).fromGit(git, await git.status(), gate));
    git.commit('two');
    await files.prepare(git, gate);
    const committed = await files.fromGit(git, await git.status(), gate);
    expect(committed).toEqual(await new WorkingFiles(root, FILE_LIMITS).fromGit(git, await git.status(), gate));
    expect(committed.view.tree).not.toBe(ahead.view.tree);
  });

  test('a path that a folder takes over, and the other way round', async () => {
    const { git, files } = world();
    git.write('x', '1');
    await files.fromGit(git, await git.status(), gate);
    git.remove('x');
    git.write('x/y.ts', '1');
    expect((await files.fromGit(git, await git.status(), gate)).view.count).toBe(21);
    expect(files.has('x')).toBe(false);
    expect(files.has('x/y.ts')).toBe(true);
  });
});
