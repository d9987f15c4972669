import { expect, test } from 'vitest';
import { codeOf } from '../../../../src/base/index.ts';
import { branches, createGrammarParser, GRAMMAR_LANGUAGES } from '../../../../src/snapshot/grammars/index.ts';
import { languageOf } from '../../../../src/snapshot/languages.ts';
import { importRowsOf, rowsOf } from '../../../support/grammar-rows.ts';
import { tempDir } from '../../../support/temp.ts';

const parser = createGrammarParser();

const TEXT = 'import os\n\n@deco\ndef f(a):\n\treturn "\u{1F600}é"\n\nclass A:\n\tdef m(self):\n\t\tpass\n';
const ROWS = ['3-5 function f* | def f(a)', '7-9 class A* | class A', '8-9 method A.m* | def m(self)'];

test.each([
  ['LF', TEXT],
  ['CRLF', TEXT.replaceAll('\n', '\r\n')],
  ['CR', TEXT.replaceAll('\n', '\r')],
  ['a byte order mark', `\uFEFF${TEXT}`],
  ['all line ends in one file', TEXT.replace('\n', '\r\n').replace(':\n', ':\r')],
  ['no line end at the end', TEXT.trimEnd()],
])('%s: lines are those that an editor shows', async (_name, text) => {
  const read = await parser.read('a.py', text, 'py');
  expect(rowsOf(read)).toEqual(ROWS);
  expect(importRowsOf(read)).toEqual(['1 os *']);
  expect(read.outline.lines).toBe(9);
  expect(read.clean).toBe(true);
});

test('characters of two units do not shift what follows, wherever the text is handed over in pieces', async () => {
  const emoji = '\u{1F600}';
  for (const shift of [0, 1]) {
    const text = `${'x'.repeat(shift)}# ${emoji.repeat(9000)}\ndef f(${emoji}a="é"): ...\n`.replace(`(${emoji}a`, '(a');
    const { outline } = await parser.read('a.py', shift === 1 ? text.slice(1) : `#${text}`, 'py');
    expect(rowsOf({ outline, imports: [], clean: true })).toEqual(['2-2 function f* | def f(a=…)']);
  }
});

test('an empty text and one of spaces have an empty outline', async () => {
  for (const text of ['', '\n', ' \t\r\n']) {
    const { outline, imports } = await parser.read('a.py', text, 'py');
    expect([outline.items, imports]).toEqual([[], []]);
  }
});

test.each([
  [
    'cpp',
    'template <auto V = "s3cret", typename T = A<"s3cret">> struct B {};\n',
    ['template <auto V = …, typename T = A<…>> struct B'],
  ],
  ['ps1', 'class C { [void] M([string]$x = "s3cret") {} }\n', ['class C', '[void] M([string]$x = …)']],
  ['rs', 'pub struct T(pub String, r#"s3cret"#);\n', ['pub struct T(pub String, r#…)']],
  [
    'py',
    'def f(a: Annotated[str, "s3cret", {"k": 1}], b: t.Annotated[Literal["x"], "s3cret"], c: Literal["x"]): ...\n',
    ['def f(a: Annotated[str, …, …], b: t.Annotated[Literal["x"], …], c: Literal["x"])'],
  ],
])('%s: literals that a grammar hides in odd places stay out of signatures', async (language, text, signatures) => {
  const { outline } = await parser.read(`a.${language}`, text, language);
  expect(outline.items.map(({ signature }) => signature)).toEqual(signatures);
});

test('where a quote is missing, the code behind it is not taken for a type', async () => {
  const text =
    'ext: x``.\n    """\n    if request:\n        return request.environ["s3cret"]\n\ndef f():\n    """Doc\n';
  const { outline } = await parser.read('a.py', text, 'py');
  expect(JSON.stringify(outline)).not.toContain('s3cret');
  const whole = await parser.read('a.py', 'a: """\ns3cret\n"""\n', 'py');
  expect(rowsOf(whole)).toEqual(['1-3 variable a* | a: …']);
});

test('a deeply nested text is read', async () => {
  const text = `x = ${'['.repeat(5000)}${']'.repeat(5000)}\ndef f(): ...\n`;
  expect(rowsOf(await parser.read('a.py', text, 'py'))).toContain('2-2 function f* | def f()');
});

test('an outline has at most 400 items and says how many more there are', async () => {
  const text = Array.from({ length: 500 }, (_, index) => `def f${index}(): ...`).join('\n');
  const { outline } = await parser.read('a.py', text, 'py');
  expect(outline.items.length).toBeLessThanOrEqual(400);
  expect(outline.items.length + (outline.more ?? 0)).toBe(500);
});

test('every language has an id that paths have, and decisions', () => {
  const ids = ['a.py', 'a.go', 'a.rs', 'a.java', 'a.c', 'a.cpp', 'a.cs', 'a.rb', 'a.php', 'a.sh', 'a.ps1'].map(
    languageOf,
  );
  expect([...GRAMMAR_LANGUAGES].sort()).toEqual(ids.toSorted());
  for (const language of GRAMMAR_LANGUAGES) expect(branches(language).size).toBeGreaterThan(4);
  expect(branches('ts').size).toBe(0);
});

test('nothing is loaded before the first text, and then only its grammar', async () => {
  const fresh = createGrammarParser();
  expect([fresh.has('py'), fresh.loaded('py')]).toEqual([true, false]);
  await Promise.all([fresh.read('a.py', '', 'py'), fresh.read('b.py', '', 'py')]);
  expect([fresh.loaded('py'), fresh.loaded('go'), fresh.has('ts')]).toEqual([true, false, false]);
  fresh.dispose();
  expect(fresh.loaded('py')).toBe(false);
});

test('without the files every text is refused with a name and a remedy, and nothing breaks', async () => {
  const folder = tempDir();
  const empty = createGrammarParser({ folder });
  expect(empty.has('py')).toBe(false);
  const error = await empty.read('a.py', '', 'py').catch((thrown: unknown) => thrown);
  expect(codeOf(error)).toBe('no_grammar');
  expect(String(error)).toContain(`${folder}/tree-sitter.js is missing`);
  expect(String(error)).toContain('Install ProjectAnchor again.');
  await expect(parser.read('a.ts', '', 'ts')).rejects.toMatchObject({ code: 'no_grammar' });
});

test.each<[string, string, string, string[]]>([
  [
    'a class that is not closed does not swallow what follows',
    'java',
    'class A {\n    void a() {\n        if (x {\n    }\n\n    @Override\n    void b() {}\n\nclass B {\n    int c;\n}\n',
    ['1-7 A', '2-4 A.a', '6-7 A.b', '9-11 B', '10-10 B.c'],
  ],
  [
    'members are found when the first line of their class is being written',
    'py',
    '@dataclass(\nclass A(Base:\n    x: int = 1\n\n    def f(self): ...\n\ndef g(): ...\n',
    ['3-3 A.x', '5-5 A.f', '7-7 g'],
  ],
  [
    'attributes stay with what they belong to',
    'rs',
    'impl Index for S {\n    #[inline]\n    fn index(&self) -> u8 {\n        1\n    }\n}\n\nfn broken( {\n    let\n}\n',
    ['1-6 impl Index for S', '2-5 S.index', '8-10 broken'],
  ],
  [
    'a text with declarations in it is a text',
    'py',
    'def f():\n    text = """\ndef not_code():\n    pass\n"""\n\nx = (\n\ndef g(): ...\n',
    ['1-5 f', '9-9 g'],
  ],
  [
    'macros and the fields of a struct whose end names it',
    'c',
    'typedef struct {\n  int a\n  int b;\n  char c;\n} pair;\n#define MAX 1\nint f(void) { return (; }\nint g(void) { return 1; }\n',
    ['1-5 pair', '4-4 pair.c', '6-6 MAX', '7-7 f', '8-8 g'],
  ],
])('mid-edit: %s', async (_name, language, text, expected) => {
  const { outline, clean } = await parser.read('a', text, language);
  const rows = outline.items.map(
    ({ start, end, name, of }) => `${start}-${end} ${of === undefined ? '' : `${of}.`}${name}`,
  );
  expect(clean).toBe(false);
  expect(rows).toEqual(expect.arrayContaining(expected));
  expect(rows.filter((row) => row.includes('not_code'))).toEqual([]);
});
