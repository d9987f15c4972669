import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseIndex } from '../../../src/snapshot/git-index.ts';
import { parseTracked } from '../../../src/snapshot/git-parse.ts';
import type { TrackedFile } from '../../../src/snapshot/git-port.ts';
import { cleanGitEnv, GitSandbox } from '../../support/git-repo.ts';
import { tempDir } from '../../support/temp.ts';

/** Files in folders, with names of every kind and length. */
function repository(): GitSandbox {
  const repo = GitSandbox.init(join(tempDir(), 'repo'));
  for (let n = 0; n < 40; n++) repo.write(`d${n % 3}/${'n'.repeat(n)}${n}.ts`, 'x'.repeat(n));
  for (const name of ['Ä.ts', '文/字.ts', 'line\nbreak.ts', 'tab\there.ts', ' ', 'z'.repeat(200)])
    repo.write(name, name);
  symlinkSync('nowhere', join(repo.root, 'link'));
  repo.commit('one');
  return repo;
}

const bytesOf = (repo: GitSandbox) => readFileSync(join(repo.root, '.git', 'index'));
const listed = (repo: GitSandbox) =>
  parseTracked(execFileSync('git', ['ls-files', '-z', '--stage', '-t'], { cwd: repo.root, env: cleanGitEnv() }));
const withoutSizes = (files: readonly TrackedFile[] | null) => files?.map(({ size: _, ...file }) => file);

describe("git's index, read without git", () => {
  test.each([['2'], ['3'], ['4']])('says what git ls-files says (version %s)', (version) => {
    const repo = repository();
    repo.git('update-index', '--index-version', version);
    repo.write('intended.ts', '1');
    repo.git('add', '--intent-to-add', 'intended.ts');
    repo.git('update-index', '--skip-worktree', 'd0/0.ts');
    repo.git('update-index', '--assume-unchanged', 'Ä.ts');
    const files = parseIndex(bytesOf(repo));
    expect(withoutSizes(files)).toEqual(listed(repo));
    expect(files).toHaveLength(48);
    expect(files?.filter(({ sparse }) => sparse === true)).toHaveLength(1);
  });

  test('knows the sizes of what is clean', () => {
    const repo = repository();
    const files = new Map(parseIndex(bytesOf(repo))?.map((file) => [file.path, file]));
    expect(files.get('文/字.ts')?.size).toBe(Buffer.byteLength('文/字.ts'));
    expect(files.get(`d2/${'n'.repeat(5)}5.ts`)?.size).toBe(5);
    expect(files.get('link')).toMatchObject({ kind: 'link', size: 'nowhere'.length });
    // An empty file looks like one that git was not sure of.
    expect(files.get('d0/0.ts')).not.toHaveProperty('size');
  });

  test.each([['2'], ['4']])('paths too long for the length that an entry has room for (version %s)', (version) => {
    const repo = repository();
    repo.git('update-index', '--index-version', version);
    const blob = repo.git('rev-parse', 'HEAD:tab\there.ts').trim();
    const paths = [4_094, 4_095, 4_096, 9_000].map((length) => `${length}${'x'.padStart(length - 4, '/long')}`);
    const input = paths.map((path) => `100644 ${blob}\t${path}\n`).join('');
    execFileSync('git', ['update-index', '--index-info'], { cwd: repo.root, env: cleanGitEnv(), input });
    const files = parseIndex(bytesOf(repo));
    expect(files?.filter(({ path }) => path.length > 4_000).map(({ path }) => path.length)).toHaveLength(4);
    expect(withoutSizes(files)).toEqual(listed(repo));
  });

  test('a conflict once, submodules, nothing at all', () => {
    const repo = repository();
    repo.git('checkout', '--quiet', '-b', 'other');
    repo.write('Ä.ts', 'theirs').commit('theirs');
    repo.git('checkout', '--quiet', 'main');
    repo.write('Ä.ts', 'ours').commit('ours');
    expect(() => repo.git('merge', 'other')).toThrow();
    const inner = repository();
    repo.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.root, 'inner');
    expect(withoutSizes(parseIndex(bytesOf(repo)))).toEqual(listed(repo));
    expect(parseIndex(bytesOf(repo))?.find(({ path }) => path === 'inner')).toMatchObject({ kind: 'submodule' });
    repo.git('read-tree', '--empty');
    expect(parseIndex(bytesOf(repo))).toEqual([]);
  });

  test('what only git reads is left to it: split, sparse, long ids, broken', () => {
    const split = repository();
    split.git('update-index', '--split-index');
    expect(parseIndex(bytesOf(split))).toBeNull();
    const sparse = repository();
    sparse.git('sparse-checkout', 'set', '--cone', '--sparse-index', 'd1');
    expect(parseIndex(bytesOf(sparse))).toBeNull();
    const sha256 = new GitSandbox(join(tempDir(), 'long'));
    mkdirSync(sha256.root);
    sha256.git('init', '--quiet', '--object-format=sha256');
    sha256.write('a.ts', '1').commit('one');
    expect(parseIndex(bytesOf(sha256))).toBeNull();
    const broken = repository();
    for (const length of [300, 1000, 20]) {
      truncateSync(join(broken.root, '.git', 'index'), length);
      expect(parseIndex(bytesOf(broken))).toBeNull();
    }
    expect(parseIndex(Buffer.alloc(0))).toBeNull();
    expect(parseIndex(Buffer.from('not an index at all, but long enough to be one'))).toBeNull();
  });
});
