import { createHmac, randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, codeOf, type Logger, messageOf } from '../base/index.ts';
import { MAX_FILE_BYTES } from './gate.ts';
import {
  type AuthorKey,
  BRIEF_FORMAT,
  inBatches,
  parseAuthors,
  parseBlame,
  parseBlobs,
  parseFileLog,
  parseSizes,
  RAW_FLAGS,
} from './git-history.ts';
import { parseIndex } from './git-index.ts';
import {
  DIVERGENCE_FORMAT,
  LOG_FORMAT,
  parseConfig,
  parseDivergence,
  parseIgnored,
  parseLog,
  parseLogWithPaths,
  parseReflog,
  parseRefs,
  parseStatus,
  parseTracked,
} from './git-parse.ts';
import { findPlace, type Run } from './git-place.ts';
import type { CommitWithFiles, CommitWithPaths, Git, GitConfig, GitPlace, GitRepository } from './git-port.ts';
import type { RunGit } from './git-process.ts';
import { runGit, TIMEOUT_MS } from './git-run.ts';
import { pathToBytes } from './targets.ts';
import type { GitState } from './types.ts';

export interface GitOptions {
  /** The environment git would inherit; its `GIT_*` and editor variables are removed. */
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How long one command may take, in ms. */
  readonly timeoutMs?: number;
  /** How commands are run; by default from this process. */
  readonly run?: RunGit;
  /** Makes the keys of authors this machine's own, the same at every start; by default they are of this start only. */
  readonly secret?: string;
}

/** Bytes of HEAD's reflog that are read, from its end: about 1,500 moves, more than any rebase makes. */
const REFLOG_TAIL = 256 * 1024;
/** Texts that are read at once, in bytes, and ids that are asked about at once. */
const MAX_BATCH_BYTES = 8 * 1024 * 1024;
const MAX_IDS = 2_000;

/** Git through its command line. Only commands that read and print are run; none of them takes a lock. */
export function createGit(options: GitOptions): Git {
  const run: Run =
    options.run ?? ((cwd, args, input) => runGit({ timeoutMs: TIMEOUT_MS, ...options }, cwd, args, input));
  const secret = options.secret ?? randomBytes(16).toString('hex');
  const keyOf: AuthorKey = (address) =>
    createHmac('sha256', secret).update(address.toLowerCase()).digest('hex').slice(0, 32);
  return {
    async open(folder) {
      const place = await findPlace(run, folder);
      return place === null ? null : new CommandLineRepository(await runIn(run, place), place, options.logger, keyOf);
    },
  };
}

type Operation = NonNullable<GitState['operation']>;

/** Files in the git directory that say what is under way; a rebase also leaves some of the others. */
const OPERATIONS: readonly (readonly [file: string, operation: Operation])[] = [
  ['rebase-merge', 'rebase'],
  ['rebase-apply/rebasing', 'rebase'],
  ['MERGE_HEAD', 'merge'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
  ['BISECT_LOG', 'bisect'],
];

/** Of those, what is a reference and so no file where references are kept in tables. */
const OPERATION_REFS: readonly (readonly [ref: string, operation: Operation])[] = [
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
];

type RunHere = (args: readonly string[], input?: Buffer) => Promise<Buffer>;

/** Runs git where it finds the repository again: a working tree elsewhere (`core.worktree`) has nothing to find it by. */
async function runIn(run: Run, { toplevel, gitDir }: GitPlace): Promise<RunHere> {
  const cwd = (await stampOf(join(toplevel, '.git'))) === null ? gitDir : toplevel;
  return (args, input) => run(cwd, args, input);
}

class CommandLineRepository implements GitRepository {
  readonly place: GitPlace;
  readonly #run: RunHere;
  readonly #logger: Logger;
  readonly #keyOf: AuthorKey;
  #config: { readonly stamp: string; readonly config: Promise<GitConfig> } | null = null;
  #tables: { readonly stamp: string; readonly refs: Promise<ReadonlySet<string>> } | null = null;

  constructor(run: RunHere, place: GitPlace, logger: Logger, keyOf: AuthorKey) {
    this.place = place;
    this.#run = run;
    this.#logger = logger;
    this.#keyOf = keyOf;
  }

  #git(...args: string[]): Promise<Buffer> {
    return this.#run(args);
  }

  async status() {
    // Telling how much two files are alike needs their contents, which a partial clone would have to fetch.
    const renames = (await this.config()).partial ? '--find-renames=100%' : '--find-renames';
    return parseStatus(await this.#git('status', '--porcelain=v2', '-z', '--branch', '--untracked-files=all', renames));
  }

  async tracked() {
    // Without an index git prints nothing, and simple-git waits 50 ms for what never comes.
    const index = indexIn(this.place.gitDir);
    if (index === null) return [];
    return parseIndex(index) ?? parseTracked(await this.#git('ls-files', '-z', '--stage', '-t'));
  }

  async indexStamp() {
    return stampOf(join(this.place.gitDir, 'index'));
  }

  async log(commit: string, limit: number) {
    return parseLog(await this.#git('log', ...LOG_FLAGS, `-n${limit}`, `--format=${LOG_FORMAT}`, commit, '--'));
  }

  async commitsSince(since: string | null, until: string, limit: number) {
    return this.#logWithPaths(`-n${limit}`, until, ...(since === null ? [] : [`^${since}`]));
  }

  async withPaths(commits: readonly string[]) {
    return commits.length === 0 ? [] : this.#logWithPaths('--no-walk=unsorted', ...commits);
  }

  async #logWithPaths(...which: string[]): Promise<readonly CommitWithPaths[]> {
    const paths = ['--name-only', '--no-renames', '--root', `--format=%x01${LOG_FORMAT}`];
    const ask = (...more: string[]) => this.#git('log', ...LOG_FLAGS, ...paths, ...more, ...which, '--');
    try {
      return parseLogWithPaths(await ask('--diff-merges=first-parent'));
    } catch (error) {
      if (!/unrecognized argument: --diff-merges/.test(messageOf(error))) throw error;
      // Before git 2.31 merges have no paths.
      return parseLogWithPaths(await ask());
    }
  }

  async divergence(before: string, now: string, limit: number) {
    const sides = ['--left-right', '--topo-order', `-n${limit}`, `--format=${DIVERGENCE_FORMAT}`];
    return parseDivergence(await this.#git('log', ...LOG_FLAGS, ...sides, `${before}...${now}`, '--'));
  }

  async headMoves() {
    return parseReflog(await tailOf(join(this.place.gitDir, 'logs', 'HEAD'), REFLOG_TAIL));
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
    const { commonDir, gitDir } = this.place;
    const files = [join(commonDir, 'config'), join(gitDir, 'config.worktree')];
    const stamp = JSON.stringify(files.map(stampOf));
    if (this.#config?.stamp === stamp) return this.#config.config;
    const config = this.#git('config', '--list', '-z').then(parseConfig);
    const held = { stamp, config };
    this.#config = held;
    config.catch(() => {
      if (this.#config === held) this.#config = null;
    });
    return config;
  }

  async refs(names: readonly string[]) {
    const found = parseRefs(await this.#git('for-each-ref', '--format=%(refname)%00%(symref)', ...names));
    // A pattern also matches what lies below it.
    return new Map([...found].filter(([name]) => names.includes(name)));
  }

  async isIgnored(path: string) {
    const input = Buffer.concat([pathToBytes(path), Buffer.of(0)]);
    return parseIgnored(await this.#run(['check-ignore', '-z', '-v', '-n', '--stdin'], input));
  }

  async operation() {
    for (const [file, operation] of OPERATIONS) {
      if (stampOf(join(this.place.gitDir, file)) !== null) return operation;
    }
    const tables = stampOf(join(this.place.gitDir, 'reftable', 'tables.list'));
    if (tables === null) return undefined;
    const refs = await this.#rootRefs(tables);
    return OPERATION_REFS.find(([ref]) => refs.has(ref))?.[1];
  }

  /** References beside the branches, where they are kept in tables; every change of one makes another table. */
  async #rootRefs(stamp: string): Promise<ReadonlySet<string>> {
    if (this.#tables?.stamp === stamp) return this.#tables.refs;
    const asked = this.#git('for-each-ref', '--include-root-refs', '--format=%(refname)%00%(symref)');
    const refs = asked.then((output) => new Set(parseRefs(output).keys()));
    const held = { stamp, refs };
    this.#tables = held;
    refs.catch(() => {
      if (this.#tables === held) this.#tables = null;
    });
    return refs;
  }

  async shallowStamp() {
    try {
      return readFileSync(join(this.place.commonDir, 'shallow'), 'latin1');
    } catch (error) {
      if (isAbsent(error)) return null;
      throw error;
    }
  }

  async fileLog(commit: string, path: string, limit: number) {
    if (!path.isWellFormed()) return [];
    const found = ['--follow', '-c', `-n${limit}`, commit, '--', `:(top,literal)${path}`];
    return this.#logWithFiles(...found);
  }

  /** Renames with changes take texts to find; where one cannot be read git gives up, and they are left out. */
  async #logWithFiles(...which: string[]): Promise<readonly CommitWithFiles[]> {
    const { partial } = await this.config();
    const ask = async (...renames: string[]) => {
      return parseFileLog(await this.#git('log', ...LOG_FLAGS, ...RAW_FLAGS, ...renames, ...which), this.#keyOf);
    };
    if (partial) return ask('-M100%');
    try {
      return await ask('-M');
    } catch (error) {
      if (codeOf(error) !== 'git_failed') throw error;
      this.#logger.debug(`Renames with changes are left out: ${messageOf(error)}`);
      return ask('-M100%');
    }
  }

  async changes(commits: readonly string[]) {
    if (commits.length === 0) return [];
    return this.#logWithFiles('--no-walk=unsorted', '-m', '--first-parent', ...commits, '--');
  }

  async changesSince(since: string | null, until: string, limit: number, from?: number) {
    const age = from === undefined ? [] : [`--max-age=${Math.floor(from / 1000)}`];
    const range = [until, ...(since === null ? [] : [`^${since}`]), '--'];
    return this.#logWithFiles(`--format=${BRIEF_FORMAT}`, '-M100%', '--no-merges', `-n${limit}`, ...age, ...range);
  }

  async authorsSince(from: number) {
    const all = ['--branches', '--remotes', `--max-age=${Math.floor(from / 1000)}`, 'HEAD', '--'];
    return parseAuthors(await this.#git('log', '-z', '--format=%aE%x00%cE', ...all), this.#keyOf);
  }

  async lineAuthors(commit: string, path: string) {
    if (!path.isWellFormed()) return new Set<string>();
    return parseBlame(await this.#git('blame', '--incremental', commit, '--', path), this.#keyOf);
  }

  async texts(blobs: readonly string[]) {
    const ids = [...new Set(blobs)].filter((id) => /^[0-9a-f]{40,64}$/.test(id));
    const texts = new Map<string, string>();
    for (let at = 0; at < ids.length; at += MAX_IDS) {
      const sizes = parseSizes(await this.#objects('--batch-check', ids.slice(at, at + MAX_IDS)));
      const small = sizes.filter(({ size }) => size <= MAX_FILE_BYTES);
      for (const batch of inBatches(small, MAX_BATCH_BYTES)) {
        for (const [oid, text] of parseBlobs(await this.#objects('--batch', batch))) texts.set(oid, text);
      }
    }
    return texts;
  }

  /** Where one object was not fetched git gives up on all of them: it is told as if none were here. */
  async #objects(how: '--batch' | '--batch-check', ids: readonly string[]): Promise<Buffer> {
    try {
      return await this.#run(['cat-file', how], Buffer.from(`${ids.join('\n')}\n`, 'latin1'));
    } catch (error) {
      if (codeOf(error) !== 'git_failed' || !(await this.config()).partial) throw error;
      this.#logger.debug(`Objects are not here: ${messageOf(error)}`);
      return Buffer.alloc(0);
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

/** The bytes of the index, null when there is none yet; none where only git can say what is wrong with it. */
function indexIn(gitDir: string): Buffer | null {
  try {
    return readFileSync(join(gitDir, 'index'));
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return isAbsent(error) ? null : Buffer.alloc(0);
  }
}

/** Without waiting: a snapshot looks at a dozen files, and a look takes less time than to wait for it. */
function stampOf(path: string): string | null {
  try {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
    return stats === undefined ? null : `${stats.mtimeNs}:${stats.ino}:${stats.size}`;
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

/** The end of a text file; empty when there is no file. */
async function tailOf(path: string, bytes: number): Promise<string> {
  try {
    await using file = await open(path);
    const { size } = await file.stat();
    const tail = Buffer.alloc(Math.min(size, bytes));
    const { bytesRead } = await file.read(tail, 0, tail.length, size - tail.length);
    return tail.toString('utf8', 0, bytesRead);
  } catch (error) {
    if (isAbsent(error)) return '';
    throw error;
  }
}
