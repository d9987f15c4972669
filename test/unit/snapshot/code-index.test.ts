import { rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SnapshotServiceOptions } from '../../../src/snapshot/index.ts';
import { createParser, type Parser } from '../../../src/snapshot/parser.ts';
import { FakeGit } from '../../support/fake-git.ts';
import { SnapshotBench } from '../../support/snapshot-service.ts';
import { tempDir } from '../../support/temp.ts';

type IndexCache = NonNullable<SnapshotServiceOptions['cache']>;

/** A cache that outlives services, and what was put into it. */
function sharedCache(): IndexCache & { readonly entries: Map<string, string> } {
  const entries = new Map<string, string>();
  return {
    entries,
    get: (kind, key) => entries.get(`${kind}\0${key}`),
    put: (kind, key, json) => void entries.set(`${kind}\0${key}`, json),
    batch: (work) => work(),
  };
}

/** The real parser, which says what it was asked for. */
function spied(): { parser: Parser; parsed: string[] } {
  const inner = createParser();
  const parsed: string[] = [];
  const parser: Parser = {
    get loaded() {
      return inner.loaded;
    },
    convert: (path, tree) => inner.convert(path, tree),
    tree(path, text) {
      parsed.push(path);
      return inner.tree(path, text);
    },
  };
  return { parser, parsed };
}

const FILES = {
  'src/a.ts': "import { b } from './b';\nexport const a = b;\n",
  'src/b.ts': 'export const b = 1;\n',
  'src/c.ts': "import { a } from './a';\nimport * as b from './b';\nexport function c() {}\n",
  'pkg/__init__.py': '',
  'pkg/tool.py': 'def run() -> None: ...\n',
  'app.py': 'from pkg.tool import run\nimport pkg\n',
};

async function world(options: Partial<SnapshotServiceOptions> = {}, files: Readonly<Record<string, string>> = FILES) {
  const root = tempDir();
  const git = new FakeGit(root);
  for (const [path, text] of Object.entries(files)) git.write(path, text);
  git.commit('one');
  return again(root, git, options);
}

async function again(root: string, git: FakeGit, options: Partial<SnapshotServiceOptions> = {}) {
  const { parser, parsed } = spied();
  const bench = await SnapshotBench.open({ git, parser, ...options });
  const importers = async (path: string) =>
    (await bench.service.imports(root, path, true)).importedBy.map((each) => `${each.path}:${each.line} ${each.names}`);
  return { root, git, bench, parsed, importers };
}

test('who imports a file, in which line and what, in several languages at once', async () => {
  const { importers, bench, root } = await world();
  expect(await importers('src/b.ts')).toEqual(['src/a.ts:1 b', 'src/c.ts:2 *']);
  expect(await importers('src/a.ts')).toEqual(['src/c.ts:1 a']);
  expect(await importers('pkg/tool.py')).toEqual(['app.py:1 run']);
  expect(await importers('pkg/__init__.py')).toEqual(['app.py:2 *']);
  expect(await importers('src/c.ts')).toEqual([]);
  expect(await bench.service.index(root, 'look')).toEqual({ files: 6, indexed: 6, complete: true });
  expect(await bench.service.imports(root, 'app.py', false)).toMatchObject({
    imports: [
      { module: 'pkg.tool', names: ['run'], line: 1, path: 'pkg/tool.py' },
      { module: 'pkg', names: ['*'], line: 2, path: 'pkg/__init__.py' },
    ],
    degraded: [],
  });
});

test('files that import each other in a circle are no trouble', async () => {
  const { importers } = await world(
    {},
    {
      'a.ts': "import './b';\n",
      'b.ts': "import './c';\n",
      'c.ts': "import './a';\nexport * from './c';\n",
    },
  );
  expect(await importers('a.ts')).toEqual(['c.ts:1 ']);
  expect(await importers('b.ts')).toEqual(['a.ts:1 ']);
});

test('a change costs that file alone, and is seen whether it is committed or not', async () => {
  const { root, git, bench, parsed, importers } = await world();
  await importers('src/b.ts');
  parsed.length = 0;
  git.write('src/c.ts', 'export function c() {}\n');
  await bench.take(root);
  expect(await importers('src/b.ts')).toEqual(['src/a.ts:1 b']);
  git.commit('two');
  await bench.take(root);
  expect(await importers('src/b.ts')).toEqual(['src/a.ts:1 b']);
  expect(new Set(parsed)).toEqual(new Set(['src/c.ts']));
});

test('an edit that leaves the size as it is, is seen', async () => {
  const { root, git, bench, importers } = await world();
  git.write('src/c.ts', "import { a } from './x';\n");
  await bench.take(root);
  expect(await importers('src/a.ts')).toEqual([]);
  const file = join(root, 'src/c.ts');
  writeFileSync(file, "import { a } from './a';\n");
  utimesSync(file, 1, 1);
  await bench.take(root);
  expect(await importers('src/a.ts')).toEqual(['src/c.ts:1 a']);
});

test('a file that comes is found by imports that waited for it, and one that goes is forgotten', async () => {
  const { root, git, bench, importers } = await world({}, { 'a.ts': "import { b } from './b';\n" });
  expect((await bench.service.imports(root, 'a.ts', true)).imports).toEqual([{ module: './b', names: ['b'], line: 1 }]);
  git.write('b.ts', 'export const b = 1;\n');
  await bench.take(root);
  expect(await importers('b.ts')).toEqual(['a.ts:1 b']);
  git.remove('b.ts');
  git.write('c.ts', 'export {};\n');
  await bench.take(root);
  expect(await bench.service.index(root, 'run')).toEqual({ files: 2, indexed: 2, complete: true });
  git.write('b.ts', '');
  git.remove('a.ts');
  await bench.take(root);
  expect(await importers('b.ts')).toEqual([]);
});

test('when configuration changes, imports lead where it says now', async () => {
  const config = (folder: string) => JSON.stringify({ compilerOptions: { paths: { '~/*': [`./${folder}/*`] } } });
  const files = { 'tsconfig.json': config('one'), 'one/x.ts': '', 'two/x.ts': '', 'a.ts': "import '~/x';\n" };
  const { root, git, bench, importers } = await world({}, files);
  expect(await importers('one/x.ts')).toEqual(['a.ts:1 ']);
  git.write('tsconfig.json', config('two'));
  await bench.take(root);
  expect(await importers('one/x.ts')).toEqual([]);
  expect(await importers('two/x.ts')).toEqual(['a.ts:1 ']);
});

test('a tsconfig that extends itself is told, and the rest of it counts', async () => {
  const files = {
    'tsconfig.json': '{ "extends": "./tsconfig.json", "compilerOptions": { "paths": { "~/*": ["./src/*"] } } }',
    'src/x.ts': '',
    'a.ts': "import '~/x';\n",
  };
  const { bench, root, importers } = await world({}, files);
  expect(await importers('src/x.ts')).toEqual(['a.ts:1 ']);
  expect((await bench.service.imports(root, 'a.ts', true)).degraded).toEqual(['cycle:tsconfig.json']);
});

test('what one process has read, another one does not read again', async () => {
  const cache = sharedCache();
  const first = await world({ cache });
  const wanted = await first.importers('src/b.ts');
  expect(new Set(first.parsed).size).toBe(3);
  const second = await again(first.root, first.git, { cache });
  expect(await second.importers('src/b.ts')).toEqual(wanted);
  expect(second.parsed).toEqual(['src/b.ts']);
});

test('entries that are damaged, or of another format, are read anew', async () => {
  const cache = sharedCache();
  const first = await world({ cache });
  const wanted = await first.importers('src/b.ts');
  for (const [key, json] of cache.entries)
    cache.entries.set(key, key.includes('.ts') ? json.slice(0, -9) : '{"of":"old"}');
  const second = await again(first.root, first.git, { cache });
  expect(await second.importers('src/b.ts')).toEqual(wanted);
  expect(await second.importers('pkg/tool.py')).toEqual(['app.py:1 run']);
});

test('text that changed between the listing and the look is not kept under the id of the text before', async () => {
  const cache = sharedCache();
  const first = await world({ cache });
  await first.bench.take(first.root);
  writeFileSync(join(first.root, 'src/c.ts'), 'export const later = 1;\n');
  await first.bench.service.index(first.root, 'run');
  first.git.write('src/c.ts', FILES['src/c.ts']);
  first.git.commit('as it was');
  const second = await again(first.root, first.git, { cache });
  expect(await second.importers('src/a.ts')).toEqual(['src/c.ts:1 a']);
});

test('a pass that is cancelled keeps what it has read, says so, and goes on later', async () => {
  const cache = sharedCache();
  const files = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`f${n}.ts`, `export const v${n} = ${n};\n`]));
  const { root, bench, parsed } = await world({ cache }, files);
  const running = bench.service.index(root, 'run');
  while (parsed.length === 0) await new Promise((resolve) => setImmediate(resolve));
  await bench.service.index(root, 'cancel');
  const cancelled = await running;
  expect(cancelled).toMatchObject({ files: 200, complete: false });
  expect(cancelled.indexed).toBe(parsed.length);
  expect(cache.entries.size).toBe(parsed.length);
  expect(await bench.service.index(root, 'run')).toEqual({ files: 200, indexed: 200, complete: true });
  expect(parsed).toHaveLength(200);
});

test('files that cannot be read are counted, not tried for ever', async () => {
  const files = { 'a.ts': "import './b';\n", 'min.js': `const x = "${'y'.repeat(20_000)}";\n`, 'c.ts': '\xff' };
  const { root, git, bench, importers } = await world({}, files);
  writeFileSync(join(root, 'c.ts'), Buffer.from([0xff, 0xfe, 0xff]));
  git.write('b.ts', 'class {');
  await bench.take(root);
  expect(await importers('b.ts')).toEqual(['a.ts:1 ']);
  expect(await bench.service.index(root, 'look')).toEqual({ files: 4, indexed: 4, complete: true });
  rmSync(join(root, 'a.ts'));
  expect(await bench.service.index(root, 'run')).toMatchObject({ complete: true });
});

test('facts of a file say who imports it, as far as that is known, and the types one hop away', async () => {
  const files = {
    'types.ts': 'export interface Money { cents: number }\nexport type Never = 1;\n',
    'booking.ts':
      "import type { Money as M, Never } from './types';\nimport type { Fare } from './fare';\nexport class Booking {\n  total(fare: Fare): M { throw 0 }\n}\nexport function other(x: Never): void {}\n",
    'fare.ts': 'export interface Fare { readonly price: string }\n',
    'use.ts': "import { Booking } from './booking';\nexport const f = (b: Booking) => b;\n",
  };
  const { root, bench } = await world({}, files);
  await bench.service.index(root, 'run');
  const { types, importedBy } = await bench.service.facts(root, 'use.ts', null);
  expect(types?.map(({ path, name, items }) => [path, name, items.map((item) => item.name)])).toEqual([
    ['fare.ts', 'Fare', ['Fare', 'price']],
  ]);
  expect(importedBy).toBe(undefined);
  expect((await bench.service.facts(root, 'booking.ts', null)).importedBy).toEqual([
    { path: 'use.ts', line: 1, names: ['Booking'] },
  ]);
});

test('types of the same package are found without an import', async () => {
  const files = {
    'go.mod': 'module example.com/shop\n',
    'money/money.go': 'package money\n\ntype Money struct { Cents int }\n',
    'money/sum.go': 'package money\n\nfunc Sum(all []Money) Money { return all[0] }\n',
    'main.go': 'package main\n\nimport "example.com/shop/money"\n\nfunc main() { money.Sum(nil) }\n',
  };
  const { root, bench, importers } = await world({}, files);
  expect(await importers('money/sum.go')).toEqual(['main.go:3 *']);
  const { types } = await bench.service.facts(root, 'money/sum.go', null);
  expect(types?.map(({ path, name }) => `${path} ${name}`)).toEqual(['money/money.go Money']);
});

test('who imports a file that cannot be read itself is known all the same', async () => {
  const { bench, root } = await world({}, { 'a.js': "import './min.js';\n", 'min.js': `f(${'1,'.repeat(9000)}1);\n` });
  expect(await bench.service.imports(root, 'min.js', true)).toMatchObject({
    imports: [],
    importedBy: [{ path: 'a.js', line: 1 }],
    degraded: ['minified:min.js'],
  });
});

test('a module whose address holds a password is not told, nor kept', async () => {
  const cache = sharedCache();
  const text = "import 'https://cdn:hunter2hunter2@example.com/x.js';\nimport './b';\n";
  const { bench, root } = await world({ cache }, { 'a.ts': text, 'b.ts': 'export const b = 1;\n' });
  expect((await bench.service.imports(root, 'a.ts', true)).imports.map(({ module }) => module)).toEqual(['./b']);
  expect([...cache.entries.values()].join()).not.toContain('hunter2');
});

test('in a folder without git an edit that leaves the size as it is, is seen', async () => {
  const root = tempDir();
  writeFileSync(join(root, 'a.ts'), "import './b';\n");
  writeFileSync(join(root, 'b.ts'), '');
  writeFileSync(join(root, 'c.ts'), '');
  const { bench, importers } = await again(root, new FakeGit(tempDir()));
  expect(await importers('b.ts')).toEqual(['a.ts:1 ']);
  writeFileSync(join(root, 'a.ts'), "import './c';\n");
  utimesSync(join(root, 'a.ts'), 1, 1);
  await bench.take(root);
  expect(await importers('b.ts')).toEqual([]);
  expect(await importers('c.ts')).toEqual(['a.ts:1 ']);
});
