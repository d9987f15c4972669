import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { codeOf, silentLogger, systemClock } from '../../../src/base/index.ts';
import { createGit } from '../../../src/snapshot/git.ts';
import { readPlace } from '../../../src/snapshot/git-files.ts';
import { workspaceId } from '../../../src/snapshot/index.ts';
import { cleanGitEnv, GitSandbox } from '../../support/git-repo.ts';
import { SnapshotBench } from '../../support/snapshot-service.ts';
import { tempDir } from '../../support/temp.ts';

const MACHINE = 'a'.repeat(32);

function repository(folder = join(tempDir(), 'repo')): GitSandbox {
  const repo = GitSandbox.init(folder);
  repo.write('src/deep/a.ts', 'export const a = 1;\n').commit('one');
  return repo;
}

describe('one project, however it is reached', () => {
  test('from its root, sub-folders, files and through links', async () => {
    const repo = repository();
    repo.git('remote', 'add', 'origin', 'git@GitHub.com:Acme/Shop.git');
    const folder = tempDir();
    symlinkSync(repo.root, join(folder, 'link'));
    symlinkSync(join(repo.root, 'src'), join(folder, 'src'));
    const { service } = await SnapshotBench.open();
    const identity = await service.identify(repo.root);
    expect(identity).toEqual({
      anchor: {
        id: 'https://github.com/Acme/Shop#main@2026-11-30T12:00:00.000Z',
        repository: 'https://github.com/Acme/Shop',
        mainBranch: 'main',
        attachedAt: '2026-11-30T12:00:00.000Z',
      },
      aliases: [],
      workspace: workspaceId(MACHINE, repo.root),
      toplevel: repo.root,
      gitDir: join(repo.root, '.git'),
      commonDir: join(repo.root, '.git'),
    });
    for (const path of [
      join(repo.root, 'src'),
      join(repo.root, 'src/deep/a.ts'),
      join(folder, 'link'),
      join(folder, 'link/src/deep'),
      join(folder, 'src/deep'),
    ]) {
      expect(await service.identify(path), path).toEqual(identity);
    }
  });

  test('from linked worktrees: one anchor, several workspaces', async () => {
    const repo = repository();
    repo.git('worktree', 'add', '--quiet', `${repo.root}-second`, '-b', 'side');
    const { service } = await SnapshotBench.open();
    const second = await service.identify(join(`${repo.root}-second`, 'src'));
    const first = await service.identify(repo.root);
    expect(first.anchor).toEqual(second.anchor);
    expect(first.anchor.repository).toMatch(/^local:[0-9a-f]{32}$/);
    expect(first.workspace).not.toBe(second.workspace);
    expect(second).toMatchObject({
      toplevel: `${repo.root}-second`,
      commonDir: join(repo.root, '.git'),
      gitDir: join(repo.root, '.git/worktrees/repo-second'),
    });
  });

  test('from two clones of one remote: one anchor, two workspaces', async () => {
    const [one, two] = [repository(), repository()];
    one.git('remote', 'add', 'origin', 'https://me:secret@host.example:443/a/b.git');
    two.git('remote', 'add', 'origin', 'ssh://git@host.example/a/b');
    const { service } = await SnapshotBench.open();
    const [first, second] = [await service.identify(one.root), await service.identify(two.root)];
    expect(second.anchor).toEqual(first.anchor);
    expect(second.workspace).not.toBe(first.workspace);
    expect(JSON.stringify(first)).not.toContain('secret');
  });

  test('across restarts and machines', async () => {
    const repo = repository();
    const bench = await SnapshotBench.open();
    const here = await bench.service.identify(repo.root);
    const restarted = await SnapshotBench.open({ store: bench.store });
    restarted.clock.advance(86_400_000);
    expect(await restarted.service.identify(repo.root)).toEqual(here);
    const elsewhere = await (await SnapshotBench.open({ machine: 'b'.repeat(32) })).service.identify(repo.root);
    expect(elsewhere.anchor.repository).not.toBe(here.anchor.repository);
    expect(elsewhere.workspace).not.toBe(here.workspace);
  });
});

describe('what changes later keeps the history', () => {
  test('a remote that is added, renamed or changed adds an alias', async () => {
    const repo = repository();
    const { service } = await SnapshotBench.open();
    const { anchor } = await service.identify(repo.root);
    expect(anchor.repository).toMatch(/^local:/);
    repo.git('remote', 'add', 'somewhere', 'https://host.example/a/b');
    const added = await service.identify(repo.root);
    expect(added).toMatchObject({ anchor, aliases: [`https://host.example/a/b#main@${anchor.attachedAt}`] });
    repo.git('remote', 'rename', 'somewhere', 'origin');
    expect((await service.identify(repo.root)).aliases).toEqual(added.aliases);
    repo.git('remote', 'set-url', 'origin', 'git@host.example:new/home.git');
    const moved = await service.identify(repo.root);
    expect(moved.anchor).toEqual(anchor);
    expect(moved.aliases).toEqual([...added.aliases, `https://host.example/new/home#main@${anchor.attachedAt}`]);
    // A fresh clone of the new home is the same project.
    const clone = repository();
    clone.git('remote', 'add', 'origin', 'https://host.example/new/home');
    expect((await service.identify(clone.root)).anchor).toEqual(anchor);
  });

  test('a main branch that is renamed adds an alias, an ordinary branch does not', async () => {
    const repo = repository();
    const { service } = await SnapshotBench.open();
    const { anchor } = await service.identify(repo.root);
    repo.git('switch', '--quiet', '-c', 'topic');
    expect((await service.identify(repo.root)).aliases).toEqual([]);
    repo.git('branch', '-m', 'main', 'trunk');
    repo.git('switch', '--quiet', 'trunk');
    expect(await service.identify(repo.root)).toMatchObject({
      anchor,
      aliases: [`${anchor.repository}#trunk@${anchor.attachedAt}`],
    });
  });

  test('a remote that changes while we run is seen by the next snapshot', async () => {
    const repo = repository();
    const bench = await SnapshotBench.open();
    const { anchor } = await bench.service.identify(repo.root);
    await bench.take(repo.root);
    repo.git('remote', 'add', 'origin', 'https://host.example/a/b');
    await bench.take(repo.root);
    expect(bench.store.anchors.aliases(anchor.id)).toHaveLength(1);
  });

  test('a repository that moves on the disk is found by its remote', async () => {
    const repo = repository();
    repo.git('remote', 'add', 'origin', 'https://host.example/a/b');
    const { service } = await SnapshotBench.open();
    const before = await service.identify(repo.root);
    renameSync(repo.root, `${repo.root}-moved`);
    const after = await service.identify(`${repo.root}-moved`);
    expect(after.anchor).toEqual(before.anchor);
    expect(after.workspace).not.toBe(before.workspace);
  });
});

describe('main branches', () => {
  test.each<[string, (repo: GitSandbox) => void, string]>([
    ['master', (repo) => repo.git('branch', '-m', 'main', 'master'), 'master'],
    ['the only branch there is', (repo) => repo.git('branch', '-m', 'main', 'work'), 'work'],
    ['main besides the current one', (repo) => repo.git('switch', '--quiet', '-c', 'topic'), 'main'],
    [
      'detached, no main',
      (repo) => {
        repo.git('switch', '--quiet', '--detach');
        repo.git('branch', '-m', 'main', 'work');
      },
      'main',
    ],
    [
      'init.defaultBranch of the repository',
      (repo) => {
        repo.git('branch', 'trunk');
        repo.git('config', 'init.defaultBranch', 'trunk');
      },
      'trunk',
    ],
  ])('%s', async (_, prepare, expected) => {
    const repo = repository();
    prepare(repo);
    expect((await (await SnapshotBench.open()).service.identify(repo.root)).anchor.mainBranch).toBe(expected);
  });

  test('of a clone: what the remote says, before the setting', async () => {
    const origin = repository();
    origin.git('branch', '-m', 'main', 'develop/next');
    const folder = join(tempDir(), 'clone');
    execFileSync('git', ['clone', '--quiet', origin.root, folder]);
    const clone = new GitSandbox(folder);
    clone.git('remote', 'set-url', 'origin', 'https://host.example/a/b');
    const { service } = await SnapshotBench.open();
    await service.configure({ mainBranch: 'release', exclude: [], signatures: true, dictionary: {} });
    expect((await service.identify(folder)).anchor.mainBranch).toBe('develop/next');
    expect((await service.identify(origin.root)).anchor.mainBranch).toBe('release');
  });

  test('unborn', async () => {
    const repo = GitSandbox.init(join(tempDir(), 'new'), 'anything');
    expect((await (await SnapshotBench.open()).service.identify(repo.root)).anchor.mainBranch).toBe('main');
  });
});

describe('remotes that are none', () => {
  test('a path or a file URL leaves the repository local; another remote counts', async () => {
    const repo = repository();
    repo.git('remote', 'add', 'origin', '/srv/git/shop.git');
    const { service } = await SnapshotBench.open();
    expect((await service.identify(repo.root)).anchor.repository).toMatch(/^local:/);
    const other = repository();
    other.git('remote', 'add', 'origin', 'file:///srv/git/shop.git');
    other.git('remote', 'add', 'mirror', 'https://host.example/m');
    expect((await service.identify(other.root)).anchor.repository).toBe('https://host.example/m');
  });
});

describe('no repository', () => {
  test('a folder is its own project, and every folder another', async () => {
    const folder = tempDir();
    mkdirSync(join(folder, 'sub'));
    writeFileSync(join(folder, 'a.ts'), '');
    const { service } = await SnapshotBench.open();
    const identity = await service.identify(folder);
    expect(identity).toMatchObject({
      anchor: { repository: expect.stringMatching(/^folder:[0-9a-f]{32}$/), mainBranch: 'main' },
      toplevel: folder,
      gitDir: null,
      commonDir: null,
    });
    expect(await service.identify(join(folder, 'a.ts'))).toEqual(identity);
    expect(await service.identify(folder)).toEqual(identity);
    expect((await service.identify(join(folder, 'sub'))).anchor.id).not.toBe(identity.anchor.id);
  });

  test('what is not there is said', async () => {
    const error = await (await SnapshotBench.open()).service
      .identify(join(tempDir(), 'nope'))
      .catch((reason: unknown) => reason);
    expect(codeOf(error)).toBe('not_found');
    expect(String(error)).toContain('There is no folder or file');
  });
});

describe('without a git program', () => {
  const withoutGit = async (store?: SnapshotBench['store']) => {
    const home = tempDir();
    return SnapshotBench.open({ env: { PATH: home, HOME: home }, ...(store === undefined ? {} : { store }) });
  };

  test('the same project is recognised, worktrees included', async () => {
    const repo = repository();
    repo.git('remote', 'add', 'origin', 'git@host.example:a/b.git');
    repo.git('worktree', 'add', '--quiet', `${repo.root}-second`, '-b', 'side');
    repo.git('pack-refs', '--all');
    const bench = await SnapshotBench.open();
    const withGit = await bench.service.identify(`${repo.root}-second`);
    const without = await withoutGit(bench.store);
    expect(await without.service.identify(join(`${repo.root}-second`, 'src'))).toEqual(withGit);
    const fresh = await (await withoutGit()).service.identify(repo.root);
    expect(fresh.anchor).toEqual(withGit.anchor);
  });

  test('files and HEAD are still read, and it is said', async () => {
    const repo = repository();
    repo.git('switch', '--quiet', '-c', 'topic');
    const bench = await withoutGit();
    const { snapshot } = await bench.look(repo.root, 'src/deep/a.ts');
    expect(snapshot).toMatchObject({
      git: { head: { kind: 'branch', branch: 'topic', commit: repo.head() } },
      files: { count: 1, byLanguage: { ts: 1 } },
      active: 'src/deep/a.ts',
      degraded: ['no_git'],
    });
    repo.git('switch', '--quiet', '--detach');
    expect((await bench.take(repo.root)).snapshot.git.head).toEqual({ kind: 'detached', commit: repo.head() });
    expect(bench.warnings.join()).toContain('Install git');
  });

  test('a folder without a repository needs none', async () => {
    const folder = tempDir();
    writeFileSync(join(folder, 'a.ts'), 'export const a = 1;');
    const { snapshot } = await (await withoutGit()).take(folder);
    expect(snapshot).toMatchObject({ git: { head: { kind: 'none' } }, files: { count: 1 }, degraded: [] });
  });
});

test('submodules and repositories inside are projects of their own', async () => {
  const inner = repository();
  const outer = repository();
  outer.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.root, 'lib');
  outer.git('commit', '--quiet', '-m', 'lib');
  cpSync(inner.root, join(outer.root, 'nested'), { recursive: true });
  const bench = await SnapshotBench.open();
  const { service } = bench;
  const ids = await Promise.all(
    [outer.root, join(outer.root, 'lib'), join(outer.root, 'nested')].map((path) => service.identify(path)),
  );
  expect(new Set(ids.map(({ anchor }) => anchor.id)).size).toBe(3);
  expect(ids[1]?.toplevel).toBe(join(outer.root, 'lib'));
  writeFileSync(join(outer.root, 'lib', 'new.ts'), 'x');
  const { snapshot } = await bench.take(outer.root);
  expect(snapshot.git.submodules).toEqual([{ path: 'lib', commit: inner.head(), dirty: true }]);
  expect((await service.files(outer.root, 'latest')).map(({ path }) => path)).toEqual([
    '.gitmodules',
    'lib',
    'nested',
    'src/deep/a.ts',
  ]);
  expect((await bench.take(join(outer.root, 'lib'))).snapshot.git.untracked).toEqual(['new.ts']);
});

test('git and its files alone find the same repository, from every folder of any tree of repositories', async () => {
  type Kind = 'folder' | 'repository' | 'bare' | 'link' | 'empty .git';
  const kinds = fc.constantFrom<Kind>('folder', 'folder', 'repository', 'bare', 'link', 'empty .git');
  const folders = fc.uniqueArray(fc.tuple(fc.array(fc.constantFrom('a', 'b'), { maxLength: 3 }), kinds), {
    selector: ([names]) => names.join('/'),
    maxLength: 6,
  });
  const git = createGit({ env: cleanGitEnv(), clock: systemClock(), logger: silentLogger() });
  await fc.assert(
    fc.asyncProperty(folders, async (made) => {
      const root = tempDir();
      for (const [names, kind] of made) {
        const folder = join(root, ...names);
        mkdirSync(folder, { recursive: true });
        if (kind === 'repository') GitSandbox.init(folder);
        if (kind === 'bare') new GitSandbox(folder).git('init', '--quiet', '--bare');
        if (kind === 'link') new GitSandbox(folder).git('init', '--quiet', `--separate-git-dir=${tempDir()}/kept`);
        if (kind === 'empty .git') mkdirSync(join(folder, '.git'), { recursive: true });
      }
      for (const [names] of made) {
        const folder = join(root, ...names);
        expect(await readPlace(folder), folder).toEqual((await git.open(folder))?.place ?? null);
      }
    }),
    { numRuns: 25 },
  );
});
