import { type ChildProcess, fork } from 'node:child_process';
import { createBirpc } from 'birpc';
import { type Logger, messageOf } from '../base/index.ts';
import { type Outcome, outcomeOf, valueOfOutcome } from './worker-protocol.ts';

/** Runs one git command and gives what it printed; errors as of `runGit`. */
export type RunGit = (cwd: string, args: readonly string[], input?: Buffer) => Promise<Buffer>;

/** What the git process offers. */
export interface GitProcessFunctions {
  run(cwd: string, args: readonly string[], input: Buffer | undefined): Promise<Outcome>;
}

export interface GitProcessOptions {
  /** Path of the process's script, `dist/git-process.js`. */
  readonly file: string;
  /** What git inherits. */
  readonly env: NodeJS.ProcessEnv;
  readonly logger: Logger;
  /** Runs git from here, for when the process cannot be had. */
  readonly direct: RunGit;
}

interface Running {
  readonly child: ChildProcess;
  readonly run: RunGit;
  /** Rejects when the process ends by itself. */
  readonly ended: Promise<never>;
}

class Ended extends Error {}

/**
 * Git, started by a small process of its own. On Linux a process that starts another one is copied first, page table by
 * page table: that takes the longer the larger it is, a window's much longer than this one's, and meanwhile all of its
 * threads stand still. The process starts with the first command, and again after a crash.
 */
export class GitProcess {
  readonly #options: GitProcessOptions;
  #running: Running | null = null;
  #unusable = false;

  constructor(options: GitProcessOptions) {
    this.#options = options;
  }

  readonly run: RunGit = async (cwd, args, input) => {
    if (this.#unusable) return this.#options.direct(cwd, args, input);
    this.#running ??= this.#start();
    const { run, ended } = this.#running;
    try {
      return await Promise.race([run(cwd, args, input), ended]);
    } catch (error) {
      if (!(error instanceof Ended)) throw error;
      return this.#options.direct(cwd, args, input);
    }
  };

  /** Resolves when the process has ended: a thread that is gone before leaves an entry in the system's table. */
  async dispose(): Promise<void> {
    const running = this.#running;
    this.#running = null;
    this.#unusable = true;
    if (running === null) return;
    if (running.child.connected) running.child.disconnect();
    await running.ended.catch(() => undefined);
  }

  #start(): Running {
    const { file, env, logger } = this.#options;
    // Where the editor runs on Electron its program is a Node only when told so.
    const child = fork(file, {
      env: { ...env, ELECTRON_RUN_AS_NODE: '1' },
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const { promise: ended, reject } = Promise.withResolvers<never>();
    const rpc = createBirpc<GitProcessFunctions>(
      {},
      {
        post: (message) => {
          child.send(message as object, (error) => {
            if (error !== null) reject(new Ended(error.message));
          });
        },
        on: (listener) => child.on('message', listener),
        timeout: -1,
      },
    );
    const run: RunGit = async (...command) => {
      const [cwd, args, input] = command;
      return valueOfOutcome(await rpc.run(cwd, args, input)) as Buffer;
    };
    const running: Running = { child, run, ended };
    let answered = false;
    child.once('message', () => {
      answered = true;
    });
    child.on('error', (error) => reject(new Ended(error.message)));
    child.on('exit', (code, signal) => reject(new Ended(`it ended with ${signal ?? `exit code ${code}`}`)));
    ended.catch((error: unknown) => {
      if (this.#running !== running) return;
      this.#running = null;
      // One that never worked will not work the next time either.
      this.#unusable ||= !answered;
      logger.warn(`The git process is gone, git is started from here: ${messageOf(error)}`);
    });
    return running;
  }
}

/** Serves in this process what `GitProcess` asks for. Ends with whoever asks. */
export function serveGit(process: NodeJS.Process, run: RunGit): void {
  const functions: GitProcessFunctions = { run: (cwd, args, input) => outcomeOf(() => run(cwd, args, input)) };
  createBirpc<Record<string, never>, GitProcessFunctions>(functions, {
    post: (message) => process.send?.(message),
    on: (listener) => process.on('message', listener),
    timeout: -1,
  });
  process.on('disconnect', () => process.exit());
}
