import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { askedEverywhere } from '../../../support/everywhere.ts';
import { GitSandbox } from '../../../support/git-repo.ts';
import { SnapshotBench } from '../../../support/snapshot-service.ts';
import { tempDir } from '../../../support/temp.ts';

let bench: SnapshotBench;
beforeEach(async () => {
  bench = await SnapshotBench.open();
});

function repository(name = 'repo'): GitSandbox {
  const repo = GitSandbox.init(join(tempDir(), name));
  repo.write('src/deep/a.ts', `export const ${name} = 1;\n`).commit(`[feat] ${name}`);
  return repo;
}

/** Adds a repository as a submodule at `path` and commits that. */
function addSubmodule(outer: GitSandbox, inner: GitSandbox, path: string): GitSandbox {
  outer.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.root, path);
  outer.git('commit', '--quiet', '-m', path);
  return new GitSandbox(join(outer.root, path));
}

const asked = (root: string, below = 'src/deep') => askedEverywhere(bench, root, below);

describe('linked worktrees', () => {
  test('one anchor, a workspace each, and each sees its own branch and files', async () => {
    const repo = repository();
    const second = new GitSandbox(`${repo.root}-second`);
    repo.git('worktree', 'add', '--quiet', second.root, '-b', 'side');
    second.write('src/deep/b.ts', '').git('add', '--all');
    const [one, two] = [await asked(repo.root), await asked(second.root)];
    expect(two.identity).toMatchObject({
      anchor: one.identity.anchor,
      gitDir: join(repo.root, '.git/worktrees/repo-second'),
      commonDir: join(repo.root, '.git'),
    });
    expect(two.identity.workspace).not.toBe(one.identity.workspace);
    expect(one.snapshot.git).toMatchObject({ head: { branch: 'main' }, staged: [] });
    expect(two.snapshot.git).toMatchObject({ head: { branch: 'side' }, staged: ['src/deep/b.ts'] });
  });

  test('an operation of one is not under way in the other', async () => {
    const repo = repository();
    const second = `${repo.root}-second`;
    repo.git('worktree', 'add', '--quiet', second, '-b', 'side');
    new GitSandbox(second).git('bisect', 'start');
    expect((await asked(second)).snapshot.git.operation).toBe('bisect');
    expect((await asked(repo.root)).snapshot.git.operation).toBeUndefined();
  });

  test('with a configuration of its own (extensions.worktreeConfig)', async () => {
    const repo = repository();
    repo.git('config', 'extensions.worktreeConfig', 'true');
    const second = new GitSandbox(`${repo.root}-second`);
    repo.git('worktree', 'add', '--quiet', second.root, '-b', 'side');
    const { identity } = await asked(second.root);
    second.git('config', '--worktree', 'remote.origin.url', 'https://h.example/a/b');
    expect((await asked(second.root)).identity.aliases).toEqual([
      `https://h.example/a/b#main@${identity.anchor.attachedAt}`,
    ]);
  });

  test('asked from inside of its git directory it is the same', async () => {
    const repo = repository();
    repo.git('worktree', 'add', '--quiet', `${repo.root}-second`, '-b', 'side');
    const { identity } = await asked(`${repo.root}-second`);
    expect(await bench.service.identify(join(repo.root, '.git/worktrees/repo-second'))).toEqual(identity);
    const main = await asked(repo.root);
    expect(await bench.service.identify(join(repo.root, '.git/refs/heads'))).toEqual(main.identity);
  });
});

describe('submodules', () => {
  test('with uncommitted work: the parent says dirty, and its own anchor works', async () => {
    const outer = repository('outer');
    const lib = addSubmodule(outer, repository('inner'), 'libs/lib');
    const clean = await asked(outer.root, 'libs');
    expect(clean.snapshot.git).toMatchObject({
      submodules: [{ path: 'libs/lib', commit: lib.head(), dirty: false }],
      unstaged: [],
    });
    lib.write('src/deep/a.ts', 'export const changed = 2;\n');
    const dirty = await asked(outer.root, 'libs');
    expect(dirty.snapshot.git).toMatchObject({
      submodules: [{ path: 'libs/lib', commit: lib.head(), dirty: true }],
      unstaged: ['libs/lib'],
    });
    const own = await asked(lib.root);
    expect(own.identity.anchor.id).not.toBe(dirty.identity.anchor.id);
    expect(own.identity).toMatchObject({ toplevel: lib.root, gitDir: join(outer.root, '.git/modules/libs/lib') });
    expect(own.snapshot).toMatchObject({
      git: { unstaged: ['src/deep/a.ts'], submodules: [] },
      files: { count: 1 },
      outlines: { 'src/deep/a.ts': { items: [{ name: 'changed' }] } },
    });
  });

  test('with a commit that the parent has not taken, and with untracked files', async () => {
    const outer = repository('outer');
    const lib = addSubmodule(outer, repository('inner'), 'lib');
    const recorded = lib.head();
    lib.write('src/b.ts', '').commit('more');
    expect((await asked(outer.root)).snapshot.git).toMatchObject({
      submodules: [{ path: 'lib', commit: recorded, dirty: false }],
      unstaged: ['lib'],
    });
    lib.write('loose.ts', '');
    expect((await asked(outer.root)).snapshot.git.submodules).toMatchObject([{ dirty: true }]);
  });

  test('one that is not checked out belongs to its parent', async () => {
    const outer = repository('outer');
    const lib = addSubmodule(outer, repository('inner'), 'lib');
    const commit = lib.head();
    outer.git('submodule', '--quiet', 'deinit', '--force', 'lib');
    const { identity, snapshot } = await asked(outer.root, 'lib');
    expect(identity.toplevel).toBe(outer.root);
    expect(snapshot.git.submodules).toEqual([{ path: 'lib', commit, dirty: false }]);
  });

  test('worktrees of a submodule: its anchor, another workspace', async () => {
    const outer = repository('outer');
    const lib = addSubmodule(outer, repository('inner'), 'lib');
    const tree = join(tempDir(), 'lib-tree');
    lib.git('worktree', 'add', '--quiet', tree, '-b', 'side');
    const [own, linked] = [await asked(lib.root), await asked(tree)];
    expect(linked.identity).toMatchObject({
      anchor: own.identity.anchor,
      toplevel: tree,
      commonDir: join(outer.root, '.git/modules/lib'),
    });
    expect(linked.identity.workspace).not.toBe(own.identity.workspace);
    expect(linked.snapshot).toMatchObject({ git: { head: { branch: 'side' }, unstaged: [] }, files: { count: 1 } });
    expect(await bench.service.identify(join(outer.root, '.git/modules/lib/worktrees/lib-tree'))).toEqual(
      linked.identity,
    );
    expect(await bench.service.identify(join(outer.root, '.git/modules/lib'))).toEqual(own.identity);
  });

  test('submodules of submodules: three projects, and each parent knows only its own', async () => {
    const middle = repository('middle');
    addSubmodule(middle, repository('inner'), 'inner');
    const outer = repository('outer');
    const lib = addSubmodule(outer, middle, 'lib');
    lib.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'update', '--init');
    const inner = new GitSandbox(join(lib.root, 'inner'));
    inner.write('src/deep/a.ts', 'changed\n');
    const all = [await asked(outer.root, 'lib/..'), await asked(lib.root), await asked(inner.root)];
    expect(new Set(all.map(({ identity }) => identity.anchor.id)).size).toBe(3);
    expect(all.map(({ snapshot }) => snapshot.git.submodules.map(({ path, dirty }) => [path, dirty]))).toEqual([
      [['lib', true]],
      [['inner', true]],
      [],
    ]);
    expect(all[2]?.identity.gitDir).toBe(join(outer.root, '.git/modules/lib/modules/inner'));
  });

  test('with the same remote as a clone elsewhere it is that project', async () => {
    const outer = repository('outer');
    const lib = addSubmodule(outer, repository('inner'), 'lib');
    const clone = repository('inner');
    for (const each of [lib, clone]) each.git('config', 'remote.origin.url', 'https://h.example/lib');
    expect((await asked(clone.root)).identity.anchor).toEqual((await asked(lib.root)).identity.anchor);
  });
});

describe('nested repositories', () => {
  test('are projects of their own; the outer one names them and looks no further', async () => {
    const outer = repository('outer');
    const nested = GitSandbox.init(join(outer.root, 'tools/nested'));
    nested.write('src/deep/n.ts', '').commit('n');
    const [one, two] = [await asked(outer.root), await asked(nested.root)];
    expect(two.identity.anchor.id).not.toBe(one.identity.anchor.id);
    expect(one.snapshot.git.untracked).toEqual(['tools/nested/']);
    expect((await bench.service.files(outer.root, 'latest')).map(({ path }) => path)).toEqual([
      'src/deep/a.ts',
      'tools/nested',
    ]);
  });

  test('added as a bare link, without .gitmodules, they are submodules all the same', async () => {
    const outer = repository('outer');
    const nested = GitSandbox.init(join(outer.root, 'nested'));
    const commit = nested.write('src/deep/n.ts', '').commit('n');
    outer.git('-c', 'advice.addEmbeddedRepo=false', 'add', 'nested');
    outer.git('commit', '--quiet', '-m', 'link');
    expect((await asked(outer.root)).snapshot.git.submodules).toEqual([{ path: 'nested', commit, dirty: false }]);
    expect((await asked(nested.root)).identity.toplevel).toBe(nested.root);
  });

  test('ignored ones are not named, and still projects', async () => {
    const outer = repository('outer');
    outer.write('.gitignore', 'vendor/\n').commit('ignore');
    const nested = GitSandbox.init(join(outer.root, 'vendor/nested'));
    nested.write('src/deep/n.ts', '').commit('n');
    expect((await asked(outer.root)).snapshot.git).toMatchObject({ untracked: [], submodules: [] });
    expect((await asked(nested.root)).snapshot.files.count).toBe(1);
  });

  test('an empty .git folder is none', async () => {
    const outer = repository('outer');
    mkdirSync(join(outer.root, 'src/.git'));
    expect((await asked(outer.root)).identity.toplevel).toBe(outer.root);
  });
});

describe('.git as a file', () => {
  test('of a repository whose git directory lies elsewhere', async () => {
    const folder = tempDir();
    const repo = new GitSandbox(join(folder, 'tree'));
    mkdirSync(repo.root);
    repo.git('init', '--quiet', '--initial-branch=main', `--separate-git-dir=${join(folder, 'kept.git')}`);
    repo.write('src/deep/a.ts', '').commit('one');
    expect(readFileSync(join(repo.root, '.git'), 'utf8')).toContain('gitdir: ');
    const { identity, snapshot } = await asked(repo.root);
    expect(identity).toMatchObject({ toplevel: repo.root, gitDir: join(folder, 'kept.git') });
    expect(snapshot).toMatchObject({ git: { head: { commit: repo.head() } }, files: { count: 1 }, degraded: [] });
  });

  test('that leads nowhere: the folder is none of git’s, and it is said', async () => {
    const folder = tempDir();
    mkdirSync(join(folder, 'src/deep'), { recursive: true });
    writeFileSync(join(folder, '.git'), 'gitdir: /nowhere/at/all\n');
    writeFileSync(join(folder, 'src/deep/a.ts'), '');
    const { identity, snapshot } = await asked(folder, '.');
    expect(identity.anchor.repository).toMatch(/^folder:/);
    expect(snapshot).toMatchObject({ git: { head: { kind: 'none' } }, files: { count: 1 }, degraded: ['broken_git'] });
    expect(bench.warnings.join()).toContain('git worktree repair');
  });

  test('with a working tree elsewhere (core.worktree), with git and without', async () => {
    const repo = repository();
    const tree = join(tempDir(), 'tree');
    mkdirSync(join(tree, 'src/deep'), { recursive: true });
    writeFileSync(join(tree, 'src/deep/a.ts'), 'export const elsewhere = 1;\n');
    repo.git('config', 'core.worktree', tree);
    const identity = await bench.service.identify(repo.root);
    expect(identity).toMatchObject({ toplevel: tree, gitDir: join(repo.root, '.git') });
    const taken = await bench.take(repo.root);
    expect(taken.snapshot).toMatchObject({ git: { unstaged: ['src/deep/a.ts'] }, files: { count: 1 }, degraded: [] });
    const home = tempDir();
    const without = await SnapshotBench.open({ store: bench.store, env: { PATH: home, HOME: home } });
    expect(await without.service.identify(repo.root)).toEqual(identity);
  });

  test('with a path relative to it, and without a git program', async () => {
    const outer = repository('outer');
    const lib = addSubmodule(outer, repository('inner'), 'lib');
    expect(readFileSync(join(lib.root, '.git'), 'utf8')).toBe('gitdir: ../.git/modules/lib\n');
    const { identity } = await asked(lib.root);
    const home = tempDir();
    const without = await SnapshotBench.open({ store: bench.store, env: { PATH: home, HOME: home } });
    const { snapshot } = await askedEverywhere(without, lib.root, 'src/deep');
    expect(snapshot).toMatchObject({
      anchor: identity.anchor.id,
      workspace: identity.workspace,
      git: { head: { branch: 'main', commit: lib.head() } },
      degraded: ['no_git'],
    });
  });
});

describe('what the environment says to git stays behind', () => {
  test.each<[string, (other: string, repo: string) => NodeJS.ProcessEnv]>([
    ['GIT_DIR', (other) => ({ GIT_DIR: join(other, '.git') })],
    ['GIT_DIR and GIT_WORK_TREE', (other) => ({ GIT_DIR: join(other, '.git'), GIT_WORK_TREE: other })],
    ['GIT_COMMON_DIR', (other) => ({ GIT_COMMON_DIR: join(other, '.git') })],
    ['GIT_INDEX_FILE', (other) => ({ GIT_INDEX_FILE: join(other, '.git/index') })],
    [
      'GIT_OBJECT_DIRECTORY',
      () => ({ GIT_OBJECT_DIRECTORY: '/nowhere', GIT_ALTERNATE_OBJECT_DIRECTORIES: '/nowhere' }),
    ],
    ['GIT_CEILING_DIRECTORIES', (_other, repo) => ({ GIT_CEILING_DIRECTORIES: `${repo}:${join(repo, 'src')}` })],
    ['GIT_NAMESPACE and GIT_PREFIX', () => ({ GIT_NAMESPACE: 'x', GIT_PREFIX: 'src/' })],
    [
      'GIT_CONFIG_*',
      () => ({ GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'remote.origin.url', GIT_CONFIG_VALUE_0: 'https://h/x' }),
    ],
    ['GIT_CONFIG_PARAMETERS', () => ({ GIT_CONFIG_PARAMETERS: "'core.worktree=/nowhere'" })],
    [
      'GIT_LITERAL_PATHSPECS and GIT_TRACE',
      () => ({ GIT_LITERAL_PATHSPECS: '1', GIT_TRACE: '1', GIT_EXTERNAL_DIFF: 'false' }),
    ],
  ])('%s', async (_, extra) => {
    const repo = repository();
    const plain = await asked(repo.root);
    expect(plain.snapshot.degraded).toEqual([]);
    const home = tempDir();
    const env = { ...process.env, HOME: home, XDG_CONFIG_HOME: home, ...extra(repository('other').root, repo.root) };
    const inside = await SnapshotBench.open({ store: bench.store, env });
    const { identity, snapshot } = await askedEverywhere(inside, repo.root, 'src/deep');
    expect(identity).toEqual(plain.identity);
    expect(snapshot.id).toBe(plain.snapshot.id);
  });
});

test('a copy of a repository without a remote is another project, with a remote the same', async () => {
  const repo = repository();
  const first = await asked(repo.root);
  const copy = join(tempDir(), 'copy');
  cpSync(repo.root, copy, { recursive: true });
  expect((await asked(copy)).identity.anchor.id).not.toBe(first.identity.anchor.id);
  repo.git('remote', 'add', 'origin', 'https://h.example/a/b');
  const second = await asked(repo.root);
  const later = join(tempDir(), 'later');
  cpSync(repo.root, later, { recursive: true });
  expect((await asked(later)).identity.anchor).toEqual(second.identity.anchor);
});
