import { hash } from '../../src/base/index.ts';
import type {
  Anchor,
  GitState,
  NotedCommit,
  Rewritten,
  Snapshot,
  TakenSnapshot,
  Trigger,
} from '../../src/snapshot/index.ts';

export const WORKSPACE = 'ab'.repeat(16);

export interface TakenOptions {
  readonly trigger?: Trigger;
  readonly active?: string | null;
  readonly git?: Partial<GitState>;
  readonly commits?: readonly NotedCommit[];
  readonly rewritten?: Rewritten;
}

/** A small snapshot as the builder would hand it over. */
export function takenOf(anchor: Anchor, options: TakenOptions = {}): TakenSnapshot {
  const { trigger = 'editor', active = null, git = {}, commits = [], rewritten = { pairs: [] } } = options;
  const body: Omit<Snapshot, 'id'> = {
    schema: 'projectanchor.snapshot.v1',
    anchor: anchor.id,
    workspace: WORKSPACE,
    takenAt: '2026-11-30T12:00:00.000Z',
    trigger,
    parent: null,
    git: {
      head: { kind: 'branch', branch: 'main', commit: 'c1'.padEnd(40, '0') },
      staged: [],
      unstaged: [],
      untracked: [],
      conflicted: [],
      history: '11'.repeat(32),
      submodules: [],
      ...git,
    },
    files: { count: 1, bytes: 10, byLanguage: { ts: 1 }, tree: '22'.repeat(32) },
    active,
    outlines: {},
    dependencies: {},
    marks: { tags: {}, focus: {} },
    degraded: [],
  };
  return { snapshot: { ...body, id: hash(body) }, stored: true, commits, rewritten, changed: [], ms: 1 };
}
