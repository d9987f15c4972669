import { expect, test } from 'vitest';
import { createGrammarParser } from '../../../src/snapshot/grammars/index.ts';
import { createParser } from '../../../src/snapshot/parser.ts';
import { TextReaders } from '../../../src/snapshot/text-readers.ts';

const LONG = Array.from({ length: 5_000 }, (_, n) => `export const v${n} = (a: number) => [a, { b: ${n} }];\n`).join(
  '',
);

test('a text that takes too long is stopped, and the next one is read as ever', async () => {
  const patient = createParser();
  const impatient = createParser(1);
  const text = 'export function f(a = 1) {}\n';
  const expected = (await patient.tree('a.ts', text)).file.statements.length;
  await impatient.tree('a.ts', text).catch(() => undefined);
  for (let round = 0; round < 2; round++) {
    await expect(impatient.tree('long.ts', LONG)).rejects.toMatchObject({ code: 'parse_timeout' });
    const long = await patient.tree('long.ts', LONG);
    await expect(impatient.convert('long.ts', long)).rejects.toMatchObject({ code: 'parse_timeout' });
    const tree = await patient.tree('a.ts', text);
    expect([tree.problem, tree.file.statements.length, tree.file.text]).toEqual([null, expected, text]);
    expect((await patient.convert('a.ts', tree)).program.body).toHaveLength(expected);
  }
});

test('of a text that takes too long nothing is told but that', async () => {
  const readers = new TextReaders(createParser(1), createGrammarParser());
  await readers.read('a.ts', 'let a', 'ts', 'pass');
  for (const form of ['whole', 'pass'] as const) {
    expect(await readers.read('long.ts', LONG, 'ts', form)).toMatchObject({
      outline: null,
      imports: [],
      problem: {
        code: 'parse_timeout',
        message:
          'long.ts takes too long to be read, so it was stopped. Repair or split it, or leave it out with a line in .projectanchorignore.',
      },
    });
  }
});

test('thirty thousand lines in one file have an outline, cut to its limits', async () => {
  const readers = new TextReaders(createParser(), createGrammarParser());
  const text = Array.from({ length: 10_000 }, (_, n) => `export function f${n}() {\n  return ${n};\n}\n`).join('');
  const { outline, problem } = await readers.read('long.ts', text, 'ts', 'pass');
  expect(problem).toBe(null);
  expect(outline).toMatchObject({ lines: 30_000, more: 10_000 - (outline?.items.length ?? 0) });
  expect(outline?.items.length).toBeGreaterThan(200);
});
