import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createParser } from '../../../src/snapshot/parser.ts';
import { outlineForms, readByBoth } from '../../support/outline-forms.ts';

/** What both forms make of the tables of the tests beside this one stands there; here they are held against each other. */
const forms = outlineForms(createParser());
const root = join(import.meta.dirname, '../../..');

/** Texts of one form each that the two trees have in different shapes. */
const SHAPES: readonly string[] = [
  'export default (function named(a = 1) {});',
  'export default (class { m() {} });',
  'export default <T,>(a: T) => a;',
  'export default foo as Bar;',
  'export default interface I { a: 1 }',
  'export default abstract class { abstract m(): void }',
  'export default function f(a: string): void;\nexport default function f(a: any) {}',
  'export /* c */ default /* d */ class /* e */ A /* f */ {}',
  '@a() export default class C { @b() x; @c static async *y(@d z?) {} }',
  'export @a() class C {}',
  'const A = @dec class { x };\nexport const B = class extends A {}, C = (() => 1)!, D = <T>(() => 2);',
  'export let a!: string, b; export var c: { x: 1 } = y; export declare const d: "x";',
  'export const [e, , f = 1, ...[g]] = h; export const { i: { j }, [k]: l, m = 2, ...n } = o;',
  'declare global { var x: number; namespace A.B.C { const y: 1 } }',
  'declare module "m" { export default function (a): void; export = z; import q from "r"; export * from "s"; }',
  'declare module "n";\nexport declare namespace X . /* c */ Y { }',
  'enum E { A, "b", ["c"], [`d`], e = f("x") }',
  'interface I { a; b?(): void; readonly [k]: 1; ["x"]: 2; get c(): 1; set c(v); new (): I; (): 1; [k: string]: 1; "q-r"?: string; 5: 6; [`t`]: 1; ["a" + "b"]: 2 }',
  `type O = ({ a: string });\ntype P = (string);\ntype Q = { readonly [K in "a" as \`b\${K}\`]?: 1 };`,
  'exports.a = exports.b = function () {};\n(exports.c) = (class {});\n(module["exports"].d = () => 1);\nexports["e"] = 5;\nexports[`f`] = 5;\nexports.g += 1;',
  'module.exports = { h, i: (j), k() {}, ["l"]: m };\nfunction h() {}\nfunction j() {}\nfunction m() {}\nmodule.exports += n;\nfunction n() {}',
  'exports.a = void 0; exports.b = exports; "use strict"; module.exports.z = z; const z = 1; exports.x = exports.y = undefined;',
  'import { type A, default as B, type C as D } from "x"; import type E, { } from "y"; import defer * as F from "z"; import "r" with { type: "json" };',
  'export type { G } from "w"; export type * from "v"; export type * as H from "u"; export {}; export { "a b" as "c d" } from "q";',
  'import I = J.K; export import L = require("t"); import type M = require("s"); let x: import("p").Y; import("o");',
  `export function f(\n // a\n a: string, /* b */\n b = /* c */ "//x", // d\n c = /[/*]/, d = \`/*\${e /* x */}*/\`, // e\n): /* f */ void // g\n{}`,
  'class A { m(/* a */) /* b */ : void; m() {}\n get /* x */ y() { return 1 }\n /** doc */ z /* c */ = 1 }',
  '#!/usr/bin/env node\nexport function f() {}',
  'abstract class A { abstract h = () => 1; private async *g<T>(): X; static async s() {} }',
  'await using r = x(); using q = y(); export { r, q };',
  'export const f = async function* (a = 1) {} satisfies X as Y;\nexport const g = (0, function () {});',
  'export as namespace Foo; export = Bar; declare class Bar { private constructor(); static x: 1; }',
  'class A<const in out T extends "x" = "y"> extends B<T, "z"> implements C, D<typeof e> {}',
  'export function f(a: (b: string = "x") => void, c: { d(e = 1): void; ["f"]: 2 }, { "k": l = (1), ...m }: T = {}): asserts a is "x" {}',
  'export const a = b as const, c = `d`, e: F<"g"> = (h: I) => j;',
  'if (a) { function inner() {} } else { require("x") }',
  'export const App = <T,>(p: T) => <div title="x">{require("q")}</div>;',
  'class A { constructor(@P() public a?, protected override readonly b: T = "x", @Q c = 1, private d?: U, readonly { e }, private ...f) {} }',
  'await load();\nawait /x)/;',
  `type T = \`a\${{ b: "}" }["b"] /* c */}/* d */\`; // e`,
  `export const far: { <A>(a: A): B;\n/** ${'long '.repeat(900)} */\n<C>(c: C, // ${'x'.repeat(5_000)}\n d = '${'y'.repeat(5_000)}'): D; };`,
  `export type Longer = ${'{ a: string; b: "c" } | '.repeat(400)}'d';`,
  'class {',
  'let x = ;\nfoo(',
  'const a: = 1',
  'export const x = <T>y;',
  'import x from y;',
  'export function f(a: ?string, b: string!) {}',
  '/* never closed',
  '\u2028\nclass {',
];

test.each(['a.ts', 'a.tsx', 'a.js', 'a.mts', 'a.cjs', 'a.d.ts'])(
  'both make the same of every shape in %s',
  async (path) => {
    for (const text of SHAPES) {
      const [estree, tree] = await readByBoth(forms, path, text);
      expect(tree, text).toEqual(estree);
    }
  },
  30_000,
);

test('both make the same of shapes side by side, cut anywhere', async () => {
  const text = fc
    .tuple(fc.array(fc.constantFrom(...SHAPES), { maxLength: 5 }), fc.constantFrom('\n', '\r\n', ' ', ';\t'), fc.nat())
    .map(([parts, between, keep]) => {
      const whole = parts.join(between);
      return keep % 2 === 0 ? whole : whole.slice(0, keep % (whole.length + 1));
    });
  await fc.assert(
    fc.asyncProperty(text, async (each) => {
      const [estree, tree] = await readByBoth(forms, 'a.ts', each);
      expect(tree).toEqual(estree);
    }),
    { numRuns: 100 },
  );
}, 30_000);

/** One in this many: all of them are a matter of `npm run check:outlines`, which takes longer than unit tests may. */
const STEP = 20;

test.each(['src', 'test', 'scripts'])(
  'both make the same of files of this project in %s',
  async (folder) => {
    const paths = globSync('**/*.{ts,mjs}', { cwd: join(root, folder) }).toSorted();
    expect(paths.length).toBeGreaterThan(10);
    for (const path of paths.filter((_, index) => index % STEP === 0)) {
      const [estree, tree] = await readByBoth(forms, path, readFileSync(join(root, folder, path), 'utf8'));
      expect(tree, path).toEqual(estree);
    }
  },
  30_000,
);
