/**
 * Runs git from a small process, as a shell would, and times it there. The benchmark's own process has hundreds of
 * megabytes, which on Linux have to be copied, page table by page table, for every process that it starts: a baseline
 * measured from it would be twice too slow.
 */
import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';

interface Command {
  readonly cwd: string;
  readonly args: readonly string[];
}

export class BareGit {
  readonly #child: ChildProcess = fork(import.meta.filename);

  /** Milliseconds that a command takes, its output read to the end. */
  async time(cwd: string, args: readonly string[]): Promise<number> {
    const answer = once(this.#child, 'message');
    this.#child.send({ cwd, args } satisfies Command);
    const [ms] = await answer;
    return Number(ms);
  }

  dispose(): void {
    this.#child.disconnect();
  }
}

function serve(): void {
  process.on('message', ({ cwd, args }: Command) => {
    const start = performance.now();
    execFile('git', args, { cwd, maxBuffer: 1 << 28, encoding: 'buffer' }, (error) => {
      if (error !== null) throw error;
      process.send?.(performance.now() - start);
    });
  });
}

if (process.argv[1] === import.meta.filename) serve();
