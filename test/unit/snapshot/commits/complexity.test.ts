import { describe, expect, test } from 'vitest';
import { anyComplexity, grammarComplexity, scriptComplexity } from '../../../../src/snapshot/commits/index.ts';
import { createGrammarParser, GRAMMAR_LANGUAGES } from '../../../../src/snapshot/grammars/index.ts';
import { createParser } from '../../../../src/snapshot/parser.ts';

const complexity = scriptComplexity(createParser());
const grammars = grammarComplexity(createGrammarParser(), GRAMMAR_LANGUAGES);

async function read(text: string, path = 'a.ts'): Promise<readonly string[] | null> {
  const found = await complexity.read(path, text);
  return found?.map(({ name, line, value }) => `${line} ${name} ${value}`) ?? null;
}

describe('cyclomatic complexity', () => {
  test.each<[string, string, number]>([
    ['nothing to decide', 'a();', 1],
    ['if and else', 'if (a) b(); else c();', 2],
    ['else if', 'if (a) b(); else if (c) d(); else e();', 3],
    ['loops', 'for (;;) a(); for (const b of c) d(); for (const e in f) g(); while (h) i(); do { j(); } while (k);', 6],
    ['cases, without the default', 'switch (a) { case 1: case 2: b(); break; default: c(); }', 3],
    ['catch, not finally', 'try { a(); } catch { b(); } finally { c(); }', 2],
    ['a condition in one', 'return a ? b : c ? d : e;', 3],
    ['and, or, and what stands in for nothing', 'return (a && b) || (c ?? d);', 4],
    ['the same with an assignment', 'a &&= b; c ||= d; e ??= f;', 4],
    ['other operators', 'return a + b > c && !d;', 2],
    ['optional chains decide nothing that is written', 'return a?.b?.();', 1],
  ])('%s', async (_name, body, value) => {
    expect(await read(`function f() { ${body} }`)).toEqual([`1 f ${value}`]);
  });

  test('every function counts for itself, wherever it stands', async () => {
    const text = `class A {
  constructor(a: number) { if (a) b(); }
  get x() { return a && b; }
  y = () => { while (a) b(); };
  abstract(): void;
}
const g = async () => {
  const inner = function () { if (a) { if (b) c(); } };
  return inner() || [1].map((n) => (n ? 1 : 2));
};
if (a) b();
`;
    expect(await read(text)).toEqual(['2 constructor 2', '3 x 2', '4 y 2', '7 g 2', '8 inner 3', '9  2']);
  });

  test('nothing can be told of text that is broken', async () => {
    expect(await read('function f( {')).toBeNull();
    expect(complexity.languages.has('py')).toBe(false);
  });
});

describe('cyclomatic complexity over a grammar', () => {
  test.each<[string, string, readonly string[]]>([
    [
      'a.py',
      'def f(a):\n    if a and b:\n        return 1\n    for c in a:\n        pass\n\nclass A:\n    def g(self):\n        return 1 if self else 2\n',
      ['1 f 4', '8 g 2'],
    ],
    [
      'a.go',
      'package a\n\nfunc f(a int) int {\n\tif a > 1 || a < 0 {\n\t\treturn 1\n\t}\n\tswitch a {\n\tcase 1:\n\tdefault:\n\t}\n\treturn 2\n}\n',
      ['3 f 4'],
    ],
  ])('%s', async (path, text, expected) => {
    const found = await grammars.read(path, text);
    expect(found?.map(({ name, line, value }) => `${line} ${name} ${value}`)).toEqual(expected);
    const any = anyComplexity(complexity, grammars);
    expect(await any.read(path, text)).toEqual(found);
    expect(any.languages.has('ts')).toBe(true);
    expect(await any.read('a.txt', text)).toBeNull();
  });

  test('a grammar that is missing tells nothing', async () => {
    const none = grammarComplexity(createGrammarParser({ folder: '/nowhere' }), GRAMMAR_LANGUAGES);
    expect(await none.read('a.py', 'def f(): pass')).toBeNull();
  });
});
