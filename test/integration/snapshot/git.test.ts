import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { codeOf, silentLogger, systemClock } from '../../../src/base/index.ts';
import { createGit } from '../../../src/snapshot/git.ts';
import type { Git, GitRepository } from '../../../src/snapshot/git-port.ts';
import { gitRepositoryContract } from '../../support/contracts/git-repository.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { GitSandbox } from '../../support/git-repo.ts';
import { tempDir } from '../../support/temp.ts';

/** A git that reads nobody's own configuration, and whatever a test adds to the environment. */
function gitWith(env: NodeJS.ProcessEnv = {}): Git {
  const home = tempDir();
  return createGit({
    env: { ...process.env, HOME: home, XDG_CONFIG_HOME: home, ...env },
    clock: systemClock(),
    logger: silentLogger(),
  });
}

async function opened(folder: string, git = gitWith()): Promise<GitRepository> {
  const repository = await git.open(folder);
  if (repository === null) throw new Error(`${folder} is in no repository`);
  return repository;
}

function scripted(script: string): string {
  const bin = tempDir();
  writeFileSync(join(bin, 'git'), `#!/bin/sh\n${script}\n`);
  chmodSync(join(bin, 'git'), 0o755);
  return bin;
}

function gitWithScript(script: string): Git {
  return gitWith({ PATH: `${scripted(script)}${delimiter}${process.env['PATH']}` });
}

gitRepositoryContract('The command line of git', async () => {
  const sandbox = GitSandbox.init(tempDir());
  return {
    repository: await opened(sandbox.root),
    write: (path, text) => sandbox.write(path, text),
    remove: (path) => sandbox.remove(path),
    stage: () => sandbox.git('add', '--all'),
    commit: (subject) => sandbox.commit(subject),
    amend: (subject) => sandbox.amend(subject),
    reset: (commit) => sandbox.git('reset', '--quiet', '--hard', commit),
    switchTo: (branch) => sandbox.git('switch', '--quiet', '-C', branch),
    detach: () => sandbox.git('switch', '--quiet', '--detach'),
    addRemote: (name, url) => sandbox.git('remote', 'add', name, url),
  };
});

describe('where a repository is', () => {
  test('from its root, from below, through links, from inside .git', async () => {
    const folder = tempDir();
    const repo = GitSandbox.init(join(folder, 'repo')).write('a/b/c.ts', '1');
    symlinkSync(join(repo.root, 'a'), join(folder, 'link'));
    const place = {
      toplevel: repo.root,
      gitDir: join(repo.root, '.git'),
      commonDir: join(repo.root, '.git'),
      bare: false,
    };
    for (const at of [repo.root, join(repo.root, 'a/b'), join(folder, 'link/b'), join(repo.root, '.git')]) {
      expect((await opened(at)).place, at).toEqual(place);
    }
    expect(await gitWith().open(folder)).toBeNull();
  });

  test('linked worktrees share a common directory', async () => {
    const folder = tempDir();
    const repo = GitSandbox.init(join(folder, 'repo'));
    repo.write('a.ts', '1').commit('one');
    repo.git('worktree', 'add', '--quiet', join(folder, 'second'), '-b', 'side');
    expect((await opened(join(folder, 'second'))).place).toEqual({
      toplevel: join(folder, 'second'),
      gitDir: join(repo.root, '.git/worktrees/second'),
      commonDir: join(repo.root, '.git'),
      bare: false,
    });
  });

  test('submodules and nested repositories are their own', async () => {
    const folder = tempDir();
    const inner = GitSandbox.init(join(folder, 'inner'));
    inner.write('x.ts', '1').commit('one');
    const outer = GitSandbox.init(join(folder, 'outer'));
    outer.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.root, 'lib');
    const sub = await opened(join(outer.root, 'lib'));
    expect(sub.place).toMatchObject({
      toplevel: join(outer.root, 'lib'),
      gitDir: join(outer.root, '.git/modules/lib'),
    });
    GitSandbox.init(join(outer.root, 'nested'));
    expect((await opened(join(outer.root, 'nested'))).place.toplevel).toBe(join(outer.root, 'nested'));
  });

  test('a bare one says so', async () => {
    const folder = tempDir();
    execFileSync('git', ['init', '--quiet', '--bare', join(folder, 'bare.git')]);
    expect((await opened(join(folder, 'bare.git'))).place).toMatchObject({
      bare: true,
      toplevel: join(folder, 'bare.git'),
    });
  });
});

describe('states', () => {
  test('renames, conflicts and what is under way', async () => {
    const repo = GitSandbox.init(tempDir());
    repo.write('old name.ts', 'x\n'.repeat(20)).write('both.ts', '1\n').commit('one');
    repo.git('switch', '--quiet', '-c', 'side');
    repo.write('both.ts', '2\n').commit('two');
    repo.git('switch', '--quiet', 'main');
    repo.write('both.ts', '3\n').commit('three');
    const repository = await opened(repo.root);
    expect(() => repo.git('merge', 'side')).toThrow();
    repo.git('mv', 'old name.ts', 'new name.ts');
    const { entries } = await repository.status();
    expect(entries.find(({ path }) => path === 'new name.ts')).toMatchObject({ staged: 'R', from: 'old name.ts' });
    expect(entries.find(({ path }) => path === 'both.ts')).toMatchObject({ conflicted: true });
    expect((await repository.tracked()).map(({ path }) => path)).toEqual(['both.ts', 'new name.ts']);
    expect(await repository.operation()).toBe('merge');
    repo.git('merge', '--abort');
    for (const [operation, ...command] of [
      ['rebase', 'rebase', 'side'],
      ['cherry-pick', 'cherry-pick', 'side'],
      ['revert', 'revert', '--no-edit', 'HEAD~1'],
    ] as const) {
      expect(() => repo.git(...command), operation).toThrow();
      expect(await repository.operation()).toBe(operation);
      repo.git(operation, '--abort');
      expect(await repository.operation()).toBeUndefined();
    }
    repo.git('bisect', 'start');
    expect(await repository.operation()).toBe('bisect');
  });

  test('upstream with counts', async () => {
    const folder = tempDir();
    const origin = GitSandbox.init(join(folder, 'origin'));
    origin.write('a.ts', '1').commit('one');
    execFileSync('git', ['clone', '--quiet', origin.root, join(folder, 'clone')]);
    const clone = new GitSandbox(join(folder, 'clone'));
    clone.write('b.ts', '1').commit('mine');
    origin.write('c.ts', '1').commit('theirs');
    clone.git('fetch', '--quiet');
    const repository = await opened(clone.root);
    expect((await repository.status()).upstream).toEqual({ name: 'origin/main', ahead: 1, behind: 1 });
    expect([...(await repository.refs(['refs/remotes/origin/HEAD']))]).toEqual([
      ['refs/remotes/origin/HEAD', 'refs/remotes/origin/main'],
    ]);
  });

  test('a shallow and a partial clone', async () => {
    const folder = tempDir();
    const origin = GitSandbox.init(join(folder, 'origin'));
    origin.write('a.ts', '1').commit('one');
    origin.write('a.ts', '2').commit('two');
    origin.git('config', 'uploadpack.allowFilter', 'true');
    execFileSync('git', ['clone', '--quiet', '--depth=1', `file://${origin.root}`, join(folder, 'shallow')]);
    execFileSync('git', ['clone', '--quiet', '--filter=blob:none', `file://${origin.root}`, join(folder, 'partial')]);
    expect(await (await opened(join(folder, 'shallow'))).shallowStamp()).toMatch(/^[0-9a-f]{40}/);
    expect((await (await opened(join(folder, 'partial'))).config()).partial).toBe(true);
  });

  test('names that are not UTF-8, and odd ones', async () => {
    const repo = GitSandbox.init(tempDir());
    writeFileSync(Buffer.concat([Buffer.from(`${repo.root}/bad`), Buffer.of(0xff), Buffer.from('.ts')]), '1');
    repo.write('tab\there.ts', '1').write('"quoted".ts', '1').write('-dash.ts', '1').write('😀.ts', '1');
    const repository = await opened(repo.root);
    const names = ['"quoted".ts', '-dash.ts', 'bad\udcff.ts', 'tab\there.ts', '😀.ts'];
    expect((await repository.status()).entries.map(({ path }) => path).toSorted()).toEqual(names.toSorted());
    repo.git('add', '--all');
    expect((await repository.tracked()).map(({ path }) => path).toSorted()).toEqual(names.toSorted());
    expect(await repository.isIgnored('bad\udcff.ts')).toBe(false);
  });

  test('a sparse checkout says which files are not here', async () => {
    const repo = GitSandbox.init(tempDir());
    repo.write('here/a.ts', '1').write('far/b.ts', '1').commit('one');
    repo.git('sparse-checkout', 'set', '--no-cone', '/here/');
    const tracked = await (await opened(repo.root)).tracked();
    expect(tracked.map(({ path, sparse }) => [path, sparse])).toEqual([
      ['far/b.ts', true],
      ['here/a.ts', undefined],
    ]);
  });
});

describe('what a person configured changes nothing', () => {
  test('signatures, colours, aliases, hidden untracked files', async () => {
    const home = tempDir();
    writeFileSync(
      join(home, '.gitconfig'),
      '[log]\n showSignature = true\n decorate = full\n follow = true\n[color]\n ui = always\n[status]\n showUntrackedFiles = no\n renames = false\n relativePaths = true\n showStash = true\n[alias]\n status = !false\n[core]\n quotePath = true\n pager = false\n[init]\n defaultBranch = trunk\n[url "https://github.com/"]\n insteadOf = gh:\n',
    );
    const repo = GitSandbox.init(tempDir());
    const first = repo.write('é.ts', 'x\n'.repeat(20)).commit('one');
    repo.write('b.ts', '1').git('mv', 'é.ts', 'ü.ts');
    repo.git('remote', 'add', 'origin', 'gh:Acme/Shop');
    const git = createGit({
      env: { ...process.env, HOME: home, XDG_CONFIG_HOME: home },
      clock: systemClock(),
      logger: silentLogger(),
    });
    const repository = await opened(repo.root, git);
    expect((await repository.status()).entries.map(({ path, staged }) => [path, staged])).toEqual([
      ['ü.ts', 'R'],
      ['b.ts', '?'],
    ]);
    const second = repo.commit('two');
    expect((await repository.log(second, 5)).map(({ subject }) => subject)).toEqual(['two', 'one']);
    expect((await repository.commitsSince(first, second, 5))[0]?.paths).toEqual(['b.ts', 'é.ts', 'ü.ts']);
    expect(await repository.config()).toMatchObject({
      defaultBranch: 'trunk',
      remotes: new Map([['origin', 'https://github.com/Acme/Shop']]),
    });
  });

  test('GIT_* and editors of the parent process stay behind', async () => {
    const repo = GitSandbox.init(tempDir());
    repo.write('a.ts', '1').commit('one');
    const other = GitSandbox.init(tempDir());
    const env = {
      GIT_DIR: join(other.root, '.git'),
      GIT_WORK_TREE: other.root,
      GIT_INDEX_FILE: '/nonexistent/index',
      GIT_CEILING_DIRECTORIES: repo.root,
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'core.bare',
      GIT_CONFIG_VALUE_0: 'true',
      git_pager: 'false',
      EDITOR: 'false',
      PAGER: 'false',
    };
    const repository = await opened(join(repo.root), gitWith(env));
    expect(repository.place.toplevel).toBe(repo.root);
    expect((await repository.tracked()).map(({ path }) => path)).toEqual(['a.ts']);
  });

  test('a file system monitor of the repository is not started', async () => {
    const repo = GitSandbox.init(tempDir());
    repo.write('a.ts', '1').commit('one');
    const hook = join(repo.root, '.git', 'monitor');
    writeFileSync(hook, `#!/bin/sh\ntouch '${repo.root}/.git/monitored'\n`);
    chmodSync(hook, 0o755);
    repo.git('config', 'core.fsmonitor', hook);
    await (await opened(repo.root)).status();
    expect(() => realpathSync(join(repo.root, '.git', 'monitored'))).toThrow('ENOENT');
  });
});

describe('what goes wrong is said', () => {
  test('no git', async () => {
    const error = await gitWith({ PATH: tempDir() })
      .open(tempDir())
      .catch((reason: unknown) => reason);
    expect(codeOf(error)).toBe('git_missing');
    expect(String(error)).toContain('Install git');
  });

  test('a repository of somebody else', async () => {
    const repo = GitSandbox.init(tempDir());
    const error = await gitWithScript(
      'echo "fatal: detected dubious ownership in repository at \'/srv/x\'" >&2; exit 128',
    )
      .open(repo.root)
      .catch((reason: unknown) => reason);
    expect(codeOf(error)).toBe('git_unsafe');
    expect(String(error)).toContain("git config --global --add safe.directory '/srv/x'");
  });

  test.skipIf(process.getuid?.() !== 0)('the same by git itself', async () => {
    const repo = GitSandbox.init(tempDir());
    execFileSync('chown', ['-R', '12345', repo.root]);
    const error = await gitWith()
      .open(repo.root)
      .catch((reason: unknown) => reason);
    expect(codeOf(error)).toBe('git_unsafe');
    expect(String(error)).toContain(repo.root);
  });

  test('any other words of git', async () => {
    const error = await gitWithScript('echo "fatal: index file corrupt" >&2; exit 128')
      .open(tempDir())
      .catch((reason: unknown) => reason);
    expect(codeOf(error)).toBe('git_failed');
    expect(String(error)).toContain('index file corrupt');
  });

  test('git that never answers', async () => {
    const clock = new FakeClock();
    const bin = scripted('exec sleep 60');
    const git = createGit({
      env: { ...process.env, PATH: `${bin}${delimiter}${process.env['PATH']}` },
      clock,
      logger: silentLogger(),
      timeoutMs: 5_000,
    });
    const asked = git.open(tempDir()).catch((reason: unknown) => reason);
    await expect.poll(() => clock.pending).toBe(1);
    clock.advance(5_000);
    expect(codeOf(await asked)).toBe('git_timeout');
    expect(clock.pending).toBe(0);
  });
});

test('merges name what they brought, and an older git at least the rest', async () => {
  const repo = GitSandbox.init(tempDir());
  const since = repo.write('a.ts', '1').commit('one');
  repo.git('switch', '--quiet', '-c', 'side');
  repo.write('b.ts', '1').commit('two');
  repo.git('switch', '--quiet', 'main');
  repo.write('c.ts', '1').commit('three');
  repo.git('merge', '--quiet', '--no-ff', '-m', 'merge', 'side');
  const brought = async (git: Git) => {
    const commits = await (await opened(repo.root, git)).commitsSince(since, repo.head(), 9);
    return Object.fromEntries(commits.map(({ subject, paths }) => [subject, paths]));
  };
  expect(await brought(gitWith())).toEqual({ merge: ['b.ts'], three: ['c.ts'], two: ['b.ts'] });
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const old = `case "$*" in *--diff-merges*) echo "fatal: unrecognized argument: --diff-merges=first-parent" >&2; exit 128;; esac; exec ${real} "$@"`;
  expect(await brought(gitWithScript(old))).toEqual({ merge: [], three: ['c.ts'], two: ['b.ts'] });
});

test('long output comes whole', async () => {
  const repo = GitSandbox.init(tempDir());
  mkdirSync(join(repo.root, 'd'));
  for (let n = 0; n < 3000; n++) writeFileSync(join(repo.root, 'd', `${'long-name-'.repeat(10)}${n}.ts`), '');
  expect((await (await opened(repo.root)).status()).entries).toHaveLength(3000);
});
