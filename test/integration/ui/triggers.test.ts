import { execFile, execFileSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { silentLogger, systemClock } from '../../../src/base/index.ts';
import type { TakenSnapshot, Trigger } from '../../../src/snapshot/index.ts';
import { readGitMoment } from '../../../src/ui/git-moment.ts';
import { type PollReason, watchGit } from '../../../src/ui/git-watch.ts';
import { SnapshotScheduler } from '../../../src/ui/snapshot-scheduler.ts';
import { cleanGitEnv, GitSandbox } from '../../support/git-repo.ts';
import { SnapshotBench } from '../../support/snapshot-service.ts';
import { tempDir } from '../../support/temp.ts';
import { waitFor } from '../../support/wait.ts';

const TIMEOUT_MS = 30_000;

interface Take {
  readonly trigger: Trigger;
  readonly taken: TakenSnapshot;
}

/** Git in a process beside this one, so that its work is seen while it happens. */
async function git(folder: string, ...args: string[]): Promise<void> {
  await promisify(execFile)('git', args, { cwd: folder, env: { ...cleanGitEnv(), GIT_EDITOR: 'true' } });
}

/** A working tree with the product's own watches, triggers and snapshots; everything in it is real. */
async function followed(folder: string) {
  const bench = await SnapshotBench.open({ clock: systemClock() });
  const { gitDir, commonDir } = await bench.service.identify(folder);
  if (gitDir === null || commonDir === null) throw new Error('there is no repository');
  const takes: Take[] = [];
  const failures: unknown[] = [];
  const reasons: (PollReason | null)[] = [];
  const flight = { now: 0, most: 0 };
  const scheduler = new SnapshotScheduler(
    {
      take: async (trigger) => {
        flight.now += 1;
        flight.most = Math.max(flight.most, flight.now);
        const taken = await bench.take(folder, { trigger });
        flight.now -= 1;
        takes.push({ trigger, taken });
        return taken;
      },
      git: () => readGitMoment(gitDir, commonDir),
      failed: (_, error) => failures.push(error),
    },
    systemClock(),
  );
  const watching = watchGit(
    { gitDir, commonDir },
    { changed: () => scheduler.gitMayHaveChanged(), polling: (reason) => reasons.push(reason) },
    systemClock(),
    silentLogger(),
  );
  onTestFinished(() => {
    watching.dispose();
    scheduler.dispose();
    expect(failures).toEqual([]);
  });
  await scheduler.start(null);
  takes.length = 0;
  /** Waits until the last snapshot has this, and then for what may still come: one by hand covers all that was seen. */
  const until = async (what: string, condition: (last: Take) => boolean) => {
    await waitFor(() => takes.some(condition), {
      timeoutMs: TIMEOUT_MS,
      what: () => `${what}; taken: ${takes.map(({ trigger, taken }) => `${trigger} ${taken.stored}`).join(', ')}`,
    });
    await scheduler.manual();
    return takes.splice(0).slice(0, -1);
  };
  return { bench, scheduler, takes, reasons, flight, until };
}

function repository(name = 'repo'): GitSandbox {
  const repo = GitSandbox.init(join(tempDir(), name));
  repo.write('a.ts', 'export const a = 0;\n').commit('one');
  return repo;
}

const triggers = (takes: readonly Take[]) => takes.map(({ trigger }) => trigger);

describe('a commit', () => {
  it.each<[string, () => { readonly folder: string; readonly head: () => string }]>([
    ['in a repository', () => plain(repository())],
    ['in a linked working tree', () => plain(linked(repository()))],
    ['in a submodule', () => plain(withSubmodule())],
    ['where no reflog is kept', () => plain(withoutReflog(repository()))],
    ['on a branch whose folder is not there yet', () => plain(onPackedBranch(repository()))],
  ])('is seen %s, once', async (_, make) => {
    const { folder, head } = make();
    const { until, reasons } = await followed(folder);
    await git(folder, 'commit', '--quiet', '--allow-empty', '-m', 'fix(a): two');
    const takes = await until('the commit', ({ taken }) => taken.snapshot.git.head.commit === head());
    expect(triggers(takes)).toEqual(['commit']);
    expect(takes[0]?.taken.commits).toHaveLength(1);
    await git(folder, 'commit', '--quiet', '--allow-empty', '-m', 'fix(a): three');
    const more = await until('the next one', ({ taken }) => taken.snapshot.git.head.commit === head());
    expect(triggers(more)).toEqual(['commit']);
    expect(reasons).toEqual([]);
  });

  it.each<[string, (repo: GitSandbox) => Promise<() => Promise<void>>]>([
    ['was moved away and back', moveAway],
    ['was removed and replaced', replace],
  ])('is seen after the git directory %s', async (_, remove) => {
    const repo = repository();
    const { until, reasons } = await followed(repo.root);
    const bringBack = await remove(repo);
    await waitFor(() => reasons.length > 0, { timeoutMs: TIMEOUT_MS, what: 'the loss' });
    expect(reasons).toEqual(['vanished']);
    await bringBack();
    await waitFor(() => reasons.length > 1, { timeoutMs: TIMEOUT_MS, what: 'the return' });
    await git(repo.root, 'commit', '--quiet', '--allow-empty', '-m', 'two');
    await until('the commit', ({ taken }) => taken.snapshot.git.head.commit === repo.head());
    expect(reasons).toEqual(['vanished', null]);
  });
});

describe('a burst', () => {
  it('of a rebase over fifty commits makes one snapshot, when it is over', async () => {
    const repo = repository();
    branchOf(repo, 'feature', 50);
    repo.write('b.ts', 'export const b = 1;\n').commit('on main');
    repo.git('checkout', '--quiet', 'feature');
    const { until, flight } = await followed(repo.root);
    await git(repo.root, 'rebase', '--quiet', 'main');
    const takes = await until('the end', ({ taken }) => taken.snapshot.git.head.commit === repo.head());
    expect(triggers(takes)).toEqual(['commit']);
    expect(takes[0]?.taken.snapshot.git).toMatchObject({ head: { kind: 'branch', branch: 'feature' } });
    expect(takes[0]?.taken.snapshot.git.operation).toBeUndefined();
    expect(flight.most).toBe(1);
  });

  it('of a switch of branches over two thousand files makes one snapshot', async () => {
    const repo = repository();
    for (let n = 0; n < 2000; n++) repo.write(`src/d${n % 40}/f${n}.ts`, `export const n = ${n};\n`);
    repo.commit('two thousand');
    repo.git('checkout', '--quiet', '-b', 'other');
    for (let n = 0; n < 2000; n++) repo.write(`src/d${n % 40}/f${n}.ts`, `export const n = ${-n};\n`);
    repo.commit('two thousand changed');
    const { until, flight } = await followed(repo.root);
    await git(repo.root, 'checkout', '--quiet', 'main');
    const takes = await until('the switch', ({ taken }) => taken.snapshot.git.head.branch === 'main');
    expect(triggers(takes)).toEqual(['commit']);
    expect(takes[0]?.taken.snapshot.git).toMatchObject({ staged: [], unstaged: [], untracked: [] });
    expect(flight.most).toBe(1);
  });

  it.each<[string, readonly string[]]>([
    ['a rebase', ['rebase', '--quiet', 'main', 'feature']],
    ['picks', ['cherry-pick', 'main..feature']],
  ])('of %s makes one snapshot also where a hook takes its time after each commit', async (_, command) => {
    const repo = repository();
    branchOf(repo, 'feature', 6);
    repo.write('b.ts', 'export const b = 1;\n').commit('on main');
    repo.write('.git/hooks/post-commit', '#!/bin/sh\nsleep 0.25\n');
    chmodSync(join(repo.root, '.git/hooks/post-commit'), 0o755);
    const { until } = await followed(repo.root);
    await git(repo.root, ...command);
    const takes = await until('the last commit', ({ taken }) => taken.snapshot.git.head.commit === repo.head());
    expect(triggers(takes)).toEqual(['commit']);
    expect(takes[0]?.taken.snapshot.git.operation).toBeUndefined();
  });

  it('of a formatter over the whole tree makes one snapshot after its last file, though the interval ends amid it', async () => {
    const repo = repository();
    for (let n = 0; n < 250; n++) repo.write(`src/f${n}.ts`, `export const n = ${n};\n`);
    repo.commit('many');
    const { scheduler, until } = await followed(repo.root);
    scheduler.setInterval(0.01);
    const start = Date.now();
    // The interval ends once, and the formatter goes on for longer than a look waits for quiet.
    for (let n = 0; n < 250 || Date.now() < start + 3000; n++) {
      await writeFile(join(repo.root, `src/f${n % 250}.ts`), `export const n = -${n};\n`);
      scheduler.filesTouched();
      if (Date.now() > start + 900) scheduler.setInterval(0);
    }
    repo.write('last.ts', '');
    const takes = await until('the look', ({ trigger }) => trigger === 'interval');
    expect(triggers(takes)).toEqual(['interval']);
    expect(takes[0]?.taken.snapshot.git).toMatchObject({ unstagedMore: 50, untracked: ['last.ts'] });
  });

  it('that stops for a person makes one snapshot of where it stopped, and one of its end', async () => {
    const repo = repository();
    repo.git('checkout', '--quiet', '-b', 'feature');
    repo.write('x.ts', 'x').commit('before');
    repo.write('a.ts', 'export const a = 1;\n').commit('mine');
    repo.write('y.ts', 'y').commit('after');
    repo.git('checkout', '--quiet', 'main');
    repo.write('a.ts', 'export const a = 2;\n').commit('theirs');
    repo.git('checkout', '--quiet', 'feature');
    const { until } = await followed(repo.root);
    await expect(git(repo.root, 'rebase', '--quiet', 'main')).rejects.toThrow();
    const stopped = await until('the conflict', ({ taken }) => taken.snapshot.git.conflicted.length > 0);
    expect(triggers(stopped)).toEqual(['commit']);
    expect(stopped[0]?.taken.snapshot.git).toMatchObject({ operation: 'rebase', conflicted: ['a.ts'] });
    repo.write('a.ts', 'export const a = 3;\n');
    await git(repo.root, 'add', 'a.ts');
    await git(repo.root, 'rebase', '--continue');
    const over = await until('the end', ({ taken }) => taken.snapshot.git.head.branch === 'feature');
    expect(triggers(over)).toEqual(['commit']);
  });
});

describe('the index', () => {
  it('is looked at once after it changed, and what is equal is not stored', async () => {
    const repo = repository();
    const { until } = await followed(repo.root);
    repo.write('b.ts', 'export const b = 1;\n').write('c.ts', 'export const c = 1;\n');
    await git(repo.root, 'add', 'b.ts');
    await git(repo.root, 'add', 'c.ts');
    const takes = await until('the look', ({ taken }) => taken.snapshot.git.staged.length === 2);
    expect(takes.map(({ trigger, taken }) => [trigger, taken.stored])).toEqual([['interval', true]]);
    // Git writes the index anew and nothing is different.
    await git(repo.root, 'update-index', '--force-write-index');
    const again = await until('the second look', ({ trigger }) => trigger === 'interval');
    expect(again.map(({ taken }) => taken.stored)).toEqual([false]);
  });
});

/** A branch off `main` with so many commits of a file each, made by one process. */
function branchOf({ root }: GitSandbox, name: string, commits: number): void {
  const stream = Array.from({ length: commits }, (_, n) => {
    const text = `export const n = ${n};`;
    return [
      `commit refs/heads/${name}`,
      `committer Test <test@example.invalid> ${1_700_000_000 + n} +0000`,
      `data <<END\n${name} ${n}\nEND`,
      ...(n === 0 ? ['from refs/heads/main^0'] : []),
      `M 100644 inline f${n}.ts\ndata <<END\n${text}\nEND\n`,
    ].join('\n');
  });
  execFileSync('git', ['fast-import', '--quiet'], { cwd: root, env: cleanGitEnv(), input: stream.join('\n') });
}

function plain(repo: GitSandbox) {
  return { folder: repo.root, head: () => repo.head() };
}

function linked(repo: GitSandbox): GitSandbox {
  const tree = new GitSandbox(join(repo.root, '..', 'linked'));
  repo.git('worktree', 'add', '--quiet', '-b', 'side', tree.root);
  return tree;
}

function withSubmodule(): GitSandbox {
  const outer = repository('outer');
  const library = repository('library');
  outer.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library.root, 'lib');
  outer.commit('a library');
  return new GitSandbox(join(outer.root, 'lib'));
}

function withoutReflog(repo: GitSandbox): GitSandbox {
  repo.git('config', 'core.logAllRefUpdates', 'false');
  return repo.remove('.git/logs');
}

function onPackedBranch(repo: GitSandbox): GitSandbox {
  withoutReflog(repo);
  repo.git('checkout', '--quiet', '-b', 'team/feature/x');
  repo.git('pack-refs', '--all');
  return repo.remove('.git/refs/heads/team');
}

async function moveAway({ root }: GitSandbox): Promise<() => Promise<void>> {
  const elsewhere = join(root, '..', 'moved');
  await rename(join(root, '.git'), elsewhere);
  return () => rename(elsewhere, join(root, '.git'));
}

async function replace({ root }: GitSandbox): Promise<() => Promise<void>> {
  await git(root, 'clone', '--quiet', '--no-checkout', '.', '../copy');
  await rm(join(root, '.git'), { recursive: true });
  return async () => {
    await git(join(root, '..'), 'clone', '--quiet', '--bare', 'copy', join(root, '.git'));
    await git(root, 'config', 'core.bare', 'false');
  };
}
