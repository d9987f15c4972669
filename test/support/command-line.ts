import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { buildBundles } from '../../scripts/lib/bundle.mjs';
import { BUNDLES } from '../../scripts/lib/bundles.mjs';
import { codeOf } from '../../src/base/index.ts';
import { waitFor } from './wait.ts';

const ROOT = join(import.meta.dirname, '../..');
/** A command that takes longer is taken for hung. */
const LIMIT_MS = 40_000;

/**
 * The built command line: the one in dist when `npm test` has just built it, else one built now, for all files of the run.
 */
export async function builtCommandLine(): Promise<string> {
  if ((process.env['PROJECT_ANCHOR_VSIX'] ?? '') !== '') return join(ROOT, 'dist', 'cli.js');
  const built = join(process.env['PROJECT_ANCHOR_TEST_RUN'] ?? '', 'dist');
  if (!existsSync(built)) await buildInto(built);
  return join(built, 'cli.js');
}

/** The folder appears whole. Of two that build at the same time one is first, and both use his. */
async function buildInto(folder: string): Promise<void> {
  const outdir = mkdtempSync(`${folder}-`);
  const bundles = BUNDLES.filter(({ name }) => ['cli', 'core', 'minimax'].includes(name));
  const { problems } = await buildBundles({ root: ROOT, outdir, minify: false, bundles });
  if (problems.length > 0) throw new Error(problems.join('\n'));
  try {
    renameSync(outdir, folder);
  } catch (error) {
    if (codeOf(error) !== 'ENOTEMPTY' && codeOf(error) !== 'EEXIST') throw error;
  }
}

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Text for the standard input; nothing closes it at once. */
  readonly input?: string;
}

/** The command line as real processes on one data folder. */
export class CommandLine {
  readonly #cli: string;
  readonly #home: string;
  readonly #cwd: string;
  readonly #env: NodeJS.ProcessEnv;

  /** @param env added to an environment without the person's own git and ProjectAnchor settings */
  constructor(cli: string, { home, cwd, env = {} }: { home: string; cwd: string; env?: NodeJS.ProcessEnv }) {
    this.#cli = cli;
    this.#home = home;
    this.#cwd = cwd;
    this.#env = env;
  }

  /** The same data folder, seen from elsewhere. */
  at(cwd: string, env: NodeJS.ProcessEnv = this.#env): CommandLine {
    return new CommandLine(this.#cli, { home: this.#home, cwd, env });
  }

  /** Starts a command; it is killed when the test ends. */
  start(args: readonly string[], options: RunOptions = {}): RunningCommand {
    return this.#spawn(process.execPath, [this.#cli, ...args], args, options);
  }

  #spawn(
    program: string,
    words: readonly string[],
    args: readonly string[],
    { cwd = this.#cwd, env = {} }: RunOptions,
  ): RunningCommand {
    const child = spawn(program, words, {
      cwd,
      env: { ...neutralEnv(), PROJECT_ANCHOR_HOME: this.#home, ...this.#env, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    return new RunningCommand(child, args);
  }

  /** Runs a command to its end. */
  async run(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
    const running = this.start(args, options);
    running.stdin.end(options.input ?? '');
    return running.finished();
  }

  /** Runs a command whose output goes to `head`, which takes one line and leaves. */
  async intoHead(args: readonly string[]): Promise<Omit<Finished, 'stdout'>> {
    const script = '{ "$@"; echo "code $?" >&2; } | head -n 1 >/dev/null';
    const running = this.#spawn('sh', ['-c', script, 'sh', process.execPath, this.#cli, ...args], args, {});
    const { stderr } = await running.finished();
    const [, said = '', code] = /^([\s\S]*)code (\d+)\n$/.exec(stderr) ?? [];
    return { code: Number(code), stderr: said };
  }

  /** Runs a command that must succeed, and reads its one JSON document. */
  async json<T>(args: readonly string[], options: RunOptions = {}): Promise<T> {
    return JSON.parse(await this.text([...args, '--json'], options)) as T;
  }

  /** Runs a command that must succeed, and reads one JSON document per line. */
  async jsonLines<T>(args: readonly string[], options: RunOptions = {}): Promise<T[]> {
    const text = await this.text([...args, '--json'], options);
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as T);
  }

  /** Runs a command that must succeed, and gives its standard output. */
  async text(args: readonly string[], options: RunOptions = {}): Promise<string> {
    const { code, stdout, stderr } = await this.run(args, options);
    if (code !== 0) throw new Error(`project-anchor ${args.join(' ')} ended with ${code}: ${stderr}`);
    return stdout;
  }
}

/** A command while it runs. */
export class RunningCommand {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #what: string;
  readonly #ended: Promise<number | null>;
  readonly stdoutLines: string[] = [];
  readonly stderrLines: string[] = [];

  constructor(child: ChildProcessByStdio<Writable, Readable, Readable>, args: readonly string[]) {
    this.#child = child;
    this.#what = `project-anchor ${args.join(' ')}`;
    const stdout = linesInto(child.stdout, this.stdoutLines);
    const stderr = linesInto(child.stderr, this.stderrLines);
    // A command may end before it has read its input.
    child.stdin.on('error', () => undefined);
    const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
    this.#ended = Promise.all([closed, stdout, stderr]).then(([code]) => code);
  }

  get stdin(): Writable {
    return this.#child.stdin;
  }

  get stdout(): Readable {
    return this.#child.stdout;
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error(`${this.#what} did not start`);
    return this.#child.pid;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Waits for a line on a stream, from the beginning of what it has said. */
  async line(stream: 'stdout' | 'stderr', wanted: RegExp | ((line: string) => boolean)): Promise<string> {
    const lines = stream === 'stdout' ? this.stdoutLines : this.stderrLines;
    const matches = typeof wanted === 'function' ? wanted : (line: string) => wanted.test(line);
    return waitFor(() => lines.find(matches), {
      timeoutMs: LIMIT_MS,
      intervalMs: 5,
      what: () =>
        `a line ${wanted} of "${this.#what}"; it said:\n${[...this.stdoutLines, ...this.stderrLines].join('\n')}`,
    });
  }

  async finished(): Promise<Finished> {
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), LIMIT_MS);
    const code = await this.#ended;
    clearTimeout(timer);
    return { code, stdout: textOf(this.stdoutLines), stderr: textOf(this.stderrLines) };
  }
}

function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

async function linesInto(stream: Readable, lines: string[]): Promise<void> {
  for await (const line of createInterface({ input: stream })) lines.push(line);
}

/** Nothing of the person's own settings, of a git that started the tests, or of an editor. */
function neutralEnv(): NodeJS.ProcessEnv {
  const foreign = /^(GIT_|PROJECT_ANCHOR_|VSCODE_|ELECTRON_|NODE_OPTIONS$|NO_COLOR$|FORCE_COLOR$)/;
  const own = Object.entries(process.env).filter(([name]) => !foreign.test(name));
  return { ...Object.fromEntries(own), GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
}
