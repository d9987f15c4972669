import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonical } from '../../../src/base/index.ts';
import {
  advance,
  apply,
  checkLink,
  type Delta,
  type DeltaDraft,
  diff,
  diffSnapshot,
  emptyState,
  genesis,
  type Held,
  mergeOps,
  type Op,
  parseState,
  type State,
  sealDelta,
  splitOps,
  stateHash,
  takenOps,
} from '../../../src/delta/index.ts';
import { checkOps } from '../../../src/delta/limits.ts';
import {
  ANCHOR,
  authoredOps,
  draftOf,
  drafts,
  ops,
  opsByName,
  snapshots,
  statePairs,
  states,
  workspaces,
} from '../../support/arbitraries/delta.ts';

/** Every law of protocol §5. Runs are few enough for a quick suite; `FC_RUNS` raises them. */
const runs = { numRuns: Number(process.env['FC_RUNS'] ?? 40) };

/** Which operations make what an operation changes. */
const GROUND: { readonly [N in Op['op']]: readonly Op['op'][] } = {
  add_tag: ['add_tag'],
  remove_tag: ['add_tag'],
  add_focus: ['add_focus'],
  remove_focus: ['add_focus'],
  update_git: ['update_git'],
  update_active: ['update_active'],
  update_outline: ['update_outline'],
  remove_outline: ['update_outline'],
  update_files: ['update_files'],
  update_dependencies: ['update_dependencies'],
  remove_dependencies: ['update_dependencies'],
  note_commit: ['note_commit', 'rewrite_history'],
  rewrite_history: ['note_commit', 'update_git'],
  rename_path: ['add_tag', 'add_focus', 'update_outline'],
  add_alias: ['add_alias'],
  remove_workspace: ['update_git', 'note_commit'],
  request: ['request', 'resolve_request'],
  resolve_request: ['request'],
  checkpoint: ['update_git'],
};

/** States are compared by what is hashed, not by prototypes or the order of keys. */
function expectSame(actual: State, expected: State): void {
  expect(canonical(actual)).toBe(canonical(expected));
}

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) freeze(member);
  }
  return value;
}

/** Where a state holds an empty map, or an empty list of aliases or commits. */
function emptyMapsOf(state: State): readonly string[] {
  const maps: [string, object | undefined][] = [
    ['aliases', state.aliases],
    ['tags', state.tags],
    ['focus', state.focus],
    ['requests', state.requests],
    ['workspaces', state.workspaces],
    ...Object.entries(state.tags ?? {}).flatMap(([target, tags]): [string, object][] => [
      [target, tags],
      ...Object.entries(tags),
    ]),
    ...Object.entries(state.workspaces ?? {}).flatMap(([id, each]): [string, object | undefined][] => [
      [id, each],
      [`${id} git`, each.git],
      [`${id} outlines`, each.outlines],
      [`${id} dependencies`, each.dependencies],
      [`${id} commits`, each.commits],
    ]),
  ];
  return maps.filter(([, map]) => map !== undefined && Object.keys(map).length === 0).map(([name]) => name);
}

function chainOf(list: readonly DeltaDraft[]): readonly Delta[] {
  const chain: Delta[] = [];
  for (const draft of list) chain.push(sealDelta(draft, chain.at(-1) ?? genesis(ANCHOR)));
  return chain;
}

function beginning(): Held {
  return { ...genesis(ANCHOR), state: emptyState(ANCHOR) };
}

describe('apply', () => {
  test('changes nothing it is given', () => {
    fc.assert(
      fc.property(states, fc.array(ops, { maxLength: 8 }), (state, list) => {
        const before = canonical([state, list]);
        apply(freeze(state), freeze(list));
        expect(canonical([state, list])).toBe(before);
      }),
      runs,
    );
  });

  test('makes valid states, without empty maps', () => {
    fc.assert(
      fc.property(states, fc.array(ops, { maxLength: 8 }), (state, list) => {
        const next = apply(state, list);
        expectSame(parseState(JSON.parse(canonical(next))), next);
        expect(emptyMapsOf(next)).toEqual([]);
      }),
      runs,
    );
  });

  test('of a list equals applying each', () => {
    fc.assert(
      fc.property(states, fc.array(ops, { maxLength: 8 }), (state, list) => {
        const each = list.reduce<State>((current, op) => apply(current, [op]), state);
        expectSame(apply(state, list), each);
      }),
      runs,
    );
  });

  test.each(Object.keys(opsByName).filter((name) => name !== 'rename_path') as Op['op'][])(
    'is idempotent for %s, taken alone',
    (name) => {
      // Something for the operation to work on: what it removes, rewrites or resolves was there before.
      const before = fc.array(fc.oneof(...GROUND[name].map((each) => opsByName[each] as fc.Arbitrary<Op>)), {
        maxLength: 6,
      });
      fc.assert(
        fc.property(states, before, opsByName[name] as fc.Arbitrary<Op>, (state, ground, op) => {
          const once = apply(apply(state, ground), [op]);
          expectSame(apply(once, [op]), once);
        }),
        runs,
      );
    },
  );

  test('ignores fields it does not know', () => {
    const unknown = fc.record({ futureField: fc.jsonValue(), note: fc.constant('x') });
    fc.assert(
      fc.property(states, ops, unknown, (state, op, more) => {
        expectSame(apply(state, [{ ...more, ...op } as Op]), apply(state, [op]));
      }),
      runs,
    );
  });
});

describe('a delta', () => {
  test('whose seq is not above the one held changes nothing', () => {
    fc.assert(
      fc.property(fc.array(drafts, { minLength: 1, maxLength: 6 }), fc.nat(), (list, pick) => {
        const chain = chainOf(list);
        const held = chain.reduce(advance, beginning());
        const again = chain[pick % chain.length] as Delta;
        expect(advance(held, again)).toBe(held);
      }),
      runs,
    );
  });

  test('leads to one state for everybody at the same seq and hash, however they came there', () => {
    fc.assert(
      fc.property(fc.array(drafts, { minLength: 1, maxLength: 8 }), fc.nat(), (list, pick) => {
        const chain = chainOf(list);
        const all = chain.reduce(advance, beginning());
        const middle = chain.slice(0, pick % chain.length).reduce(advance, beginning());
        const read: Held = { ...middle, state: parseState(JSON.parse(canonical(middle.state))) };
        const resumed = chain.slice(pick % chain.length).reduce(advance, read);
        expect([resumed.seq, resumed.hash]).toEqual([all.seq, all.hash]);
        expect(stateHash(resumed.state)).toBe(stateHash(all.state));
      }),
      runs,
    );
  });

  test('that is changed anywhere no longer fits its chain', () => {
    const change = fc.constantFrom('seq', 'prev', 'hash', 'id', 'at', 'anchor', 'author', 'ops', 'unknown');
    fc.assert(
      fc.property(drafts, change, (draft, field) => {
        const delta = sealDelta(draft, genesis(ANCHOR));
        expect(checkLink(ANCHOR, genesis(ANCHOR), delta)).toEqual({ kind: 'next' });
        const other = { ...delta, [field]: field === 'seq' ? 2 : field === 'ops' ? [...delta.ops, ...delta.ops] : 'x' };
        expect(checkLink(ANCHOR, genesis(ANCHOR), other).kind).toBe('broken');
      }),
      runs,
    );
  });
});

describe('diff', () => {
  test('applied to a state gives the other', () => {
    fc.assert(
      fc.property(statePairs, ([from, to]) => {
        const steps = diff(from, to);
        expectSame(apply(from, steps), to);
        checkOps(steps);
      }),
      runs,
    );
  });

  test('of a state and itself is empty', () => {
    fc.assert(
      fc.property(states, (state) => {
        expect(diff(state, parseState(JSON.parse(canonical(state))))).toEqual([]);
      }),
      runs,
    );
  });
});

describe('diffSnapshot', () => {
  const facts: readonly Op['op'][] = [
    'update_git',
    'update_active',
    'update_files',
    'update_outline',
    'remove_outline',
    'update_dependencies',
    'remove_dependencies',
  ];

  test('yields only facts of the snapshot’s workspace, and leaves every mark as it is', () => {
    fc.assert(
      fc.property(states, snapshots, (state, snapshot) => {
        const steps = diffSnapshot(state, snapshot);
        for (const op of steps) {
          expect(facts).toContain(op.op);
          expect('workspace' in op && op.workspace).toBe(snapshot.workspace);
        }
        const next = apply(state, steps);
        const others = (each: State) => ({
          ...each,
          workspaces: Object.fromEntries(
            Object.entries(each.workspaces ?? {}).filter(([workspace]) => workspace !== snapshot.workspace),
          ),
        });
        expect(canonical(others(next))).toBe(canonical(others(state)));
      }),
      runs,
    );
  });

  test('brings the facts up to the snapshot, and then has nothing more to say', () => {
    fc.assert(
      fc.property(states, snapshots, (state, snapshot) => {
        const next = apply(state, diffSnapshot(state, snapshot));
        const {
          git,
          active,
          files,
          outlines = {},
          dependencies = {},
        } = Object.entries(next.workspaces ?? {}).find(([workspace]) => workspace === snapshot.workspace)?.[1] ?? {};
        const expected = {
          git: snapshot.git,
          active: snapshot.active,
          files: snapshot.files,
          outlines: snapshot.outlines,
          dependencies: snapshot.dependencies,
        };
        expect(canonical({ git, active, files, outlines, dependencies })).toBe(canonical(expected));
        expect(diffSnapshot(next, snapshot)).toEqual([]);
      }),
      runs,
    );
  });

  test('with what was made and rewritten taken along says each of it once', () => {
    const pairs = fc.array(fc.constantFrom(...'abcdef'), { maxLength: 3 }).map((olds) => {
      return [...new Set(olds)].map((old) => ({ old, new: `${old}2` }));
    });
    const notes = fc.array(opsByName.note_commit, { maxLength: 3 });
    fc.assert(
      fc.property(states, snapshots, notes, pairs, (state, snapshot, noted, rewritten) => {
        const commits = noted.map(({ op: _, workspace: __, ...each }) => ({
          ...each,
          subject: 's',
          at: snapshot.takenAt,
        }));
        const unique = commits.filter((each, at) => commits.findIndex((other) => other.commit === each.commit) === at);
        const taken = { snapshot, stored: true, commits: unique, rewritten: { pairs: rewritten }, changed: [], ms: 1 };
        const next = apply(state, takenOps(state, taken));
        expect(takenOps(next, taken)).toEqual([]);
      }),
      runs,
    );
  });
});

describe('the merge window', () => {
  test('merged and applied equals applying each', () => {
    const focused = fc
      .constantFrom(...Object.values(opsByName))
      .chain((one) => fc.array(fc.oneof(one as fc.Arbitrary<Op>, authoredOps), { maxLength: 12 }));
    fc.assert(
      fc.property(states, fc.oneof(fc.array(authoredOps, { maxLength: 16 }), focused), (state, list) => {
        expectSame(apply(state, mergeOps(list)), apply(state, list));
      }),
      { numRuns: runs.numRuns * 3 },
    );
  });

  test('merging again changes nothing', () => {
    fc.assert(
      fc.property(fc.array(authoredOps, { maxLength: 16 }), (list) => {
        const merged = mergeOps(list);
        expect(mergeOps(merged)).toEqual(merged);
      }),
      runs,
    );
  });

  test('splits into deltas that fit, in order, with the same effect', () => {
    const long = fc
      .tuple(workspaces, fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 400 }))
      .map(([workspace, length, width]): Op => {
        const list = Array.from({ length }, (_, at) => `${at}/${'x'.repeat(width)}`);
        return { op: 'update_git', workspace, staged: list, unstaged: list, untracked: list };
      });
    fc.assert(
      fc.property(states, fc.array(fc.oneof(authoredOps, long), { minLength: 1, maxLength: 12 }), (state, list) => {
        const lists = splitOps(list);
        for (const each of lists) {
          expect(each.length).toBeLessThanOrEqual(256);
          expect(Buffer.byteLength(canonical(each))).toBeLessThanOrEqual(128 * 1024);
        }
        expectSame(apply(state, lists.flat()), apply(state, list));
      }),
      { numRuns: Math.ceil(runs.numRuns / 4) },
    );
  });
});

test('what the arbitraries make is what an author may publish', () => {
  fc.assert(
    fc.property(fc.array(authoredOps, { minLength: 1, maxLength: 10 }), (list) => {
      checkOps(list);
      expect(draftOf(list).ops).toBe(list);
    }),
    runs,
  );
});
