import { describe, expect, test } from 'vitest';
import { canonical } from '../../../src/base/index.ts';
import { apply, emptyState, type Op, type State } from '../../../src/delta/index.ts';
import type { Focus, GitState, Outline, TagValue } from '../../../src/snapshot/index.ts';

/** The effect column of protocol §5, operation by operation. */

const AT = '2026-11-30T12:00:00.000Z';
const LATER = '2026-11-30T13:00:00.000Z';
const WS = 'a'.repeat(32);
const OTHER = 'b'.repeat(32);
const user = (value: string, at = AT): TagValue => ({ value, by: 'user', at, source: 'user' });
const auto = (value: string): TagValue => ({ value, by: 'vscode-1a2b', at: AT, source: 'auto' });
const focus: Focus = { by: 'user', at: AT };
const outline = (lines: number): Outline => ({ language: 'ts', lines, items: [] });

/** The state without what every state has, as plain data. */
function stateOf(...ops: readonly Op[]): unknown {
  return plain(apply(emptyState('A'), { at: AT, ops }));
}

function plain(state: State): unknown {
  const { schema: _, anchor: __, ...rest } = JSON.parse(canonical(state)) as State;
  return rest;
}

const tag = (target: string, key: string, value: TagValue): Op => ({ op: 'add_tag', target, key, ...value });

describe('tags', () => {
  test('a set value and an automatic one stand side by side', () => {
    const both = [tag('a.ts', 'priority', user('high')), tag('a.ts', 'priority', auto('low'))] as const;
    expect(stateOf(...both)).toEqual({ tags: { 'a.ts': { priority: { set: user('high'), auto: auto('low') } } } });
    expect(stateOf(...both, { op: 'remove_tag', target: 'a.ts', key: 'priority' })).toEqual({
      tags: { 'a.ts': { priority: { auto: auto('low') } } },
    });
    expect(stateOf(...both, { op: 'remove_tag', target: 'a.ts', key: 'priority', auto: true })).toEqual({
      tags: { 'a.ts': { priority: { set: user('high') } } },
    });
  });

  test('an agent’s value is a set one; the whole record is replaced', () => {
    const pinned: TagValue = { ...user('high'), pinned: true };
    const agent: TagValue = { value: 'low', by: 'cli-1a2b', at: LATER, source: 'agent' };
    expect(stateOf(tag('.', 'priority', pinned), tag('.', 'priority', agent))).toEqual({
      tags: { '.': { priority: { set: agent } } },
    });
  });

  test('what is empty is left out', () => {
    expect(
      stateOf(
        tag('a.ts', 'k', user('v')),
        { op: 'add_focus', target: 'a.ts', ...focus },
        { op: 'remove_tag', target: 'a.ts', key: 'k' },
        { op: 'remove_tag', target: 'never', key: 'k' },
        { op: 'remove_focus', target: 'a.ts' },
        { op: 'remove_focus', target: 'never' },
      ),
    ).toEqual({});
  });

  test('names that trip over prototypes are keys like any other', () => {
    const state = apply(emptyState('A'), [
      tag('__proto__', '__proto__', user('v')),
      tag('constructor', 'k', user('v')),
      { op: 'add_focus', target: '__proto__', ...focus },
      { op: 'update_outline', workspace: '__proto__', path: '__proto__', outline: outline(1) },
      { op: 'remove_tag', target: 'hasOwnProperty', key: 'toString' },
    ]);
    expect(canonical(state)).toBe(
      `{"anchor":"A","focus":{"__proto__":{"at":"${AT}","by":"user"}},"schema":"projectanchor.state.v1",` +
        `"tags":{"__proto__":{"__proto__":{"set":${canonical(user('v'))}}},"constructor":{"k":{"set":${canonical(user('v'))}}}},` +
        `"workspaces":{"__proto__":{"outlines":{"__proto__":${canonical(outline(1))}}}}}`,
    );
    expect(({} as Record<string, unknown>)['k']).toBeUndefined();
    expect(plain(apply(state, [{ op: 'remove_tag', target: '__proto__', key: '__proto__' }]))).toMatchObject({
      tags: { constructor: { k: { set: user('v') } } },
    });
  });
});

describe('facts of a workspace', () => {
  const git: GitState = {
    head: { kind: 'branch', branch: 'main', commit: 'c1' },
    staged: ['a'],
    unstaged: [],
    untracked: [],
    conflicted: [],
    history: 'h1',
    submodules: [],
  };

  test('update_git sets the fields given, removes those that are null and keeps the others', () => {
    expect(
      stateOf(
        { op: 'update_git', workspace: WS, ...git, operation: 'merge' },
        { op: 'update_git', workspace: WS, head: { kind: 'detached', commit: 'c2' }, operation: null },
      ),
    ).toEqual({ workspaces: { [WS]: { git: { ...git, head: { kind: 'detached', commit: 'c2' } } } } });
  });

  test('update_git that removes the last field leaves nothing of the workspace', () => {
    expect(
      stateOf({ op: 'update_git', workspace: WS, history: 'h' }, { op: 'update_git', workspace: WS, history: null }),
    ).toEqual({});
  });

  test('the active editor, files, outlines and dependencies are set and removed', () => {
    const entry = { manager: 'npm', digest: 'd', direct: { zod: '^4' } };
    const files = { count: 1, bytes: 2, byLanguage: { ts: 1 }, tree: 't' };
    const set: readonly Op[] = [
      { op: 'update_active', workspace: WS, path: 'a.ts' },
      { op: 'update_files', workspace: WS, ...files, changed: ['a.ts'] },
      { op: 'update_outline', workspace: WS, path: 'a.ts', outline: outline(1) },
      { op: 'update_outline', workspace: WS, path: 'a.ts', outline: outline(2) },
      { op: 'update_dependencies', workspace: WS, manifest: 'package.json', ...entry },
    ];
    expect(stateOf(...set)).toEqual({
      workspaces: {
        [WS]: { active: 'a.ts', files, outlines: { 'a.ts': outline(2) }, dependencies: { 'package.json': entry } },
      },
    });
    expect(
      stateOf(
        ...set,
        { op: 'update_active', workspace: WS, path: null },
        { op: 'remove_outline', workspace: WS, path: 'a.ts' },
        { op: 'remove_dependencies', workspace: WS, manifest: 'package.json' },
      ),
    ).toEqual({ workspaces: { [WS]: { active: null, files } } });
  });

  test('the last 20 commits are kept; one that is noted again moves to the end', () => {
    const note = (n: number): Op => ({
      op: 'note_commit',
      workspace: WS,
      commit: `c${n}`,
      kinds: ['fix'],
      paths: ['a'],
    });
    const noted = stateOf(...Array.from({ length: 25 }, (_, n) => note(n)), note(7));
    const commits = [...Array.from({ length: 20 }, (_, n) => n + 5).filter((n) => n !== 7), 7];
    expect(noted).toEqual({
      workspaces: {
        [WS]: { commits: commits.map((n) => ({ commit: `c${n}`, kinds: ['fix'], paths: ['a'] })) },
      },
    });
  });

  test('remove_workspace leaves the others', () => {
    const active = (workspace: string): Op => ({ op: 'update_active', workspace, path: 'a' });
    expect(stateOf(active(WS), active(OTHER), { op: 'remove_workspace', workspace: WS })).toEqual({
      workspaces: { [OTHER]: { active: 'a' } },
    });
  });

  test('fields that version 1 does not know are not in the state, however deep', () => {
    const future = {
      op: 'update_git',
      workspace: WS,
      head: { kind: 'branch', branch: 'main', worktree: 'x' },
      submodules: [{ path: 'p', commit: 'c', dirty: false, url: 'u' }],
      stash: 3,
    };
    const outlined = {
      op: 'update_outline',
      workspace: WS,
      path: 'a.ts',
      outline: { ...outline(1), items: [{ kind: 'function', name: 'f', start: 1, end: 2, doc: 'd' }], hints: [] },
    };
    expect(stateOf(future as unknown as Op, outlined as unknown as Op)).toEqual({
      workspaces: {
        [WS]: {
          git: { head: { kind: 'branch', branch: 'main' }, submodules: [{ path: 'p', commit: 'c', dirty: false }] },
          outlines: { 'a.ts': { ...outline(1), items: [{ kind: 'function', name: 'f', start: 1, end: 2 }] } },
        },
      },
    });
  });
});

describe('rewrite_history', () => {
  const noted = (workspace: string): readonly Op[] => [
    { op: 'update_git', workspace, head: { kind: 'branch', branch: 'main', commit: 'c2' } },
    { op: 'note_commit', workspace, commit: 'c1', kinds: [], paths: ['one'] },
    { op: 'note_commit', workspace, commit: 'c2', kinds: ['fix'], paths: ['two'] },
  ];
  const commit = (id: string, paths: string[], kinds: string[] = []) => ({ commit: id, kinds, paths });

  test('replaces old ids in the head and the commits of that workspace alone', () => {
    const pairs = [
      { old: 'c1', new: 'n1' },
      { old: 'c2', new: 'n2' },
    ];
    expect(stateOf(...noted(WS), ...noted(OTHER), { op: 'rewrite_history', workspace: WS, pairs })).toEqual({
      workspaces: {
        [WS]: {
          git: { head: { kind: 'branch', branch: 'main', commit: 'n2' } },
          commits: [commit('n1', ['one']), commit('n2', ['two'], ['fix'])],
        },
        [OTHER]: {
          git: { head: { kind: 'branch', branch: 'main', commit: 'c2' } },
          commits: [commit('c1', ['one']), commit('c2', ['two'], ['fix'])],
        },
      },
    });
  });

  test('follows chains, takes commits squashed into one once, and leaves circles alone', () => {
    const rewrite = (...pairs: [string, string][]): unknown =>
      stateOf(...noted(WS), {
        op: 'rewrite_history',
        workspace: WS,
        pairs: pairs.map(([old, to]) => ({ old, new: to })),
      });
    const made = (head: string, ...commits: unknown[]) => ({
      workspaces: { [WS]: { git: { head: { kind: 'branch', branch: 'main', commit: head } }, commits } },
    });
    expect(rewrite(['c2', 'n2'], ['n2', 'n3'])).toEqual(
      made('n3', commit('c1', ['one']), commit('n3', ['two'], ['fix'])),
    );
    expect(rewrite(['c1', 'n'], ['c2', 'n'])).toEqual(made('n', commit('n', ['two'], ['fix'])));
    expect(rewrite(['c2', 'x'], ['x', 'c2'])).toEqual(
      made('c2', commit('c1', ['one']), commit('c2', ['two'], ['fix'])),
    );
  });
});

describe('rename_path', () => {
  test('copies the marks of a file, of places in it and of what lies below, and moves that workspace’s outlines', () => {
    const marked: readonly Op[] = [
      tag('src/a', 'k', user('file')),
      tag('src/a#L1-L2', 'k', user('lines')),
      tag('src/a/', 'k', user('folder')),
      { op: 'add_focus', target: 'src/a/b.ts#sym:F', ...focus },
      tag('src/ab', 'k', user('another name that begins alike')),
      { op: 'update_outline', workspace: WS, path: 'src/a', outline: outline(1) },
      { op: 'update_outline', workspace: WS, path: 'src/a/b.ts', outline: outline(2) },
      { op: 'update_outline', workspace: WS, path: 'lib/x', outline: outline(9) },
      { op: 'update_outline', workspace: OTHER, path: 'src/a', outline: outline(3) },
    ];
    const slot = (value: string) => ({ k: { set: user(value) } });
    expect(stateOf(...marked, { op: 'rename_path', workspace: WS, from: 'src/a', to: 'lib/x' })).toEqual({
      tags: {
        'src/a': slot('file'),
        'src/a#L1-L2': slot('lines'),
        'src/a/': slot('folder'),
        'src/ab': slot('another name that begins alike'),
        'lib/x': slot('file'),
        'lib/x#L1-L2': slot('lines'),
        'lib/x/': slot('folder'),
      },
      focus: { 'src/a/b.ts#sym:F': focus, 'lib/x/b.ts#sym:F': focus },
      workspaces: {
        [WS]: { outlines: { 'lib/x': outline(1), 'lib/x/b.ts': outline(2) } },
        [OTHER]: { outlines: { 'src/a': outline(3) } },
      },
    });
  });

  test('leaves a mark that the new path has already', () => {
    const kept = { op: 'add_focus', target: 'b', by: 'user', at: LATER } as const;
    expect(
      stateOf(
        tag('a', 'both', user('from a')),
        tag('a', 'both', auto('auto of a')),
        tag('a', 'only', user('from a')),
        tag('b', 'both', user('of b')),
        { op: 'add_focus', target: 'a', ...focus },
        kept,
        { op: 'rename_path', workspace: WS, from: 'a', to: 'b' },
      ),
    ).toMatchObject({
      tags: { b: { both: { set: user('of b'), auto: auto('auto of a') }, only: { set: user('from a') } } },
      focus: { b: { by: 'user', at: LATER } },
    });
  });

  test('finds targets in their written form', () => {
    expect(
      stateOf(tag('100%25/a%23b.ts', 'k', user('v')), {
        op: 'rename_path',
        workspace: WS,
        from: '100%/a#b.ts',
        to: '100%/c#.ts',
      }),
    ).toEqual({ tags: { '100%25/a%23b.ts': { k: { set: user('v') } }, '100%25/c%23.ts': { k: { set: user('v') } } } });
  });
});

describe('requests and aliases', () => {
  const ask = (id: string, at?: string): Op => ({
    op: 'request',
    id,
    action: 'test',
    target: '.',
    by: 'user',
    ...(at && { at }),
  });

  test('a request takes the delta’s time unless it says its own, and is resolved once it is known', () => {
    expect(
      stateOf({ op: 'resolve_request', id: 'r2', result: 'too early' }, ask('r1'), ask('r2', LATER), {
        op: 'resolve_request',
        id: 'r1',
        result: 'done',
      }),
    ).toEqual({
      requests: {
        r1: { action: 'test', target: '.', by: 'user', at: AT, result: 'done' },
        r2: { action: 'test', target: '.', by: 'user', at: LATER },
      },
    });
  });

  test('the last 50 requests are kept, by id', () => {
    const ids = Array.from({ length: 60 }, (_, n) => `r${String(n).padStart(2, '0')}`);
    const state = apply(emptyState('A'), { at: AT, ops: ids.toReversed().map((id) => ask(id)) });
    expect(Object.keys(state.requests ?? {}).sort()).toEqual(ids.slice(10));
  });

  test('aliases are sorted and each is there once', () => {
    const alias = (id: string): Op => ({ op: 'add_alias', id });
    expect(stateOf(alias('b'), alias('a'), alias('b'), alias('B'))).toEqual({ aliases: ['B', 'a', 'b'] });
  });
});

test('checkpoints are not in the state', () => {
  expect(stateOf({ op: 'checkpoint', seq: 1, stateHash: '0'.repeat(64) })).toEqual({});
});

test('what it cannot read stops it before anything is applied', () => {
  const given = emptyState('A');
  const unknown = [tag('a', 'k', user('v')), { op: 'teleport' } as unknown as Op];
  expect(() => apply(given, unknown)).toThrow(expect.objectContaining({ code: 'unsupported_op' }));
  expect(() => apply(given, [{ op: 'constructor' } as unknown as Op])).toThrow(
    expect.objectContaining({ code: 'unsupported_op' }),
  );
  expect(() => apply(given, [{ op: 'add_tag', target: 'a' } as unknown as Op])).toThrow(
    expect.objectContaining({ code: 'invalid' }),
  );
  expect(given).toEqual(emptyState('A'));
});
