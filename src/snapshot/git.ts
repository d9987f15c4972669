import { readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { type Clock, codeOf, type Logger, messageOf, ProjectAnchorError } from '../base/index.ts';
import {
  LOG_FORMAT,
  parseConfig,
  parseIgnored,
  parseLog,
  parseLogWithPaths,
  parseRefs,
  parseStatus,
  parseTracked,
} from './git-parse.ts';
import type { Git, GitPlace, GitRepository } from './git-port.ts';
import { runGit } from './git-run.ts';
import { pathToBytes } from './targets.ts';
import type { GitState } from './types.ts';

export interface GitOptions {
  /** The environment git would inherit; its `GIT_*` and editor variables are removed. */
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How long one command may take, in ms. */
  readonly timeoutMs?: number;
}

/** Long enough for a cold disk and a very large repository, short enough that a dead network mount is noticed. */
const TIMEOUT_MS = 20_000;

/** Git through its command line. Only commands that read and print are run; none of them takes a lock. */
export function createGit(options: GitOptions): Git {
  const run: Run = (cwd, args, input) => runGit({ timeoutMs: TIMEOUT_MS, ...options }, cwd, args, input);
  return {
    async open(folder) {
      const place = await findPlace(run, folder);
      return place === null ? null : new CommandLineRepository(run, place, options.logger);
    },
  };
}

type Run = (cwd: string, args: readonly string[], input?: Buffer) => Promise<Buffer>;

async function findPlace(run: Run, folder: string): Promise<GitPlace | null> {
  const cwd = await realpath(folder);
  let output: Buffer;
  try {
    const flags = ['--is-bare-repository', '--is-inside-work-tree', '--show-cdup', '--git-dir', '--git-common-dir'];
    output = await run(cwd, ['rev-parse', ...flags]);
  } catch (error) {
    if (error instanceof ProjectAnchorError && /not a git repository/i.test(error.message)) return null;
    throw error;
  }
  const [isBare, isInside, up = '', gitDir = '', commonDir = ''] = output.toString('utf8').split('\n');
  const place = {
    gitDir: await realpath(resolve(cwd, gitDir)),
    commonDir: await realpath(resolve(cwd, commonDir)),
  };
  if (isInside === 'true') return { ...place, toplevel: await realpath(resolve(cwd, up)), bare: false };
  // Inside of `.git` itself the working tree is the folder around it.
  const inGitDir = isBare === 'false' && basename(place.gitDir) === '.git';
  return { ...place, toplevel: inGitDir ? dirname(place.gitDir) : place.gitDir, bare: !inGitDir };
}

/** Files in the git directory that say what is under way; a rebase also leaves some of the others. */
const OPERATIONS: readonly (readonly [file: string, operation: NonNullable<GitState['operation']>])[] = [
  ['rebase-merge', 'rebase'],
  ['rebase-apply/rebasing', 'rebase'],
  ['MERGE_HEAD', 'merge'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
  ['BISECT_LOG', 'bisect'],
];

class CommandLineRepository implements GitRepository {
  readonly place: GitPlace;
  readonly #run: Run;
  readonly #logger: Logger;

  constructor(run: Run, place: GitPlace, logger: Logger) {
    this.place = place;
    this.#run = run;
    this.#logger = logger;
  }

  #git(...args: string[]): Promise<Buffer> {
    return this.#run(this.place.toplevel, args);
  }

  async status() {
    const flags = ['--porcelain=v2', '-z', '--branch', '--untracked-files=all', '--find-renames'];
    return parseStatus(await this.#git('status', ...flags));
  }

  async tracked() {
    // Without an index git prints nothing, and simple-git waits 50 ms for what never comes.
    if ((await this.indexStamp()) === null) return [];
    return parseTracked(await this.#git('ls-files', '-z', '--stage', '-t'));
  }

  indexStamp() {
    return stampOf(join(this.place.gitDir, 'index'));
  }

  async log(commit: string, limit: number) {
    return parseLog(await this.#git('log', ...LOG_FLAGS, `-n${limit}`, `--format=${LOG_FORMAT}`, commit, '--'));
  }

  async commitsSince(since: string, until: string, limit: number) {
    const paths = ['--name-only', '--no-renames', `--format=%x01${LOG_FORMAT}`];
    const ask = (...more: string[]) =>
      this.#git('log', ...LOG_FLAGS, ...paths, ...more, `-n${limit}`, until, `^${since}`, '--');
    try {
      return parseLogWithPaths(await ask('--diff-merges=first-parent'));
    } catch (error) {
      if (!/unrecognized argument: --diff-merges/.test(messageOf(error))) throw error;
      // Before git 2.31 merges have no paths.
      return parseLogWithPaths(await ask());
    }
  }

  async resolve(revision: string) {
    if (revision === '' || revision.startsWith('-') || /\p{Cc}/u.test(revision)) return null;
    try {
      const output = await this.#git('rev-parse', '--verify', '--quiet', `${revision}^{commit}`);
      const commit = output.toString('latin1').trim();
      return /^[0-9a-f]{40,64}$/.test(commit) ? commit : null;
    } catch (error) {
      if (codeOf(error) !== 'git_failed') throw error;
      this.#logger.debug(`git does not know a revision: ${messageOf(error)}`);
      return null;
    }
  }

  async config() {
    return parseConfig(await this.#git('config', '--list', '-z'));
  }

  async refs(names: readonly string[]) {
    const found = parseRefs(await this.#git('for-each-ref', '--format=%(refname)%00%(symref)', ...names));
    // A pattern also matches what lies below it.
    return new Map([...found].filter(([name]) => names.includes(name)));
  }

  async isIgnored(path: string) {
    const input = Buffer.concat([pathToBytes(path), Buffer.of(0)]);
    return parseIgnored(await this.#run(this.place.toplevel, ['check-ignore', '-z', '-v', '-n', '--stdin'], input));
  }

  async operation() {
    for (const [file, operation] of OPERATIONS) {
      if ((await stampOf(join(this.place.gitDir, file))) !== null) return operation;
    }
    return undefined;
  }

  async shallowStamp() {
    try {
      return await readFile(join(this.place.commonDir, 'shallow'), 'latin1');
    } catch (error) {
      if (isAbsent(error)) return null;
      throw error;
    }
  }
}

/** Nothing a person configured changes what is printed. */
const LOG_FLAGS = [
  '-z',
  '--no-color',
  '--no-show-signature',
  '--no-decorate',
  '--no-mailmap',
  '--encoding=UTF-8',
] as const;

function isAbsent(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '');
}

async function stampOf(path: string): Promise<string | null> {
  try {
    const { mtimeNs, ino, size } = await stat(path, { bigint: true });
    return `${mtimeNs}:${ino}:${size}`;
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}
