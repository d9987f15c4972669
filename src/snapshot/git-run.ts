import { simpleGit } from 'simple-git';
import { type Clock, type Logger, messageOf, ProjectAnchorError } from '../base/index.ts';

export interface GitRunOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly timeoutMs: number;
}

/** Long enough for a cold disk and a very large repository, short enough that a dead network mount is noticed. */
export const TIMEOUT_MS = 20_000;

/** What the parent process may say to git stays behind: it would point at another repository, editor or pager. */
const REMOVED = /^(?:GIT_.*|EDITOR|VISUAL|PAGER|PREFIX|SSH_ASKPASS)$/i;

/**
 * Ours: no question, no download of missing objects (before git 2.44 only the protocols can be taken away), messages in
 * the language that `explain` reads.
 */
const ADDED = { GIT_TERMINAL_PROMPT: '0', GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: 'none', LC_ALL: 'C' } as const;

/**
 * Runs one git command that prints and gives back what it printed, as bytes: names need not be UTF-8.
 * @param cwd a folder that exists
 * @throws ProjectAnchorError `git_missing`, `git_unsafe`, `git_too_old`, `git_timeout`, `git_failed`
 */
export async function runGit(
  options: GitRunOptions,
  cwd: string,
  args: readonly string[],
  input?: Buffer,
): Promise<Buffer> {
  const abort = new AbortController();
  const chunks: Buffer[] = [];
  const late = Promise.withResolvers<never>();
  const timer = options.clock.timeout(options.timeoutMs, () => {
    late.reject(timedOut(args, options.timeoutMs));
    abort.abort();
  });
  try {
    const git = simpleGit({
      baseDir: cwd,
      abort: abort.signal,
      // A daemon or hook started by our reading would write into the repository.
      config: ['core.fsmonitor=false'],
      unsafe: { allowUnsafeFsMonitor: true },
      allowEnvironment: Object.keys(ADDED),
      // Only the end of the output is the end: it may still be flowing when the process has ended.
      completion: { onClose: true, onExit: false },
      ...(input === undefined ? {} : { input: () => input }),
    })
      .env(gitEnvironment(options.env))
      .outputHandler((_command, stdout) => {
        stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
      });
    await Promise.race([git.raw(['--no-optional-locks', ...args]), late.promise]);
    return Buffer.concat(chunks);
  } catch (error) {
    if (error instanceof ProjectAnchorError) throw error;
    throw explain(error, args);
  } finally {
    timer.dispose();
  }
}

function gitEnvironment(parent: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(parent).filter(([name]) => !REMOVED.test(name));
  return { ...Object.fromEntries(kept), ...ADDED };
}

function timedOut(args: readonly string[], ms: number): ProjectAnchorError {
  return new ProjectAnchorError(
    'git_timeout',
    `git ${args[0]} did not answer within ${ms / 1000} s.`,
    'Check that the disk answers, or run git status there by hand.',
  );
}

/** Git's own words as an error that says what to do. */
function explain(error: unknown, args: readonly string[]): ProjectAnchorError {
  const words = messageOf(error);
  if (/\bspawn\b.*\bENOENT\b/.test(words)) {
    return new ProjectAnchorError(
      'git_missing',
      'The program git was not found.',
      'Install git, or put it on the PATH, and reload the window.',
      { cause: error },
    );
  }
  const owner = /dubious ownership in repository at '(.*?)'/.exec(words)?.[1];
  if (owner !== undefined) {
    return new ProjectAnchorError(
      'git_unsafe',
      `Git refuses to read ${owner} because it belongs to another user.`,
      `If you trust it, run: git config --global --add safe.directory '${owner}'`,
      { cause: error },
    );
  }
  const bare = /cannot use bare repository '(.*?)'/.exec(words)?.[1];
  if (bare !== undefined) {
    return new ProjectAnchorError(
      'git_unsafe',
      `Git is told to read no bare repository that it only finds, such as ${bare}.`,
      'If you trust it, set safe.bareRepository to all, or open one of its working trees.',
      { cause: error },
    );
  }
  if (
    /unknown repository (?:extension|version)|Expected git repo version|unknown (?:object|ref storage) format/i.test(
      words,
    )
  ) {
    return new ProjectAnchorError(
      'git_too_old',
      'This repository is in a format that the installed git does not know.',
      'Update git, then reload the window.',
      { cause: error },
    );
  }
  // What it printed before it failed comes with it, and may be of people.
  const said = words.slice(Math.max(0, words.lastIndexOf('fatal: ')));
  return new ProjectAnchorError('git_failed', `git ${args[0]} failed: ${said.slice(0, 300)}`, undefined, {
    cause: error,
  });
}
