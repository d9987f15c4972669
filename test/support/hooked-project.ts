import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';
import { codeOf, silentLogger } from '../../src/base/index.ts';
import type { Snapshot } from '../../src/snapshot/index.ts';
import { openStore } from '../../src/store/index.ts';
import { builtCommandLine, CommandLine } from './command-line.ts';
import { cleanGitEnv, GitSandbox } from './git-repo.ts';
import { tempDir } from './temp.ts';
import { waitFor } from './wait.ts';

const LAUNCHER = join(import.meta.dirname, '../../bin/project-anchor');

/** An installed program: the built command line with its launcher, gone when the test file is done. */
export async function installedProgram(): Promise<string> {
  const root = mkdtempSync(join(tmpdir(), 'pa-ext-'));
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  cpSync(dirname(await builtCommandLine()), join(root, 'dist'), {
    recursive: true,
    // Half of it, and not installed.
    filter: (path) => !path.endsWith('.map'),
  });
  cpSync(LAUNCHER, join(root, 'bin', 'project-anchor'));
  return root;
}

export interface GitResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A repository with a data folder of its own, git run as a person does, and a Node that counts how often it is started. */
export class HookedProject {
  readonly root: string;
  readonly home: string;
  readonly repo: GitSandbox;
  readonly pa: CommandLine;
  readonly #starts: string;
  readonly #pids: string;
  readonly #node: string;

  constructor(program: string, at = tempDir()) {
    this.root = at;
    this.home = join(at, 'data');
    this.repo = GitSandbox.init(join(at, 'app'));
    this.repo.write('src/a.ts', 'export function a(): void {}\n').commit('first');
    this.#starts = join(at, 'starts');
    this.#pids = join(at, 'pids');
    this.#node = executable(
      join(at, 'node'),
      `#!/bin/sh\ncase $1 in --version) echo v24.0.0; exit 0 ;; esac\necho "$*" >>'${this.#starts}'\necho $$ >>'${this.#pids}'\nexec '${process.execPath}' "$@"\n`,
    );
    this.pa = new CommandLine(join(program, 'dist', 'cli.js'), { home: this.home, cwd: this.repo.root });
    // What is still at work must not outlive the folder it works in.
    onTestFinished(() => this.#quiet());
  }

  /** How many processes the hooks have started. */
  get starts(): number {
    return existsSync(this.#starts) ? readFileSync(this.#starts, 'utf8').trim().split('\n').length : 0;
  }

  /** Runs git as a person does: with output to a pipe, and none of the variables that lead to the data folder. */
  git(
    args: readonly string[],
    { cwd = this.repo.root, env = {} }: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
  ): GitResult {
    const { status, stdout, stderr } = spawnSync('git', args, {
      cwd,
      env: { ...cleanGitEnv(), PROJECT_ANCHOR_NODE: this.#node, ...env },
      encoding: 'utf8',
      timeout: 30_000,
    });
    return { code: status, stdout, stderr };
  }

  /** Waits until no process of the hooks is left, whatever it has left undone. */
  async #quiet(): Promise<void> {
    const lives = (name: string) => {
      const file = join(this.home, 'hooks', name);
      const pid = name.endsWith('.run') ? Number.parseInt(existsSync(file) ? readFileSync(file, 'utf8') : '', 10) : 0;
      return pid > 0 && runs(pid);
    };
    const pids = () => (existsSync(this.#pids) ? readFileSync(this.#pids, 'utf8').trim().split('\n').map(Number) : []);
    await waitFor(() => !this.#files().some(lives) && !pids().some(runs), {
      timeoutMs: 40_000,
      what: "the end of the hooks' processes",
    });
  }

  /** Waits until the hooks' processes have seen to everything. */
  async idle(): Promise<void> {
    await waitFor(() => !this.#files().some((name) => /\.(?:run|wish|taken)$/.test(name)), {
      timeoutMs: 40_000,
      what: () => `the hooks' processes; there is ${this.#files().join(', ')}`,
    });
  }

  #files(): string[] {
    try {
      return readdirSync(join(this.home, 'hooks'));
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return [];
      throw error;
    }
  }

  latest(cwd = this.repo.root): Promise<Snapshot> {
    return this.pa.at(cwd).json<Snapshot>(['show', 'latest']);
  }

  /** How many snapshots are stored. */
  async count(): Promise<number> {
    const store = await openStore({ folder: this.home, logger: silentLogger() });
    try {
      return store.anchors.list().reduce((sum, { id }) => sum + store.snapshots.list(id).length, 0);
    } finally {
      store.close();
    }
  }
}

/** Whether a process runs; one that nobody has asked for its end does not. */
export function runs(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

/** Writes a file that may be executed. */
export function executable(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  return path;
}
