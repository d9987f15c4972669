import { readFileSync } from 'node:fs';
import { lstat, readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { parseConfig } from './git-parse.ts';
import { orNull, worktreeOf } from './git-place.ts';
import type { GitConfig, GitPlace } from './git-port.ts';

/**
 * The little that can be read of a repository where git cannot be run (not installed, or refusing): enough to know
 * which project it is and where HEAD points. Files only, nothing is executed.
 */

/** The repository around a folder, as git would find it; null when there is none. */
export async function readPlace(folder: string): Promise<GitPlace | null> {
  for await (const at of foldersUpwards(await realpath(folder))) {
    const gitDir = await gitDirIn(at);
    if (gitDir !== null) return placeFromOutside(at, gitDir);
    if (await isGitDir(at)) return placeFromInside(at);
  }
  return null;
}

/** A folder and those around it, as far as they are on one file system: git looks no further. */
async function* foldersUpwards(folder: string): AsyncGenerator<string> {
  const device = (await orNull(stat(folder)))?.dev;
  for (let at = folder; (await orNull(stat(at)))?.dev === device; at = dirname(at)) {
    yield at;
    if (at === dirname(at)) return;
  }
}

/** The nearest thing called `.git` in a folder or above it, whatever it is; null when there is none. */
export async function findDotGit(folder: string): Promise<string | null> {
  for await (const at of foldersUpwards(folder)) {
    const dotGit = join(at, '.git');
    if ((await orNull(lstat(dotGit))) !== null) return dotGit;
  }
  return null;
}

/** Whether something called `.git` was meant to be a repository: git itself passes over an empty folder. */
export async function isMeantAsRepository(dotGit: string): Promise<boolean> {
  return (await orNull(lstat(dotGit)))?.isFile() === true || (await orNull(lstat(join(dotGit, 'objects')))) !== null;
}

async function gitDirIn(folder: string): Promise<string | null> {
  const dotGit = join(folder, '.git');
  const facts = await orNull(lstat(dotGit));
  if (facts === null) return null;
  const target = facts.isFile() ? /^gitdir: (.+?)\s*$/s.exec(await readFile(dotGit, 'utf8'))?.[1] : '.git';
  const gitDir = target === undefined ? null : await orNull(realpath(resolve(folder, target)));
  // An empty `.git` folder is not a repository, as for git itself.
  return gitDir !== null && (await orNull(readFile(join(gitDir, 'HEAD')))) !== null ? gitDir : null;
}

/** Whether a folder is itself what `.git` is elsewhere, by the rule of git. */
async function isGitDir(folder: string): Promise<boolean> {
  if ((await orNull(readFile(join(folder, 'HEAD')))) === null) return false;
  const common = await commonDirOf(folder);
  const parts = await Promise.all(['objects', 'refs'].map((name) => orNull(stat(join(common, name)))));
  return parts.every((part) => part?.isDirectory() === true);
}

/** The folder around `.git` is the working tree, unless the configuration says another one; a linked one's says nothing. */
async function placeFromOutside(folder: string, gitDir: string): Promise<GitPlace> {
  const commonDir = await commonDirOf(gitDir);
  const worktree = commonDir === gitDir ? await coreWorktree(gitDir) : null;
  return { toplevel: worktree ?? folder, gitDir, commonDir, bare: false };
}

async function placeFromInside(gitDir: string): Promise<GitPlace> {
  const commonDir = await commonDirOf(gitDir);
  const worktree = (await coreWorktree(gitDir)) ?? (await worktreeOf(gitDir, basename(gitDir) !== '.git'));
  return { toplevel: worktree ?? gitDir, gitDir, commonDir, bare: worktree === null };
}

/** What `core.worktree` says, as it does for submodules. */
async function coreWorktree(gitDir: string): Promise<string | null> {
  const text = (await orNull(readFile(join(gitDir, 'config'), 'utf8'))) ?? '';
  const path = /^\s*worktree\s*=\s*(.*?)\s*$/im.exec(text)?.[1];
  return path === undefined ? null : orNull(realpath(resolve(gitDir, configValue(path))));
}

async function commonDirOf(gitDir: string): Promise<string> {
  const pointer = await orNull(readFile(join(gitDir, 'commondir'), 'utf8'));
  return pointer === null ? gitDir : realpath(resolve(gitDir, pointer.trim()));
}

/** The branch that a rebase or bisect left for a while, null when none is under way. */
export async function readBranchLeft({ gitDir }: GitPlace): Promise<string | null> {
  for (const file of ['rebase-merge/head-name', 'rebase-apply/head-name', 'BISECT_START']) {
    const name = (await orNull(readFile(join(gitDir, file), 'utf8')))?.trim() ?? '';
    const branch = name.replace(/^refs\/heads\//, '');
    // Started from a detached HEAD they name none, or a commit.
    if (branch !== '' && branch !== 'detached HEAD' && !isOid(branch)) return branch;
  }
  return null;
}

/** Small files that every snapshot reads: reading them takes less time than to wait for that. */
async function readNow(path: string): Promise<string> {
  return readFileSync(path, 'utf8');
}

/** Where HEAD points; `commit` is null when the branch has none that can be read. */
export async function readHead(place: GitPlace): Promise<{ branch: string | null; commit: string | null }> {
  const head = (await orNull(readNow(join(place.gitDir, 'HEAD'))))?.trim() ?? '';
  const ref = /^ref: (.+)$/.exec(head)?.[1];
  if (ref === undefined) return { branch: null, commit: isOid(head) ? head : null };
  const branch = ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : null;
  // With the reftable format HEAD is a stub.
  return branch === '.invalid' ? { branch: null, commit: null } : { branch, commit: await readRef(place, ref) };
}

/** Like `GitRepository.refs`. */
export async function readRefs(place: GitPlace, names: readonly string[]): Promise<ReadonlyMap<string, string | null>> {
  const found = new Map<string, string | null>();
  for (const name of names) {
    const text = (await orNull(readFile(join(place.commonDir, name), 'utf8')))?.trim();
    const target = text === undefined ? undefined : /^ref: (.+)$/.exec(text)?.[1];
    if (target !== undefined) found.set(name, target);
    else if ((await readRef(place, name)) !== null) found.set(name, null);
  }
  return found;
}

async function readRef(place: GitPlace, ref: string): Promise<string | null> {
  const loose = (await orNull(readNow(join(place.commonDir, ref))))?.trim();
  if (loose !== undefined && isOid(loose)) return loose;
  const packed = (await orNull(readFile(join(place.commonDir, 'packed-refs'), 'utf8'))) ?? '';
  const line = packed.split('\n').find((each) => each.endsWith(` ${ref}`));
  return line === undefined ? null : (line.split(' ')[0] ?? null);
}

/** Like `GitRepository.config`, from the repository's own file alone. */
export async function readConfig(place: GitPlace): Promise<GitConfig> {
  const text = (await orNull(readFile(join(place.commonDir, 'config'), 'utf8'))) ?? '';
  const records: string[] = [];
  let section = '';
  for (const line of text.split(/\r?\n/)) {
    const header = /^\s*\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]/.exec(line);
    if (header !== null) {
      const [, name = '', subsection] = header;
      section = subsection === undefined ? name.toLowerCase() : `${name.toLowerCase()}.${undoBackslashes(subsection)}`;
    }
    const entry = /^\s*([A-Za-z][\w-]*)\s*=\s*(.*?)\s*$/.exec(line);
    if (entry !== null) records.push(`${section}.${entry[1]?.toLowerCase()}\n${configValue(entry[2] ?? '')}`);
  }
  return parseConfig(Buffer.from(records.join('\0')));
}

function undoBackslashes(text: string): string {
  return text.replace(/\\(.)/g, '$1');
}

function configValue(text: string): string {
  const quoted = /^"((?:[^"\\]|\\.)*)"/.exec(text)?.[1];
  return quoted === undefined ? text.replace(/\s*[#;].*$/, '') : undoBackslashes(quoted);
}

function isOid(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);
}
