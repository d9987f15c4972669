import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { emptyState, takenOps } from '../../../../src/delta/index.ts';
import type { CommitPair, TakenSnapshot } from '../../../../src/snapshot/index.ts';
import { cleanGitEnv, GitSandbox } from '../../../support/git-repo.ts';
import { SnapshotBench } from '../../../support/snapshot-service.ts';
import { tempDir } from '../../../support/temp.ts';

/** A branch `topic` of three commits beside `main`, looked at once, with whatever a test does after that. */
interface World {
  readonly repo: GitSandbox;
  readonly bench: SnapshotBench;
  /** Commits by their subjects, as they were when they were made. */
  readonly ids: Readonly<Record<'base' | 'up' | 'one' | 'two' | 'three', string>>;
  look(rewritten?: readonly CommitPair[]): Promise<TakenSnapshot>;
  /** Pairs of a snapshot by subjects of the olds and subjects of the news now. */
  said(taken: TakenSnapshot): readonly string[];
}

/** Commits some minutes ago, so that no two commits and no look share a second. */
function write(repo: GitSandbox, subject: string, minutesAgo: number): string {
  repo.write(`${subject}.ts`, `export const ${subject} = 1;\n`).git('add', '--all');
  const date = `${Math.floor(Date.now() / 1000) - minutesAgo * 60} +0000`;
  repo.git('commit', '--quiet', `--date=${date}`, '-m', subject);
  return repo.head();
}

/** The repository that every world begins as; copying it is cheaper than its dozen commands. */
const template = mkdtempSync(join(tmpdir(), 'pa-template-'));
const made: { ids?: World['ids'] } = {};

beforeAll(() => {
  const repo = GitSandbox.init(template);
  repo.git('config', 'core.editor', 'true');
  const base = write(repo, 'base', 60);
  repo.git('switch', '--quiet', '-c', 'topic');
  const [one, two, three] = [write(repo, 'one', 50), write(repo, 'two', 40), write(repo, 'three', 30)];
  repo.git('switch', '--quiet', 'main');
  const up = write(repo, 'up', 20);
  repo.git('switch', '--quiet', 'topic');
  made.ids = { base, up, one, two, three };
});
afterAll(() => rmSync(template, { recursive: true, force: true }));

async function world(reflog: boolean): Promise<World> {
  const { ids } = made;
  if (ids === undefined) throw new Error('the template is missing');
  const repo = new GitSandbox(join(tempDir(), 'repo'));
  cpSync(template, repo.root, { recursive: true, preserveTimestamps: true });
  if (!reflog) {
    repo.git('config', 'core.logAllRefUpdates', 'false');
    rmSync(join(repo.root, '.git/logs'), { recursive: true });
  }
  const bench = await SnapshotBench.open();
  bench.clock.set(Date.now());
  await bench.take(repo.root);
  const subject = (id: string) => repo.git('log', '-1', '--format=%s', id).trim();
  return {
    repo,
    bench,
    ids,
    look: (rewritten) =>
      bench.take(repo.root, { trigger: 'commit', ...(rewritten === undefined ? {} : { rewritten }) }),
    said: ({ rewritten }) =>
      rewritten.pairs.map((pair) => {
        const old = Object.entries(ids).find(([, id]) => id === pair.old)?.[0] ?? subject(pair.old);
        return `${old} → ${subject(pair.new)}`;
      }),
  };
}

/** `rebase -i` with a todo list edited by sed. */
function rebase(repo: GitSandbox, sed: string, ...args: string[]): void {
  repo.git('-c', `sequence.editor=sed -i -e '${sed}'`, 'rebase', '--quiet', '-i', ...args);
}

const subjects = ({ commits }: TakenSnapshot) => commits.map(({ subject }) => subject);

const nothing = { pairs: [] };
/** What every rewriting of all three commits says. */
const all = ['one → one', 'two → two', 'three → three'];

describe.each([
  ['with a reflog', true],
  ['where no reflog is kept (core.logAllRefUpdates=false)', false],
])('%s', (_, reflog) => {
  let here: World;
  beforeEach(async () => {
    here = await world(reflog);
  });

  test('an amended commit', async () => {
    const { repo, ids, look } = here;
    repo.write('three.ts', 'export const three = 3;\n');
    const amended = repo.amend('three');
    const taken = await look();
    expect(taken.rewritten).toEqual({ pairs: [{ old: ids.three, new: amended }] });
    expect(taken.commits).toEqual([]);
    expect(taken.changed).toEqual(['three.ts']);
    expect((await look()).rewritten).toEqual(nothing);
  });

  test('amended with other words, and twice before anybody looks', async () => {
    const { repo, ids, look } = here;
    repo.amend('better');
    expect((await look()).rewritten.pairs.map((pair) => pair.old)).toEqual([ids.three]);
    const before = repo.head();
    repo.amend('better still');
    repo.write('three.ts', '').amend('best');
    expect((await look()).rewritten).toEqual({ pairs: [{ old: before, new: repo.head() }] });
  });

  test('amended, and another one made', async () => {
    const { repo, look, said } = here;
    repo.amend('three, better');
    write(repo, 'four', 0);
    const taken = await look();
    expect(said(taken)).toEqual(['three → three, better']);
    expect(subjects(taken)).toEqual(['four']);
  });

  test.each(['--merge', '--apply'])(
    'rebased onto main (%s): its own commits are no news, those of main are',
    async (how) => {
      const { repo, look, said } = here;
      repo.git('rebase', '--quiet', how, 'main');
      const taken = await look();
      expect(said(taken)).toEqual(all);
      expect(subjects(taken)).toEqual(['up']);
      expect(taken.commits[0]?.paths).toEqual(['up.ts']);
    },
  );

  test('one left out, one reworded', async () => {
    const { repo, look, said } = here;
    repo.git('config', 'core.editor', 'sed -i s/three/drei/');
    rebase(repo, 's/^pick \\(.* two\\)/drop \\1/; s/^pick \\(.* three\\)/reword \\1/', 'main');
    const taken = await look();
    expect(said(taken)).toEqual(['one → one', 'three → drei']);
    expect(subjects(taken)).toEqual(['up']);
  });

  test('the order changed', async () => {
    const { repo, look, said } = here;
    rebase(repo, '1{h;d};2{G}', 'main');
    expect(said(await look())).toEqual(all);
  });

  test('squashed where they are', async () => {
    const { repo, look, said } = here;
    rebase(repo, '2s/^pick/squash/; 3s/^pick/fixup/', 'HEAD~3');
    const taken = await look();
    expect(said(taken)).toEqual(['one → one', 'two → one', 'three → one']);
    expect(taken.commits).toEqual([]);
  });

  test('squashed onto main: every old one with the reflog, else at least no wrong one', async () => {
    const { repo, look, said } = here;
    rebase(repo, '2s/^pick/fixup/', 'main');
    const taken = await look();
    const certain = ['one → one', 'three → three'];
    expect(said(taken)).toEqual(reflog ? ['one → one', 'two → one', 'three → three'] : certain);
    expect(subjects(taken)).toEqual(['up']);
  });

  test('melded by autosquash', async () => {
    const { repo, look, said } = here;
    write(repo, 'more', 10);
    repo.git('commit', '--quiet', '--amend', '-m', 'fixup! one');
    await look();
    repo.git('-c', 'sequence.editor=true', 'rebase', '--quiet', '-i', '--autosquash', 'main');
    expect(said(await look())).toEqual([...all, 'fixup! one → one']);
  });

  test('put together by a soft reset and a new commit', async () => {
    const { repo, look, said } = here;
    repo.git('reset', '--quiet', '--soft', 'HEAD~2');
    write(repo, 'four', 0);
    const notTheSame = await look();
    expect(said(notTheSame)).toEqual([]);
    expect(subjects(notTheSame)).toEqual(['four']);
    write(repo, 'five', 0);
    await look();
    repo.git('reset', '--quiet', '--soft', 'HEAD~2');
    repo.git('commit', '--quiet', '-m', 'both');
    const taken = await look();
    expect(said(taken)).toEqual(['four → both', 'five → both']);
    expect(taken.commits).toEqual([]);
  });

  test('looked at while the rebase stops for a conflict: nothing until it is over, then everything once', async () => {
    const { repo, look, said, bench } = here;
    repo.git('switch', '--quiet', 'main');
    repo.write('two.ts', 'in the way\n').commit('in the way');
    repo.git('switch', '--quiet', 'topic');
    // What the rebase makes is newer than the look before it.
    bench.clock.set(Date.now() - 60_000);
    repo.write('loose.md', '');
    expect((await look()).stored).toBe(true);
    expect(() => repo.git('rebase', '--quiet', 'main')).toThrow();
    const during = await look();
    expect(during.snapshot.git).toMatchObject({
      operation: 'rebase',
      head: { kind: 'detached' },
      conflicted: ['two.ts'],
    });
    expect(during).toMatchObject({ commits: [], rewritten: nothing });
    repo.write('two.ts', 'settled\n').git('add', 'two.ts');
    expect(await look()).toMatchObject({ commits: [], rewritten: nothing });
    repo.git('rebase', '--continue');
    const taken = await look();
    expect(taken.snapshot.git.head).toMatchObject({ kind: 'branch', branch: 'topic' });
    expect(said(taken)).toEqual(all);
    expect(subjects(taken)).toEqual(['up', 'in the way']);
    expect((await look()).rewritten).toEqual(nothing);
  });

  test('a rebase that is given up changes nothing', async () => {
    const { repo, look, ids } = here;
    rebase(repo, '2s/^pick/edit/', 'main');
    expect((await look()).commits).toEqual([]);
    repo.git('rebase', '--abort');
    const taken = await look();
    expect(taken).toMatchObject({ commits: [], rewritten: nothing });
    expect(taken.snapshot.git.head.commit).toBe(ids.three);
  });

  test('a stop to edit: what is made there is news, what is amended is not', async () => {
    const { repo, look, said } = here;
    rebase(repo, '2s/^pick/edit/', 'main');
    repo.write('two.ts', 'export const two = 22;\n').amend('two');
    await look();
    write(repo, 'between', 0);
    await look();
    repo.git('rebase', '--continue');
    const taken = await look();
    expect(said(taken)).toEqual(all);
    expect(subjects(taken)).toEqual(['up', 'between']);
  });

  test('with merges kept', async () => {
    const { repo, look, said } = here;
    repo.git('switch', '--quiet', '-c', 'side', 'HEAD~1');
    write(repo, 'aside', 10);
    repo.git('switch', '--quiet', 'topic');
    repo.git('merge', '--quiet', '--no-ff', '-m', 'merged', 'side');
    await look();
    repo.git('rebase', '--quiet', '--rebase-merges', 'main');
    const taken = await look();
    expect([...said(taken)].sort()).toEqual(['aside → aside', 'merged → merged', ...all].sort());
    expect(subjects(taken)).toEqual(['up']);
  });

  test('reset to an older commit: git moves, nothing is rewritten and nothing made', async () => {
    const { repo, look, ids } = here;
    repo.git('reset', '--quiet', '--hard', 'HEAD~2');
    const taken = await look();
    expect(taken).toMatchObject({ commits: [], rewritten: nothing, snapshot: { git: { head: { commit: ids.one } } } });
    expect(takenOps(emptyState(taken.snapshot.anchor), taken).map(({ op }) => op)).not.toContain('rewrite_history');
    repo.git('reset', '--quiet', '--hard', ids.three);
    expect((await look()).rewritten).toEqual(nothing);
  });

  test('another branch: git moves, nothing is rewritten', async () => {
    const { repo, look, bench } = here;
    bench.clock.set(Date.now() + 60_000);
    repo.git('switch', '--quiet', 'main');
    expect(await look()).toMatchObject({
      commits: [],
      rewritten: nothing,
      snapshot: { git: { head: { branch: 'main' } } },
    });
    repo.git('switch', '--quiet', 'topic');
    expect(await look()).toMatchObject({ commits: [], rewritten: nothing });
  });

  test('a branch set to something else altogether has news and no pairs', async () => {
    const { repo, look } = here;
    repo.git('reset', '--quiet', '--hard', 'main');
    const taken = await look();
    expect(taken.rewritten).toEqual(nothing);
    expect(subjects(taken)).toEqual(['up']);
  });

  test('a force-push of somebody else, taken over by a reset', async () => {
    const { repo, look, said } = here;
    const other = new GitSandbox(join(tempDir(), 'other'));
    repo.git('clone', '--quiet', '--branch', 'topic', repo.root, other.root);
    other.git('fetch', '--quiet', 'origin', 'main:main');
    other.git('rebase', '--quiet', 'main');
    other.write('three.ts', 'export const three = 33;\n').amend('three');
    write(other, 'theirs', 5);
    repo.git('remote', 'add', 'origin', other.root);
    repo.git('fetch', '--quiet', 'origin');
    expect(await look()).toMatchObject({ commits: [], rewritten: nothing });
    repo.git('reset', '--quiet', '--hard', 'origin/topic');
    const taken = await look();
    expect(said(taken)).toEqual(all);
    expect(subjects(taken)).toEqual(['up', 'theirs']);
  });

  test('pulled with a rebase', async () => {
    const { repo, look, said } = here;
    repo.git('pull', '--quiet', '--rebase', repo.root, 'main');
    const taken = await look();
    expect(said(taken)).toEqual(all);
    expect(subjects(taken)).toEqual(['up']);
  });

  test('another branch rebased from here by name', async () => {
    const { repo, look, bench } = here;
    repo.git('switch', '--quiet', 'main');
    bench.clock.set(Date.now() - 2_000);
    await look();
    repo.git('rebase', '--quiet', 'main', 'topic');
    const taken = await look();
    expect(taken.rewritten).toEqual(nothing);
    if (reflog) expect(taken.commits).toEqual([]);
  });

  test('another branch rebased from here by name, with the hook’s word', async () => {
    const { repo, look, said, ids } = here;
    repo.git('switch', '--quiet', 'main');
    await look();
    repo.git('rebase', '--quiet', 'main', 'topic');
    const [three = '', two = ''] = repo.git('rev-list', '-2', 'topic').split('\n');
    const told = [
      { old: ids.two, new: two },
      { old: ids.three.slice(0, 12), new: three },
      { old: ids.three, new: 'HEAD' },
      { old: ids.three, new: three },
    ];
    expect(said(await look(told))).toEqual(['two → two', 'three → three']);
  });

  test('a merge, a cherry-pick and a revert are news, and rewrite nothing', async () => {
    const { repo, look } = here;
    repo.git('merge', '--quiet', '--no-ff', '-m', 'merged', 'main');
    expect(subjects(await look())).toEqual(['up', 'merged']);
    repo.git('revert', '--no-edit', 'HEAD~1');
    const reverted = await look();
    expect(reverted.rewritten).toEqual(nothing);
    expect(subjects(reverted)).toEqual(['Revert "three"']);
    repo.git('cherry-pick', here.ids.three);
    const picked = await look();
    expect(picked.rewritten).toEqual(nothing);
    expect(subjects(picked)).toEqual(['three']);
  });

  test('the old commit is gone for good: nothing fails, and the next look is as ever', async () => {
    const { repo, look } = here;
    repo.write('three.ts', '').amend('three');
    if (reflog) repo.git('reflog', 'expire', '--expire=now', '--all');
    repo.git('gc', '--quiet', '--prune=now');
    const taken = await look();
    expect(taken).toMatchObject({ stored: true, commits: [], rewritten: nothing, snapshot: { degraded: [] } });
    write(repo, 'four', 0);
    expect(subjects(await look())).toEqual(['four']);
  });

  test('the hook’s word is taken where git alone could not tell', async () => {
    const { repo, look, said, ids } = here;
    rebase(repo, '2s/^pick/drop/; 3s/^pick/drop/', 'main');
    const [first] = repo.git('rev-parse', 'HEAD').split('\n');
    const told = ['one', 'two'].map((name) => ({ old: ids[name as 'one'], new: first ?? '' }));
    const noise = [
      { old: 'HEAD', new: first ?? '' },
      { old: ids.three, new: '$(rm -rf .)' },
      { old: ids.three.slice(0, 12), new: first ?? '' },
      { old: first ?? '', new: first ?? '' },
    ];
    const taken = await look([...told, ...noise]);
    expect(said(taken)).toEqual(['one → one', 'two → one']);
    // What was told already is not told again, by whoever comes later.
    expect((await look(told)).rewritten).toEqual(nothing);
  });
});

test('a real post-rewrite hook, asked while git still waits for it: squashed commits are all told, once', async () => {
  const { repo, look, said } = await world(false);
  const told = tempDir();
  const pairsOf = async (what: 'amend' | 'rebase') => {
    await expect.poll(() => existsSync(join(told, what)), { timeout: 30_000 }).toBe(true);
    const lines = readFileSync(join(told, what), 'utf8').trim().split('\n');
    return lines.map((line) => line.split(' ')).map(([old = '', now = '']) => ({ old, new: now }));
  };
  mkdirSync(join(repo.root, '.git/hooks'), { recursive: true });
  writeFileSync(
    join(repo.root, '.git/hooks/post-rewrite'),
    `#!/bin/sh\ncd '${told}' && cat > new && mv new "$1" && while [ ! -e "go-$1" ]; do sleep 0.02; done\n`,
    { mode: 0o755 },
  );
  const editor = 'sequence.editor=sed -i -e 2s/^pick/squash/';
  const rebasing = spawn('git', ['-c', editor, 'rebase', '--quiet', '-i', 'main'], {
    cwd: repo.root,
    env: cleanGitEnv(),
    stdio: 'ignore',
  });
  const ended = once(rebasing, 'close');
  // Within the rebase the squashed commit is an amended one: nobody has seen it before.
  expect(await look(await pairsOf('amend'))).toMatchObject({ commits: [], rewritten: nothing });
  writeFileSync(join(told, 'go-amend'), '');
  const pairs = await pairsOf('rebase');
  const during = await look(pairs);
  // The files of the rebase are still there, but HEAD is back on its branch.
  expect(during.snapshot.git).toMatchObject({ operation: 'rebase', head: { kind: 'branch', branch: 'topic' } });
  expect(said(during)).toEqual(['one → one', 'two → one', 'three → three']);
  expect(subjects(during)).toEqual(['up']);
  writeFileSync(join(told, 'go-rebase'), '');
  await ended;
  const after = await look(pairs);
  expect(after.snapshot.git.operation).toBeUndefined();
  expect(after).toMatchObject({ commits: [], rewritten: nothing });
});

describe('on no branch', () => {
  test('an amended commit is told by the reflog; another commit checked out is no rewriting', async () => {
    const { repo, look, said, bench } = await world(true);
    repo.git('switch', '--quiet', '--detach');
    await look();
    repo.amend('three, better');
    expect(said(await look())).toEqual(['three → three, better']);
    bench.clock.set(Date.now() + 60_000);
    repo.git('checkout', '--quiet', 'main~0');
    expect(await look()).toMatchObject({ commits: [], rewritten: nothing });
    repo.git('bisect', 'start');
    repo.git('checkout', '--quiet', 'topic~2');
    expect(await look()).toMatchObject({ commits: [], rewritten: nothing });
    repo.git('checkout', '--quiet', 'topic~0');
    expect(await look()).toMatchObject({ commits: [], rewritten: nothing });
  });
});

test('the first commits of a repository that was seen without one are news', async () => {
  const repo = GitSandbox.init(join(tempDir(), 'new'));
  const bench = await SnapshotBench.open();
  await bench.take(repo.root);
  write(repo, 'first', 2);
  write(repo, 'second', 1);
  const taken = await bench.take(repo.root);
  expect(taken.commits.map(({ subject, paths }) => [subject, paths])).toEqual([
    ['first', ['first.ts']],
    ['second', ['second.ts']],
  ]);
});

test('of more than 500 the newest are told, and the others counted', async () => {
  const repo = GitSandbox.init(join(tempDir(), 'long'));
  const history = (branch: string, committer: number) =>
    Array.from({ length: 520 }, (_, n) =>
      [
        `commit refs/heads/${branch}`,
        `author A <a@example.invalid> ${1_700_000_000 + n} +0000`,
        `committer A <a@example.invalid> ${committer + n} +0000`,
        `data ${`c${n}`.length}`,
        `c${n}`,
        '',
      ].join('\n'),
    ).join('\n');
  const input = `${history('main', 1_700_000_000)}\n${history('again', 1_700_100_000)}\n`;
  execFileSync('git', ['fast-import', '--quiet'], { cwd: repo.root, env: cleanGitEnv(), input });
  const bench = await SnapshotBench.open();
  await bench.take(repo.root);
  const olds = repo.git('rev-list', '--reverse', 'main').trim().split('\n');
  const news = repo.git('rev-list', '--reverse', 'again').trim().split('\n');
  repo.git('reset', '--quiet', '--hard', 'again');
  const { rewritten, commits } = await bench.take(repo.root);
  expect(commits).toEqual([]);
  expect(rewritten.more).toBe(20);
  expect(rewritten.pairs).toEqual(olds.slice(20).map((old, at) => ({ old, new: news[20 + at] })));
});
