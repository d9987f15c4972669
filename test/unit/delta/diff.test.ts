import { describe, expect, test } from 'vitest';
import {
  apply,
  diff,
  diffSnapshot,
  emptyState,
  news,
  type Op,
  parseState,
  type State,
  takenOps,
} from '../../../src/delta/index.ts';
import type { Focus, Snapshot, TagValue } from '../../../src/snapshot/index.ts';

const AT = '2026-11-30T12:00:00.000Z';
const LATER = '2026-11-30T13:00:00.000Z';
const WS = 'a'.repeat(32);
const value: TagValue = { value: 'high', by: 'user', at: AT, source: 'user' };
const focus: Focus = { by: 'user', at: AT };
const tag: Op = { op: 'add_tag', target: 'a.ts', key: 'k', ...value };
const made = (...ops: readonly Op[]): State => apply(emptyState('A'), ops);

const snapshot: Snapshot = {
  schema: 'projectanchor.snapshot.v1',
  id: '0'.repeat(64),
  anchor: 'A',
  workspace: WS,
  takenAt: AT,
  trigger: 'manual',
  parent: null,
  git: {
    head: { kind: 'branch', branch: 'main', commit: 'c1' },
    staged: [],
    unstaged: ['a.ts'],
    untracked: [],
    conflicted: [],
    history: 'h1',
    submodules: [],
  },
  files: { count: 1, bytes: 10, byLanguage: { ts: 1 }, tree: 't1' },
  active: 'a.ts',
  outlines: { 'a.ts': { language: 'ts', lines: 3, items: [] } },
  dependencies: {},
  marks: { tags: { 'a.ts': { k: { set: { ...value, value: 'of the snapshot' } } } }, focus: {} },
  degraded: [],
};

describe('diff', () => {
  test('says only what differs', () => {
    const from = made(
      tag,
      { op: 'add_focus', target: 'a.ts', ...focus },
      { op: 'update_active', workspace: WS, path: 'a' },
    );
    const to = made(
      tag,
      { op: 'add_focus', target: 'b.ts', ...focus },
      { op: 'update_active', workspace: WS, path: null },
    );
    expect(diff(from, to)).toEqual([
      { op: 'remove_focus', target: 'a.ts' },
      { op: 'add_focus', target: 'b.ts', ...focus },
      { op: 'update_active', workspace: WS, path: null },
    ]);
  });

  test('notes only the commits that are new', () => {
    const note = (n: number): Op => ({ op: 'note_commit', workspace: WS, commit: `c${n}`, kinds: [], paths: [] });
    const twenty = Array.from({ length: 20 }, (_, n) => note(n));
    expect(diff(made(...twenty), made(...twenty, note(20), note(21)))).toEqual([note(20), note(21)]);
  });

  test('builds a workspace anew where operations take nothing back', () => {
    const from = made(
      { op: 'update_active', workspace: WS, path: 'a' },
      { op: 'update_git', workspace: WS, history: 'h' },
    );
    const to = made({ op: 'update_git', workspace: WS, history: 'h' });
    expect(diff(from, to)).toEqual([
      { op: 'remove_workspace', workspace: WS },
      { op: 'update_git', workspace: WS, history: 'h' },
    ]);
  });

  test('asks a request anew when it lost its result', () => {
    const ask: Op = { op: 'request', id: 'r', action: 'test', target: '.', by: 'user', at: AT };
    const resolved = made(ask, { op: 'resolve_request', id: 'r', result: 'done' });
    expect(diff(made(ask), resolved)).toEqual([{ op: 'resolve_request', id: 'r', result: 'done' }]);
    expect(diff(resolved, made(ask))).toEqual([ask]);
  });

  test.each<readonly [string, State, State]>([
    ['of different anchors', emptyState('A'), emptyState('B')],
    ['where an alias is gone', made({ op: 'add_alias', id: 'x' }), made()],
    ['where a request is gone', made({ op: 'request', id: 'r', action: 'a', target: '.', by: 'user' }), made()],
  ])('refuses states %s', (_, from, to) => {
    expect(() => diff(from, to)).toThrow(expect.objectContaining({ code: 'invalid' }));
  });
});

describe('diffSnapshot', () => {
  test('of the first snapshot says every fact, and no mark', () => {
    expect(diffSnapshot(emptyState('A'), snapshot, ['a.ts'])).toEqual([
      { op: 'update_git', workspace: WS, ...snapshot.git },
      { op: 'update_active', workspace: WS, path: 'a.ts' },
      { op: 'update_files', workspace: WS, ...snapshot.files, changed: ['a.ts'] },
      { op: 'update_outline', workspace: WS, path: 'a.ts', outline: snapshot.outlines['a.ts'] },
    ]);
  });

  test('of a later one says the fields that changed, and gives notice of at most 50 paths', () => {
    const state = apply(emptyState('A'), diffSnapshot(emptyState('A'), snapshot));
    const many = Array.from({ length: 80 }, (_, n) => `f${n}`);
    const next: Snapshot = {
      ...snapshot,
      git: { ...snapshot.git, unstaged: [], operation: 'merge' },
      files: { ...snapshot.files, tree: 't2' },
      outlines: {},
    };
    expect(diffSnapshot(state, next, many)).toEqual([
      { op: 'update_git', workspace: WS, unstaged: [], operation: 'merge' },
      { op: 'update_files', workspace: WS, ...next.files, changed: many.slice(0, 50) },
      { op: 'remove_outline', workspace: WS, path: 'a.ts' },
    ]);
    const { operation: _, ...git } = next.git;
    expect(diffSnapshot(apply(state, diffSnapshot(state, next)), { ...next, git })).toEqual([
      { op: 'update_git', workspace: WS, operation: null },
    ]);
  });
});

test('takenOps notes commits first, oldest first, cut to 50 paths', () => {
  const paths = Array.from({ length: 60 }, (_, n) => `f${n}`);
  const commits = [
    { commit: 'c0', subject: 'fix: a', at: AT, kinds: ['fix'], paths: ['a.ts'] },
    { commit: 'c1', subject: '[refactor] b', at: AT, kinds: ['refactor'], paths, more: 5 },
  ];
  const ops = takenOps(emptyState('A'), {
    snapshot,
    stored: true,
    commits,
    rewritten: { pairs: [] },
    changed: [],
    ms: 1,
  });
  expect(ops.slice(0, 2)).toEqual([
    { op: 'note_commit', workspace: WS, commit: 'c0', kinds: ['fix'], paths: ['a.ts'] },
    { op: 'note_commit', workspace: WS, commit: 'c1', kinds: ['refactor'], paths: paths.slice(0, 50), more: 15 },
  ]);
});

describe('takenOps of rewritten commits', () => {
  const pairs = [
    { old: 'c0', new: 'n0' },
    { old: 'c1', new: 'n1' },
  ];
  const moved: Snapshot = {
    ...snapshot,
    git: { ...snapshot.git, head: { kind: 'branch', branch: 'main', commit: 'n1' } },
  };
  const commit = { commit: 'n2', subject: 'fix: more', at: AT, kinds: ['fix'], paths: [] };
  const told = { snapshot: moved, stored: true, commits: [commit], rewritten: { pairs, more: 3 }, changed: [], ms: 1 };
  const noted = (id: string): Op => ({
    op: 'note_commit',
    workspace: WS,
    commit: id,
    kinds: ['feat'],
    paths: ['a.ts'],
  });

  test('says them once, before what was made since; the state then has their new ids', () => {
    const before = made({ op: 'update_git', workspace: WS, ...snapshot.git }, noted('c0'), noted('c1'));
    const ops = takenOps(before, told);
    expect(ops.slice(0, 2)).toEqual([
      { op: 'rewrite_history', workspace: WS, pairs, more: 3 },
      { op: 'note_commit', workspace: WS, commit: 'n2', kinds: ['fix'], paths: [] },
    ]);
    const after = apply(before, ops);
    expect(after.workspaces?.[WS]?.commits?.map(({ commit: id }) => id)).toEqual(['n0', 'n1', 'n2']);
    expect(after.workspaces?.[WS]?.git?.head).toEqual(moved.git.head);
    expect(takenOps(after, told)).toEqual([]);
  });

  test('says them also where the state never heard of the old ones, and not where nothing was rewritten', () => {
    expect(takenOps(emptyState('A'), told)[0]?.op).toBe('rewrite_history');
    const nothing = takenOps(emptyState('A'), { ...told, rewritten: { pairs: [] } });
    expect(nothing.map(({ op }) => op)).not.toContain('rewrite_history');
  });

  test('says them late, where the head is known already but an old commit still stands', () => {
    const before = made({ op: 'update_git', workspace: WS, ...moved.git }, noted('c0'));
    expect(takenOps(before, told)[0]?.op).toBe('rewrite_history');
  });
});

test('news leaves out a tag or focus that would only get another time', () => {
  const state = made(tag, { op: 'add_focus', target: 'a.ts', ...focus }, { ...tag, key: 'auto', source: 'auto' });
  const again: readonly Op[] = [
    { ...tag, at: LATER },
    { op: 'add_focus', target: 'a.ts', ...focus, at: LATER },
    { ...tag, key: 'auto', source: 'auto', at: LATER },
  ];
  expect(news(state, again)).toEqual([]);
  const fresh: readonly Op[] = [
    { ...tag, value: 'low' },
    { ...tag, pinned: true },
    { ...tag, source: 'auto' },
    { ...tag, target: '__proto__' },
    { op: 'add_focus', target: 'a.ts', ...focus, symbol: 'F' },
    { op: 'remove_tag', target: 'a.ts', key: 'k' },
  ];
  expect(news(state, fresh)).toEqual(fresh);
});

describe('parseState', () => {
  test('keeps version-1 fields only, and names that trip over prototypes', () => {
    const state = JSON.parse(
      `{"schema":"projectanchor.state.v1","anchor":"A","future":1,"focus":{"__proto__":{"by":"user","at":"${AT}","x":1}}}`,
    );
    expect(JSON.stringify(parseState(state))).toBe(
      `{"schema":"projectanchor.state.v1","anchor":"A","focus":{"__proto__":{"by":"user","at":"${AT}"}}}`,
    );
  });

  test.each([
    null,
    [],
    {},
    { schema: 'projectanchor.state.v1', anchor: 'A', tags: [] },
    { schema: 'projectanchor.state.v2', anchor: 'A' },
  ])('refuses %j', (raw) => {
    expect(() => parseState(raw)).toThrow(expect.objectContaining({ code: 'invalid' }));
  });
});
