import type { CommitRecord } from '../../delta/index.ts';
import type { GitHead, GitState } from '../../snapshot/index.ts';
import { oneLine, quoted } from '../fence.ts';
import { type Item, Rank, type Scene, type Section } from './section.ts';

/** Commits on this file that are named, newest first. */
const COMMITS = 3;

/** Where the working tree stands, and which kinds of commits touched the file lately. */
export function gitSection({ view, path }: Scene): Section {
  const workspace = view.state.workspaces?.[view.workspace];
  const git = workspace?.git;
  if (git === undefined || git.head.kind === 'none') return { items: [] };
  const items: Item[] = [
    {
      kind: 'git',
      ref: git.head.branch ?? git.head.commit ?? '.',
      why: 'where the working tree stands',
      text: `Git: ${lineOf(git, path)}`,
      rank: Rank.git,
      core: true,
      paths: [],
    },
  ];
  for (const { commit, kinds } of path === null ? [] : commitsOn(workspace?.commits ?? [], path)) {
    items.push({
      kind: 'git',
      ref: commit,
      why: 'a recent commit on this file',
      text: `This file was changed by commit ${short(commit)} (${kinds.map(oneLine).join(', ')})`,
      rank: Rank.git,
      core: false,
      paths: [],
    });
  }
  return { items };
}

function commitsOn(commits: readonly CommitRecord[], path: string): CommitRecord[] {
  return commits
    .filter(({ paths, kinds }) => kinds.length > 0 && paths.includes(path))
    .slice(-COMMITS)
    .reverse();
}

function short(commit: string): string {
  return oneLine(commit).slice(0, 10);
}

function headText({ kind, branch = '', commit = '' }: GitHead): string {
  if (kind === 'branch') return `branch ${quoted(branch)}`;
  return kind === 'detached' ? `detached at ${short(commit)}` : `branch ${quoted(branch)} without commits`;
}

function lineOf(git: GitState, path: string | null): string {
  const parts = [headText(git.head)];
  if (git.upstream !== undefined) {
    const { name, ahead, behind } = git.upstream;
    parts.push(`${ahead} ahead and ${behind} behind ${quoted(name)}`);
  }
  const counts = [
    [git.conflicted.length + (git.conflictedMore ?? 0), 'in conflict'],
    [git.staged.length + (git.stagedMore ?? 0), 'staged'],
    [git.unstaged.length + (git.unstagedMore ?? 0), 'changed'],
    [git.untracked.length + (git.untrackedMore ?? 0), 'untracked'],
  ] as const;
  const files = counts.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`);
  parts.push(files.length === 0 ? 'nothing uncommitted' : `files: ${files.join(', ')}`);
  if (path !== null && [git.staged, git.unstaged, git.untracked, git.conflicted].some((list) => list.includes(path))) {
    parts.push('this file has uncommitted changes');
  }
  if (git.operation !== undefined) parts.push(`a ${oneLine(git.operation)} is in progress`);
  if (git.lastCommit !== undefined) {
    parts.push(`last commit ${short(git.lastCommit.commit)} ${quoted(git.lastCommit.subject)}`);
  }
  return parts.join('; ');
}
