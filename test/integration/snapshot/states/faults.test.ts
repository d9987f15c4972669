import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { hash } from '../../../../src/base/index.ts';
import { describeDegraded } from '../../../../src/snapshot/index.ts';
import { askedEverywhere } from '../../../support/everywhere.ts';
import { GitSandbox } from '../../../support/git-repo.ts';
import { SnapshotBench } from '../../../support/snapshot-service.ts';
import { tempDir } from '../../../support/temp.ts';

let bench: SnapshotBench;
let repo: GitSandbox;
beforeEach(async () => {
  bench = await SnapshotBench.open();
  repo = GitSandbox.init(join(tempDir(), 'repo'));
  repo.write('src/a.ts', 'export const a = 1;\n').commit('one');
  repo.write('src/b.ts', 'export const b = 1;\n').commit('two');
});

/** A service whose git is a script around the real one, on the same database. */
async function withScript(script: string): Promise<SnapshotBench> {
  const bin = tempDir();
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  writeFileSync(join(bin, 'git'), `#!/bin/sh\n${script}\nexec ${real} "$@"\n`);
  chmodSync(join(bin, 'git'), 0o755);
  const home = tempDir();
  const env = { ...process.env, HOME: home, XDG_CONFIG_HOME: home, PATH: `${bin}${delimiter}${process.env['PATH']}` };
  return SnapshotBench.open({ store: bench.store, env });
}

const failing = (command: string, words: string) =>
  `case " $* " in *" ${command} "*) echo "fatal: ${words}" >&2; exit 128;; esac`;

describe('a repository of somebody else (safe.directory)', () => {
  const refusal = () => `echo "fatal: detected dubious ownership in repository at '${repo.root}'" >&2; exit 128`;

  test('keeps its identity, its HEAD and its files, and says what to do', async () => {
    const before = await askedEverywhere(bench, repo.root, 'src');
    const refused = await withScript(refusal());
    const { identity, snapshot } = await askedEverywhere(refused, repo.root, 'src');
    expect(identity).toEqual(before.identity);
    expect(snapshot).toMatchObject({
      git: { head: { kind: 'branch', branch: 'main', commit: repo.head() } },
      files: { count: 2 },
      degraded: ['unsafe_repository'],
    });
    expect(describeDegraded('unsafe_repository')).toContain('safe.directory');
    expect(refused.warnings.join()).toContain(`git config --global --add safe.directory '${repo.root}'`);
  });

  test('met for the first time it is the same project later, when git may read it', async () => {
    repo.git('remote', 'add', 'origin', 'git@h.example:a/b.git');
    const refused = await withScript(refusal());
    const { identity } = await askedEverywhere(refused, repo.root, 'src');
    expect(identity.anchor.repository).toBe('https://h.example/a/b');
    const after = await askedEverywhere(bench, repo.root, 'src');
    expect(after.identity).toEqual(identity);
    expect(after.snapshot.degraded).toEqual([]);
  });

  test('what only its files say is no reason for another name', async () => {
    repo.git('remote', 'add', 'origin', 'gh:Acme/Shop');
    const home = tempDir();
    writeFileSync(join(home, '.gitconfig'), '[url "https://github.com/"]\n insteadOf = gh:\n');
    const env = { ...process.env, HOME: home, XDG_CONFIG_HOME: home };
    const trusted = await SnapshotBench.open({ store: bench.store, env });
    const { identity } = await askedEverywhere(trusted, repo.root, 'src');
    expect(identity.anchor.repository).toBe('https://github.com/Acme/Shop');
    expect((await askedEverywhere(await withScript(refusal()), repo.root, 'src')).identity).toEqual(identity);
  });

  test.skipIf(process.getuid?.() !== 0)('by git itself, for a repository and for a linked worktree', async () => {
    const tree = `${repo.root}-second`;
    repo.git('worktree', 'add', '--quiet', tree, '-b', 'side');
    const before = await askedEverywhere(bench, tree, 'src');
    execFileSync('chown', ['-R', '12345', repo.root, tree]);
    const refused = await SnapshotBench.open({ store: bench.store });
    const { identity, snapshot } = await askedEverywhere(refused, tree, 'src');
    expect(identity).toEqual(before.identity);
    expect(snapshot).toMatchObject({ git: { head: { branch: 'side' } }, degraded: ['unsafe_repository'] });
  });
});

describe('what git cannot read takes nothing else with it', () => {
  test('the index: files and HEAD are read without it', async () => {
    truncateSync(join(repo.root, '.git/index'), 20);
    const { snapshot } = await askedEverywhere(bench, repo.root, 'src');
    expect(snapshot).toMatchObject({
      git: { head: { kind: 'branch', branch: 'main', commit: repo.head() } },
      files: { count: 2, byLanguage: { ts: 2 } },
      degraded: ['failed:git'],
    });
    const looked = await bench.look(repo.root, 'src/a.ts');
    expect(looked.snapshot.outlines['src/a.ts']?.items).toHaveLength(1);
    expect(bench.warnings.join()).toContain('index');
  });

  test('the index, after a good look: what was known stays', async () => {
    const before = (await bench.take(repo.root)).snapshot;
    const index = join(repo.root, '.git/index');
    copyFileSync(index, `${index}.kept`);
    truncateSync(index, 20);
    const { snapshot } = await bench.take(repo.root);
    expect(snapshot).toMatchObject({ git: before.git, files: before.files, degraded: ['failed:git'] });
    renameSync(`${index}.kept`, index);
    expect((await bench.take(repo.root)).snapshot).toMatchObject({ git: before.git, degraded: [] });
  });

  test('the commit at HEAD', async () => {
    const commit = repo.head();
    rmSync(join(repo.root, '.git/objects', commit.slice(0, 2), commit.slice(2)));
    const { snapshot } = await askedEverywhere(bench, repo.root, 'src');
    expect(snapshot).toMatchObject({ git: { head: { branch: 'main', commit } }, files: { count: 2 } });
    expect(snapshot.degraded).toEqual(['failed:git']);
  });

  test('an older commit: changes are still seen, only history is not', async () => {
    const older = repo.git('rev-parse', 'HEAD~1').trim();
    rmSync(join(repo.root, '.git/objects', older.slice(0, 2), older.slice(2)));
    repo.write('src/a.ts', 'export const changed = 2;\n');
    const { snapshot } = await askedEverywhere(bench, repo.root, 'src');
    expect(snapshot).toMatchObject({
      git: { head: { branch: 'main', commit: repo.head() }, unstaged: ['src/a.ts'], history: hash([]) },
      files: { count: 2 },
      degraded: ['failed:log'],
    });
    expect(describeDegraded('failed:log')).toContain('history');
  });

  test('the news: the snapshot is taken all the same', async () => {
    await bench.take(repo.root);
    repo.amend('two, better');
    const broken = await withScript(failing('--left-right', 'out of memory'));
    expect(await broken.take(repo.root)).toMatchObject({
      stored: true,
      commits: [],
      rewritten: { pairs: [] },
      snapshot: { git: { head: { commit: repo.head() } }, degraded: [] },
    });
    expect(broken.warnings.join()).toContain('out of memory');
  });
});

/** Has a repository need what the installed git does not know: the same project, its files, and a sentence. */
async function expectTooOld(key: string, value: string): Promise<void> {
  repo.git('remote', 'add', 'origin', 'https://h.example/a/b');
  const { identity } = await askedEverywhere(bench, repo.root, 'src');
  repo.git('config', 'core.repositoryformatversion', '1');
  repo.git('config', key, value);
  const asked = await askedEverywhere(bench, repo.root, 'src');
  expect(asked.identity).toEqual(identity);
  expect(asked.snapshot).toMatchObject({ files: { count: 2 }, degraded: ['git_too_old'] });
  expect(describeDegraded('git_too_old')).toContain('update git');
  expect(bench.warnings.join()).toContain('Update git');
}

describe('a repository that the installed git does not know', () => {
  test('an extension of the future', () => expectTooOld('extensions.sparkling', 'true'));

  test('a version of the future', async () => {
    repo.git('config', 'core.repositoryformatversion', '99');
    const { snapshot } = await askedEverywhere(bench, repo.root, 'src');
    expect(snapshot).toMatchObject({ git: { head: { branch: 'main' } }, degraded: ['git_too_old'] });
  });
});

describe('references in tables (reftable)', () => {
  /** Git knows them from 2.45 on. */
  function isKnown(): boolean {
    const [, major, minor] = /(\d+)\.(\d+)/.exec(repo.git('--version')) ?? [];
    return Number(major) * 1000 + Number(minor) >= 2045;
  }

  test('everything works with a git that knows them; with an older one it is said', async () => {
    if (!isKnown()) return expectTooOld('extensions.refstorage', 'reftable');
    const tables = new GitSandbox(join(tempDir(), 'tables'));
    mkdirSync(tables.root);
    tables.git('init', '--quiet', '--ref-format=reftable', '--initial-branch=trunk');
    tables.write('src/a.ts', '1\n').commit('one');
    const { identity, snapshot } = await askedEverywhere(bench, tables.root, 'src');
    expect(identity.anchor.mainBranch).toBe('trunk');
    expect(snapshot).toMatchObject({ git: { head: { branch: 'trunk', commit: tables.head() } }, degraded: [] });
    tables.write('src/a.ts', '2\n').amend('two');
    expect((await bench.take(tables.root)).rewritten.pairs).toHaveLength(1);
    tables.write('src/a.ts', '3\n').commit('three');
    expect(() => tables.git('revert', '--no-edit', 'HEAD~1')).toThrow();
    expect((await bench.take(tables.root)).snapshot.git.operation).toBe('revert');
  });

  test('what is under way is asked of git where it is no file, once for every change of a reference', async () => {
    const asked = join(tempDir(), 'asked');
    const tables = await withScript(
      `case " $* " in *" --include-root-refs "*) echo x >> '${asked}'; printf 'HEAD\\0refs/heads/main\\nCHERRY_PICK_HEAD\\0\\n'; exit 0;; esac`,
    );
    mkdirSync(join(repo.root, '.git/reftable'));
    const list = join(repo.root, '.git/reftable/tables.list');
    writeFileSync(list, 'one\n');
    for (let look = 0; look < 3; look++)
      expect((await tables.take(repo.root)).snapshot.git.operation).toBe('cherry-pick');
    expect(readFileSync(asked, 'utf8')).toBe('x\n');
    writeFileSync(list, 'one\ntwo\n');
    await tables.take(repo.root);
    expect(readFileSync(asked, 'utf8')).toBe('x\nx\n');
  });
});

test('objects named by SHA-256', async () => {
  const long = new GitSandbox(join(tempDir(), 'sha256'));
  mkdirSync(long.root);
  long.git('init', '--quiet', '--object-format=sha256', '--initial-branch=main');
  const one = long.write('src/a.ts', 'export const a = 1;\n').commit('one');
  expect(one).toMatch(/^[0-9a-f]{64}$/);
  const { snapshot } = await askedEverywhere(bench, long.root, 'src');
  expect(snapshot).toMatchObject({
    git: { head: { kind: 'branch', branch: 'main', commit: one }, history: hash([one]) },
    files: { count: 1 },
    degraded: [],
  });
  expect((await bench.service.show(long.root, one)).id).toBe(snapshot.id);
  const two = long.write('src/b.ts', '').commit('fix: two');
  const taken = await bench.take(long.root);
  expect(taken.commits).toMatchObject([{ commit: two, kinds: ['fix'], paths: ['src/b.ts'] }]);
  const better = long.write('src/b.ts', '1').amend('fix: two, better');
  expect((await bench.take(long.root)).rewritten).toEqual({ pairs: [{ old: two, new: better }] });
  const home = tempDir();
  const without = await SnapshotBench.open({ store: bench.store, env: { PATH: home, HOME: home } });
  expect((await without.take(long.root)).snapshot.git.head).toEqual({ kind: 'branch', branch: 'main', commit: better });
});
