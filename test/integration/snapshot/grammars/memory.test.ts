import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createGrammarParser } from '../../../../src/snapshot/grammars/index.ts';
import { LANGUAGES } from '../../../../src/snapshot/grammars/languages/index.ts';
import { readText } from '../../../../src/snapshot/grammars/reading.ts';
import { grammarFolder, Runtime } from '../../../../src/snapshot/grammars/runtime.ts';
import { rowsOf } from '../../../support/grammar-rows.ts';
import { tempDir } from '../../../support/temp.ts';

test('10,000 texts, every tenth of them broken, leave the memory of the grammars where it was', async () => {
  const runtime = await Runtime.load(grammarFolder());
  const python = LANGUAGES.get('py');
  const parser = await runtime.parser('python');
  if (python === undefined) throw new Error('no rules for Python');
  const text = 'class A:\n    def f(self, a=1): ...\n';
  const read = (count: number) => {
    for (let index = 0; index < count; index += 1) {
      readText(parser, python, 'py', index % 10 === 0 ? `${text}    def (\n` : `${text}x = ${index}\n`);
    }
  };
  read(500);
  const before = { bytes: runtime.bytes, probe: runtime.probe() };
  expect(before.bytes).toBeGreaterThan(before.probe);
  expect(before.probe).toBeGreaterThan(0);
  read(9500);
  expect(runtime.bytes).toBe(before.bytes);
  // A tree that is not given back for each text takes 25 MB, one for each broken text 4 MB.
  expect(runtime.probe()).toBeLessThan(before.probe + 1_000_000);
});

test('a text that takes too long is given up, and the next one is read', async () => {
  const parser = createGrammarParser({ limitMs: 40 });
  await parser.read('a.py', '', 'py').catch(() => null);
  const long = 'x = [(1, {2: 3}), ( ]\n'.repeat(60_000);
  await expect(parser.read('long.py', long, 'py')).rejects.toMatchObject({
    code: 'parse_timeout',
    message: expect.stringContaining('long.py'),
  });
  expect(parser.loaded('py')).toBe(false);
  const patient = createGrammarParser();
  expect(rowsOf(await patient.read('a.py', 'def f(): ...', 'py'))).toEqual(['1-1 function f* | def f()']);
  await expect
    .poll(async () => rowsOf(await parser.read('a.py', 'def f(): ...', 'py')).length, { timeout: 10_000 })
    .toBe(1);
});

test('a grammar file that is damaged is named, the other languages are read, and it is read once it is whole', async () => {
  const folder = tempDir();
  for (const name of ['tree-sitter.js', 'tree-sitter.wasm', 'tree-sitter-python.wasm']) {
    copyFileSync(join(grammarFolder(), name), join(folder, name));
  }
  writeFileSync(join(folder, 'tree-sitter-go.wasm'), 'not a grammar');
  const parser = createGrammarParser({ folder });
  await expect(parser.read('a.go', 'package a', 'go')).rejects.toMatchObject({
    code: 'no_grammar',
    message: expect.stringMatching(/tree-sitter-go\.wasm is damaged .* Install ProjectAnchor again\.$/),
  });
  expect([parser.loaded('go'), parser.has('java')]).toEqual([false, false]);
  expect(rowsOf(await parser.read('a.py', 'def f(): ...', 'py'))).toHaveLength(1);
  copyFileSync(join(grammarFolder(), 'tree-sitter-go.wasm'), join(folder, 'tree-sitter-go.wasm'));
  expect(rowsOf(await parser.read('a.go', 'package a\nfunc F() {}', 'go'))).toEqual(['2-2 function F* | func F()']);
});

test('a damaged tree-sitter is named', async () => {
  for (const broken of ['tree-sitter.js', 'tree-sitter.wasm']) {
    const folder = tempDir();
    for (const name of ['tree-sitter.js', 'tree-sitter.wasm', 'tree-sitter-python.wasm']) {
      copyFileSync(join(grammarFolder(), name), join(folder, name));
    }
    writeFileSync(join(folder, broken), '');
    const parser = createGrammarParser({ folder });
    await expect(parser.read('a.py', '', 'py')).rejects.toMatchObject({
      code: 'no_grammar',
      message: expect.stringContaining(broken),
    });
  }
});
