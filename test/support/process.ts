import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { codeOf } from '../../src/base/index.ts';
import { waitFor } from './wait.ts';

/** How long a process may take to end in its own way before it is killed (milliseconds). */
const STOP_TIMEOUT_MS = 10_000;
/** Bytes of a log that a message of failure carries. */
const LOG_TAIL = 4_000;

export interface ProcessOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment; nothing of this process's own is added. */
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** Where both streams go; appended to, so that a restart keeps what was said before. */
  readonly logFile: string;
}

/**
 * A real program in a process group of its own, with its output in a file.
 * The group ends with `stop`, or with the process that started it, however that ends.
 */
export class ManagedProcess {
  readonly #child: ChildProcess;
  readonly #logFile: string;
  readonly #exited: Promise<unknown>;

  constructor(options: ProcessOptions) {
    this.#logFile = options.logFile;
    const log = openSync(options.logFile, 'a');
    try {
      const supervisor = join(import.meta.dirname, 'supervise.mjs');
      this.#child = spawn(process.execPath, [supervisor, options.command, ...options.args], {
        cwd: options.cwd,
        env: options.env,
        stdio: ['pipe', log, log],
        detached: true,
      });
    } finally {
      closeSync(log);
    }
    this.#exited = once(this.#child, 'exit');
  }

  get running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Everything it has printed, earlier runs with the same log file included. */
  log(): string {
    return readFileSync(this.#logFile, 'utf8');
  }

  /** Waits until `probe` is satisfied; fails at once when the program ends before. */
  async ready<T>(probe: () => Promise<T | undefined | false>, timeoutMs: number, what: string): Promise<T> {
    const ready = await waitFor(async () => (this.running ? probe() : 'ended'), {
      timeoutMs,
      intervalMs: 50,
      what: () => `${what}; its log ends with:\n${this.log().slice(-LOG_TAIL)}`,
    });
    if (ready === 'ended') {
      throw new Error(`${what}: the program ended; its log ends with:\n${this.log().slice(-LOG_TAIL)}`);
    }
    return ready as T;
  }

  /** Sends a signal to the whole group; false when nobody is left. `SIGSTOP` and `SIGCONT` make it hang and go on. */
  signal(signal: NodeJS.Signals | 0): boolean {
    if (this.#child.pid === undefined) return false;
    try {
      return process.kill(-this.#child.pid, signal);
    } catch (error) {
      if (codeOf(error) === 'ESRCH') return false;
      throw error;
    }
  }

  #groupAlive(): boolean {
    if (!this.signal(0)) return false;
    return process.platform !== 'linux' || hasLivingMember(Number(this.#child.pid));
  }

  /** Ends the group and waits until all of it is gone; what does not end in its own way is killed. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    this.signal('SIGCONT');
    this.signal(signal);
    try {
      await waitFor(() => !this.#groupAlive(), { timeoutMs: STOP_TIMEOUT_MS, what: 'the end of the process group' });
    } catch {
      this.signal('SIGKILL');
    }
    await this.#exited;
  }
}

/** State and process group, after the name in parentheses, which may itself hold any character. */
const PROC_STAT = /\) (\S) \d+ (\d+) [^)]*$/;

/** Whether a group has a member that still runs: one that has ended but was not yet asked for its exit code does not. */
function hasLivingMember(group: number): boolean {
  return readdirSync('/proc').some((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    const [, state, memberOf] = PROC_STAT.exec(readIfThere(`/proc/${pid}/stat`)) ?? [];
    return Number(memberOf) === group && state !== 'Z';
  });
}

/** A process may end between being listed and being read. */
function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** A TCP port of 127.0.0.1 that is free now. Another program may take it before it is used: try again then. */
export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('the system gave no port');
  return address.port;
}
