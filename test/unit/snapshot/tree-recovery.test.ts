import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createParser } from '../../../src/snapshot/parser.ts';
import { importSitesOfTree } from '../../../src/snapshot/tree-imports.ts';
import { outlineOfTree } from '../../../src/snapshot/tree-outline.ts';
import { recover } from '../../../src/snapshot/tree-recovery.ts';
import type { OutlineItem } from '../../../src/snapshot/types.ts';
import { brokenText, foundAgain, intactItems, numbers } from '../../support/broken-texts.ts';

const parser = createParser();

async function read(path: string, text: string) {
  const tree = await parser.tree(path, text);
  if (tree.problem !== null) return { ...recover(tree, 'ts'), broken: true };
  return { outline: outlineOfTree(tree, 'ts'), imports: importSitesOfTree(tree), broken: false };
}

const shown = (items: readonly OutlineItem[]) =>
  items.map(({ start, end, kind, of, name }) => `${start}-${end} ${kind} ${of === undefined ? '' : `${of}.`}${name}`);

const BEFORE = `import { a } from './a';

/** One. */
export function first(x: number): string {
  return \`\${x}\`;
}

export interface Second {
  readonly id: string;
  call(a: number): void;
}

export class Third {
  #count = 0;

  get count(): number {
    return this.#count;
  }
`;
const AFTER = `
  add(by = 1): void {
    this.#count += by;
  }
}

export const fourth = (x: string) => {
  return x.trim();
};

export type Fifth = { a: string; b: number };

namespace Sixth {
  export function inner() {}
}
`;

/** What somebody leaves behind in the middle of a class. */
const TYPED = [
  'method() {',
  'method(',
  'method(a, b',
  'method(a: string, ',
  'method(): ',
  'method(): Promise<',
  'method<T extends ',
  'method() { if (',
  'method() { if (x) {',
  'method() { this.',
  'method() { this.#count. }',
  'method() { return [1, 2',
  'method() { return { a: 1, ',
  'method() { const x = ',
  'method() { const { a, b = ',
  'method() { for (const x of ',
  'method() { while (x',
  'method() { switch (x) { case ',
  'method() { try { ',
  'method() { try { } cat',
  'method() { foo(a, (b) => { ',
  'method() { foo(`text ${x',
  "method() { foo('text",
  'method() { foo("text); }',
  'method() { a ? b : }',
  'method() { a && }',
  'method() { await }}',
  'method() { new Foo( }',
  'method() { x = y as }',
  'method() { throw new }',
  'method() { }}',
  'method() { ) }',
  'method() { ] }',
  'private',
  'private readonly x:',
  'private readonly x: Map<string, ',
  'static async ',
  'async *gen(',
  'get ',
  'get value() {',
  'set value(',
  'constructor(private readonly a: ',
  '@Decorator(',
  '@Decorator({ a: ',
  '[Symbol.iterator',
  'x = {',
  'x = [1, 2,',
  'x = (a) => {',
  '<<<<<<< HEAD\n  x = 1;\n=======\n  x = 2;\n>>>>>>> theirs',
  '/** half a comment',
];

test('fifty things that somebody types in the middle of a class cost at most three of a hundred other declarations', async () => {
  expect(new Set(TYPED).size).toBe(50);
  const good = (await read('a.ts', BEFORE + AFTER)).outline.items;
  const at = BEFORE.split('\n').length - 1;
  let wanted = 0;
  let found = 0;
  const lost: string[] = [];
  for (const typed of TYPED) {
    const now = await read('a.ts', `${BEFORE}\n  ${typed}\n${AFTER}`);
    const shift = typed.split('\n').length + 1;
    const intact = good
      .filter(({ start, end }) => end <= at || start > at)
      .map((item) => (item.end <= at ? item : { ...item, start: item.start + shift, end: item.end + shift }));
    const share = foundAgain(intact, now.outline.items);
    wanted += intact.length;
    found += share;
    if (share < intact.length) lost.push(`${typed}: ${shown(now.outline.items).join(', ')}`);
    // The class is still what it was, around what is being typed.
    expect(
      now.outline.items.find(({ name }) => name === 'Third'),
      typed,
    ).toMatchObject({ kind: 'class', exported: true });
    expect(now.imports, typed).toEqual([{ module: './a', names: ['a'], line: 1 }]);
  }
  expect(found / wanted, lost.join('\n')).toBeGreaterThanOrEqual(0.97);
});

test('thirty changes somewhere in files of this project cost at most three of a hundred intact declarations', async () => {
  const root = join(import.meta.dirname, '../../..');
  const files = globSync('{src,scripts,bench}/**/*.{ts,mjs}', { cwd: root }).filter((path) => !path.endsWith('.d.ts'));
  expect(files.length).toBeGreaterThan(200);
  const random = numbers(5);
  const sum = { wanted: 0, found: 0, broken: 0 };
  while (sum.broken < 30) {
    const path = files[Math.floor(random() * files.length)] ?? '';
    const text = readFileSync(join(root, path), 'utf8');
    const whole = await read(path, text);
    const broken = brokenText(text, random);
    const now = await read(path, broken.text);
    if (whole.broken || !now.broken) continue;
    sum.broken += 1;
    const intact = intactItems(whole.outline.items, text, broken);
    sum.wanted += intact.length;
    sum.found += foundAgain(intact, now.outline.items);
  }
  expect(sum.found / sum.wanted, JSON.stringify(sum)).toBeGreaterThanOrEqual(0.97);
});

test('what is exported elsewhere in the file is exported, also behind the error', async () => {
  const text =
    'function a() {}\nfunction b() {\nfunction c() {}\nexport { a, c };\nmodule.exports.d = function () {};\n';
  const { outline } = await read('a.js', text);
  expect(outline.items.map(({ name, exported = false }) => `${name} ${exported}`)).toEqual([
    'a true',
    'b false',
    'c true',
    'd true',
  ]);
});

test('a brace that is missing ends what lacks it where the next declaration begins', async () => {
  const text =
    'export function a() {\n  if (x) {\n    y();\n}\n\n// about b\nexport class B {\n  m() {\n  n() {}\n}\ntype C = 1;\n';
  const { outline } = await read('a.ts', text);
  expect(shown(outline.items)).toEqual([
    '1-4 function a',
    '7-10 class B',
    '8-8 method B.m',
    '9-9 method B.n',
    '11-11 type C',
  ]);
});

test('a brace too many leaves the members behind it in their class', async () => {
  const text = 'class A {\n  m() {\n  }}\n  n(): void {}\n  static o = 1;\n}\nfunction p() {}\n';
  const { outline } = await read('a.ts', text);
  expect(shown(outline.items)).toEqual([
    '1-6 class A',
    '2-3 method A.m',
    '4-4 method A.n',
    '5-5 property A.o',
    '7-7 function p',
  ]);
});

test('imports are found before and behind an error, each once, with their lines', async () => {
  const text =
    "import a from 'a';\nconst b = ;\nfunction f() {\nimport { c } from 'c';\nconst d = require('d');\nfunction g() {}\n";
  const { imports } = await read('a.ts', text);
  expect(imports).toEqual([
    { module: 'a', names: ['default'], line: 1 },
    { module: 'c', names: ['c'], line: 4 },
    { module: 'd', names: ['*'], line: 5 },
  ]);
});

test('line ends, byte order marks and tabs move nothing', async () => {
  const text = 'class A {\n\tm() {\n\tn() {}\n}\nfunction f() {}\n';
  const expected = shown((await read('a.ts', text)).outline.items);
  expect(expected).toEqual(['1-4 class A', '2-2 method A.m', '3-3 method A.n', '5-5 function f']);
  for (const other of [text.replaceAll('\n', '\r\n'), `\uFEFF${text}`, text.replaceAll('\t', '  ')]) {
    expect(shown((await read('a.ts', other)).outline.items)).toEqual(expected);
  }
});

test('a text that is broken all over comes to an end', async () => {
  const text = 'export class A { m( {\n'.repeat(100);
  const { outline } = await read('a.ts', text);
  expect(outline.items.length).toBeGreaterThan(0);
  await read('a.ts', '}{)(\n'.repeat(1_000));
  await read('a.ts', '`'.repeat(1_001));
});
