import { readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { builtCommandLine, CommandLine } from '../../support/command-line.ts';
import { fingerprint } from '../../support/fingerprint.ts';
import { GitSandbox } from '../../support/git-repo.ts';
import { tempDir } from '../../support/temp.ts';
import { waitFor } from '../../support/wait.ts';

const cli = await builtCommandLine();

const SOURCE = 'export function sell(item: string): void {}\n';
/** How often a snapshot is killed, spread over the time that one takes. */
const KILLS = Number(process.env['PROJECT_ANCHOR_KILLS'] ?? 6);

interface Place {
  /** Everything that must stay as it is: the repository with all that belongs to it. */
  readonly all: string;
  /** Where the commands run. */
  readonly cwd: string;
}

/** A repository with a commit, staged, changed, untracked and ignored files, and an index that git would refresh. */
function busy(root: string): GitSandbox {
  const repo = GitSandbox.init(root);
  repo.write('src/shop.ts', SOURCE).write('src/old.ts', SOURCE).write('package.json', '{"name": "shop"}\n');
  repo.write('.gitignore', 'out/\n').commit('[feat] one');
  return repo;
}

function disturb(repo: GitSandbox): void {
  repo.write('src/new.ts', 'export const n = 1;\n').git('add', 'src/new.ts');
  // The same content at a newer time: an ordinary `git status` would write the index now.
  repo.write('src/shop.ts', SOURCE);
  repo.write('package.json', '{"name": "shop", "version": "2.0.0"}\n').write('loose.ts', '').write('out/x.js', '');
  repo.remove('src/old.ts');
}

const PLACES: Record<string, (root: string) => Place> = {
  'a plain repository': (root) => {
    const repo = busy(join(root, 'app'));
    disturb(repo);
    return { all: repo.root, cwd: repo.root };
  },
  'a linked working tree': (root) => {
    const repo = busy(join(root, 'all', 'app'));
    const second = join(root, 'all', 'second');
    repo.git('worktree', 'add', '--quiet', second, '-b', 'side');
    disturb(new GitSandbox(second));
    return { all: join(root, 'all'), cwd: second };
  },
  'a repository with submodules': (root) => {
    const part = busy(join(root, 'part'));
    const repo = busy(join(root, 'app'));
    for (const name of ['lib', 'deps/other']) {
      repo.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', part.root, name);
    }
    repo.commit('submodules');
    disturb(new GitSandbox(join(repo.root, 'lib')));
    disturb(repo);
    return { all: repo.root, cwd: repo.root };
  },
};

/** Whatever reads: the command line in the root, and what differs in a folder of it. */
async function readEverything(pa: CommandLine, cwd: string): Promise<void> {
  const file = join(cwd, 'src', 'shop.ts');
  const commands: readonly (readonly [CommandLine, string[]])[] = [
    [pa, ['anchor']],
    [pa, ['snapshot', '--trigger', 'agent']],
    [pa, ['show', 'HEAD']],
    [pa, ['files', 'latest']],
    [pa, ['outline', file]],
    [pa, ['why', `${file}#L1`]],
    [pa, ['focus', 'add', file, 'priority=high']],
    [pa, ['context', '--type', 'completion', '--file', file, '--line', '1', '--no-recall']],
    [pa, ['snapshot']],
    [pa, ['verify']],
    [pa, ['hook', 'status']],
    [pa.at(join(cwd, 'src')), ['snapshot', '--trigger', 'hook']],
    [pa.at(join(cwd, 'src')), ['show', 'latest']],
  ];
  for (const [at, args] of commands) {
    const { code, stderr } = await at.run(args);
    expect([args.join(' '), code, code === 0 ? '' : stderr]).toEqual([args.join(' '), 0, '']);
  }
}

/** Processes at work in a folder, such as the git that a killed command has started. */
function processesIn(folder: string): readonly string[] {
  return readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && cwdOf(pid).startsWith(folder));
}

function cwdOf(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    // It has ended, or is somebody else's.
    return '';
  }
}

describe.each(Object.entries(PLACES))('in %s', { timeout: 180_000 }, (_name, make) => {
  test('reading writes nothing: every file has its bytes and its times', async () => {
    const root = tempDir();
    const { all, cwd } = make(root);
    const pa = new CommandLine(cli, { home: join(root, 'data'), cwd });
    const before = fingerprint(all);
    await readEverything(pa, cwd);
    expect(fingerprint(all)).toEqual(before);
    expect(Object.keys(before).filter((name) => /(?:^|\/)index$/.test(name)).length).toBeGreaterThan(0);
  });

  test.skipIf(process.platform !== 'linux')('neither does a snapshot that is killed, whenever that is', async () => {
    const root = tempDir();
    const { all, cwd } = make(root);
    const home = join(root, 'data');
    const before = fingerprint(all);
    const pa = new CommandLine(cli, { home, cwd });
    const start = performance.now();
    expect((await pa.run(['snapshot'])).code).toBe(0);
    const whole = performance.now() - start;
    for (let n = 0; n < KILLS; n++) {
      const running = new CommandLine(cli, { home: join(root, `data-${n % 3}`), cwd }).start(['snapshot']);
      // Not a wait for something: the moment is what is tried.
      await new Promise((resolve) => setTimeout(resolve, ((n + Math.random()) / KILLS) * whole));
      running.signal('SIGKILL');
      await running.finished();
      await waitFor(() => processesIn(all).length === 0, { timeoutMs: 20_000, what: 'the end of what it started' });
      const after = fingerprint(all);
      expect(Object.keys(after).filter((name) => name.endsWith('.lock'))).toEqual([]);
      expect(after).toEqual(before);
    }
    // What was killed does not stand in the way of the next one.
    for (let n = 0; n < 3; n++) {
      expect((await new CommandLine(cli, { home: join(root, `data-${n}`), cwd }).run(['snapshot'])).code).toBe(0);
    }
    expect(fingerprint(all)).toEqual(before);
  });
});
