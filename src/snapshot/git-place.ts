import { readFile, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { codeOf, ProjectAnchorError } from '../base/index.ts';
import type { GitPlace } from './git-port.ts';

/** Runs git in a folder and gives back what it printed. */
export type Run = (cwd: string, args: readonly string[], input?: Buffer) => Promise<Buffer>;

/** What is asked of git; the way up is last, because where there is no working tree it has no line at all. */
const QUESTIONS = [
  '--is-bare-repository',
  '--is-inside-work-tree',
  '--git-dir',
  '--git-common-dir',
  '--show-cdup',
] as const;

/** The repository that git finds from a folder upwards; null when there is none. */
export async function findPlace(run: Run, folder: string): Promise<GitPlace | null> {
  const cwd = await realpath(folder);
  let answers: readonly string[];
  try {
    answers = await ask(run, cwd);
  } catch (error) {
    if (error instanceof ProjectAnchorError && /not a git repository/i.test(error.message)) return null;
    throw error;
  }
  const [isBare, isInside, gitDir = '', commonDir = '', up = ''] = answers;
  const dirs = {
    gitDir: await realpath(resolve(cwd, gitDir)),
    commonDir: await realpath(resolve(cwd, commonDir)),
  };
  const inside = isInside === 'true' || up !== '';
  const toplevel = inside ? await realpath(resolve(cwd, up)) : await worktreeOf(dirs.gitDir, isBare === 'true');
  return { ...dirs, toplevel: toplevel ?? dirs.gitDir, bare: toplevel === null };
}

async function ask(run: Run, cwd: string): Promise<readonly string[]> {
  const output = (await run(cwd, ['rev-parse', ...QUESTIONS])).toString('utf8');
  const answers = output.replace(/\n$/, '').split('\n');
  if (answers.length <= QUESTIONS.length) return answers;
  // A folder above has a line end in its name: one by one it is clear what belongs together.
  const each = QUESTIONS.map(async (question) => (await run(cwd, ['rev-parse', question])).toString('utf8'));
  return (await Promise.all(each)).map((answer) => answer.replace(/\n$/, ''));
}

/**
 * The working tree of a git directory, for who asks from inside of it: what a linked worktree's points back to, else the
 * folder around `.git`. Null when there is none, or nothing says where.
 */
export async function worktreeOf(gitDir: string, bare: boolean): Promise<string | null> {
  const back = await orNull(readFile(join(gitDir, 'gitdir'), 'utf8'));
  if (back !== null) return orNull(realpath(dirname(back.trim())));
  return !bare && basename(gitDir) === '.git' ? dirname(gitDir) : null;
}

/** Null for what is not there or not readable: another answer is looked for then. */
export async function orNull<T>(read: Promise<T>): Promise<T | null> {
  try {
    return await read;
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return null;
  }
}
