import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hash } from '../../../src/base/index.ts';
import type { DirectoryNode } from '../../../src/snapshot/index.ts';
import {
  changedPaths,
  compareBytes,
  type FileEntry,
  FileTree,
  filesBelow,
  type ReadNode,
} from '../../../src/snapshot/tree.ts';

const names = fc.constantFrom('a', 'b', 'a.ts', 'é', '文', '😀', '\uffee', '__proto__', 'constructor', 'toString');
const paths = fc.array(names, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
const entries: fc.Arbitrary<FileEntry> = fc.record(
  {
    kind: fc.constantFrom('file', 'link', 'submodule'),
    size: fc.nat({ max: 9 }),
    language: fc.constantFrom('ts', 'py'),
    oid: fc.constantFrom('a'.repeat(40), 'b'.repeat(40)),
  },
  { requiredKeys: ['kind', 'size'] },
) as fc.Arbitrary<FileEntry>;

/** Files that can stand beside one another: no file where another one has a folder. */
const worlds = fc.array(fc.tuple(paths, entries), { maxLength: 12 }).map((pairs) => {
  const world = new Map<string, FileEntry>();
  for (const [path, entry] of pairs) {
    const clashes = [...world.keys()].some((other) => other.startsWith(`${path}/`) || path.startsWith(`${other}/`));
    if (!clashes) world.set(path, entry);
  }
  return world;
});

function treeOf(world: ReadonlyMap<string, FileEntry>): FileTree {
  const tree = new FileTree();
  for (const [path, entry] of world) tree.set(path, entry);
  return tree;
}

function stored(...trees: FileTree[]): ReadNode {
  const nodes = new Map<string, DirectoryNode>();
  for (const tree of trees) {
    for (const { hash: key, json } of tree.unstored((known) => nodes.has(known)))
      nodes.set(key, JSON.parse(json) as DirectoryNode);
  }
  return (key) => nodes.get(key) ?? null;
}

/** The hash of every directory of a tree by its path; '' is the root. */
function nodesByPath(tree: FileTree): ReadonlyMap<string, string> {
  const read = stored(tree);
  const found = new Map<string, string>();
  const visit = (path: string, key: string) => {
    found.set(path, key);
    for (const { name, node } of read(key)?.entries ?? []) {
      if (node !== undefined) visit(path === '' ? name : `${path}/${name}`, node);
    }
  };
  visit('', tree.view().tree);
  return found;
}

describe('directory nodes', () => {
  test('are what the protocol says, under their hash', () => {
    const tree = treeOf(
      new Map([
        ['src/a.ts', { kind: 'file', size: 3, language: 'ts', oid: 'a'.repeat(40) }],
        ['b', { kind: 'link', size: 1 }],
      ]),
    );
    const nodes = [...tree.unstored(() => false)];
    const src = { entries: [{ name: 'a.ts', kind: 'file', size: 3, language: 'ts', oid: 'a'.repeat(40) }] };
    const root = {
      entries: [
        { name: 'b', kind: 'link', size: 1 },
        { name: 'src', kind: 'directory', size: 0, node: hash(src) },
      ],
    };
    expect(nodes.map(({ json }) => JSON.parse(json) as unknown)).toEqual([src, root]);
    expect(nodes.map(({ hash: key }) => key)).toEqual([hash(src), hash(root)]);
    expect(nodes.map(({ node }) => node)).toEqual([src, root]);
    expect(tree.view()).toEqual({ count: 2, bytes: 4, byLanguage: { ts: 1 }, tree: hash(root) });
  });

  test('names are in byte order, also beyond the basic plane', () => {
    expect(['😀', '\uffee', 'a', 'Z', '文', 'ab'].sort(compareBytes)).toEqual(['Z', 'a', 'ab', '文', '\uffee', '😀']);
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
        fc.pre(a.isWellFormed() && b.isWellFormed());
        expect(Math.sign(compareBytes(a, b))).toBe(Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b))));
      }),
      { numRuns: 500 },
    );
  });

  test('the hash depends on the files alone, not on how they came about', () => {
    fc.assert(
      fc.property(worlds, worlds, (from, to) => {
        const tree = treeOf(from);
        tree.view();
        for (const path of from.keys()) if (!to.has(path)) tree.delete(path);
        for (const [path, entry] of to) tree.set(path, entry);
        expect(tree.view()).toEqual(treeOf(to).view());
      }),
    );
  });

  test('every file comes back with its path and entry, once', () => {
    fc.assert(
      fc.property(worlds, (world) => {
        const tree = treeOf(world);
        const found = [...filesBelow(stored(tree), tree.view().tree)];
        const expected = [...world].map(([path, entry]) => [path, { name: path.split('/').at(-1), ...entry }]);
        expect(new Map(found)).toEqual(new Map(expected as [string, never][]));
        expect(found.map(([path]) => path)).toHaveLength(world.size);
        expect(tree.view().count).toBe(world.size);
        expect(tree.view().bytes).toBe([...world.values()].reduce((sum, { size }) => sum + size, 0));
      }),
    );
  });

  test('one changed file makes new nodes only on its path', () => {
    const world = new Map<string, FileEntry>();
    for (let n = 0; n < 200; n++) world.set(`d${n % 20}/e${n % 5}/f${n}.ts`, { kind: 'file', size: n });
    const tree = treeOf(world);
    const known = new Set([...tree.unstored(() => false)].map(({ hash: key }) => key));
    tree.set('d7/e2/f7.ts', { kind: 'file', size: 9999 });
    expect([...tree.unstored((key) => known.has(key))]).toHaveLength(3);
    tree.set('d7/e2/f7.ts', { kind: 'file', size: 7 });
    tree.delete('d7/e2/f7.ts');
    tree.set('d7/e2/f7.ts', { kind: 'file', size: 7 });
    expect([...tree.unstored((key) => known.has(key))]).toHaveLength(known.has(tree.view().tree) ? 0 : 3);
  });

  test('whichever file changes, only the directories above it do', () => {
    fc.assert(
      fc.property(worlds, fc.nat(), fc.nat({ max: 99 }), (world, pick, size) => {
        fc.pre(world.size > 0);
        const path = [...world.keys()][pick % world.size] ?? '';
        const before = nodesByPath(treeOf(world));
        const entry: FileEntry = { kind: 'file', size: 1_000 + size };
        const after = nodesByPath(treeOf(new Map([...world, [path, entry]])));
        const above = path.split('/').map((_, depth, names) => names.slice(0, depth).join('/'));
        const changed = [...after].filter(([folder, node]) => before.get(folder) !== node).map(([folder]) => folder);
        expect([...after.keys()]).toEqual([...before.keys()]);
        expect(changed.toSorted()).toEqual(above.toSorted());
      }),
    );
  });

  test('changedPaths names exactly the files whose entries differ', () => {
    fc.assert(
      fc.property(worlds, worlds, (before, after) => {
        const [a, b] = [treeOf(before), treeOf(after)];
        const read = stored(a, b);
        const found = [...changedPaths(read, a.view().tree, b.view().tree)];
        const differs = (path: string) => {
          const [x, y] = [before.get(path), after.get(path)];
          return x === undefined || y === undefined || x.kind !== y.kind || x.size !== y.size || x.oid !== y.oid;
        };
        const expected = [...new Set([...before.keys(), ...after.keys()])].filter(differs);
        expect(found.toSorted()).toEqual(expected.toSorted());
      }),
      { numRuns: 300 },
    );
  });

  test('a file that becomes a folder and back', () => {
    const tree = treeOf(new Map([['a', { kind: 'file', size: 1 }]]));
    tree.set('a/b', { kind: 'file', size: 2 });
    expect([...filesBelow(stored(tree), tree.view().tree)].map(([path]) => path)).toEqual(['a/b']);
    tree.set('a', { kind: 'file', size: 3 });
    expect([...filesBelow(stored(tree), tree.view().tree)].map(([path]) => path)).toEqual(['a']);
    tree.delete('not/there');
    tree.delete('a');
    expect(tree.view()).toEqual({ count: 0, bytes: 0, byLanguage: {}, tree: hash({ entries: [] }) });
  });
});
