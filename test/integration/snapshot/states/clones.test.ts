import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { hash } from '../../../../src/base/index.ts';
import { askedEverywhere } from '../../../support/everywhere.ts';
import { cleanGitEnv, GitSandbox } from '../../../support/git-repo.ts';
import { SnapshotBench } from '../../../support/snapshot-service.ts';
import { tempDir } from '../../../support/temp.ts';

let bench: SnapshotBench;
let origin: GitSandbox;
beforeEach(async () => {
  bench = await SnapshotBench.open();
  origin = GitSandbox.init(join(tempDir(), 'origin'));
  for (const key of ['uploadpack.allowFilter', 'uploadpack.allowAnySHA1InWant']) origin.git('config', key, 'true');
  origin.write('src/a.ts', 'export const a = 1;\n').write('far/x.ts', 'old\n'.repeat(50)).commit('one');
  origin.write('far/x.ts', 'new\n'.repeat(50)).write('far/deep/y.ts', '').commit('two');
});

function clone(...args: string[]): GitSandbox {
  const folder = join(tempDir(), 'clone');
  execFileSync('git', ['clone', '--quiet', ...args, `file://${origin.root}`, folder], { env: cleanGitEnv() });
  return new GitSandbox(folder);
}

/** Every file of the git directory with its content. */
function gitFiles({ root }: GitSandbox): Readonly<Record<string, string>> {
  const folder = join(root, '.git');
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  const content = (name: string) =>
    statSync(join(folder, name)).isFile()
      ? createHash('sha1')
          .update(readFileSync(join(folder, name)))
          .digest('hex')
      : '';
  return Object.fromEntries(names.map((name) => [name, content(name)]));
}

const listed = async (repo: GitSandbox) => (await bench.service.files(repo.root, 'latest')).map(({ path }) => path);

describe('a shallow clone', () => {
  test('says that older history is not here', async () => {
    const repo = clone('--depth=1');
    const { snapshot } = await askedEverywhere(bench, repo.root, 'src');
    expect(snapshot).toMatchObject({
      git: { bounded: true, history: hash([origin.head()]), head: { kind: 'branch', commit: origin.head() } },
      files: { count: 3 },
      degraded: ['shallow'],
    });
  });

  test('that is deepened says so no more, and has made no news of what was there', async () => {
    const repo = clone('--depth=1');
    await bench.take(repo.root);
    repo.git('fetch', '--quiet', '--unshallow');
    const { snapshot, commits, rewritten } = await bench.take(repo.root);
    expect(snapshot).toMatchObject({
      degraded: [],
      git: { history: hash([origin.head(), origin.git('rev-parse', 'HEAD~1').trim()]) },
    });
    expect('bounded' in snapshot.git).toBe(false);
    expect({ commits, rewritten }).toEqual({ commits: [], rewritten: { pairs: [] } });
  });

  test('that is moved on to another single commit has no wrong pairs', async () => {
    const repo = clone('--depth=1');
    await bench.take(repo.root);
    origin.write('src/b.ts', '').commit('three');
    origin.write('src/b.ts', '1').commit('four');
    repo.git('fetch', '--quiet', '--depth=1');
    repo.git('reset', '--quiet', '--hard', 'origin/main');
    const { rewritten, commits } = await bench.take(repo.root);
    expect(rewritten).toEqual({ pairs: [] });
    expect(commits.map(({ subject }) => subject)).toEqual(['four']);
  });
});

describe('a partial clone', () => {
  test('says so; its history and files are all there', async () => {
    const repo = clone('--filter=blob:none');
    const { snapshot } = await askedEverywhere(bench, repo.root, 'src');
    expect(snapshot).toMatchObject({ git: { bounded: true }, files: { count: 3 }, degraded: ['partial'] });
    repo.write('src/a.ts', '').commit('mine');
    const { commits } = await bench.take(repo.root);
    expect(commits.map(({ subject, paths }) => [subject, paths])).toEqual([['mine', ['src/a.ts']]]);
  });

  test('is never filled by looking, also where telling a rename would need what is missing', async () => {
    const repo = clone('--filter=blob:none', '--no-checkout');
    repo.git('sparse-checkout', 'set', 'src');
    repo.git('checkout', '--quiet', 'main');
    const gone = origin.git('rev-parse', 'HEAD:far/x.ts').trim();
    repo.write('src/moved.ts', `${'new\n'.repeat(49)}other\n`);
    repo.git('rm', '--quiet', '--cached', '--sparse', 'far/x.ts');
    repo.git('add', 'src/moved.ts');
    const before = gitFiles(repo);
    const { snapshot } = await askedEverywhere(bench, repo.root, 'src');
    expect(snapshot).toMatchObject({ git: { staged: ['far/x.ts', 'src/moved.ts'] }, degraded: ['partial'] });
    expect(gitFiles(repo)).toEqual(before);
    expect(() => repo.git('-c', 'protocol.allow=never', 'cat-file', '-e', gone)).toThrow();
  });

  test('without trees (tree:0): what a commit changed long ago is not known, and nothing fails', async () => {
    const repo = clone('--filter=tree:0');
    const { snapshot } = await askedEverywhere(bench, repo.root, 'src');
    expect(snapshot).toMatchObject({ files: { count: 3 }, degraded: ['partial'] });
    origin.write('src/b.ts', '').commit('three');
    origin.write('src/b.ts', '1').commit('four');
    repo.git('pull', '--quiet', '--ff-only');
    const before = gitFiles(repo);
    const taken = await bench.take(repo.root);
    expect(taken.snapshot).toMatchObject({ files: { count: 4 }, degraded: ['partial'] });
    expect(taken).toMatchObject({ stored: true, rewritten: { pairs: [] } });
    expect(gitFiles(repo)).toEqual(before);
  });
});

describe('a sparse checkout', () => {
  test('by patterns: what is not here is not listed, and what is changed inside is seen', async () => {
    const repo = clone();
    repo.git('sparse-checkout', 'set', '--no-cone', '/src/');
    const { snapshot } = await askedEverywhere(bench, repo.root, 'src');
    expect(snapshot).toMatchObject({ git: { staged: [], unstaged: [] }, files: { count: 1 }, degraded: [] });
    expect(await listed(repo)).toEqual(['src/a.ts']);
    repo.write('src/a.ts', 'export const b = 2;\n');
    expect((await bench.take(repo.root)).snapshot.git.unstaged).toEqual(['src/a.ts']);
  });

  test('by cones, with a sparse index', async () => {
    const repo = clone();
    repo.git('sparse-checkout', 'set', '--cone', '--sparse-index', 'src');
    const before = gitFiles(repo);
    const { snapshot } = await askedEverywhere(bench, repo.root, 'src');
    expect(snapshot).toMatchObject({ git: { staged: [], unstaged: [] }, files: { count: 1 }, degraded: [] });
    expect(gitFiles(repo)).toEqual(before);
    repo.git('sparse-checkout', 'add', 'far/deep');
    await askedEverywhere(bench, repo.root, 'src');
    expect(await listed(repo)).toEqual(['far/deep/y.ts', 'far/x.ts', 'src/a.ts']);
  });

  test('a file outside of it that was brought in by hand is listed', async () => {
    const repo = clone();
    repo.git('sparse-checkout', 'set', '--no-cone', '/src/');
    repo.write('far/x.ts', 'new\n'.repeat(50));
    await bench.take(repo.root);
    expect(await listed(repo)).toEqual(['far/x.ts', 'src/a.ts']);
    repo.git('sparse-checkout', 'disable');
    await bench.take(repo.root);
    expect(await listed(repo)).toEqual(['far/deep/y.ts', 'far/x.ts', 'src/a.ts']);
  });
});
