import { describe, expect, test } from 'vitest';
import type { GitRepository } from '../../../src/snapshot/git-port.ts';

/** A repository that a test changes from outside, as a person with git would. */
export interface GitWorld {
  readonly repository: GitRepository;
  write(path: string, text: string): void;
  remove(path: string): void;
  /** Stages everything. */
  stage(): void;
  /** Stages everything and commits; returns the full id. */
  commit(subject: string): string;
  /** Stages everything and amends the last commit; returns its new id. */
  amend(subject: string): string;
  /** Puts branch, index and files back to a commit. */
  reset(commit: string): void;
  /** Creates the branch when it is not there. */
  switchTo(branch: string): void;
  detach(): void;
  addRemote(name: string, url: string): void;
}

/** What every implementation of GitRepository does. `open` makes a new repository on branch `main` without commits. */
export function gitRepositoryContract(name: string, open: () => GitWorld | Promise<GitWorld>): void {
  describe(`${name} keeps the contract of GitRepository`, () => {
    test('before the first commit', async () => {
      const { repository } = await open();
      expect(await repository.status()).toMatchObject({ commit: null, branch: 'main', entries: [] });
      expect(await repository.tracked()).toEqual([]);
      expect(await repository.indexStamp()).toBeNull();
      expect(await repository.resolve('HEAD')).toBeNull();
      expect(repository.place.bare).toBe(false);
    });

    test('untracked, staged, changed and deleted files', async () => {
      const world = await open();
      world.write('kept.ts', '1');
      world.write('changed.ts', '1');
      world.write('gone.ts', '1');
      world.commit('one');
      expect((await world.repository.status()).entries).toEqual([]);
      world.write('staged.ts', '1');
      world.stage();
      world.write('changed.ts', '2');
      world.write('a dir/untracked é.ts', '1');
      world.remove('gone.ts');
      const { entries } = await world.repository.status();
      expect(entries.map(({ path, staged, unstaged }) => [path, staged + unstaged])).toEqual([
        ['changed.ts', '.M'],
        ['gone.ts', '.D'],
        ['staged.ts', 'A.'],
        ['a dir/untracked é.ts', '??'],
      ]);
      expect(entries.every(({ conflicted }) => !conflicted)).toBe(true);
    });

    test('what the index holds, in byte order, with the blobs’ ids', async () => {
      const world = await open();
      for (const path of ['b.ts', 'a/z.ts', 'a.ts', 'Ä.ts', 'line\nbreak.ts']) world.write(path, 'same');
      world.stage();
      const tracked = await world.repository.tracked();
      expect(tracked.map(({ path }) => path)).toEqual(['a.ts', 'a/z.ts', 'b.ts', 'line\nbreak.ts', 'Ä.ts']);
      expect(new Set(tracked.map(({ oid }) => oid)).size).toBe(1);
      // What `git hash-object` says of that text.
      const { size, ...file } = tracked[0]!;
      expect(file).toEqual({ path: 'a.ts', kind: 'file', oid: '5a66c000ab56fb7018b5ec24cdb24c94c00e2142' });
      expect([undefined, 'same'.length]).toContain(size);
    });

    test('stamps change exactly when what they stand for does', async () => {
      const world = await open();
      world.write('a.ts', '1');
      world.commit('one');
      const { repository } = world;
      const before = { status: (await repository.status()).stamp, index: await repository.indexStamp() };
      expect((await repository.status()).stamp).toBe(before.status);
      expect(await repository.indexStamp()).toBe(before.index);
      world.write('b.ts', '1');
      expect((await repository.status()).stamp).not.toBe(before.status);
      expect(await repository.indexStamp()).toBe(before.index);
      world.stage();
      expect(await repository.indexStamp()).not.toBe(before.index);
    });

    test('the log, newest first', async () => {
      const world = await open();
      const ids = ['one', 'two', 'three: with a colon'].map((subject) => {
        world.write('a.ts', subject);
        return world.commit(subject);
      });
      const head = ids[2] ?? '';
      const log = await world.repository.log(head, 10);
      expect(log.map(({ commit, subject }) => [commit, subject])).toEqual([
        [ids[2], 'three: with a colon'],
        [ids[1], 'two'],
        [ids[0], 'one'],
      ]);
      expect(log.every(({ at }) => at > Date.UTC(2001) && at % 1000 === 0)).toBe(true);
      expect(await world.repository.log(head, 2)).toHaveLength(2);
    });

    test('commits since another one, with their paths', async () => {
      const world = await open();
      world.write('a.ts', '1');
      const since = world.commit('one');
      world.write('b/c.ts', '1');
      world.write('a.ts', '2');
      world.commit('two');
      world.remove('b/c.ts');
      const until = world.commit('three');
      const found = await world.repository.commitsSince(since, until, 10);
      expect(found.map(({ subject, paths }) => [subject, paths])).toEqual([
        ['three', ['b/c.ts']],
        ['two', ['a.ts', 'b/c.ts']],
      ]);
      expect(await world.repository.commitsSince(since, until, 1)).toHaveLength(1);
      expect(await world.repository.commitsSince(until, since, 10)).toEqual([]);
      expect(await world.repository.commitsSince(until, until, 10)).toEqual([]);
    });

    test('all commits, and certain ones', async () => {
      const world = await open();
      world.write('a.ts', '1');
      const one = world.commit('one');
      world.write('b.ts', '1');
      const two = world.commit('two');
      const { repository } = world;
      const all = await repository.commitsSince(null, two, 10);
      expect(all.map(({ commit, paths }) => [commit, paths])).toEqual([
        [two, ['b.ts']],
        [one, ['a.ts']],
      ]);
      expect(await repository.withPaths([one, two])).toEqual(all.toReversed());
      expect(await repository.withPaths([])).toEqual([]);
    });

    test('what two commits have that the other has not; amending keeps author, time and tree', async () => {
      const world = await open();
      world.write('a.ts', '1');
      const base = world.commit('base');
      world.write('b.ts', '1');
      const one = world.commit('one');
      world.write('c.ts', '1');
      const two = world.commit('two');
      const better = world.amend('two, better');
      const { repository } = world;
      const { gone, made } = await repository.divergence(two, better, 10);
      expect(gone).toMatchObject([{ commit: two, parents: [one], author: 'Test', subject: 'two' }]);
      expect(made).toEqual([{ ...gone[0], commit: better, subject: 'two, better' }]);
      expect(await repository.divergence(base, better, 10)).toMatchObject({
        gone: [],
        made: [{ commit: one, parents: [base] }, { commit: better }],
      });
      expect(await repository.divergence(better, base, 1)).toMatchObject({ gone: [{ commit: better }], made: [] });
      expect(await repository.divergence(one, one, 9)).toEqual({ gone: [], made: [] });
    });

    test('where HEAD went', async () => {
      const world = await open();
      expect(await world.repository.headMoves()).toEqual([]);
      world.write('a.ts', '1');
      const one = world.commit('one');
      world.write('b.ts', '1');
      const two = world.commit('two');
      const three = world.amend('three');
      world.reset(one);
      expect(await world.repository.headMoves()).toEqual([
        { from: '0'.repeat(40), to: one, action: expect.stringMatching(/^commit(?: \(initial\))?: one$/) },
        { from: one, to: two, action: 'commit: two' },
        { from: two, to: three, action: 'commit (amend): three' },
        { from: three, to: one, action: expect.stringMatching(/^reset: moving to /) },
      ]);
      expect((await world.repository.status()).entries).toEqual([]);
    });

    test('revisions', async () => {
      const world = await open();
      world.write('a.ts', '1');
      const first = world.commit('one');
      world.write('a.ts', '2');
      const second = world.commit('two');
      const { repository } = world;
      expect(await repository.resolve('HEAD')).toBe(second);
      expect(await repository.resolve('main')).toBe(second);
      expect(await repository.resolve('HEAD~1')).toBe(first);
      expect(await repository.resolve(first)).toBe(first);
      expect(await repository.resolve(first.slice(0, 12))).toBe(first);
      for (const revision of ['nope', 'HEAD~9', '', '--all', '-x', 'a\nb']) {
        expect(await repository.resolve(revision), revision).toBeNull();
      }
    });

    test('branches and a detached HEAD', async () => {
      const world = await open();
      world.write('a.ts', '1');
      const commit = world.commit('one');
      world.switchTo('feature/x');
      expect(await world.repository.status()).toMatchObject({ commit, branch: 'feature/x' });
      expect([...(await world.repository.refs(['refs/heads/main', 'refs/heads/feature', 'refs/heads/none']))]).toEqual([
        ['refs/heads/main', null],
      ]);
      world.detach();
      expect(await world.repository.status()).toMatchObject({ commit, branch: null });
    });

    test('remotes', async () => {
      const world = await open();
      expect((await world.repository.config()).remotes.size).toBe(0);
      world.addRemote('upstream', 'git@host.example:a/b.git');
      expect([...(await world.repository.config()).remotes]).toEqual([['upstream', 'git@host.example:a/b.git']]);
      expect((await world.repository.config()).partial).toBe(false);
    });

    test('what is ignored', async () => {
      const world = await open();
      world.write('.gitignore', '*.log\n');
      world.write('a.log', '1');
      world.stage();
      expect(await world.repository.isIgnored('a.log')).toBe(true);
      expect(await world.repository.isIgnored('deep/not there.log')).toBe(true);
      expect(await world.repository.isIgnored('a.ts')).toBe(false);
      expect((await world.repository.tracked()).map(({ path }) => path)).toEqual(['.gitignore']);
    });

    test('what commits changed, with the texts before and after', async () => {
      const world = await open();
      world.write('a.ts', 'one\n');
      world.write('gone.ts', 'other\n');
      const one = world.commit('one');
      world.write('a.ts', 'two\n');
      world.remove('gone.ts');
      const two = world.commit('two: why\n\nBecause.\n\nAnd so on.');
      const { repository } = world;
      const changes = await repository.changes([two, one]);
      expect(changes.map(({ subject, body }) => [subject, body])).toEqual([
        ['two: why', 'Because.\n\nAnd so on.'],
        ['one', ''],
      ]);
      const [changed, gone] = changes[0]?.files ?? [];
      expect([changed?.path, gone?.path, gone?.after]).toEqual(['a.ts', 'gone.ts', null]);
      const ids = [...(changed?.before ?? []), changed?.after, ...(gone?.before ?? [])].map(String);
      const texts = await repository.texts(ids);
      expect(ids.map((id) => texts.get(id))).toEqual(['one\n', 'two\n', 'other\n']);
      expect(changes[1]?.files.map(({ path, before }) => [path, before])).toEqual([
        ['a.ts', [null]],
        ['gone.ts', [null]],
      ]);
      expect(await repository.changes([])).toEqual([]);
      expect((await repository.texts(['0'.repeat(40), 'no id'])).size).toBe(0);
    });

    test('the commits of one file, through a rename', async () => {
      const world = await open();
      world.write('old [1].ts', 'a\nb\nc\n');
      world.commit('made');
      world.write('other.ts', '1');
      world.commit('other');
      world.remove('old [1].ts');
      world.write('dir/new é.ts', 'a\nb\nc\n');
      world.commit('moved');
      world.write('dir/new é.ts', 'a\nB\nc\n');
      const head = world.commit('changed');
      const log = await world.repository.fileLog(head, 'dir/new é.ts', 9);
      expect(log.map(({ subject, files }) => [subject, files.map(({ path, from }) => [path, from])])).toEqual([
        ['changed', [['dir/new é.ts', undefined]]],
        ['moved', [['dir/new é.ts', 'old [1].ts']]],
        ['made', [['old [1].ts', undefined]]],
      ]);
      expect(await world.repository.fileLog(head, 'dir/new é.ts', 2)).toHaveLength(2);
      expect(await world.repository.fileLog(head, 'none.ts', 2)).toEqual([]);
      expect(await world.repository.fileLog(head, '*', 2)).toEqual([]);
      expect(await world.repository.fileLog(head, 'not utf8 \udcff', 2)).toEqual([]);
    });

    test('changes since a commit, and who made them', async () => {
      const world = await open();
      world.write('a.ts', '1');
      const one = world.commit('one');
      world.write('a.ts', '2');
      const two = world.commit('two\n\nAnd why.');
      const { repository } = world;
      const all = await repository.changesSince(null, two, 9);
      expect(all.map(({ subject, body }) => [subject, body])).toEqual([
        ['two', ''],
        ['one', ''],
      ]);
      expect((await repository.changesSince(one, two, 9)).map(({ subject }) => subject)).toEqual(['two']);
      expect(await repository.changesSince(null, two, 1)).toHaveLength(1);
      expect(await repository.changesSince(null, two, 9, Date.UTC(2100))).toEqual([]);
      const [author = ''] = all[0]?.authors ?? [];
      expect(author).toMatch(/^[0-9a-f]{32,40}$/);
      expect([...(await repository.authorsSince(0))]).toEqual([author]);
      expect((await repository.authorsSince(Date.UTC(2100))).size).toBe(0);
      expect([...(await repository.lineAuthors(two, 'a.ts'))]).toEqual([author]);
    });

    test('nothing under way in an ordinary clone', async () => {
      const { repository } = await open();
      expect(await repository.operation()).toBeUndefined();
      expect(await repository.shallowStamp()).toBeNull();
    });
  });
}
