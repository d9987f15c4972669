import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonical, hash } from '../../../src/base/index.ts';
import { COMPACT_AIM } from '../../../src/snapshot/compact.ts';
import {
  COMPACT_MAX,
  compact,
  parseDirectoryNode,
  parseOutline,
  parseSnapshot,
  type Snapshot,
} from '../../../src/snapshot/index.ts';
import { contentHash, packSnapshot, partsOf, unpackSnapshot } from '../../../src/snapshot/pack.ts';
import { focuses, gitStates, hashes, outlines, slots } from '../../support/arbitraries/facts.ts';

const HEX = 'ab'.repeat(32);

/** A project at work: a few changed files, the outline of the active one, a focus with tags, some dependencies. */
const usual: Snapshot = {
  schema: 'projectanchor.snapshot.v1',
  id: HEX,
  anchor: 'https://github.com/acme/shop#main@2026-11-30T10:00:00.000Z',
  workspace: 'cd'.repeat(16),
  takenAt: '2026-11-30T12:00:00.000Z',
  trigger: 'editor',
  parent: HEX,
  git: {
    head: { kind: 'branch', branch: 'feature/login', commit: 'e'.repeat(40) },
    upstream: { name: 'origin/feature/login', ahead: 1, behind: 0 },
    staged: [],
    unstaged: ['src/auth/login.ts', 'src/auth/session.ts'],
    untracked: ['notes.md'],
    conflicted: [],
    history: HEX,
    lastCommit: {
      commit: 'e'.repeat(40),
      subject: '[refactor] split the session store',
      at: '2026-11-30T11:00:00.000Z',
      kinds: ['refactor'],
    },
    submodules: [],
  },
  files: { count: 496, bytes: 4_260_000, byLanguage: { ts: 470, json: 12, md: 9, js: 3, yaml: 2 }, tree: HEX },
  active: 'src/auth/login.ts',
  outlines: Object.fromEntries(
    ['src/auth/login.ts', 'src/auth/session.ts', 'src/db.ts'].map((path) => [
      path,
      {
        language: 'ts',
        lines: 240,
        items: Array.from({ length: 25 }, (_, n) => ({
          kind: 'function' as const,
          name: `someFunction${n}`,
          start: n * 9 + 1,
          end: n * 9 + 8,
          signature: `function someFunction${n}(first: string, second: Options): Promise<Session>`,
          exported: true as const,
        })),
      },
    ]),
  ),
  dependencies: {
    'package.json': {
      manager: 'npm',
      digest: HEX,
      direct: Object.fromEntries(Array.from({ length: 24 }, (_, n) => [`package-${n}`, `^${n}.0.0`])),
    },
  },
  marks: {
    tags: {
      'src/auth/login.ts': {
        priority: { set: { value: 'high', by: 'user', at: '2026-11-30T11:30:00.000Z', source: 'user' } },
      },
    },
    focus: { 'src/auth/login.ts': { by: 'user', at: '2026-11-30T11:30:00.000Z' } },
  },
  degraded: [],
};

function bytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value), 'utf8');
}

describe('the compact form', () => {
  test('of a usual project is about 1.2 KB and still says what matters', () => {
    const small = compact(usual);
    expect(bytes(small)).toBeLessThanOrEqual(COMPACT_AIM);
    expect(small).toMatchObject({
      id: usual.id,
      anchor: usual.anchor,
      active: 'src/auth/login.ts',
      git: {
        head: usual.git.head,
        unstaged: usual.git.unstaged,
        lastCommit: { subject: '[refactor] split the session store' },
      },
      marks: { focus: usual.marks.focus },
    });
    expect(Object.keys(small.marks.tags).length + (small.marks.tagsMore ?? 0)).toBe(1);
    expect(Object.keys(small.outlines)).toEqual(['src/auth/login.ts']);
    expect(small.outlinesMore).toBe(2);
    // Hashes are found through the id.
    expect(JSON.stringify(small).match(/(?:ab){32}/g)).toHaveLength(1);
    const { parent, git, files, dependencies } = usual;
    const { history, lastCommit } = git;
    const whole = { parent, files: { ...small.files, tree: files.tree }, dependencies };
    parseSnapshot({ ...small, ...whole, git: { ...small.git, history, lastCommit } });
  });

  test('of a busy project with five marks keeps its aim', () => {
    const at = '2026-11-30T11:30:00.000Z';
    const paths = Array.from({ length: 5 }, (_, n) => `packages/storefront/src/checkout/step-${n}.ts`);
    const focus = Object.fromEntries(paths.map((path) => [path, { by: 'user', at }]));
    const busy = compact({ ...usual, git: { ...usual.git, unstaged: paths }, marks: { ...usual.marks, focus } });
    expect(bytes(busy)).toBeLessThanOrEqual(COMPACT_AIM);
    expect(Object.keys(busy.marks.focus).length + (busy.marks.focusMore ?? 0)).toBe(5);
    expect(busy.git.unstaged.length + (busy.git.unstagedMore ?? 0)).toBe(5);
    expect(busy.outlines['src/auth/login.ts']?.items.length).toBeGreaterThan(0);
  });

  test('of a small project is the snapshot itself', () => {
    const bare = { ...usual, outlines: {}, dependencies: {}, marks: { tags: {}, focus: {} } };
    expect(compact(bare)).toEqual(bare);
    expect(bytes(bare)).toBeLessThan(1_228);
  });

  test('what is cut is counted', () => {
    const paths = Array.from({ length: 200 }, (_, n) => `src/some/where/file${n}.ts`);
    const full = compact({
      ...usual,
      git: { ...usual.git, untracked: paths, untrackedMore: 300 },
      degraded: paths.map((path) => `parse_error:${path}`),
    });
    expect(full.git.untracked.length + (full.git.untrackedMore ?? 0)).toBe(500);
    expect(full.degraded.length + (full.degradedMore ?? 0)).toBe(200);
    const { direct, directMore = 0 } = full.dependencies['package.json'] ?? { direct: {} };
    expect(Object.keys(direct).length + directMore + (full.dependenciesMore ?? 0) * 24).toBe(24);
    const [outline] = Object.values(full.outlines);
    if (outline !== undefined) expect(outline.items.length + (outline.more ?? 0)).toBe(25);
    expect(Object.keys(full.outlines).length + (full.outlinesMore ?? 0)).toBe(3);
    expect(bytes(full)).toBeLessThanOrEqual(COMPACT_MAX);
  });

  test('never has more than 2,048 bytes, whatever the names are', () => {
    const wild = fc
      .oneof(
        fc.string({ unit: 'binary', maxLength: 500 }),
        fc.constantFrom('😀'.repeat(300), '\u0001'.repeat(300), 'x'.repeat(4000), '__proto__'),
      )
      .map((text) => text.toWellFormed());
    const maps = <T>(values: fc.Arbitrary<T>) => fc.dictionary(wild, values, { maxKeys: 8, noNullPrototype: true });
    const snapshots = fc.record({
      anchor: wild,
      active: fc.option(wild),
      git: fc.tuple(gitStates, fc.array(wild, { maxLength: 200 }), wild, wild).map(([git, list, branch, subject]) => ({
        ...git,
        head: { kind: 'branch' as const, branch, commit: 'f'.repeat(64) },
        upstream: { name: branch, ahead: Number.MAX_SAFE_INTEGER, behind: Number.MAX_SAFE_INTEGER },
        staged: list,
        conflicted: list,
        lastCommit: { commit: 'f'.repeat(64), subject, at: '2026-11-30T12:00:00.000Z', kinds: list },
        submodules: list.map((path) => ({ path, commit: 'f'.repeat(64), dirty: true })),
      })),
      files: fc.record({ count: fc.nat(), bytes: fc.nat(), byLanguage: maps(fc.nat()), tree: hashes }),
      outlines: maps(outlines),
      dependencies: maps(fc.record({ manager: fc.constant('npm'), digest: hashes, direct: maps(wild) })),
      marks: fc.record({ tags: maps(maps(slots)), focus: maps(focuses) }),
      degraded: fc.array(wild, { maxLength: 60 }),
    });
    fc.assert(
      fc.property(snapshots, (part) => {
        expect(bytes(compact({ ...usual, ...part } as Snapshot))).toBeLessThanOrEqual(COMPACT_MAX);
      }),
      { numRuns: 60 },
    );
  });
});

describe('stored form', () => {
  const { id: _i, parent: _p, ...body } = usual;

  test('the id is the hash of all other fields, and everything comes back', () => {
    const parts = partsOf(body, new WeakMap());
    const { snapshot, json, objects } = packSnapshot(body, parts, null);
    const { id, ...rest } = snapshot;
    expect(id).toBe(hash(rest));
    const stored = new Map(objects.map((object) => [object.hash, object.json]));
    for (const object of objects) expect(hash(JSON.parse(object.json))).toBe(object.hash);
    const back = unpackSnapshot(json, (key) => stored.get(key));
    expect(canonical(back)).toBe(canonical(snapshot));
    expect(contentHash(json, back.marks)).toBe(parts.content);
    expect(json.length).toBeLessThan(canonical(snapshot).length / 2);
  });

  test('is exact for names of Object.prototype and any facts', () => {
    const some = fc.record({
      git: gitStates,
      outlines: fc.dictionary(fc.constantFrom('a', '__proto__', 'é'), outlines),
      tags: fc.dictionary(fc.constantFrom('.', '__proto__'), fc.dictionary(fc.constantFrom('k', '__proto__'), slots)),
    });
    fc.assert(
      fc.property(some, ({ git, outlines: files, tags }) => {
        const one = { ...body, git, outlines: files, marks: { tags, focus: {} } };
        const { snapshot, json, objects } = packSnapshot(one, partsOf(one, new WeakMap()), HEX);
        const stored = new Map(objects.map((object) => [object.hash, object.json]));
        const { id, ...rest } = unpackSnapshot(json, (key) => stored.get(key));
        expect(id).toBe(hash(rest));
        expect(canonical(rest)).toBe(canonical({ ...one, parent: HEX }));
        expect(snapshot.id).toBe(id);
      }),
    );
  });

  test('a missing part is said', () => {
    const { json } = packSnapshot(body, partsOf(body, new WeakMap()), null);
    expect(() => unpackSnapshot(json, () => undefined)).toThrow('missing from the database');
  });

  test('equal are snapshots that differ only in id, parent, takenAt, trigger and times', () => {
    const content = (change: object) => partsOf({ ...body, ...change } as typeof body, new WeakMap()).content;
    const same = content({});
    expect(content({ takenAt: '2027-01-01T00:00:00.000Z', trigger: 'manual' })).toBe(same);
    const later = JSON.parse(JSON.stringify(body.marks).replaceAll('11:30', '11:45')) as Snapshot['marks'];
    expect(content({ marks: later })).toBe(same);
    expect(content({ active: null })).not.toBe(same);
    expect(content({ degraded: ['shallow'] })).not.toBe(same);
    expect(content({ marks: { ...body.marks, focus: {} } })).not.toBe(same);
    expect(content({ files: { ...body.files, tree: hash(1) } })).not.toBe(same);
    expect(content({ git: { ...body.git, lastCommit: { ...body.git.lastCommit, commit: 'd'.repeat(40) } } })).not.toBe(
      same,
    );
  });
});

describe('schemas', () => {
  test('take what they should and give it back untouched, unknown fields included', () => {
    const future = { ...usual, newer: { field: [1] } };
    expect(parseSnapshot(future)).toBe(future);
    const tricky: unknown = JSON.parse(
      JSON.stringify(usual).replace('"focus":{', '"focus":{"__proto__":{"by":"user","at":"2026-11-30T11:30:00.000Z"},'),
    );
    expect(parseSnapshot(tricky)).toBe(tricky);
  });

  test.each<[string, object, string]>([
    ['no schema', { schema: 'other' }, 'schema'],
    ['a number that is none', { files: { ...usual.files, count: 1.5 } }, 'files.count'],
    ['a path that is none', { active: 5 }, 'active'],
    ['a time that is none', { takenAt: 'yesterday' }, 'takenAt'],
    ['an unknown trigger', { trigger: 'save' }, 'trigger'],
    ['a broken outline', { outlines: { a: { language: 'ts' } } }, 'outlines'],
    [
      'a broken mark under __proto__',
      JSON.parse('{"marks":{"tags":{},"focus":{"__proto__":5}}}') as object,
      'marks.focus',
    ],
    ['half a character', { active: '\ud800' }, 'lone surrogate'],
  ])('%s is refused', (_, change, words) => {
    expect(() => parseSnapshot({ ...usual, ...change })).toThrow(words);
  });

  test('outlines and nodes', () => {
    expect(() => parseOutline({ language: 'ts', lines: -1, items: [] })).toThrow('outline at lines');
    expect(() => parseDirectoryNode({ entries: [{ name: 'a', kind: 'socket', size: 0 }] })).toThrow('directory node');
    expect(() => parseSnapshot(null)).toThrow('not a snapshot');
  });
});
