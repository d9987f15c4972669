import type { NotedCommit, Snapshot, TakenSnapshot } from '../snapshot/index.ts';
import { own, same } from './dict.ts';
import { stepsBetween } from './diff-workspace.ts';
import { MAX_CHANGED, MAX_COMMIT_PATHS } from './limits.ts';
import type { CommitRecord, Op, State, WorkspaceState } from './types.ts';

/**
 * Operations that bring the facts of a snapshot's workspace up to that snapshot. Only facts: marks that a snapshot
 * carries are copies for reading, and no snapshot ever changes one.
 * @param changed paths that `update_files` gives notice of
 */
export function diffSnapshot(state: State, snapshot: Snapshot, changed: readonly string[] = []): readonly Op[] {
  const before = own(state.workspaces, snapshot.workspace) ?? {};
  const after: WorkspaceState = {
    ...(before.commits && { commits: before.commits }),
    git: snapshot.git,
    active: snapshot.active,
    files: snapshot.files,
    outlines: snapshot.outlines,
    dependencies: snapshot.dependencies,
  };
  return stepsBetween(snapshot.workspace, before, after, changed.slice(0, MAX_CHANGED)) ?? [];
}

/**
 * Everything that a taken snapshot tells: what was rewritten since the one before it, commits made since, oldest first,
 * then its facts. Told twice, it says nothing the second time.
 */
export function takenOps(state: State, taken: TakenSnapshot): readonly Op[] {
  const { workspace } = taken.snapshot;
  const known = new Set(own(state.workspaces, workspace)?.commits?.map(({ commit }) => commit));
  const news = taken.commits.map(toRecord).filter(({ commit }) => !known.has(commit));
  return [
    ...rewriteOps(state, taken),
    ...news.map((record): Op => ({ op: 'note_commit', workspace, ...record })),
    ...diffSnapshot(state, taken.snapshot, taken.changed),
  ];
}

/** Nothing when the state knows the head and has none of the replaced commits: then it was told before. */
function rewriteOps(state: State, { snapshot, rewritten: { pairs, more } }: TakenSnapshot): readonly Op[] {
  const { workspace, git } = snapshot;
  const before = own(state.workspaces, workspace);
  const olds = new Set(pairs.map((pair) => pair.old));
  const isKnown = same(before?.git?.head, git.head) && before?.commits?.some(({ commit }) => olds.has(commit)) !== true;
  if (pairs.length === 0 || isKnown) return [];
  const kept = pairs.map((pair) => ({ old: pair.old, new: pair.new }));
  return [{ op: 'rewrite_history', workspace, pairs: kept, ...(more !== undefined && { more }) }];
}

function toRecord({ commit, kinds, paths, more }: NotedCommit): CommitRecord {
  const left = (more ?? 0) + Math.max(0, paths.length - MAX_COMMIT_PATHS);
  return { commit, kinds, paths: paths.slice(0, MAX_COMMIT_PATHS), ...(left > 0 && { more: left }) };
}

/**
 * Operations that say something new. A tag or focus that would only get another time is left out, unless it is made by
 * hand (protocol §5).
 */
export function news(state: State, ops: readonly Op[]): readonly Op[] {
  return ops.filter((op) => {
    switch (op.op) {
      case 'add_tag': {
        const { op: _, target, key, at: __, ...value } = op;
        const slots = own(own(state.tags, target), key);
        return !same({ ...(op.source === 'auto' ? slots?.auto : slots?.set), at: undefined }, value);
      }
      case 'add_focus': {
        const { op: _, target, at: __, ...focus } = op;
        return !same({ ...own(state.focus, target), at: undefined }, focus);
      }
      default:
        return true;
    }
  });
}
