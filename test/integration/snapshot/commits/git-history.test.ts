import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { messageOf, silentLogger, systemClock } from '../../../../src/base/index.ts';
import { memoryCache, TogetherIndex } from '../../../../src/snapshot/commits/index.ts';
import { createGit } from '../../../../src/snapshot/git.ts';
import type { GitRepository } from '../../../../src/snapshot/git-port.ts';
import { GitSandbox } from '../../../support/git-repo.ts';
import { commitAs } from '../../../support/history.ts';
import { tempDir } from '../../../support/temp.ts';

async function opened(folder: string, secret?: string): Promise<GitRepository> {
  const home = tempDir();
  const env = { ...process.env, HOME: home, XDG_CONFIG_HOME: home };
  const options = { env, clock: systemClock(), logger: silentLogger() };
  const repository = await createGit(secret === undefined ? options : { ...options, secret }).open(folder);
  if (repository === null) throw new Error(`${folder} is in no repository`);
  return repository;
}

describe('what git tells of the past', () => {
  test('authors are keys: the same for one person at every start of one machine, an address nowhere', async () => {
    const repo = GitSandbox.init(tempDir());
    repo.write('.mailmap', '<ann@example.invalid> <old@example.invalid>\n').write('a.ts', '1\n');
    commitAs(repo, 'one', { by: 'old' });
    repo.write('a.ts', '1\n2\n');
    commitAs(repo, 'two', { by: 'bob' });
    repo.write('b.ts', '1\n');
    const head = commitAs(repo, 'three', { by: 'ann' });
    const [here, again, elsewhere] = await Promise.all([
      opened(repo.root, 'a machine'),
      opened(repo.root, 'a machine'),
      opened(repo.root, 'another'),
    ]);
    const changes = await here.changesSince(null, head, 9);
    const [ann = '', bob = ''] = changes.map(({ authors }) => authors.join());
    expect(changes.map(({ authors }) => authors)).toEqual([[ann], [bob], [ann]]);
    expect(JSON.stringify(changes)).not.toContain('example');
    expect(await here.lineAuthors(head, 'a.ts')).toEqual(new Set([ann, bob]));
    expect(await here.authorsSince(0)).toEqual(new Set([ann, bob]));
    expect(await again.changesSince(null, head, 9)).toEqual(changes);
    expect((await elsewhere.changesSince(null, head, 1))[0]?.authors).not.toEqual([ann]);
  });

  test('texts: not those that are binary, not UTF-8 or over 1 MiB; links and submodules are no files', async () => {
    const repo = GitSandbox.init(tempDir());
    repo
      .write('a.ts', 'é\r\n')
      .write('b.bin', Buffer.of(1, 0, 2))
      .write('c.txt', Buffer.from('\xe9', 'latin1'));
    repo.write('d.ts', `${'x'.repeat(99)}\n`.repeat(11_000)).write('empty.ts', '');
    repo.git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},module`);
    repo.git('config', 'core.symlinks', 'true');
    const link = repo.git('hash-object', '-w', 'a.ts').trim();
    repo.git('add', '--all');
    repo.git('update-index', '--add', '--cacheinfo', `120000,${link},link`);
    repo.git('commit', '--quiet', '-m', 'all');
    const repository = await opened(repo.root);
    const [commit] = await repository.changes([repo.head()]);
    expect(commit?.files.map(({ path }) => path)).toEqual(['a.ts', 'b.bin', 'c.txt', 'd.ts', 'empty.ts']);
    const texts = await repository.texts(commit?.files.flatMap(({ after }) => after ?? []) ?? []);
    expect(commit?.files.map(({ after }) => texts.get(after ?? ''))).toEqual([
      'é\r\n',
      undefined,
      undefined,
      undefined,
      '',
    ]);
  });

  test('a merge against its first parent, and every name that a file can have', async () => {
    const repo = GitSandbox.init(tempDir());
    repo.write('a.ts', '1').commit('base');
    repo.git('switch', '--quiet', '-c', 'side');
    repo.write(':(glob)*', '1').write('-n1', '1').write('line\nbreak', '1').write('\x01odd', '1').commit('side');
    repo.git('switch', '--quiet', 'main');
    repo.write('b.ts', '1').commit('main');
    repo.git('merge', '--quiet', '--no-ff', '-m', 'merge', 'side');
    const repository = await opened(repo.root);
    const names = ['\x01odd', '-n1', ':(glob)*', 'line\nbreak'];
    const [merge] = await repository.changes([repo.head()]);
    expect(merge?.files.map(({ path }) => path)).toEqual(names);
    for (const name of names) {
      const log = await repository.fileLog(repo.head(), name, 9);
      expect(
        log.filter(({ files }) => files.some(({ path }) => path === name)).map(({ subject }) => subject),
        name,
      ).toEqual(['side']);
    }
  });

  test('a partial clone gives the texts that it has, and of others nothing', async () => {
    const root = tempDir();
    const repo = GitSandbox.init(join(root, 'from'));
    repo.write('a.ts', 'old\n').commit('one');
    const before = repo.git('rev-parse', 'HEAD:a.ts').trim();
    repo.write('a.ts', 'new\n').commit('two');
    const two = repo.head();
    repo.write('b.ts', `${'line\n'.repeat(20)}old\n`).commit('three');
    repo.git('mv', 'b.ts', 'c.ts');
    repo.write('c.ts', `${'line\n'.repeat(20)}new\n`).commit('four');
    repo.write('c.ts', 'another\n').commit('five');
    repo.git('config', 'uploadpack.allowFilter', 'true');
    repo.git('clone', '--quiet', '--filter=blob:none', `file://${repo.root}`, join(root, 'partial'));
    const repository = await opened(join(root, 'partial'));
    const now = repo.git('rev-parse', 'HEAD:a.ts').trim();
    expect([...(await repository.texts([now]))]).toEqual([[now, 'new\n']]);
    expect((await repository.texts([before])).size).toBe(0);
    expect((await repository.changes([two]))[0]?.files).toMatchObject([{ before: [before], after: now }]);
    // Whether the one is the other with changes their texts would tell.
    const log = await repository.fileLog(repo.head(), 'c.ts', 9);
    expect(log.map(({ subject, files: [file] }) => [subject, file?.from])).toEqual([
      ['five', undefined],
      ['four', undefined],
    ]);
  });

  test('a repository that has lost a text tells the rest, and no error names anybody', async () => {
    const repo = GitSandbox.init(tempDir());
    repo.write('a.ts', `${'line\n'.repeat(20)}old\n`).commit('one');
    const lost = repo.git('rev-parse', 'HEAD:a.ts').trim();
    repo.git('mv', 'a.ts', 'b.ts');
    repo.write('b.ts', `${'line\n'.repeat(20)}new\n`).commit('two');
    repo.write('b.ts', 'another\n').commit('three');
    repo.remove(`.git/objects/${lost.slice(0, 2)}/${lost.slice(2)}`);
    const repository = await opened(repo.root);
    const log = await repository.fileLog(repo.head(), 'b.ts', 9);
    expect(log.map(({ subject }) => subject)).toEqual(['three', 'two']);
    expect((await repository.texts([lost])).size).toBe(0);
    repo.remove('.git/objects').write('.git/objects/info/alternates', '');
    const failure = await repository.changesSince(null, repo.git('rev-parse', 'main').trim(), 9).catch(messageOf);
    expect(failure).toMatch(/^git log failed: fatal: /);
  });

  test('files that changed together, through the rename of one', async () => {
    const repo = GitSandbox.init(tempDir());
    for (const round of ['1', '2']) repo.write('a.ts', `a ${round}`).write('old.ts', `b ${round}`).commit(round);
    repo.git('mv', 'old.ts', 'new.ts');
    repo.commit('moved');
    repo.write('a.ts', 'a 3').write('new.ts', 'b 3').write('c.ts', '1').commit('3');
    const index = new TogetherIndex(await opened(repo.root), memoryCache());
    expect(await index.of('a.ts', () => true)).toEqual([{ path: 'new.ts', commits: 3, of: 3 }]);
  });
});
