import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { askedEverywhere } from '../../../support/everywhere.ts';
import { cleanGitEnv, GitSandbox } from '../../../support/git-repo.ts';
import { SnapshotBench } from '../../../support/snapshot-service.ts';
import { tempDir } from '../../../support/temp.ts';

const SHOP = 'https://github.com/Acme/Shop';
const LOCAL = /^local:[0-9a-f]{32}$/;

function repository(branch = 'main'): GitSandbox {
  const repo = GitSandbox.init(join(tempDir(), 'repo'), branch);
  repo.write('src/deep/a.ts', 'export const a = 1;\n').commit('one');
  return repo;
}

let bench: SnapshotBench;
let repo: GitSandbox;
beforeEach(async () => {
  bench = await SnapshotBench.open();
  repo = repository();
});

async function repositoryOf(asked: GitSandbox = repo): Promise<string> {
  return (await askedEverywhere(bench, asked.root, 'src/deep')).identity.anchor.repository;
}

describe('one remote, however it is written', () => {
  test.each([
    ['https', 'https://github.com/Acme/Shop'],
    ['https with .git and slashes', 'https://github.com//Acme/Shop.git/'],
    ['https with credentials and a port', 'https://ada:hunter2@github.com:443/Acme/Shop.git'],
    ['ssh', 'ssh://git@github.com/Acme/Shop.git'],
    ['ssh with its port', 'ssh://git@github.com:22/Acme/Shop'],
    ['scp', 'git@github.com:Acme/Shop.git'],
    ['scp without a user', 'github.com:Acme/Shop'],
    ['git', 'git://GitHub.com:9418/Acme/Shop'],
  ])('%s', async (_, url) => {
    repo.git('remote', 'add', 'origin', url);
    expect(await repositoryOf()).toBe(SHOP);
    expect(JSON.stringify(bench.store.anchors.list())).not.toContain('hunter2');
  });

  test('a port of its own stays', async () => {
    repo.git('remote', 'add', 'origin', 'ssh://git@github.com:2222/Acme/Shop.git');
    expect(await repositoryOf()).toBe('https://github.com:2222/Acme/Shop');
  });

  test('url.insteadOf of the repository, the longest prefix', async () => {
    repo.git('remote', 'add', 'origin', 'work:Acme/Shop');
    repo.git('config', 'url.https://wrong.example/.insteadOf', 'work');
    repo.git('config', 'url.git@github.com:.insteadOf', 'work:');
    expect(await repositoryOf()).toBe(SHOP);
  });

  test('url.insteadOf of the person, by an include', async () => {
    const home = tempDir();
    writeFileSync(join(home, '.gitconfig'), '[include]\n path = more\n');
    writeFileSync(join(home, 'more'), '[url "https://github.com/"]\n insteadOf = gh:\n');
    bench = await SnapshotBench.open({ env: { ...process.env, HOME: home, XDG_CONFIG_HOME: home } });
    repo.git('remote', 'add', 'origin', 'gh:Acme/Shop');
    expect(await repositoryOf()).toBe(SHOP);
  });

  test('url.pushInsteadOf and a push URL do not count', async () => {
    repo.git('remote', 'add', 'origin', SHOP);
    repo.git('config', 'url.https://push.example/.pushInsteadOf', 'https://github.com/');
    repo.git('config', 'remote.origin.pushurl', 'https://push.example/x');
    expect(await repositoryOf()).toBe(SHOP);
  });
});

describe('which remote', () => {
  test('none: the place on this machine, the same for its worktrees', async () => {
    expect(await repositoryOf()).toMatch(LOCAL);
  });

  test.each(['/srv/git/shop.git', '../shop', 'file:///srv/git/shop.git', 'C:\\git\\shop'])(
    'a path is none: %s',
    async (url) => {
      repo.git('remote', 'add', 'origin', url);
      expect(await repositoryOf()).toMatch(LOCAL);
    },
  );

  test('one not called origin', async () => {
    repo.git('remote', 'add', 'company', SHOP);
    expect(await repositoryOf()).toBe(SHOP);
  });

  test('origin before upstream before the first by name', async () => {
    repo.git('remote', 'add', 'alpha', 'https://h.example/alpha');
    expect(await repositoryOf()).toBe('https://h.example/alpha');
    const second = repository();
    second.git('remote', 'add', 'alpha', 'https://h.example/alpha2');
    second.git('remote', 'add', 'upstream', 'https://h.example/upstream');
    expect(await repositoryOf(second)).toBe('https://h.example/upstream');
    const third = repository();
    third.git('remote', 'add', 'upstream', 'https://h.example/upstream2');
    third.git('remote', 'add', 'origin', 'https://h.example/origin');
    expect(await repositoryOf(third)).toBe('https://h.example/origin');
  });
});

describe('a remote that comes or changes later: the history stays, an alias is added', () => {
  const aliases = async () => (await askedEverywhere(bench, repo.root, 'src')).identity.aliases;

  test('added', async () => {
    const before = (await bench.take(repo.root)).snapshot;
    repo.git('remote', 'add', 'origin', SHOP);
    const { identity, snapshot } = await askedEverywhere(bench, repo.root, 'src');
    expect(snapshot.anchor).toBe(before.anchor);
    expect(identity.aliases).toEqual([`${SHOP}#main@${identity.anchor.attachedAt}`]);
  });

  test('renamed', async () => {
    repo.git('remote', 'add', 'company', SHOP);
    const before = (await bench.take(repo.root)).snapshot.anchor;
    repo.git('remote', 'rename', 'company', 'origin');
    expect(await aliases()).toEqual([]);
    expect((await bench.take(repo.root)).snapshot.anchor).toBe(before);
  });

  test('changed, and a fresh clone of the new place is the same project', async () => {
    repo.git('remote', 'add', 'origin', 'https://old.example/a/b');
    const before = (await bench.take(repo.root)).snapshot.anchor;
    repo.git('remote', 'set-url', 'origin', SHOP);
    expect(await aliases()).toHaveLength(1);
    const clone = repository();
    clone.git('remote', 'add', 'origin', 'git@github.com:Acme/Shop.git');
    expect((await askedEverywhere(bench, clone.root, 'src')).identity.anchor.id).toBe(before);
  });

  test('removed', async () => {
    repo.git('remote', 'add', 'origin', SHOP);
    const before = (await bench.take(repo.root)).snapshot.anchor;
    repo.git('remote', 'remove', 'origin');
    expect((await askedEverywhere(bench, repo.root, 'src')).identity.anchor.id).toBe(before);
  });
});

describe('the main branch', () => {
  const mainBranch = async (asked = repo) =>
    (await askedEverywhere(bench, asked.root, 'src')).identity.anchor.mainBranch;

  test('main', async () => {
    repo.git('switch', '--quiet', '-c', 'topic');
    expect(await mainBranch()).toBe('main');
  });

  test('master', async () => {
    const old = repository('master');
    old.git('switch', '--quiet', '-c', 'topic');
    expect(await mainBranch(old)).toBe('master');
  });

  test('trunk, by init.defaultBranch', async () => {
    const trunk = repository('trunk');
    trunk.git('config', 'init.defaultBranch', 'trunk');
    trunk.git('switch', '--quiet', '-c', 'main');
    expect(await mainBranch(trunk)).toBe('trunk');
  });

  test('unknown: the branch HEAD is on, and it stays when another one is checked out', async () => {
    const odd = repository('the/one');
    expect(await mainBranch(odd)).toBe('the/one');
    odd.git('switch', '--quiet', '-c', 'topic');
    expect((await askedEverywhere(bench, odd.root, 'src')).identity).toMatchObject({
      anchor: { mainBranch: 'the/one' },
      aliases: [],
    });
  });

  test('unknown while a rebase has left it: the one that it will come back to', async () => {
    const odd = repository('the/one');
    odd.write('b.ts', '').commit('two');
    odd.git('-c', 'sequence.editor=sed -i s/^pick/edit/', 'rebase', '--quiet', '-i', 'HEAD~1');
    expect(await mainBranch(odd)).toBe('the/one');
  });

  test('renamed: the history stays, an alias is added', async () => {
    const { anchor } = (await askedEverywhere(bench, repo.root, 'src')).identity;
    repo.git('branch', '-m', 'main', 'trunk');
    expect((await askedEverywhere(bench, repo.root, 'src')).identity).toMatchObject({
      anchor,
      aliases: [`${anchor.repository}#trunk@${anchor.attachedAt}`],
    });
  });

  test('a name with # and % in it', async () => {
    const odd = repository('50%#x');
    const { anchor } = (await askedEverywhere(bench, odd.root, 'src')).identity;
    expect(anchor).toMatchObject({ mainBranch: '50%#x', id: `${anchor.repository}#50%25%23x@${anchor.attachedAt}` });
  });

  test('of a clone, what its remote says', async () => {
    const origin = repository('develop');
    const clone = new GitSandbox(join(tempDir(), 'clone'));
    execFileSync('git', ['clone', '--quiet', origin.root, clone.root], { env: cleanGitEnv() });
    clone.git('remote', 'set-url', 'origin', SHOP);
    clone.git('switch', '--quiet', '-c', 'main');
    expect(await mainBranch(clone)).toBe('develop');
  });
});

test('two clones of one remote: one anchor, two workspaces, each with snapshots of its own', async () => {
  repo.git('remote', 'add', 'origin', 'https://me:hunter2@github.com/Acme/Shop.git');
  const second = repository();
  second.git('remote', 'add', 'upstream', 'git@github.com:Acme/Shop');
  const one = await askedEverywhere(bench, repo.root, 'src/deep');
  const two = await askedEverywhere(bench, second.root, 'src/deep');
  expect(two.identity.anchor).toEqual(one.identity.anchor);
  expect(two.identity.workspace).not.toBe(one.identity.workspace);
  expect(two.snapshot.parent).toBeNull();
});

describe('a bare repository', () => {
  function bare(): string {
    const folder = join(tempDir(), 'shop.git');
    repo.git('clone', '--quiet', '--bare', repo.root, folder);
    return folder;
  }

  test('has an identity, a head and no files, from inside as well', async () => {
    const folder = bare();
    const { identity, snapshot } = await askedEverywhere(bench, folder, 'refs/heads');
    expect(identity).toMatchObject({ toplevel: folder, gitDir: folder, commonDir: folder });
    expect(snapshot).toMatchObject({
      git: { head: { kind: 'branch', branch: 'main', commit: repo.head() } },
      files: { count: 0 },
      degraded: ['bare'],
    });
  });

  test('is the same project as its working trees', async () => {
    const folder = bare();
    const tree = `${folder}-tree`;
    new GitSandbox(folder).git('worktree', 'add', '--quiet', tree, '-b', 'side');
    const one = await askedEverywhere(bench, folder, 'refs');
    const two = await askedEverywhere(bench, tree, 'src');
    expect(two.identity.anchor).toEqual(one.identity.anchor);
    expect(two.snapshot).toMatchObject({ files: { count: 1 }, degraded: [] });
  });

  test('is the same without a git program, and where git is told to refuse it', async () => {
    const folder = bare();
    const { identity } = await askedEverywhere(bench, folder, 'refs');
    const home = tempDir();
    const without = await SnapshotBench.open({ env: { PATH: home, HOME: home } });
    expect(await askedEverywhere(without, folder, 'refs')).toMatchObject({
      identity: { anchor: { repository: identity.anchor.repository } },
      snapshot: { degraded: ['bare'] },
    });
    writeFileSync(join(home, '.gitconfig'), '[safe]\n bareRepository = explicit\n');
    const refused = await SnapshotBench.open({ env: { ...process.env, HOME: home, XDG_CONFIG_HOME: home } });
    expect(await askedEverywhere(refused, folder, 'refs')).toMatchObject({
      identity: { anchor: { repository: identity.anchor.repository }, workspace: identity.workspace },
      snapshot: { degraded: ['bare'] },
    });
    expect(refused.warnings.join()).toContain('safe.bareRepository');
  });
});
