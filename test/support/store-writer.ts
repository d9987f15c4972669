import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';

const PROGRAM = join(import.meta.dirname, 'programs', 'store-writer.ts');

export interface WriterOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** Runs as this user, where the test's own may do that. */
  readonly uid?: number;
}

/** A real second process on a data folder; see `programs/store-writer.ts`. It ends with the test at the latest. */
export class StoreWriter {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #closed: Promise<unknown>;
  readonly lines: string[] = [];

  constructor(folder: string, args: readonly string[], options: WriterOptions = {}) {
    const { uid } = options;
    this.#child = spawn(process.execPath, ['--no-warnings', PROGRAM, folder, ...args], {
      env: { ...process.env, ...options.env },
      ...(uid !== undefined && { uid, gid: uid }),
    });
    this.#closed = once(this.#child, 'close');
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.lines.push(line));
    this.#child.stderr.pipe(process.stderr);
    onTestFinished(() => {
      this.#child.kill('SIGKILL');
    });
  }

  /** Closes its stdin, waits for its end and returns what it printed. */
  async finish(): Promise<readonly string[]> {
    this.#child.stdin.end();
    await this.#closed;
    return this.lines;
  }

  /** `kill -9`, and waits until it is gone. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#closed;
  }
}
