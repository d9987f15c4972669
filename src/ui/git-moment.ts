import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../base/index.ts';
import { readHead } from './head.ts';

/** What git is in the middle of right now. */
export type GitWork =
  | 'none'
  /** It holds the lock of the index: a commit, a switch of branches, a merge is being written. */
  | 'writing'
  /** It makes commits one after the other: a rebase that is not known to wait for a person, several picks or patches. */
  | 'replaying';

/** Where git stands, as far as its small files tell. */
export interface GitMoment {
  /** What HEAD points to, opaque; null when it cannot be read. */
  readonly head: string | null;
  /** Another one whenever the index was written; null without an index. */
  readonly index: string | null;
  readonly work: GitWork;
}

/** A folder without a repository. */
export const NO_GIT: GitMoment = { head: '', index: null, work: 'none' };

/** Reads a few small files of the git directory and starts no process. */
export async function readGitMoment(gitDir: string, commonDir: string): Promise<GitMoment> {
  const [head, index, work] = await Promise.all([
    readHead(gitDir, commonDir),
    stampOf(join(gitDir, 'index')),
    workIn(gitDir),
  ]);
  return { head, index, work };
}

/**
 * Changes whenever a file or folder is written, replaced or removed; null while it is not there, or not to be reached.
 */
export async function stampOf(path: string): Promise<string | null> {
  try {
    const { mtimeNs, ino, size } = await stat(path, { bigint: true });
    return `${mtimeNs}:${ino}:${size}`;
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return null;
  }
}

async function workIn(gitDir: string): Promise<GitWork> {
  const is = async (name: string) => (await stampOf(join(gitDir, ...name.split('/')))) !== null;
  if (await is('index.lock')) return 'writing';
  // Git writes `stopped-sha` when a pick of a rebase waits for a person, and removes it before the next one.
  if (await is('rebase-merge')) return (await is('rebase-merge/stopped-sha')) ? 'none' : 'replaying';
  // Several picks or patches that wait for a person look like those that go on; only that they are quiet tells.
  return (await is('sequencer')) || (await is('rebase-apply')) ? 'replaying' : 'none';
}
