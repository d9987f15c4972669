import fc from 'fast-check';
import type {
  Dependencies,
  FileView,
  Focus,
  GitState,
  Outline,
  TagSlot,
  TagValue,
} from '../../../src/snapshot/index.ts';

/**
 * Facts and marks as protocol §3 and §4 shape them. Names come from small pools, so that operations meet one another,
 * and from names that trip over prototypes.
 */

export const paths = fc.constantFrom(
  'src/a.ts',
  'src/b.ts',
  'src',
  'src/deep/c.ts',
  'srcs/a.ts',
  'a#b.ts',
  '__proto__',
  'constructor/toString',
  '说明.md',
);

export const targets = fc.constantFrom(
  '.',
  'src/',
  'src/a.ts',
  'src/a.ts#L1-L3',
  'src/a.ts#sym:Foo.bar',
  'src/b.ts',
  'src/deep/',
  'src/deep/c.ts',
  'srcs/a.ts',
  'a%23b.ts',
  'a%23b.ts#L2-L2',
  '__proto__',
  'constructor',
  'constructor/toString',
);

export const keys = fc.constantFrom('priority', 'module', 'status', '__proto__', 'constructor', '重要');

/** Text as authors normalise it: NFC, trimmed, short. */
export const texts = fc.oneof(
  { arbitrary: fc.constantFrom('', 'high', '高优先级', '👩‍👩‍👧', 'say "x"', '--- end', 'é'), weight: 4 },
  { arbitrary: fc.string({ unit: 'binary', maxLength: 4 }).map((text) => text.normalize('NFC').trim()), weight: 1 },
);

export const times = fc
  .integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2027, 0, 1) })
  .map((ms) => new Date(ms).toISOString());

export const hashes = fc.nat().map((n) => n.toString(16).padStart(8, '0').repeat(8));
export const commits = fc.constantFrom('c1', 'c2', 'c3', 'c4', 'c5', 'c6').map((id) => id.padEnd(40, '0'));
export const counts = fc.nat({ max: 1000 });

/** Leaves a member out now and then, rather than giving it `undefined`. */
function record<T, K extends keyof T & string>(members: { [P in keyof T]-?: fc.Arbitrary<T[P]> }, requiredKeys: K[]) {
  return fc.record(members, { requiredKeys } as never) as unknown as fc.Arbitrary<T>;
}

/** A map that always has something in it: empty ones are left out of states. */
export function maps<T>(key: fc.Arbitrary<string>, value: fc.Arbitrary<T>): fc.Arbitrary<Record<string, T>> {
  return fc.dictionary(key, value, { minKeys: 1, maxKeys: 3, noNullPrototype: false });
}

export const setValues: fc.Arbitrary<TagValue> = record<TagValue, 'value' | 'by' | 'at' | 'source'>(
  {
    value: texts,
    by: fc.constantFrom('user', 'cli-1a2b'),
    at: times,
    source: fc.constantFrom('user', 'agent'),
    pinned: fc.constant(true),
  },
  ['value', 'by', 'at', 'source'],
);

export const autoValues: fc.Arbitrary<TagValue> = setValues.map((value) => ({ ...value, source: 'auto' }));

export const slots: fc.Arbitrary<TagSlot> = fc.oneof(
  fc.record({ set: setValues }),
  fc.record({ auto: autoValues }),
  fc.record({ set: setValues, auto: autoValues }),
);

export const focuses: fc.Arbitrary<Focus> = record<Focus, 'by' | 'at'>(
  { by: fc.constantFrom('user', 'cli-1a2b'), at: times, pinned: fc.constant(true), symbol: texts, linesHash: hashes },
  ['by', 'at'],
);

const lists = fc.array(paths, { maxLength: 3 });

export const gitFields = {
  head: record<GitState['head'], 'kind'>(
    {
      kind: fc.constantFrom('branch', 'detached', 'unborn', 'none'),
      branch: fc.constantFrom('main', 'feature/x'),
      commit: commits,
    },
    ['kind'],
  ),
  upstream: fc.record({ name: texts, ahead: counts, behind: counts }),
  staged: lists,
  stagedMore: counts,
  unstaged: lists,
  unstagedMore: counts,
  untracked: lists,
  untrackedMore: counts,
  conflicted: lists,
  conflictedMore: counts,
  operation: fc.constantFrom('merge', 'rebase', 'cherry-pick', 'revert', 'bisect'),
  history: hashes,
  bounded: fc.constant(true),
  lastCommit: fc.record({
    commit: commits,
    subject: texts,
    at: times,
    kinds: fc.array(fc.constantFrom('fix', 'refactor'), { maxLength: 2 }),
  }),
  submodules: fc.array(fc.record({ path: paths, commit: commits, dirty: fc.boolean() }), { maxLength: 2 }),
} satisfies { [K in keyof GitState]-?: fc.Arbitrary<NonNullable<GitState[K]>> };

export const gitStates: fc.Arbitrary<GitState> = fc.record(gitFields, {
  requiredKeys: ['head', 'staged', 'unstaged', 'untracked', 'conflicted', 'history', 'submodules'],
}) as fc.Arbitrary<GitState>;

export const fileViews: fc.Arbitrary<FileView> = record<FileView, 'count' | 'bytes' | 'byLanguage' | 'tree'>(
  {
    count: counts,
    bytes: counts,
    byLanguage: fc.dictionary(fc.constantFrom('ts', 'py', '__proto__'), counts, { maxKeys: 2 }),
    tree: hashes,
    truncated: fc.constant(true),
  },
  ['count', 'bytes', 'byLanguage', 'tree'],
);

const outlineItems = record<Outline['items'][number], 'kind' | 'name' | 'start' | 'end'>(
  {
    kind: fc.constantFrom('function', 'class', 'method', 'constant'),
    name: texts,
    start: counts,
    end: counts,
    signature: texts,
    exported: fc.constant(true),
    of: texts,
  },
  ['kind', 'name', 'start', 'end'],
);

export const outlines: fc.Arbitrary<Outline> = record<Outline, 'language' | 'lines' | 'items'>(
  {
    language: fc.constantFrom('ts', 'js'),
    lines: counts,
    stale: fc.constant(true),
    items: fc.array(outlineItems, { maxLength: 2 }),
    more: counts,
  },
  ['language', 'lines', 'items'],
);

export const dependencies: fc.Arbitrary<Dependencies> = fc.record({
  manager: fc.constantFrom('npm', 'pip'),
  digest: hashes,
  direct: fc.dictionary(fc.constantFrom('ws', 'zod', '__proto__'), texts, { maxKeys: 2 }),
});
