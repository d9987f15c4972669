import type { GitState } from '../snapshot/index.ts';
import { type Dict, own, same } from './dict.ts';
import { GIT_FIELDS } from './schema.ts';
import type { CommitRecord, GitPatch, Op, WorkspaceState } from './types.ts';
import { lastCommits } from './workspace.ts';

/**
 * Operations that turn one workspace into another, or undefined where operations cannot: none of them takes back the
 * active editor, the file view or a noted commit.
 * @param changed what `update_files` gives notice of
 */
export function stepsBetween(
  workspace: string,
  from: WorkspaceState,
  to: WorkspaceState,
  changed: readonly string[] = [],
): readonly Op[] | undefined {
  const commits = commitsToNote(from.commits ?? [], to.commits ?? []);
  const takesBack =
    (from.active !== undefined && to.active === undefined) || (from.files !== undefined && to.files === undefined);
  if (takesBack || commits === undefined) return undefined;
  return [
    ...commits.map((commit): Op => ({ op: 'note_commit', workspace, ...commit })),
    ...gitOps(workspace, from.git, to.git),
    ...activeOps(workspace, from.active, to.active),
    ...filesOps(workspace, from.files, to.files, changed),
    ...mapOps(from.outlines, to.outlines, {
      set: (path, outline) => ({ op: 'update_outline', workspace, path, outline }),
      remove: (path) => ({ op: 'remove_outline', workspace, path }),
    }),
    ...mapOps(from.dependencies, to.dependencies, {
      set: (manifest, entry) => ({ op: 'update_dependencies', workspace, manifest, ...entry }),
      remove: (manifest) => ({ op: 'remove_dependencies', workspace, manifest }),
    }),
  ];
}

/** Operations for the entries of a map that differ, removed ones first. */
export function mapOps<T>(
  from: Dict<T> | undefined,
  to: Dict<T> | undefined,
  ops: { readonly set: (key: string, value: T) => Op; readonly remove: (key: string) => Op },
): readonly Op[] {
  const removed = Object.keys(from ?? {}).filter((key) => own(to, key) === undefined);
  const set = Object.entries(to ?? {}).filter(([key, value]) => !same(own(from, key), value));
  return [...removed.map(ops.remove), ...set.map(([key, value]) => ops.set(key, value))];
}

function gitOps(workspace: string, from: GitState | undefined, to: GitState | undefined): readonly Op[] {
  const patch: Record<string, unknown> = {};
  for (const field of GIT_FIELDS) {
    if (!same(from?.[field], to?.[field])) patch[field] = to?.[field] ?? null;
  }
  if (Object.keys(patch).length === 0) return [];
  return [{ op: 'update_git', workspace, ...(patch as GitPatch) }];
}

function activeOps(workspace: string, from: string | null | undefined, to: string | null | undefined): readonly Op[] {
  return to === undefined || from === to ? [] : [{ op: 'update_active', workspace, path: to }];
}

function filesOps(
  workspace: string,
  from: WorkspaceState['files'],
  to: WorkspaceState['files'],
  changed: readonly string[],
): readonly Op[] {
  return to === undefined || same(from, to) ? [] : [{ op: 'update_files', workspace, ...to, changed }];
}

/** The fewest newest commits that, noted after `from`, leave `to`; undefined when no noting does. */
function commitsToNote(
  from: readonly CommitRecord[],
  to: readonly CommitRecord[],
): readonly CommitRecord[] | undefined {
  for (let count = 0; count <= to.length; count++) {
    const newest = to.slice(to.length - count);
    if (same(lastCommits([...from, ...newest]), to)) return newest;
  }
  return undefined;
}
