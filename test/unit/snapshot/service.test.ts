import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { codeOf, hash, ProjectAnchorError } from '../../../src/base/index.ts';
import { type Marks, parseSnapshot, type Snapshot, type TakenSnapshot } from '../../../src/snapshot/index.ts';
import { createParser, type Parser } from '../../../src/snapshot/parser.ts';
import { FakeGit } from '../../support/fake-git.ts';
import { SnapshotBench } from '../../support/snapshot-service.ts';
import { tempDir } from '../../support/temp.ts';

/** A parser of its own language: every line `fn NAME` is a function; `broken` does not parse. */
function lineParser(parsed: string[] = [], loaded = true): Parser {
  const parser = createParser();
  let isLoaded = loaded;
  const look = (path: string, text: string): string => {
    isLoaded = true;
    parsed.push(path);
    if (text.includes('broken'))
      throw new ProjectAnchorError('parse_error', `${path} does not parse at line 1: broken`);
    return Array.from(text.matchAll(/fn \w+|\n/g), ([part]) => part.replace(/fn (.+)/, 'function $1() {}')).join('');
  };
  return {
    get loaded() {
      return isLoaded;
    },
    tree: async (path, text) => parser.tree(path, look(path, text)),
    convert: (path, tree) => parser.convert(path, tree),
  };
}

interface World extends SnapshotBenchParts {
  readonly git: FakeGit;
  readonly root: string;
}
interface SnapshotBenchParts {
  readonly bench: SnapshotBench;
  readonly parsed: string[];
}

async function world(): Promise<World> {
  const root = tempDir();
  const git = new FakeGit(root);
  git.write('src/a.ts', 'fn alpha\n');
  git.write('src/b.ts', 'fn beta\n');
  git.write('package.json', '{"dependencies": {"zod": "^4"}}');
  const parsed: string[] = [];
  const bench = await SnapshotBench.open({ git, parser: lineParser(parsed) });
  return { root, git, bench, parsed };
}

describe('taking a snapshot', () => {
  test('says what is true, under an id that is the hash of the rest', async () => {
    const { root, git, bench } = await world();
    const commit = git.commit('[refactor] one');
    git.write('src/b.ts', 'fn beta\nfn gamma\n');
    const { snapshot, stored, commits, changed } = await bench.look(root, 'src/a.ts');
    expect({ stored, commits, changed }).toEqual({ stored: true, commits: [], changed: [] });
    const { id, ...rest } = parseSnapshot(snapshot);
    expect(id).toBe(hash(rest));
    expect(snapshot).toMatchObject({
      trigger: 'editor',
      takenAt: '2026-11-30T12:00:01.000Z',
      parent: null,
      active: 'src/a.ts',
      git: {
        head: { kind: 'branch', branch: 'main', commit },
        unstaged: ['src/b.ts'],
        lastCommit: { kinds: ['refactor'] },
      },
      files: { count: 3, byLanguage: { ts: 2, json: 1 } },
      dependencies: { 'package.json': { direct: { zod: '^4' } } },
      degraded: [],
    });
    expect(Object.keys(snapshot.outlines).toSorted()).toEqual(['src/a.ts', 'src/b.ts']);
    expect(snapshot.outlines['src/b.ts']?.items.map(({ name }) => name)).toEqual(['beta', 'gamma']);
    expect(await bench.service.show(root, id)).toEqual(snapshot);
  });

  test('an equal one is not stored again, whatever made us look', async () => {
    const { root, git, bench } = await world();
    git.commit('one');
    const first = await bench.look(root, 'src/a.ts');
    const again = await bench.take(root, { trigger: 'commit', editor: { active: 'src/a.ts', open: ['src/a.ts'] } });
    expect(again).toMatchObject({ stored: false, commits: [], changed: [] });
    expect(again.snapshot).toEqual(first.snapshot);
    const next = await bench.look(root, 'src/b.ts');
    expect(next).toMatchObject({ stored: true, snapshot: { parent: first.snapshot.id } });
    const back = await bench.look(root, 'src/a.ts');
    expect(back.stored).toBe(true);
    expect(back.snapshot.id).not.toBe(first.snapshot.id);
  });

  test('an editor switch asks git once, lists nothing and parses nothing again', async () => {
    const { root, git, bench, parsed } = await world();
    git.commit('one');
    await bench.look(root, 'src/a.ts');
    await bench.look(root, 'src/b.ts');
    git.asked.length = 0;
    parsed.length = 0;
    await bench.look(root, 'src/a.ts');
    await bench.look(root, 'src/b.ts');
    expect(git.asked).toEqual(['status', 'status']);
    expect(parsed).toEqual([]);
  });

  test('a commit asks for the log and the list once, and names what was made', async () => {
    const { root, git, bench } = await world();
    git.commit('one');
    await bench.take(root);
    git.write('src/b.ts', 'fn b2\n');
    git.commit('fix(b): two');
    git.write('src/c.ts', 'fn c\n');
    const head = git.commit('【重构】three');
    git.asked.length = 0;
    const taken = await bench.take(root, { trigger: 'commit' });
    expect(git.asked).toEqual(['status', 'tracked', 'log', 'commitsSince']);
    expect(taken.commits.map(({ subject, kinds, paths }) => [subject, kinds, paths])).toEqual([
      ['fix(b): two', ['fix'], ['src/b.ts']],
      ['【重构】three', ['refactor'], ['src/c.ts']],
    ]);
    expect(taken.changed).toEqual(['src/b.ts', 'src/c.ts']);
    expect(taken.snapshot.git.head.commit).toBe(head);
  });

  test('an amended commit asks one thing more than an editor switch and the log, and nothing of paths', async () => {
    const { root, git, bench } = await world();
    git.commit('one');
    await bench.take(root);
    const old = git.commit('two');
    await bench.take(root);
    git.asked.length = 0;
    const amended = git.amend('two, better');
    const taken = await bench.take(root, { trigger: 'commit' });
    expect(git.asked.toSorted()).toEqual(['divergence', 'log', 'status', 'tracked']);
    expect(taken).toMatchObject({ commits: [], rewritten: { pairs: [{ old, new: amended }] } });
    git.asked.length = 0;
    expect(await bench.look(root, 'src/a.ts')).toMatchObject({ commits: [], rewritten: { pairs: [] } });
    expect(git.asked).toEqual(['status']);
  });

  test('a reset to an older commit is no rewriting; what is made on top of it is news', async () => {
    const { root, git, bench } = await world();
    const one = git.commit('one');
    git.commit('two');
    await bench.take(root);
    git.reset(one);
    expect(await bench.take(root)).toMatchObject({ commits: [], rewritten: { pairs: [] } });
    git.write('src/c.ts', 'fn c\n');
    git.commit('another');
    const { commits, rewritten } = await bench.take(root);
    expect(commits.map(({ subject }) => subject)).toEqual(['another']);
    expect(rewritten).toEqual({ pairs: [] });
  });

  test('more than ten commits at once are told apart from a rewriting', async () => {
    const { root, git, bench } = await world();
    git.commit('one');
    await bench.take(root);
    for (let n = 0; n < 25; n++) git.commit(`n${n}`);
    const { commits, rewritten } = await bench.take(root);
    expect(commits.map(({ subject }) => subject)).toEqual(Array.from({ length: 20 }, (_, n) => `n${n + 5}`));
    expect(rewritten).toEqual({ pairs: [] });
  });

  test('after a switch of branches only what was made since is news', async () => {
    const { root, git, bench } = await world();
    git.commit('one');
    git.switchTo('topic');
    git.write('src/old.ts', 'fn old\n');
    git.commit('made before anybody looked');
    git.switchTo('main');
    bench.clock.set(Date.UTC(2026, 10, 30, 12));
    await bench.take(root);
    git.switchTo('topic');
    expect((await bench.take(root)).commits).toEqual([]);
  });

  test('a file that changes without its status changing is seen', async () => {
    const { root, git, bench } = await world();
    git.commit('one');
    git.write('src/a.ts', 'fn one\n');
    const first = await bench.look(root, 'src/a.ts');
    git.write('src/a.ts', 'fn one\nfn two\n');
    const second = await bench.look(root, 'src/a.ts');
    expect(second.stored).toBe(true);
    expect(second.changed).toEqual(['src/a.ts']);
    expect(second.snapshot.files.bytes).toBe(first.snapshot.files.bytes + 7);
    expect(second.snapshot.outlines['src/a.ts']?.items).toHaveLength(2);
  });

  test('what the gate refuses is in no part of it', async () => {
    const { root, git, bench } = await world();
    git.write('.env', 'API_TOKEN=hunter2\n');
    git.write('.gitignore', '*.log\n');
    git.write('secret.log', 'fn secret\n');
    git.write('private/p.ts', 'fn p\n');
    writeFileSync(join(root, '.projectanchorignore'), 'private/\n');
    const marks: Marks = { tags: {}, focus: { 'private/p.ts': { by: 'user', at: '2026-11-30T10:00:00.000Z' } } };
    const { snapshot } = await bench.take(root, {
      editor: { active: '.env', open: ['secret.log', 'private/p.ts', '../x.ts'] },
      marks,
    });
    expect(snapshot.active).toBeNull();
    const said = JSON.stringify({ ...snapshot, marks: null });
    expect(said).not.toMatch(/\.env|secret\.log|private/);
    expect((await bench.service.files(root, 'latest')).map(({ path }) => path)).toEqual([
      '.gitignore',
      'package.json',
      'src/a.ts',
      'src/b.ts',
    ]);
  });

  test('new rules count at the next snapshot', async () => {
    const { root, git, bench } = await world();
    git.commit('one');
    expect((await bench.take(root)).snapshot.files.count).toBe(3);
    writeFileSync(join(root, '.projectanchorignore'), 'src/b.ts\n');
    expect((await bench.take(root)).snapshot.files.count).toBe(2);
    await bench.service.configure({ mainBranch: '', exclude: ['*.json'], signatures: false, dictionary: {} });
    const { snapshot } = await bench.look(root, 'src/a.ts');
    expect(snapshot.files.count).toBe(1);
    expect(snapshot.outlines['src/a.ts']?.items).toEqual([{ kind: 'function', name: 'alpha', start: 1, end: 1 }]);
  });

  test('outlines are at most 50: active, focused and open ones before changed ones', async () => {
    const { root, git, bench } = await world();
    const names = Array.from({ length: 70 }, (_, n) => `src/many/f${String(n).padStart(2, '0')}.ts`);
    for (const name of names) git.write(name, 'fn f\n');
    const focus = { by: 'user', at: '2026-11-30T10:00:00.000Z' };
    const marks: Marks = { tags: {}, focus: { 'src/many/f69.ts#L1-L1': focus, 'src/many/': focus, '#bad': focus } };
    const { snapshot } = await bench.take(root, {
      editor: { active: 'src/b.ts', open: ['src/a.ts', 'package.json'] },
      marks,
    });
    const paths = Object.keys(snapshot.outlines);
    expect(paths).toHaveLength(50);
    expect(paths.slice(0, 3)).toEqual(['src/b.ts', 'src/many/f69.ts', 'src/a.ts']);
    expect(snapshot.marks).toEqual(marks);
  });

  test('text that does not parse keeps its last good outline, also after a restart', async () => {
    const { root, git, bench } = await world();
    await bench.look(root, 'src/a.ts');
    git.write('src/a.ts', 'broken fn other\n');
    const { snapshot } = await bench.look(root, 'src/a.ts');
    expect(snapshot.outlines['src/a.ts']).toMatchObject({ stale: true, items: [{ name: 'alpha' }] });
    expect(snapshot.degraded).toEqual(['parse_error:src/a.ts']);
    const restarted = await SnapshotBench.open({ store: bench.store, git, parser: lineParser() });
    const again = await restarted.look(root, 'src/a.ts');
    expect(again.stored).toBe(false);
    git.write('src/b.ts', 'broken\n');
    await restarted.service.take({
      folder: root,
      trigger: 'manual',
      editor: { active: null, open: [] },
      marks: { tags: {}, focus: {} },
    });
    expect((await bench.service.outline(root, 'src/a.ts')).stale).toBe(true);
  });

  test('a file of another kind of trouble is said, and the rest still read', async () => {
    const { root, git, bench } = await world();
    writeFileSync(join(root, 'src/latin.ts'), Buffer.from([0x66, 0x6e, 0x20, 0xe9]));
    git.write('src/big.ts', 'x'.repeat(5 * 1024 * 1024));
    git.write('src/min.ts', 'x'.repeat(20_000));
    git.write('package.json', '{ nonsense');
    git.write('gone.ts', 'fn g\n');
    const open = ['src/latin.ts', 'src/big.ts', 'src/min.ts', 'src/b.ts'];
    git.write('src/latin.ts', 'placeholder');
    writeFileSync(join(root, 'src/latin.ts'), Buffer.from([0x66, 0x6e, 0x20, 0xe9]));
    const { snapshot } = await bench.take(root, { editor: { active: 'src/a.ts', open } });
    expect(snapshot.degraded.toSorted()).toEqual([
      'malformed:package.json',
      'minified:src/min.ts',
      'not_utf8:src/latin.ts',
      'too_large:src/big.ts',
    ]);
    expect(Object.keys(snapshot.outlines).toSorted()).toEqual(['gone.ts', 'src/a.ts', 'src/b.ts']);
  });
});

describe('before the parser is there', () => {
  const known = (root: string, active: string) => ({
    folder: root,
    trigger: 'editor' as const,
    editor: { active, open: ['src/b.ts'] },
    marks: { tags: {}, focus: {} },
    outlines: 'known' as const,
  });

  test('a snapshot does not wait for it, and says how many outlines follow', async () => {
    const { root, git } = await world();
    git.commit('one');
    const parsed: string[] = [];
    const bench = await SnapshotBench.open({ git, parser: lineParser(parsed, false) });
    const first = await bench.service.take(known(root, 'src/a.ts'));
    expect(first).toMatchObject({ stored: true, waiting: 2, snapshot: { outlines: {}, degraded: ['outlines_later'] } });
    expect(parsed).toEqual([]);
    const all = await bench.take(root, { ...known(root, 'src/a.ts'), outlines: 'all' });
    expect(all).toMatchObject({ stored: true, snapshot: { degraded: [] } });
    expect(all).not.toHaveProperty('waiting');
    expect(Object.keys(all.snapshot.outlines)).toEqual(['src/a.ts', 'src/b.ts']);
    // From now on nothing waits.
    git.write('src/b.ts', 'fn changed\n');
    const later = await bench.service.take(known(root, 'src/a.ts'));
    expect(later.snapshot.outlines['src/b.ts']?.items[0]?.name).toBe('changed');
    expect(later).not.toHaveProperty('waiting');
  });

  test('after a restart the outlines of what is the same are still there, of the rest the last good ones', async () => {
    const { root, git, bench } = await world();
    git.commit('one');
    const before = await bench.take(root, { ...known(root, 'src/a.ts'), outlines: 'all' });
    const restarted = await SnapshotBench.open({ store: bench.store, git, parser: lineParser([], false) });
    expect(await restarted.service.take(known(root, 'src/a.ts'))).toMatchObject({
      stored: false,
      waiting: 2,
      snapshot: { id: before.snapshot.id },
    });
    git.write('src/b.ts', 'fn changed\n');
    const again = await SnapshotBench.open({ store: bench.store, git, parser: lineParser([], false) });
    const { snapshot } = await again.service.take(known(root, 'src/a.ts'));
    expect(snapshot.outlines['src/a.ts']).toEqual(before.snapshot.outlines['src/a.ts']);
    expect(snapshot.outlines['src/b.ts']).toMatchObject({ stale: true, items: [{ name: 'beta' }] });
    expect(snapshot.degraded).toEqual(['outlines_later']);
    // Committed or not: what git held clean then and holds clean now under another id is another text.
    git.commit('two');
    const third = await SnapshotBench.open({ store: bench.store, git, parser: lineParser([], false) });
    expect((await third.service.take(known(root, 'src/a.ts'))).snapshot.outlines['src/b.ts']?.stale).toBe(true);
  });
});

describe('at the same time', () => {
  test('one runs, one more waits, whatever is asked for meanwhile', async () => {
    const { root, git, bench } = await world();
    git.commit('one');
    await bench.take(root);
    git.asked.length = 0;
    const held = git.hold();
    const first = bench.look(root, 'src/a.ts');
    await expect.poll(() => git.asked).toEqual(['status']);
    const rest = [
      bench.take(root, { trigger: 'commit' }),
      bench.look(join(root, 'src'), 'src/a.ts'),
      bench.look(root, 'src/b.ts'),
    ];
    // Those that found their tree wait now; the one in `src` still asks which tree it means.
    await expect.poll(() => git.asked).toContain('open');
    held.release();
    const [commit, inSrc, last] = await Promise.all(rest);
    expect((await first).snapshot).toMatchObject({ active: 'src/a.ts', trigger: 'editor' });
    expect(last?.snapshot).toMatchObject({ active: 'src/b.ts', trigger: 'commit' });
    expect([commit?.snapshot.id, inSrc?.snapshot.id]).toEqual([last?.snapshot.id, last?.snapshot.id]);
    expect(git.asked.filter((question) => question === 'status')).toHaveLength(2);
  });

  test('a failure reaches everybody who asked, and the next one works', async () => {
    const { root, git, bench } = await world();
    await bench.take(root);
    git.failure = new Error('the disk is on fire');
    const results = await Promise.allSettled([bench.take(root), bench.take(root), bench.take(root)]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    git.failure = null;
    expect((await bench.take(root)).stored).toBe(false);
  });

  test('two processes on one database make one line of snapshots', async () => {
    const { root, git, bench } = await world();
    git.commit('one');
    const other = await SnapshotBench.open({ store: bench.store, git, parser: lineParser() });
    // Never two at once in one process: of those, one may be the answer to both.
    await Promise.all([bench.look(root, 'src/a.ts'), other.look(root, 'src/b.ts')]);
    await Promise.all([bench.take(root), other.look(root, 'package.json')]);
    const line: Snapshot[] = [];
    for (let back = 0; ; back++) {
      const found = await bench.service.show(root, `latest~${back}`).catch(() => null);
      if (found === null) break;
      line.push(found);
    }
    expect(line).toHaveLength(4);
    expect(line.map(({ parent }) => parent)).toEqual([...line.slice(1).map(({ id }) => id), null]);
  });

  test('a snapshot that another process stores in between becomes the parent', async () => {
    const { root, git, bench } = await world();
    git.commit('one');
    let before: () => Promise<unknown> = () => Promise.resolve();
    const store = new Proxy(bench.store, {
      get(target, key) {
        if (key === 'write') return (work: () => unknown) => before().then(() => target.write(work));
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const slow = await SnapshotBench.open({ store, git, parser: lineParser() });
    before = () => {
      before = () => Promise.resolve();
      return bench.look(root, 'src/b.ts');
    };
    const { snapshot } = await slow.look(root, 'src/a.ts');
    const other = await bench.service.show(root, 'latest~1');
    expect(other.active).toBe('src/b.ts');
    expect(snapshot.parent).toBe(other.id);
  });

  test('what was seen before another snapshot is never stored after it', async () => {
    const { root, git, bench } = await world();
    git.commit('one');
    const old = git.commit('two');
    await bench.take(root);
    const pairs: string[] = [];
    const remember = ({ rewritten }: TakenSnapshot) => pairs.push(...rewritten.pairs.map((pair) => pair.old));
    let turns = 0;
    const store = new Proxy(bench.store, {
      get(target, key) {
        if (key === 'write') {
          return async (work: () => unknown) => {
            if (++turns === 1) {
              git.amend('two, better');
              remember(await bench.look(root, 'src/a.ts'));
            }
            return target.write(work);
          };
        }
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const slow = await SnapshotBench.open({ store, git, parser: lineParser() });
    const taken = await slow.look(root, 'src/b.ts');
    remember(taken);
    remember(await bench.take(root));
    expect(taken.snapshot.git.lastCommit?.subject).toBe('two, better');
    expect(pairs).toEqual([old]);
  });

  test('when others are always first, the news of their snapshots are not told again', async () => {
    const { root, git, bench } = await world();
    git.commit('one');
    await bench.take(root);
    // A program whose git answers late: it still sees the first commit.
    const late = new FakeGit(root);
    late.write('src/a.ts', 'fn alpha\n');
    late.write('src/b.ts', 'fn beta\n');
    late.commit('one');
    const slow = await SnapshotBench.open({ store: bench.store, git: late, parser: lineParser() });
    const told: string[] = [];
    let turns = 0;
    const store = new Proxy(bench.store, {
      get(target, key) {
        if (key === 'write') {
          return async (work: () => unknown) => {
            const { commits } = await (++turns < 5 ? slow : bench).look(
              root,
              turns % 2 === 0 ? 'src/a.ts' : 'src/b.ts',
            );
            told.push(...commits.map(({ subject }) => subject));
            return target.write(work);
          };
        }
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const unlucky = await SnapshotBench.open({ store, git, parser: lineParser() });
    git.commit('two');
    const { stored, commits, snapshot } = await unlucky.look(root, 'package.json');
    expect({ turns, told, stored, commits }).toEqual({ turns: 5, told: ['two'], stored: true, commits: [] });
    expect((await bench.service.show(root, 'latest')).id).toBe(snapshot.id);
  });

  test('nothing is done after the end', async () => {
    const { root, bench } = await world();
    await bench.service.dispose();
    expect(codeOf(await bench.take(root).catch((error: unknown) => error))).toBe('disposed');
  });
});

describe('when git fails', () => {
  const timeout = new ProjectAnchorError('git_timeout', 'git status did not answer within 20 s.');

  test('in between, what was known of it stays, and it is said', async () => {
    const { root, git, bench } = await world();
    git.commit('one');
    const before = await bench.take(root);
    git.failure = timeout;
    const { snapshot } = await bench.take(root, { editor: { active: 'src/a.ts', open: [] } });
    expect(snapshot).toMatchObject({
      git: before.snapshot.git,
      files: before.snapshot.files,
      active: 'src/a.ts',
      degraded: ['timeout:git'],
    });
    expect(snapshot.outlines['src/a.ts']?.items).toHaveLength(1);
    expect(bench.warnings.join()).toContain('did not answer');
    git.failure = null;
    expect((await bench.take(root)).snapshot.degraded).toEqual([]);
  });

  test('in one part of it, the others are told all the same', async () => {
    const { root, git, bench } = await world();
    git.commit('one');
    const before = (await bench.take(root)).snapshot;
    git.write('src/c.ts', 'fn c\n');
    const second = git.commit('two');
    git.failures.set('log', new ProjectAnchorError('git_failed', 'bad object'));
    git.failures.set('tracked', new ProjectAnchorError('git_timeout', 'too slow'));
    git.write('src/d.ts', 'fn d\n');
    const { snapshot, stored } = await bench.look(root, 'src/a.ts');
    expect(stored).toBe(true);
    expect(snapshot).toMatchObject({
      git: { head: { commit: second }, untracked: ['src/d.ts'], history: hash([]) },
      files: before.files,
      active: 'src/a.ts',
      degraded: ['failed:log', 'timeout:git'],
    });
    expect(snapshot.outlines['src/a.ts']?.items).toHaveLength(1);
    git.failures.clear();
    const after = (await bench.take(root)).snapshot;
    expect(after).toMatchObject({ files: { count: 5 }, degraded: [] });
    expect(after.git.history).not.toBe(hash([]));
  });

  test('in the list of files, those of before are shown, else those of the disk', async () => {
    const { root, git, bench } = await world();
    git.failures.set('tracked', new ProjectAnchorError('git_failed', 'out of memory'));
    expect((await bench.take(root)).snapshot).toMatchObject({ files: { count: 3 }, degraded: ['failed:list'] });
    git.failures.clear();
    const good = (await bench.take(root)).snapshot;
    git.stage();
    git.failures.set('tracked', new ProjectAnchorError('git_failed', 'out of memory'));
    expect((await bench.take(root)).snapshot).toMatchObject({ files: good.files, degraded: ['failed:list'] });
  });

  test('in the news, the snapshot is taken all the same', async () => {
    const { root, git, bench } = await world();
    git.commit('one');
    await bench.take(root);
    git.failures.set('divergence', new ProjectAnchorError('git_failed', 'bad object'));
    const head = git.amend('two');
    expect(await bench.take(root)).toMatchObject({
      stored: true,
      commits: [],
      rewritten: { pairs: [] },
      snapshot: { git: { head: { commit: head } }, degraded: [] },
    });
    expect(bench.warnings.join()).toContain('bad object');
  });

  test.each([
    ['git_missing', 'no_git'],
    ['git_unsafe', 'unsafe_repository'],
    ['git_too_old', 'git_too_old'],
    ['git_failed', 'failed:git'],
  ])('from the start (%s), files and HEAD are read without it', async (code, degraded) => {
    const { root, git, bench } = await world();
    git.failure = new ProjectAnchorError(code, 'no');
    const { snapshot } = await bench.look(root, 'src/a.ts');
    expect(snapshot).toMatchObject({
      git: { head: { kind: 'unborn', branch: 'main' } },
      files: { count: 3 },
      active: 'src/a.ts',
      degraded: [degraded],
    });
    expect(snapshot.outlines['src/a.ts']?.items).toHaveLength(1);
  });

  test('it is tried again after a while, and the project stays the same', async () => {
    const { root, git, bench } = await world();
    git.addRemote('origin', 'https://host.example/a/b');
    git.failure = new ProjectAnchorError('git_missing', 'no');
    const before = await bench.service.identify(root);
    await bench.take(root);
    git.failure = null;
    expect((await bench.take(root)).snapshot.degraded).toEqual(['no_git']);
    bench.clock.advance(60_000);
    expect((await bench.take(root)).snapshot.degraded).toEqual([]);
    expect((await bench.service.identify(root)).anchor.id).toBe(before.anchor.id);
  });
});

describe('facts about a file', () => {
  async function shop(): Promise<World> {
    const made = await world();
    const { git } = made;
    git.write('src/index.ts', 'fn nothing\n');
    git.commit('one');
    return made;
  }

  test('follow the text in the editor, and the disk without one', async () => {
    const { root, bench } = await shop();
    const facts = await bench.service.facts(root, 'src/a.ts', 'fn unsaved\n');
    expect(facts).toMatchObject({
      path: 'src/a.ts',
      language: 'ts',
      outline: { items: [{ name: 'unsaved' }] },
      degraded: [],
    });
    expect((await bench.service.facts(root, 'src/a.ts', null)).outline?.items[0]?.name).toBe('alpha');
  });

  test('mid-edit text falls back to the last good one, of the editor or else of the disk', async () => {
    const { root, bench } = await shop();
    await bench.service.facts(root, 'src/a.ts', null);
    const first = await bench.service.facts(root, 'src/a.ts', 'broken');
    expect(first).toMatchObject({
      outline: { stale: true, items: [{ name: 'alpha' }] },
      degraded: ['parse_error:src/a.ts'],
    });
    await bench.service.facts(root, 'src/a.ts', 'fn typed\n');
    expect((await bench.service.facts(root, 'src/a.ts', 'broken again')).outline?.items[0]?.name).toBe('typed');
    expect((await bench.look(root, 'src/a.ts')).snapshot.outlines['src/a.ts']).toMatchObject({
      items: [{ name: 'alpha' }],
    });
    expect((await bench.service.facts(root, 'src/new.ts', 'broken')).outline).toBeNull();
  });

  test.each([['.env'], ['../outside.ts'], ['/etc/passwd'], ['secret.log'], ['node_modules/x/index.ts']])(
    '%s never leaves',
    async (path) => {
      const { root, git, bench } = await shop();
      git.write('.gitignore', '*.log\n');
      git.write('secret.log', 'fn s\n');
      expect(await bench.service.facts(root, path, 'fn secret\n')).toEqual({
        path,
        language: expect.any(String),
        outline: null,
        imports: [],
        degraded: ['denied'],
      });
      expect(codeOf(await bench.service.outline(root, path).catch((error: unknown) => error))).toMatch(
        /^(?:denied|outside)$/,
      );
    },
  );

  test('text that is too long or minified says so', async () => {
    const { root, bench } = await shop();
    expect((await bench.service.facts(root, 'src/a.ts', 'x\n'.repeat(600_000))).degraded).toEqual([
      'too_large:src/a.ts',
    ]);
    expect((await bench.service.facts(root, 'src/a.ts', 'x'.repeat(20_000))).degraded).toEqual(['minified:src/a.ts']);
  });

  test('a language without outlines has facts all the same', async () => {
    const { root, bench } = await shop();
    expect(await bench.service.facts(root, 'package.json', null)).toMatchObject({
      language: 'json',
      outline: null,
      degraded: [],
    });
    expect(String(await bench.service.outline(root, 'package.json').catch((error: unknown) => error))).toContain(
      'TypeScript, JavaScript',
    );
    expect(String(await bench.service.outline(root, 'src/none.ts').catch((error: unknown) => error))).toContain(
      'There is no file src/none.ts',
    );
  });
});

describe('stored snapshots', () => {
  test('latest, back, by id, by the beginning of an id, by revision and before it', async () => {
    const { root, git, bench } = await world();
    const c1 = git.commit('one');
    const s1 = (await bench.take(root)).snapshot;
    git.write('src/a.ts', 'fn a2\n');
    const s2 = (await bench.take(root)).snapshot;
    git.commit('two');
    git.write('src/a.ts', 'fn a3\n');
    const c3 = git.commit('three');
    const s3 = (await bench.take(root)).snapshot;
    git.write('src/a.ts', 'fn a4\n');
    git.commit('four, never looked at');
    const show = async (ref: string) => (await bench.service.show(root, ref)).id;
    expect(await show('latest')).toBe(s3.id);
    expect(await show('latest~0')).toBe(s3.id);
    expect(await show('latest~2')).toBe(s1.id);
    expect(await show(s2.id)).toBe(s2.id);
    expect(await show(s2.id.slice(0, 12))).toBe(s2.id);
    expect(await show(c3)).toBe(s3.id);
    expect(await show('HEAD')).toBe(s3.id);
    expect(await show('main~2')).toBe(s2.id);
    expect(await show(c1.slice(0, 10))).toBe(s2.id);
  });

  test.each([
    ['latest', 'No snapshot was taken here yet'],
    ['latest~3', 'No snapshot was taken here yet'],
    ['nope', 'neither a snapshot nor a git revision'],
    ['HEAD', 'No snapshot was taken at HEAD or before it'],
    ['f'.repeat(64), 'neither a snapshot nor a git revision'],
    ['', 'neither a snapshot nor a git revision'],
  ])('%j before the first one is not found', async (ref, words) => {
    const { root, git, bench } = await world();
    git.commit('one');
    const error = await bench.service.show(root, ref).catch((reason: unknown) => reason);
    expect(codeOf(error)).toBe('not_found');
    expect(String(error)).toContain(words);
  });

  test('too far back says so', async () => {
    const { root, bench } = await world();
    await bench.take(root);
    expect(String(await bench.service.show(root, 'latest~9').catch((error: unknown) => error))).toContain(
      'no 9 snapshots before',
    );
  });

  test('their file table, with the time of what is still as it was', async () => {
    const { root, git, bench } = await world();
    git.commit('one');
    const { snapshot } = await bench.take(root);
    git.write('src/a.ts', 'fn longer than before\n');
    const rows = await bench.service.files(root, snapshot.id);
    expect(rows.map(({ path, size, language }) => [path, size, language])).toEqual([
      ['package.json', 31, 'json'],
      ['src/a.ts', 9, 'ts'],
      ['src/b.ts', 8, 'ts'],
    ]);
    expect(rows.map(({ mtime }) => mtime !== null)).toEqual([true, false, true]);
    expect(rows[0]?.mtime).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
  });
});
