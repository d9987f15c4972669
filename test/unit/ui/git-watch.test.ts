import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { disposable } from '../../../src/base/index.ts';
import {
  CHECK_MS,
  GitWatch,
  LATE_MS,
  POLL_MS,
  type PollReason,
  pollingSentence,
  RETRY_POLLS,
} from '../../../src/ui/git-watch.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { tempDir } from '../../support/temp.ts';
import { waitFor } from '../../support/wait.ts';

interface Listener {
  readonly changed: (name: string | null) => void;
  readonly failed: (error: unknown) => void;
}

/** A git directory on disk, watched by watches that a test speaks for, on a clock that it moves. */
function repository(options: { refuse?: string } = {}) {
  const root = tempDir();
  const gitDir = join(root, '.git');
  mkdirSync(join(gitDir, 'logs'), { recursive: true });
  mkdirSync(join(gitDir, 'refs', 'heads'), { recursive: true });
  const write = (name: string, text: string) => {
    mkdirSync(join(gitDir, name, '..'), { recursive: true });
    writeFileSync(join(gitDir, name), text);
  };
  write('HEAD', 'ref: refs/heads/main\n');
  write('index', 'one');
  const clock = new FakeClock();
  const watched = new Map<string, Listener>();
  const world = { refuse: options.refuse ?? null, changes: 0, reasons: [] as (PollReason | null)[], attempts: 0 };
  const subject = new GitWatch(
    { gitDir, commonDir: gitDir },
    {
      watch: (folder, changed, failed) => {
        world.attempts += 1;
        if (world.refuse !== null) throw Object.assign(new Error(world.refuse), { code: world.refuse });
        const name = relative(root, folder);
        watched.set(name, { changed, failed });
        return disposable(() => watched.delete(name));
      },
      changed: () => {
        world.changes += 1;
      },
      polling: (reason) => world.reasons.push(reason),
    },
    clock,
  );
  onTestFinished(() => subject.dispose());
  /** Moves the clock until something is so; between two steps the disk is really read. */
  const until = (step: number, what: string, condition: () => boolean) =>
    waitFor(
      async () => {
        if (condition()) return true;
        await clock.advanceAsync(step);
        return condition();
      },
      { timeoutMs: 5000, intervalMs: 5, what },
    );
  return { subject, root, gitDir, write, clock, watched, world, until };
}

const BASIC = ['.git', '.git/logs', '.git/refs/heads'];

describe('GitWatch', () => {
  it('watches the git directory, its reflog and where the branch lies, each by itself', async () => {
    const { subject, watched, world } = repository();
    await subject.start();
    expect([...watched.keys()].sort()).toEqual(BASIC);
    expect(world.reasons).toEqual([]);
  });

  it('tells of what says something, and not of locks or what a fetch leaves', async () => {
    const { subject, watched, world } = repository();
    await subject.start();
    world.changes = 0;
    const git = watched.get('.git');
    for (const name of ['index.lock', 'HEAD.lock', 'FETCH_HEAD', 'COMMIT_EDITMSG', 'config', 'objects'])
      git?.changed(name);
    watched.get('.git/refs/heads')?.changed('main.lock');
    expect(world.changes).toBe(0);
    for (const name of ['HEAD', 'index', 'MERGE_HEAD', 'rebase-merge', null]) git?.changed(name);
    watched.get('.git/logs')?.changed('HEAD');
    watched.get('.git/refs/heads')?.changed('main');
    expect(world.changes).toBe(7);
  });

  it('follows the branch and folders that come and go', async () => {
    const { subject, gitDir, write, watched, world, until } = repository();
    await subject.start();
    write('HEAD', 'ref: refs/heads/feature/deep/x\n');
    watched.get('.git')?.changed('HEAD');
    // The branch is packed: git makes its folders with the first commit.
    write('refs/heads/feature/other', '1');
    watched.get('.git/refs/heads')?.changed('feature');
    await until(100, 'the folder of the branch', () => watched.has('.git/refs/heads/feature'));
    expect([...watched.keys()].sort()).toEqual(['.git', '.git/logs', '.git/refs/heads/feature']);
    rmSync(join(gitDir, 'logs'), { recursive: true });
    watched.get('.git')?.changed('logs');
    await until(100, 'the reflog to be let go', () => !watched.has('.git/logs'));
    mkdirSync(join(gitDir, 'logs'));
    const before = world.changes;
    watched.get('.git')?.changed('logs');
    await until(100, 'the reflog', () => watched.has('.git/logs'));
    // What was written there before it was watched went unseen.
    expect(world.changes).toBe(before + 2);
  });

  it('watches a folder anew that was replaced by another one of its name', async () => {
    const { subject, root, gitDir, watched, world, until } = repository();
    await subject.start();
    const before = watched.get('.git/logs');
    // Kept, so that its inode is not given to the next one.
    renameSync(join(gitDir, 'logs'), join(root, 'old'));
    mkdirSync(join(gitDir, 'logs'));
    watched.get('.git')?.changed('logs');
    await until(100, 'a new watch', () => watched.get('.git/logs') !== before && watched.has('.git/logs'));
    expect(world.reasons).toEqual([]);
  });

  it.each([
    ['ENOSPC', 'limit'],
    ['EMFILE', 'limit'],
    ['EPERM', 'failed'],
  ] as const)('polls when watching fails with %s, says so, and sees changes all the same', async (code, reason) => {
    const { subject, write, watched, world, until } = repository({ refuse: code });
    await subject.start();
    expect(world.reasons).toEqual([reason]);
    expect(watched.size).toBe(0);
    world.changes = 0;
    write('HEAD', 'ref: refs/heads/other\n');
    await until(POLL_MS, 'the switch of branches', () => world.changes > 0);
    world.changes = 0;
    write('refs/heads/other', 'a commit where no reflog is kept');
    await until(POLL_MS, 'the commit', () => world.changes > 0);
    world.changes = 0;
    write('index', 'two, longer');
    await until(POLL_MS, 'the index', () => world.changes > 0);
    expect(world.reasons).toEqual([reason]);
  });

  it('polls every two seconds, and says nothing while nothing changes', async () => {
    const { subject, clock, write, world, until } = repository({ refuse: 'ENOSPC' });
    await subject.start();
    world.changes = 0;
    write('index', 'two, longer');
    await clock.advanceAsync(POLL_MS - 1);
    expect(world.changes).toBe(0);
    const start = clock.monotonic();
    await until(1, 'the poll', () => world.changes === 1);
    expect(clock.monotonic() - start).toBeLessThan(POLL_MS);
    for (let poll = 0; poll < 5; poll++) await clock.advanceAsync(POLL_MS);
    expect(world.changes).toBe(1);
  });

  it('tries to watch again every minute, and takes back what it said when that works', async () => {
    const { subject, watched, world, until } = repository({ refuse: 'ENOSPC' });
    await subject.start();
    const { attempts } = world;
    const polls = { count: 0 };
    world.refuse = null;
    await until(POLL_MS, 'the watches', () => {
      polls.count += 1;
      return watched.size === BASIC.length;
    });
    expect(world.attempts).toBeGreaterThan(attempts);
    expect(polls.count).toBeGreaterThanOrEqual(RETRY_POLLS);
    expect(world.reasons).toEqual(['limit', null]);
  });

  it('polls when a watch fails later, and lets the others go', async () => {
    const { subject, watched, world } = repository();
    await subject.start();
    watched.get('.git/logs')?.failed(Object.assign(new Error('x'), { code: 'EMFILE' }));
    expect(world.reasons).toEqual(['limit']);
    expect(watched.size).toBe(0);
  });

  it('notices a file system without events, and polls from then on', async () => {
    const { subject, write, world, until } = repository();
    await subject.start();
    world.changes = 0;
    write('index', 'two, longer');
    await until(CHECK_MS, 'the change to be seen', () => world.changes === 1);
    await until(LATE_MS, 'the conclusion', () => world.reasons.length > 0);
    expect(world.reasons).toEqual(['silent']);
    write('index', 'three, longer still');
    await until(POLL_MS, 'the next change', () => world.changes === 2);
    // It is not tried again: nothing would tell that it fails.
    for (let poll = 0; poll < 2 * RETRY_POLLS; poll++) await until(POLL_MS, 'a poll', () => true);
    expect(world.reasons).toEqual(['silent']);
  });

  it('does not take a late event for a missing one', async () => {
    const { subject, write, clock, watched, world, until } = repository();
    await subject.start();
    world.changes = 0;
    write('index', 'two, longer');
    await until(CHECK_MS, 'the change to be seen', () => world.changes === 1);
    watched.get('.git')?.changed('index');
    await clock.advanceAsync(LATE_MS);
    expect(world.reasons).toEqual([]);
    expect([...watched.keys()].sort()).toEqual(BASIC);
  });

  it('says that the git directory is gone, and goes on when it is back', async () => {
    const { subject, root, gitDir, watched, world, until } = repository();
    await subject.start();
    renameSync(gitDir, join(root, 'elsewhere'));
    watched.get('.git')?.changed(null);
    await until(100, 'the loss', () => world.reasons.length > 0);
    expect(world.reasons).toEqual(['vanished']);
    renameSync(join(root, 'elsewhere'), gitDir);
    world.changes = 0;
    await until(POLL_MS, 'the return', () => watched.size === BASIC.length);
    expect(world.reasons).toEqual(['vanished', null]);
    expect(world.changes).toBeGreaterThan(0);
  });

  it.each([
    ['by the name of the folder itself', '.git'],
    ['by nothing but its stamps', undefined],
  ])('notices that the git directory was moved away, told %s', async (_, name) => {
    const { subject, root, gitDir, clock, watched, world, until } = repository();
    await subject.start();
    renameSync(gitDir, join(root, 'elsewhere'));
    if (name !== undefined) watched.get('.git')?.changed(name);
    await until(name === undefined ? LATE_MS : 100, 'the loss', () => world.reasons.length > 0);
    expect(world.reasons).toEqual(['vanished']);
    if (name !== undefined) expect(clock.monotonic()).toBeLessThan(CHECK_MS);
    renameSync(join(root, 'elsewhere'), gitDir);
    await until(POLL_MS, 'the return', () => watched.size === BASIC.length);
    expect(world.reasons).toEqual(['vanished', null]);
  });

  it('does not take another git directory in its place for a missing event', async () => {
    const { subject, root, gitDir, write, watched, world, until } = repository();
    await subject.start();
    const before = watched.get('.git');
    renameSync(gitDir, join(root, 'elsewhere'));
    mkdirSync(join(gitDir, 'logs'), { recursive: true });
    write('HEAD', 'ref: refs/heads/another\n');
    await until(LATE_MS, 'new watches', () => watched.has('.git') && watched.get('.git') !== before);
    expect(world.reasons).toEqual([]);
  });

  it('leaves nothing behind', async () => {
    const { subject, clock, watched, world } = repository();
    await subject.start();
    watched.get('.git')?.changed('HEAD');
    const { changes } = world;
    subject.dispose();
    expect(watched.size).toBe(0);
    expect(clock.pending).toBe(0);
    await clock.advanceAsync(CHECK_MS * 2);
    expect(world.changes).toBe(changes);
  });

  it('watches nothing when it ended while it began', async () => {
    const { subject, watched, clock } = repository();
    const starting = subject.start();
    subject.dispose();
    await starting;
    expect(watched.size).toBe(0);
    expect(clock.pending).toBe(0);
  });

  it('has a sentence for every reason', () => {
    for (const reason of ['limit', 'silent', 'vanished', 'failed'] as const) {
      expect(pollingSentence(reason)).toMatch(/^The .*so this repository is looked at every 2 seconds instead\. .+\.$/);
    }
  });

  it('is all that watches files in the product, and watches no tree', () => {
    const source = join(import.meta.dirname, '..', '..', '..', 'src');
    const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    const watching = files.filter((file) =>
      /createFileSystemWatcher|\bwatchFile\(|import \{[^}]*\bwatch\b[^}]*\} from 'node:fs|recursive: true, persistent/.test(
        readFileSync(join(source, file), 'utf8'),
      ),
    );
    expect(watching).toEqual([join('ui', 'git-watch.ts')]);
    expect(readFileSync(join(source, 'ui', 'git-watch.ts'), 'utf8')).not.toContain('recursive');
  });
});
