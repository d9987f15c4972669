import { join, relative, resolve, sep } from 'node:path';
import { type Clock, codeOf, type Logger, ProjectAnchorError } from '../base/index.ts';
import { createGit } from './git.ts';
import { runGit } from './git-run.ts';

/** Where the hooks of a working tree are, and for whom else they run. */
export interface HooksPlace {
  /** Absolute; need not exist. */
  readonly folder: string;
  /** Root of the working tree. */
  readonly toplevel: string;
  /** `core.hooksPath` as it is written, with the scope of the configuration that says so; null when it is not set. */
  readonly configured: { readonly value: string; readonly scope: string } | null;
  /** The folder is inside the working tree: its files are the project's. */
  readonly inside: boolean;
  /** Git tracks files in that folder. */
  readonly tracked: boolean;
}

export interface HooksQuery {
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly logger: Logger;
}

const TIMEOUT_MS = 20_000;

/**
 * Asks git where the hooks of a folder's working tree are: in the git directory that linked working trees share, or where
 * `core.hooksPath` says, a relative one being meant from the root of the working tree.
 * @throws ProjectAnchorError `no_repository`, `bare`, and those of git
 */
export async function findHooks(folder: string, query: HooksQuery): Promise<HooksPlace> {
  const repository = await createGit(query).open(folder);
  if (repository === null) {
    const remedy = 'Run this in a repository, or name one with --cwd.';
    throw new ProjectAnchorError('no_repository', `${folder} is not in a git repository.`, remedy);
  }
  const { toplevel, commonDir, bare } = repository.place;
  if (bare) {
    throw new ProjectAnchorError(
      'bare',
      `${toplevel} is a bare repository: it has no working tree that a snapshot could be taken of.`,
      'Run this in one of its working trees, or in a clone.',
    );
  }
  const run = (args: readonly string[]) => runGit({ ...query, timeoutMs: TIMEOUT_MS }, toplevel, args);
  const path = withoutLineEnd((await run(['rev-parse', '--git-path', 'hooks'])).toString('utf8'));
  const hooks = resolve(toplevel, path);
  if (hooks === join(commonDir, 'hooks')) {
    return { folder: hooks, toplevel, configured: null, inside: false, tracked: false };
  }
  const inside = isInside(toplevel, hooks) && !isInside(commonDir, hooks);
  const tracked = inside && (await run(['ls-files', '--cached', '-z', '--', hooks])).length > 0;
  return { folder: hooks, toplevel, configured: await configured(run), inside, tracked };
}

async function configured(run: (args: readonly string[]) => Promise<Buffer>): Promise<HooksPlace['configured']> {
  try {
    const output = (await run(['config', '--show-scope', '--get', 'core.hooksPath'])).toString('utf8');
    const [scope = '', value = ''] = withoutLineEnd(output).split('\t');
    return { scope, value };
  } catch (error) {
    // Not set after all: the common directory is reached by another name.
    if (codeOf(error) === 'git_failed') return null;
    throw error;
  }
}

function withoutLineEnd(text: string): string {
  return text.replace(/\r?\n$/, '');
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && resolve(folder, way) === path);
}
