/**
 * What the product is compared with, run and timed in small processes, as a shell would run it. The benchmark's own
 * process has hundreds of megabytes, which on Linux have to be copied, page table by page table, for every process that
 * it starts: a baseline measured from it would be twice too slow, and its garbage would be collected while the product is
 * timed.
 */
import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { straightforwardSnapshot } from './straightforward.ts';

type Command =
  | { readonly kind: 'git'; readonly cwd: string; readonly args: readonly string[] }
  | { readonly kind: 'straightforward'; readonly root: string };

/** Each has a process of its own: that of the straightforward pipeline grows with the files it reads. */
export class Baselines {
  readonly #git: ChildProcess = fork(import.meta.filename);
  readonly #straightforward: ChildProcess = fork(import.meta.filename);

  /** Milliseconds that a command of git takes, its output read to the end. */
  git(cwd: string, args: readonly string[]): Promise<number> {
    return time(this.#git, { kind: 'git', cwd, args });
  }

  /** Milliseconds that the straightforward pipeline takes. */
  straightforward(root: string): Promise<number> {
    return time(this.#straightforward, { kind: 'straightforward', root });
  }

  dispose(): void {
    this.#git.disconnect();
    this.#straightforward.disconnect();
  }
}

async function time(child: ChildProcess, command: Command): Promise<number> {
  const answer = once(child, 'message');
  child.send(command);
  const [ms] = await answer;
  return Number(ms);
}

function serve(): void {
  process.on('message', async (command: Command) => {
    const start = performance.now();
    if (command.kind === 'git') await run(command.cwd, command.args);
    else await straightforwardSnapshot(command.root);
    process.send?.(performance.now() - start);
  });
}

function run(cwd: string, args: readonly string[]): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  execFile('git', args, { cwd, maxBuffer: 1 << 28, encoding: 'buffer' }, (error) => {
    if (error === null) resolve();
    else reject(error);
  });
  return promise;
}

if (process.argv[1] === import.meta.filename) serve();
