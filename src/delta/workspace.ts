import type { GitState } from '../snapshot/index.ts';
import { isEmpty, withEntry, withoutEntry } from './dict.ts';
import { MAX_COMMITS } from './limits.ts';
import { renamedPaths } from './rename.ts';
import { GIT_FIELDS } from './schema.ts';
import type { CommitRecord, GitPatch, Op, WorkspaceState } from './types.ts';

/** Operations whose effect lies within one workspace. */
export type WorkspaceOp = Exclude<Extract<Op, { readonly workspace: string }>, { readonly op: 'remove_workspace' }>;

type Pairs = Extract<Op, { op: 'rewrite_history' }>['pairs'];

/** What one operation makes of a workspace; an empty object when nothing is left of it. */
export function applyToWorkspace(state: WorkspaceState, op: WorkspaceOp): WorkspaceState {
  switch (op.op) {
    case 'update_git':
      return withMap(state, 'git', patchedGit(state.git, op));
    case 'update_active':
      return { ...state, active: op.path };
    case 'update_outline':
      return withMap(state, 'outlines', withEntry(state.outlines, op.path, op.outline));
    case 'remove_outline':
      return withMap(state, 'outlines', withoutEntry(state.outlines, op.path));
    case 'update_files': {
      const { op: _, workspace: __, changed: ___, ...files } = op;
      return { ...state, files };
    }
    case 'update_dependencies': {
      const { op: _, workspace: __, manifest, ...entry } = op;
      return withMap(state, 'dependencies', withEntry(state.dependencies, manifest, entry));
    }
    case 'remove_dependencies':
      return withMap(state, 'dependencies', withoutEntry(state.dependencies, op.manifest));
    case 'note_commit': {
      const { op: _, workspace: __, ...record } = op;
      return { ...state, commits: lastCommits([...(state.commits ?? []), record]) };
    }
    case 'rewrite_history':
      return rewritten(state, replacements(op.pairs));
    case 'rename_path':
      return withMap(state, 'outlines', renamedPaths(state.outlines ?? {}, op.from, op.to));
  }
}

/** Sets a map, or leaves it out when it is empty. */
function withMap<K extends 'git' | 'outlines' | 'dependencies'>(
  state: WorkspaceState,
  key: K,
  map: NonNullable<WorkspaceState[K]>,
): WorkspaceState {
  if (!isEmpty(map)) return { ...state, [key]: map };
  const { [key]: _, ...rest } = state;
  return rest as WorkspaceState;
}

function patchedGit(git: GitState | undefined, patch: GitPatch): GitState {
  const next: Record<string, unknown> = { ...git };
  for (const field of GIT_FIELDS) {
    const value = patch[field];
    if (value === null) delete next[field];
    else if (value !== undefined) next[field] = value;
  }
  return next as unknown as GitState;
}

/** A commit that is noted again moves to the end; only the last ones are kept. */
export function lastCommits(commits: readonly CommitRecord[]): readonly CommitRecord[] {
  const latest = new Map<string, CommitRecord>();
  for (const record of commits) {
    latest.delete(record.commit);
    latest.set(record.commit, record);
  }
  return [...latest.values()].slice(-MAX_COMMITS);
}

/**
 * Old id → the id that stands for it in the end. Pairs may form a chain (amended twice); those that run in a circle
 * name no new commit and count for nothing.
 */
function replacements(pairs: Pairs): ReadonlyMap<string, string> {
  const direct = new Map(pairs.map((pair) => [pair.old, pair.new]));
  const final = new Map<string, string>();
  for (const old of direct.keys()) {
    const seen = new Set<string>();
    let id = old;
    for (let next = direct.get(id); next !== undefined && !seen.has(id); next = direct.get(id)) {
      seen.add(id);
      id = next;
    }
    if (!direct.has(id)) final.set(old, id);
  }
  return final;
}

function rewritten(state: WorkspaceState, ids: ReadonlyMap<string, string>): WorkspaceState {
  const renew = (id: string) => ids.get(id) ?? id;
  const head = state.git?.head;
  const commits = state.commits?.map((record) => ({ ...record, commit: renew(record.commit) }));
  return {
    ...state,
    ...(state.git &&
      head?.commit !== undefined && { git: { ...state.git, head: { ...head, commit: renew(head.commit) } } }),
    ...(commits && { commits: lastCommits(commits) }),
  };
}
