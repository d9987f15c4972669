import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { symbolChanges, textOutline } from '../../../../src/snapshot/commits/index.ts';
import type { Version } from '../../../../src/snapshot/commits/symbol-changes.ts';
import { createParser } from '../../../../src/snapshot/parser.ts';
import { outlineOfTree } from '../../../../src/snapshot/tree-outline.ts';

const parser = createParser();
const outlineOf = textOutline({
  read: async (path, text, language) => ({ outline: outlineOfTree(await parser.tree(path, text), language) }),
});

async function version(text: string | null): Promise<Version | null> {
  if (text === null) return null;
  const outline = await outlineOf('a.ts', text);
  if (outline === null) throw new Error(`no outline of ${text}`);
  return { text, outline };
}

async function changes(before: string | null, after: string | null): Promise<readonly string[]> {
  const found = symbolChanges(await version(before), await version(after));
  return found.map(({ symbol, change, was }) => `${change} ${symbol}${was === undefined ? '' : ` was ${was}`}`);
}

const CLASS = `export class Booking {
  total(): number {
    return 1;
  }

  refund(): number {
    return 2;
  }
}
`;

describe('symbols that differ between two versions', () => {
  test.each<[string, string | null, string | null, readonly string[]]>([
    ['a new file', null, 'export function a() {}\n', ['added a']],
    ['a deleted file', 'export function a() {}\n', null, ['removed a']],
    ['a line in a body', 'function a() {\n  one();\n}\n', 'function a() {\n  two();\n}\n', ['changed a']],
    ['a method is not its class', CLASS, CLASS.replace('return 2', 'return 3'), ['changed Booking.refund']],
    [
      'what a class extends is its own',
      CLASS,
      CLASS.replace('Booking {', 'Booking extends Base {'),
      ['changed Booking'],
    ],
    [
      'a new method with its comment is not its class',
      CLASS,
      CLASS.replace('  refund', '  /** Adds one. */\n  add(): void {\n    this.total();\n  }\n\n  refund'),
      ['added Booking.add'],
    ],
    ['lines that moved', `function a() {\n  one();\n}\n\n${CLASS}`, `${CLASS}\nfunction a() {\n  one();\n}\n`, []],
    [
      'another indentation',
      'namespace n {\nexport function a() {\n  if (b) {\n    c();\n  }\n}\n}\n',
      'namespace n {\n    export function a() {\n      if (b) {\n        c();\n      }\n    }\n}\n',
      [],
    ],
    [
      'other line ends and blank lines',
      'function a() {\n  b();\n  c();\n}\n',
      'function a() {\r\n  b();\r\n\r\n  c();  \r\n}\r\n',
      [],
    ],
    [
      'a step to the right inside of a body',
      'function a() {\n  b();\n}\n',
      'function a() {\n    b();\n}\n',
      ['changed a'],
    ],
    [
      'one of several overloads',
      'function a(b: string): void;\nfunction a(b: number): void;\nfunction a(b: unknown) {}\n',
      'function a(b: string): void;\nfunction a(b: bigint): void;\nfunction a(b: unknown) {}\n',
      ['changed a'],
    ],
    [
      'overloads in another order',
      'function a(b: string): void;\nfunction a(b: number): void;\nfunction a(b: unknown) {}\n',
      'function a(b: number): void;\nfunction a(b: string): void;\nfunction a(b: unknown) {}\n',
      [],
    ],
    [
      'a further overload',
      'function a(b: unknown) {}\n',
      'function a(b: number): void;\nfunction a(b: unknown) {}\n',
      ['changed a'],
    ],
    [
      'another name, with the calls of itself',
      'function old(n: number): number {\n  return n && old(n - 1);\n}\n',
      'function fresh(n: number): number {\n  return n && fresh(n - 1);\n}\n',
      ['changed fresh was old'],
    ],
    [
      'a class with another name, members and all',
      CLASS,
      CLASS.replace('Booking', 'Order'),
      ['changed Order was Booking', 'changed Order.total was Booking.total', 'changed Order.refund was Booking.refund'],
    ],
    [
      'of several that are alike none is known to be the one that went',
      'export const a = 1;\nexport const b = 1;\n',
      'export const c = 1;\n',
      ['added c', 'removed a', 'removed b'],
    ],
    [
      'one goes and another comes',
      'function a() {\n  b();\n}\n',
      'function c() {\n  d();\n}\n',
      ['added c', 'removed a'],
    ],
    [
      'names of one declaration',
      'export const { a, b } = {\n  a: 1,\n  b: 2,\n};\n',
      'export const { a, b } = {\n  a: 1,\n  b: 3,\n};\n',
      ['changed a', 'changed b'],
    ],
    [
      'names that objects have anyway',
      'class a {\n  constructor() {}\n  toString() {}\n}\n',
      'class a {\n  constructor() { b(); }\n  toString() {}\n  __proto__() {}\n}\n',
      ['changed a.constructor', 'added a.__proto__'],
    ],
    [
      'a function became a constant that is one',
      'function a() {\n  b();\n}\n',
      'const a = () => {\n  b();\n};\n',
      ['changed a'],
    ],
  ])('%s', async (_name, before, after, expected) => {
    expect(await changes(before, after)).toEqual(expected);
  });

  test('a version has no changes against itself, and what is added one way is removed the other way', async () => {
    const body = fc.array(fc.constantFrom('b();', 'if (c) d();', '', '// e'), { maxLength: 3 });
    const item = fc.record({
      kind: fc.constantFrom('function', 'class', 'method'),
      name: fc.constantFrom('a', 'b', 'c', 'toString'),
      body,
    });
    const file = fc.array(item, { maxLength: 5 }).map((items) => items.map(textOf).join('\n'));
    await fc.assert(
      fc.asyncProperty(file, file, async (one, two) => {
        expect(await changes(one, one)).toEqual([]);
        expect(await changes(one, one.replaceAll('\n', '\r\n'))).toEqual([]);
        const [there, back] = [await changes(one, two), await changes(two, one)];
        const of = (list: readonly string[], change: string) => list.filter((each) => each.startsWith(change)).length;
        expect(of(there, 'added')).toBe(of(back, 'removed'));
        expect(of(there, 'changed')).toBe(of(back, 'changed'));
      }),
      { numRuns: 12 },
    );
  });
});

function textOf({
  kind,
  name,
  body,
}: {
  readonly kind: string;
  readonly name: string;
  readonly body: readonly string[];
}) {
  const lines = body.map((line) => `  ${line}`).join('\n');
  if (kind === 'function') return `export function ${name}() {\n${lines}\n}\n`;
  return kind === 'class' ? `class ${name} {}\n` : `class Of${name} {\n  ${name}() {\n${lines}\n  }\n}\n`;
}
