import { beforeAll, describe, expect, test } from 'vitest';
import { codeOf } from '../../../src/base/index.ts';
import type { Outline } from '../../../src/snapshot/index.ts';
import { limitOutline } from '../../../src/snapshot/outline-limit.ts';
import { createParser } from '../../../src/snapshot/parser.ts';
import { outlineForms } from '../../support/outline-forms.ts';

const forms = outlineForms(createParser());
beforeAll(async () => {
  for (const { read } of forms) await read('warm.ts', '');
}, 30_000);

describe.each(forms)('$name', ({ read }) => {
  async function outline(path: string, text: string): Promise<Outline> {
    return (await read(path, text)).outline;
  }

  /** One line per item: lines, kind, full name, `*` when exported, signature. */
  async function rows(text: string, path = 'a.ts'): Promise<string[]> {
    const { items } = await outline(path, text);
    return items.map(({ start, end, kind, name, of, exported, signature }) => {
      const full = of === undefined ? name : `${of}.${name}`;
      return `${start}-${end} ${kind} ${full}${exported === true ? '*' : ''} | ${signature ?? ''}`;
    });
  }

  describe('declarations', () => {
    test.each<[string, string, string[]]>([
      [
        'function',
        'export async function* f<T extends A>(a: T, b?: string, ...c: B[]): AsyncGenerator<T> {\n  yield a;\n}',
        ['1-3 function f* | async function* f<T extends A>(a: T, b?: string, ...c: B[]): AsyncGenerator<T>'],
      ],
      [
        'overloads',
        'function f(a: string): void;\nfunction f(a: number): void;\nfunction f(a: unknown) {}\nexport { f };',
        [
          '1-1 function f* | function f(a: string): void',
          '2-2 function f* | function f(a: number): void',
          '3-3 function f* | function f(a: unknown)',
        ],
      ],
      [
        'arrow',
        'export const f = async <T,>(a: T): Promise<T> => ({ secret: a });\nconst g = (x: number) => x;',
        ['1-1 function f* | const f = async <T,>(a: T): Promise<T>', '2-2 function g | const g = (x: number)'],
      ],
      [
        'function expression, cast',
        'export const f = function named(a: number): void {} as Handler;\nexport const g = ((a) => a) satisfies Handler;',
        ['1-1 function f* | const f = function named(a: number): void', '2-2 function g* | const g = ((a)'],
      ],
      [
        'constants',
        "export const A = 'hunter2', B: Map<string, number> = new Map();\nexport let c = 1;\nconst hidden = 5;\nconst later = 6;\nexport { later as renamed };",
        [
          '1-1 constant A* | A',
          '1-1 constant B* | B: Map<string, number>',
          '2-2 variable c* | let c',
          '4-4 constant later* | const later',
        ],
      ],
      [
        'destructuring',
        'export const { a, b: [c], ...d } = load();',
        ['1-1 constant a* | ', '1-1 constant c* | ', '1-1 constant d* | '],
      ],
      [
        'class',
        'export default abstract class Shop<T> extends Base<T> implements I, J {\n  static readonly limit: number = 5;\n  #count = 0;\n  constructor(private readonly db: Db, size = 3) {\n    super();\n  }\n  get total(): number { return 1; }\n  set total(value: number) {}\n  async sell(item: T, { price = 1 } = {}): Promise<void> {}\n  protected abstract close(): void;\n  handler = async (event: Event): Promise<void> => {};\n  [Symbol.iterator]() {}\n  static { init(); }\n  [key: string]: unknown;\n}',
        [
          '1-15 class Shop* | abstract class Shop<T> extends Base<T> implements I, J',
          '2-2 property Shop.limit | static readonly limit: number',
          '3-3 property Shop.#count | #count',
          '4-6 constructor Shop.constructor | constructor(private readonly db: Db, size = …)',
          '4-4 property Shop.db | private readonly db: Db',
          '7-7 getter Shop.total | get total(): number',
          '8-8 setter Shop.total | set total(value: number)',
          '9-9 method Shop.sell | async sell(item: T, { price = … } = …): Promise<void>',
          '10-10 method Shop.close | protected abstract close(): void',
          '11-11 method Shop.handler | handler = async (event: Event): Promise<void>',
          '12-12 method Shop.[Symbol.iterator] | [Symbol.iterator]()',
        ],
      ],
      [
        'class expression',
        'export const Shop = class Named { open() {} };',
        ['1-1 class Shop* | const Shop = class Named', '1-1 method Shop.open | open()'],
      ],
      [
        'decorators belong to the range',
        '@Injectable({ secret: "x" })\n@Other\nexport class A {\n  @Input()\n  name!: string;\n\n  @Get("/x")\n  get(@Param("id") id: string) {}\n}\n\nexport @Late class B {}',
        [
          '1-9 class A* | class A',
          '4-5 property A.name | name!: string',
          '7-8 method A.get | get(id: string)',
          '11-11 class B* | class B',
        ],
      ],
      [
        'interface',
        'export interface I<T = {}> extends J<T>, K {\n  readonly a?: string;\n  b(x: number): void;\n  get c(): number;\n  new (): I<T>;\n  [k: string]: unknown;\n}',
        [
          '1-7 interface I* | interface I<T = {}> extends J<T>, K',
          '2-2 property I.a | readonly a?: string',
          '3-3 method I.b | b(x: number): void',
          '4-4 getter I.c | get c(): number',
        ],
      ],
      [
        'types',
        "export type U = 'a' | 'b' | -1;\ntype O = {\n  k: string;\n  m(): void;\n};\ntype F = (a: string) => void;",
        [
          "1-1 type U* | type U = 'a' | 'b' | -1",
          '2-5 type O | type O',
          '3-3 property O.k | k: string',
          '4-4 method O.m | m(): void',
          '6-6 type F | type F = (a: string) => void',
        ],
      ],
      [
        'enums',
        "export const enum E { A = 'secret', B, 'c-d' }\ndeclare enum D { X }",
        ["1-1 enum E* | const enum E { A, B, 'c-d' }", '2-2 enum D | declare enum D { X }'],
      ],
      [
        'namespaces',
        "export namespace N.M {\n  export const x = 1;\n  const y = 2;\n  export function f() {}\n  namespace Deep { export class C { m() {} } }\n}\ndeclare global {\n  interface Window { z: 1 }\n}\ndeclare module 'pkg' {\n  export function g(): void;\n}",
        [
          '1-6 namespace N.M* | namespace N.M',
          '2-2 constant N.M.x* | const x',
          '4-4 function N.M.f* | function f()',
          '5-5 namespace N.M.Deep | namespace Deep',
          '5-5 class N.M.Deep.C* | class C',
          '5-5 method N.M.Deep.C.m | m()',
          '7-9 namespace global | declare global',
          '8-8 interface global.Window | interface Window',
          '8-8 property global.Window.z | z: 1',
          "10-12 namespace pkg | declare module 'pkg'",
          '11-11 function pkg.g* | function g(): void',
        ],
      ],
      ['default exports', 'export default function (a = 1) {}', ['1-1 function default* | function (a = …)']],
      ['default arrow', 'export default async (a: string) => {};', ['1-1 function default* | async (a: string)']],
      ['default value', 'export default { data() {}, secret: "x" };', ['1-1 constant default* | ']],
      ['default by name', 'class A {}\nexport default A;', ['1-1 class A* | class A']],
      ['export =', 'function f() {}\nexport = f;', ['1-1 function f* | function f()']],
      [
        'names of Object.prototype',
        'export class constructor { constructor() {} __proto__ = 1; toString() {} static hasOwnProperty() {} }\nexport function toString() {}\nexport const __proto__ = 1, valueOf = () => 1;',
        [
          '1-1 class constructor* | class constructor',
          '1-1 constructor constructor.constructor | constructor()',
          '1-1 property constructor.__proto__ | __proto__',
          '1-1 method constructor.toString | toString()',
          '1-1 method constructor.hasOwnProperty | static hasOwnProperty()',
          '2-2 function toString* | function toString()',
          '3-3 constant __proto__* | __proto__',
          '3-3 function valueOf* | valueOf = ()',
        ],
      ],
      [
        're-exports are no declarations',
        "export * from './a';\nexport { b } from './b';\nimport c from 'c';\nexport { c };",
        [],
      ],
      [
        'using, satisfies, unicode',
        'export const ünïcode = { a: 1 } satisfies X;\nexport const 名前 = () => 1;\nusing r = open();',
        ['1-1 constant ünïcode* | const ünïcode', '2-2 function 名前* | const 名前 = ()'],
      ],
      [
        'arrows in other places',
        'export const f = <T = () => void>() => 1;\nexport const g = (a: string /* => hunter2 */) => 2;\nexport const h = async (a: () => void = () => {}): Promise<() => void> => {};',
        [
          '1-1 function f* | const f = <T = () => void>()',
          '2-2 function g* | const g = (a: string)',
          '3-3 function h* | const h = async (a: () => void = …): Promise<() => void>',
        ],
      ],
      [
        'names of members',
        'class A {\n  [a /* ] */] = 1;\n  [(b)]: string;\n  ["c"] = 1;\n  [`d`]() {}\n  2 = 3;\n  accessor e = 1;\n  static accessor #f: string;\n  "constructor"(private readonly g: G) {}\n  static constructor() {}\n  [h.i] = () => 1;\n}',
        [
          '1-12 class A | class A',
          '2-2 property A.[a] | [a ]',
          '3-3 property A.[b] | [(b)]: string',
          '4-4 property A.c | ["c"]',
          '5-5 method A.[`d`] | [`d`]()',
          '6-6 property A.2 | 2',
          '7-7 property A.e | accessor e',
          '8-8 property A.#f | static accessor #f: string',
          '9-9 constructor A.constructor | "constructor"(private readonly g: G)',
          '9-9 property A.g | private readonly g: G',
          '10-10 method A.constructor | static constructor()',
          '11-11 method A.[h.i] | [h.i] = ()',
        ],
      ],
      [
        'values in heads of classes',
        'class A extends f((x), ...b, c?.d) {}\nclass B extends (null) {}\nclass C extends class D { m() {} } {}\nclass E extends (await import("y")).Z<typeof import("q", { with: { "resolution-mode": "import" } })> implements F<"x"> {}\nexport {};',
        [
          '1-1 class A | class A extends f((…), …, …)',
          '2-2 class B | class B extends (…)',
          '3-3 class C | class C extends class D {…}',
          '4-4 class E | class E extends (await import(…)).Z<typeof import("q", {…})> implements F<"x">',
        ],
      ],
      [
        'decorators and modifiers in any order',
        'export class A {\n  @b() /* c */ public x;\n  constructor(@P() public a, protected override readonly b?, @Q c: T = "x", private d: U = {}, private readonly { e }, private ...f) {}\n}\n@a({ x: 1 })\n// between\nexport default abstract class {}',
        [
          '1-4 class A* | class A',
          '2-2 property A.x | public x',
          '3-3 constructor A.constructor | constructor(public a, protected override readonly b?, c: T = …, private d: U = …, private readonly { e }, private ...f)',
          '3-3 property A.a | public a',
          '3-3 property A.b | protected override readonly b?',
          '3-3 property A.d | private d: U',
          '5-7 class default* | abstract class',
        ],
      ],
      [
        'what only looks like a comment',
        `export type T = "http://x" | \`/*\${A /* gone */ | { a: "}" }["a"]}*/\`; // gone\nexport function f(a = "//", b: "/*" | /* gone */ "*/", c = /[/*]/) {}`,
        [
          `1-1 type T* | type T = "http://x" | \`/*\${A | { a: "}" }["a"]}*/\``,
          '2-2 function f* | function f(a = …, b: "/*" | "*/", c = …)',
        ],
      ],
      ['nothing', '', []],
      ['only comments', '// export function f() {}\n/* class A {} */', []],
    ])('%s', async (_, text, expected) => {
      expect(await rows(text)).toEqual(expected);
    });

    test('JavaScript modules, CommonJS and JSX', async () => {
      const text =
        'module.exports = { a, b: c, d() {} };\nfunction a() {}\nconst c = ({ id = 1 }) => <p title="x">{id}</p>;\nexports.e = function (x = 1) {};\nexports.k = "secret";\nmodule.exports.Z = class { m() {} };\nexports.a2 = a;';
      expect(await rows(text, 'a.jsx')).toEqual([
        '2-2 function a* | function a()',
        '3-3 function c* | const c = ({ id = … })',
        '4-4 function e* | exports.e = function (x = …)',
        '5-5 constant k* | exports.k',
        '6-6 class Z* | module.exports.Z = class',
        '6-6 method Z.m | m()',
      ]);
      expect(await rows('export const App = () => <div />;', 'a.tsx')).toEqual(['1-1 function App* | const App = ()']);
      expect(await rows('export const x = <T>y;', 'a.mts')).toEqual(['1-1 constant x* | const x']);
    });
  });

  describe('what is left out of signatures', () => {
    test.each([
      [
        'default values',
        'export function f(a = "hunter2", { b = "hunter2", c } = { c: "hunter2" }, [d = "hunter2"] = ["hunter2"]) {}',
      ],
      [
        'bodies',
        'export const f = () => "hunter2";\nexport class A { x = "hunter2"; y = { z: "hunter2" }; m() { return "hunter2"; } }',
      ],
      ['arguments of a base class', 'export class A extends mixin({ key: "hunter2" }, "hunter2", `hunter2`) {}'],
      ['decorators', '@Dec("hunter2") export class A { @Dec({ k: "hunter2" }) m(@P("hunter2") a: string) {} }'],
      [
        'comments',
        'export function f(/* hunter2 */ a: string, // hunter2\n b: string /* => hunter2 */): /* hunter2 */ void {}\nexport type T = /* hunter2 */ string;',
      ],
      ['enum values', 'export enum E { A = "hunter2" }'],
      ['objects', 'export const config: Config = { password: "hunter2" };\nexport default { password: "hunter2" };'],
    ])('%s', async (_, text) => {
      expect((await rows(text)).join('\n')).not.toContain('hunter2');
      expect((await rows(text)).length).toBeGreaterThan(0);
    });

    test('they are one line of at most 200 code points', async () => {
      const params = Array.from({ length: 40 }, (_, n) => `  parameter${n}: SomeVeryLongType${n}<😀>`)
        .join(',\n')
        .replaceAll('<😀>', '');
      const { items } = await outline(
        'a.ts',
        `export function f(\n${params},\n): void {}\nexport type T = ${'"😀" | '.repeat(80)}"x";`,
      );
      for (const { signature = '' } of items) {
        expect(signature).not.toContain('\n');
        expect([...signature].length).toBeGreaterThan(195);
        expect([...signature].length).toBeLessThanOrEqual(200);
        expect(signature.endsWith('…')).toBe(true);
      }
      expect(items[0]?.signature).toMatch(/^function f\(parameter0: SomeVeryLongType0, parameter1/);
    });
  });

  describe('lines', () => {
    const text = '// one\nexport class A {\n  m() {\n  }\n}\nexport function f() {}\n';

    test.each([
      ['LF', text],
      ['CRLF', text.replaceAll('\n', '\r\n')],
      ['CR', text.replaceAll('\n', '\r')],
      ['a byte order mark', `\uFEFF${text}`],
      ['tabs', text.replaceAll('  ', '\t')],
    ])('%s do not shift them', async (_, variant) => {
      const found = await outline('a.ts', variant);
      expect(found.lines).toBe(6);
      expect(found.items.map(({ name, start, end }) => [name, start, end])).toEqual([
        ['A', 2, 5],
        ['m', 3, 4],
        ['f', 6, 6],
      ]);
    });

    test('U+2028 ends no line of an editor', async () => {
      expect(await rows('const s = `a\u2028b`;\nexport function f() {}')).toEqual(['2-2 function f* | function f()']);
    });

    test('are counted without an empty last one', async () => {
      expect((await outline('a.ts', '')).lines).toBe(0);
      expect((await outline('a.ts', 'x')).lines).toBe(1);
      expect((await outline('a.ts', 'x\n')).lines).toBe(1);
      expect((await outline('a.ts', 'x\n\n')).lines).toBe(2);
    });
  });

  describe('limits', () => {
    test('400 items: members go first, and what is missing is counted', async () => {
      const members = Array.from({ length: 500 }, (_, n) => `  p${n};\n  m() {}`).join('\n');
      const { items, more } = await outline(
        'a.ts',
        `class Big {\n${members}\n}\nexport function last() {}\nfunction inner() {}`,
      );
      expect(items).toHaveLength(400);
      expect(more).toBe(1003 - 400);
      expect(items.filter(({ of }) => of === undefined).map(({ name }) => name)).toEqual(['Big', 'last', 'inner']);
      expect(items.filter(({ kind }) => kind === 'property')).toEqual([]);
      expect(items.map(({ start }) => start)).toEqual(items.map(({ start }) => start).toSorted((a, b) => a - b));
    });
  });

  test('text that does not parse says where', async () => {
    const error = await read('src/a.ts', 'function f() {}\nclass {').catch((reason: unknown) => reason);
    expect(codeOf(error)).toBe('parse_error');
    expect(String(error)).toContain('src/a.ts does not parse at line 2');
  });
});

test('an outline is cut to 32 KiB', () => {
  const item = { kind: 'function', name: 'x'.repeat(100), start: 1, end: 1, signature: 'y'.repeat(200) } as const;
  const cut = limitOutline({
    language: 'ts',
    lines: 1,
    items: Array.from({ length: 300 }, () => ({ ...item })),
    more: 2,
  });
  expect(Buffer.byteLength(JSON.stringify(cut))).toBeLessThanOrEqual(32 * 1024);
  expect(cut.items.length + (cut.more ?? 0)).toBe(302);
  expect(cut.items.length).toBeGreaterThan(80);
});
