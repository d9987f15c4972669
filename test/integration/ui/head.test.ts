import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readHead } from '../../../src/ui/head.ts';
import { GitSandbox } from '../../support/git-repo.ts';
import { tempDir } from '../../support/temp.ts';

function repository() {
  const repo = GitSandbox.init(tempDir());
  const gitDir = join(repo.root, '.git');
  return { repo, gitDir, head: () => readHead(gitDir, gitDir) };
}

describe('readHead', () => {
  it('changes with a commit, an amend, a switch of branch and a detached checkout, and with nothing else', async () => {
    const { repo, head } = repository();
    const seen = [await head()];
    const moved = async (move: () => void) => {
      move();
      const now = await head();
      expect(seen).not.toContain(now);
      seen.push(now);
    };
    await moved(() => repo.write('a.txt', '1').commit('one'));
    await moved(() => repo.git('commit', '--quiet', '--amend', '-m', 'one again'));
    await moved(() => repo.git('checkout', '--quiet', '-b', 'other'));
    await moved(() => repo.write('a.txt', '2').commit('two'));
    await moved(() => repo.git('checkout', '--quiet', '--detach'));
    repo.write('a.txt', '3');
    repo.git('add', 'a.txt');
    repo.git('status');
    expect(await head()).toBe(seen.at(-1));
  });

  it('sees commits of a repository without a reflog, packed references included', async () => {
    const { repo, gitDir, head } = repository();
    repo.git('config', 'core.logAllRefUpdates', 'false');
    repo.commit('one');
    rmSync(join(gitDir, 'logs'), { recursive: true, force: true });
    repo.git('pack-refs', '--all');
    const packed = await head();
    repo.commit('two');
    expect(await head()).not.toBe(packed);
  });

  it('reads a linked working tree by its own HEAD', async () => {
    const { repo, gitDir } = repository();
    repo.commit('one');
    const linked = new GitSandbox(join(tempDir(), 'linked'));
    repo.git('worktree', 'add', '--quiet', '-b', 'side', linked.root);
    const linkedDir = linked.git('rev-parse', '--absolute-git-dir').trim();
    const [mainHead, before] = [await readHead(gitDir, gitDir), await readHead(linkedDir, gitDir)];
    linked.commit('in the linked tree');
    expect(await readHead(linkedDir, gitDir)).not.toBe(before);
    expect(await readHead(gitDir, gitDir)).toBe(mainHead);
  });

  it('is not misled by a reflog line that is still being written', async () => {
    const { repo, gitDir, head } = repository();
    repo.commit('one');
    const before = await head();
    const log = join(gitDir, 'logs', 'HEAD');
    writeFileSync(log, `${repo.head()} 1234`, { flag: 'a' });
    expect(await head()).toBe(before);
  });

  it('changes with every table where references are kept in tables, of either folder', async () => {
    const [own, shared] = [tempDir(), tempDir()];
    for (const folder of [own, shared]) mkdirSync(join(folder, 'reftable'));
    writeFileSync(join(own, 'HEAD'), 'ref: refs/heads/.invalid\n');
    const seen = [await readHead(own, shared)];
    for (const folder of [own, shared]) {
      writeFileSync(join(folder, 'reftable', 'tables.list'), '0x000000000001-0x000000000002-4e4f.ref\n');
      const now = await readHead(own, shared);
      expect(seen).not.toContain(now);
      seen.push(now);
    }
    expect(await readHead(own, shared)).toBe(seen.at(-1));
  });

  it('is null where there is no HEAD', async () => {
    const folder = tempDir();
    mkdirSync(join(folder, 'logs'));
    expect(await readHead(folder, folder)).toBeNull();
  });
});
