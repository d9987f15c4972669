import fc from 'fast-check';
import { v7 as uuidv7 } from 'uuid';
import { apply, type DeltaDraft, emptyState, type Op, type State } from '../../../src/delta/index.ts';
import type { Snapshot } from '../../../src/snapshot/index.ts';
import * as facts from './facts.ts';

/** Operations, states and drafts of protocol §5, for property tests of whatever moves or makes them. */

export const ANCHOR = 'https://example.org/p#main@2026-11-30T12:00:00.000Z';

export const workspaces = fc.constantFrom('11'.repeat(16), '22'.repeat(16), '__proto__');
const requestIds = fc.constantFrom('r1', 'r2', 'r3', '__proto__');

const commitRecords = fc.record(
  {
    commit: facts.commits,
    kinds: fc.array(fc.constantFrom('fix', 'refactor'), { maxLength: 2 }),
    paths: fc.array(facts.paths, { maxLength: 2 }),
    more: facts.counts,
  },
  { requiredKeys: ['commit', 'kinds', 'paths'] },
);

const gitPatches = fc.record(
  Object.fromEntries(
    Object.entries(facts.gitFields).map(([field, value]) => [field, fc.option(value as fc.Arbitrary<unknown>)]),
  ),
  { requiredKeys: [] },
);

/** One arbitrary for every operation in the table, by name. */
export const opsByName = {
  add_tag: fc
    .tuple(facts.targets, facts.keys, fc.oneof(facts.setValues, facts.autoValues))
    .map(([target, key, value]) => ({ op: 'add_tag', target, key, ...value })),
  remove_tag: fc
    .tuple(facts.targets, facts.keys, fc.boolean())
    .map(([target, key, auto]) => ({ op: 'remove_tag', target, key, ...(auto && { auto }) })),
  add_focus: fc.tuple(facts.targets, facts.focuses).map(([target, focus]) => ({ op: 'add_focus', target, ...focus })),
  remove_focus: facts.targets.map((target) => ({ op: 'remove_focus', target })),
  update_git: fc.tuple(workspaces, gitPatches).map(([workspace, patch]) => ({ op: 'update_git', workspace, ...patch })),
  update_active: fc
    .tuple(workspaces, fc.option(facts.paths))
    .map(([workspace, path]) => ({ op: 'update_active', workspace, path })),
  update_outline: fc
    .tuple(workspaces, facts.paths, facts.outlines)
    .map(([workspace, path, outline]) => ({ op: 'update_outline', workspace, path, outline })),
  remove_outline: fc
    .tuple(workspaces, facts.paths)
    .map(([workspace, path]) => ({ op: 'remove_outline', workspace, path })),
  update_files: fc
    .tuple(workspaces, facts.fileViews, fc.array(facts.paths, { maxLength: 2 }))
    .map(([workspace, files, changed]) => ({ op: 'update_files', workspace, ...files, changed })),
  update_dependencies: fc
    .tuple(workspaces, facts.paths, facts.dependencies)
    .map(([workspace, manifest, entry]) => ({ op: 'update_dependencies', workspace, manifest, ...entry })),
  remove_dependencies: fc
    .tuple(workspaces, facts.paths)
    .map(([workspace, manifest]) => ({ op: 'remove_dependencies', workspace, manifest })),
  note_commit: fc
    .tuple(workspaces, commitRecords)
    .map(([workspace, commit]) => ({ op: 'note_commit', workspace, ...commit })),
  rewrite_history: fc
    .tuple(workspaces, fc.array(fc.record({ old: facts.commits, new: facts.commits }), { maxLength: 4 }))
    .map(([workspace, pairs]) => ({ op: 'rewrite_history', workspace, pairs })),
  rename_path: fc
    .tuple(workspaces, facts.paths, facts.paths)
    .map(([workspace, from, to]) => ({ op: 'rename_path', workspace, from, to })),
  add_alias: fc.constantFrom('alias-1', 'alias-2', '__proto__').map((id) => ({ op: 'add_alias', id })),
  remove_workspace: workspaces.map((workspace) => ({ op: 'remove_workspace', workspace })),
  request: fc
    .tuple(requestIds, facts.targets, fc.option(facts.times, { nil: undefined }))
    .map(([id, target, at]) => ({ op: 'request', id, action: 'test', target, by: 'user', ...(at && { at }) })),
  resolve_request: fc.tuple(requestIds, facts.texts).map(([id, result]) => ({ op: 'resolve_request', id, result })),
  checkpoint: fc.tuple(facts.counts, facts.hashes).map(([seq, stateHash]) => ({ op: 'checkpoint', seq, stateHash })),
} satisfies Record<Op['op'], fc.Arbitrary<unknown>> as unknown as {
  readonly [N in Op['op']]: fc.Arbitrary<Extract<Op, { op: N }>>;
};

/** Any operation, a checkpoint included. */
export const ops: fc.Arbitrary<Op> = fc.oneof(...(Object.values(opsByName) as fc.Arbitrary<Op>[]));

const { checkpoint: _, ...authored } = opsByName;

/** Any operation that an author may publish. */
export const authoredOps: fc.Arbitrary<Op> = fc.oneof(...(Object.values(authored) as fc.Arbitrary<Op>[]));

/** A state as some history of operations makes it. */
export const reachedStates: fc.Arbitrary<State> = fc
  .array(ops, { maxLength: 25 })
  .map((list) => apply(emptyState(ANCHOR), list));

const requestRecords = fc.record(
  {
    action: fc.constantFrom('test', 'review'),
    target: facts.targets,
    by: fc.constant('user'),
    at: facts.times,
    result: facts.texts,
  },
  { requiredKeys: ['action', 'target', 'by', 'at'] },
);

const workspaceStates = fc
  .record(
    {
      git: facts.gitStates,
      active: fc.option(facts.paths),
      files: facts.fileViews,
      outlines: facts.maps(facts.paths, facts.outlines),
      dependencies: facts.maps(facts.paths, facts.dependencies),
      commits: fc.uniqueArray(commitRecords, { minLength: 1, maxLength: 5, selector: (each) => each.commit }),
    },
    { requiredKeys: [] },
  )
  .filter((workspace) => Object.keys(workspace).length > 0);

const aliasLists = fc
  .uniqueArray(fc.constantFrom('alias-1', 'alias-2', '__proto__'), { minLength: 1 })
  .map((ids) => ids.sort());

/** A state written down directly, every optional part coming and going. */
export const builtStates: fc.Arbitrary<State> = fc
  .record(
    {
      aliases: aliasLists,
      tags: facts.maps(facts.targets, facts.maps(facts.keys, facts.slots)),
      focus: facts.maps(facts.targets, facts.focuses),
      requests: facts.maps(requestIds, requestRecords),
      workspaces: facts.maps(workspaces, workspaceStates),
    },
    { requiredKeys: [] },
  )
  .map((parts) => ({ ...emptyState(ANCHOR), ...parts }) as State);

export const states: fc.Arbitrary<State> = fc.oneof(reachedStates, builtStates);

/** Two states of one history: aliases and requests of the first are known to the second. */
export const statePairs: fc.Arbitrary<readonly [State, State]> = fc.tuple(states, states).map(([from, to]) => {
  const aliases = [...new Set([...(from.aliases ?? []), ...(to.aliases ?? [])])].sort();
  const requests = { ...from.requests, ...to.requests };
  return [
    from,
    {
      ...to,
      ...(aliases.length > 0 && { aliases }),
      ...(Object.keys(requests).length > 0 && { requests }),
    },
  ];
});

export const snapshots: fc.Arbitrary<Snapshot> = fc.record({
  schema: fc.constant('projectanchor.snapshot.v1' as const),
  id: facts.hashes,
  anchor: fc.constant(ANCHOR),
  workspace: workspaces,
  takenAt: facts.times,
  trigger: fc.constantFrom('commit' as const, 'editor' as const, 'manual' as const),
  parent: fc.option(facts.hashes),
  git: facts.gitStates,
  files: facts.fileViews,
  active: fc.option(facts.paths),
  outlines: fc.dictionary(facts.paths, facts.outlines, { maxKeys: 3 }),
  dependencies: fc.dictionary(facts.paths, facts.dependencies, { maxKeys: 2 }),
  marks: fc.record({
    tags: facts.maps(facts.targets, facts.maps(facts.keys, facts.slots)),
    focus: facts.maps(facts.targets, facts.focuses),
  }),
  degraded: fc.constant([]),
});

/** A draft with these operations and an id of its own. */
export function draftOf(list: readonly Op[], more: Partial<DeltaDraft> = {}): DeltaDraft {
  return {
    schema: 'projectanchor.delta.v1',
    anchor: ANCHOR,
    id: uuidv7(),
    author: { agent: 'cli-1a2b', session: 's1' },
    at: '2026-11-30T12:00:00.000Z',
    ops: list,
    ...more,
  };
}

export const drafts: fc.Arbitrary<DeltaDraft> = fc
  .array(authoredOps, { minLength: 1, maxLength: 4 })
  .map((list) => draftOf(list));
