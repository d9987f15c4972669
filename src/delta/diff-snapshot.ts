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

/** Everything that a taken snapshot tells: commits made since the one before it, oldest first, then its facts. */
export function takenOps(state: State, taken: TakenSnapshot): readonly Op[] {
  const { workspace } = taken.snapshot;
  const known = own(state.workspaces, workspace)?.commits ?? [];
  const news = taken.commits.map(toRecord).filter((record) => !known.some((each) => same(each, record)));
  return [
    ...news.map((record): Op => ({ op: 'note_commit', workspace, ...record })),
    ...diffSnapshot(state, taken.snapshot, taken.changed),
  ];
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
