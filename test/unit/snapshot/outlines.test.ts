import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createGate } from '../../../src/snapshot/gate.ts';
import { createGrammarParser } from '../../../src/snapshot/grammars/index.ts';
import { Outlines } from '../../../src/snapshot/outlines.ts';
import { createParser, type Parser } from '../../../src/snapshot/parser.ts';
import { TextReaders } from '../../../src/snapshot/text-readers.ts';
import { tempDir } from '../../support/temp.ts';

/** Outlines of a folder, and which form of the parser was asked for which path. */
function world() {
  const root = tempDir();
  const asked: string[] = [];
  const parser = createParser();
  const spy: Parser = {
    get loaded() {
      return parser.loaded;
    },
    convert(path, tree) {
      asked.push(`convert ${path}`);
      return parser.convert(path, tree);
    },
    tree(path, text) {
      asked.push(`tree ${path}`);
      return parser.tree(path, text);
    },
  };
  const outlines = new Outlines(root, createGate(), new TextReaders(spy, createGrammarParser()), { signatures: true });
  return { outlines, parser, asked, write: (path: string, text: string) => writeFileSync(join(root, path), text) };
}

describe('which form reads a text', () => {
  const TEXT = "import { a } from './b';\nexport function f(c = 1) {}\n";

  test('the cheaper one of a file, the other one in an editor, with the same result', async () => {
    const { outlines, asked, write } = world();
    write('a.ts', TEXT);
    const onDisk = await outlines.ofFile('a.ts');
    expect(asked).toEqual(['tree a.ts']);
    const inEditor = await outlines.ofText('b.ts', `${TEXT}\n`);
    expect(asked).toEqual(['tree a.ts', 'tree b.ts', 'convert b.ts']);
    expect(inEditor.outline?.items).toEqual(onDisk.outline?.items);
    expect(inEditor.imports).toEqual(onDisk.imports);
    expect(onDisk).toMatchObject({ outline: { items: [{ name: 'f' }] }, imports: [{ module: './b', names: ['a'] }] });
  });

  test('neither for a text that the other one has read', async () => {
    const { outlines, asked, write } = world();
    write('a.ts', TEXT);
    write('b.ts', 'class {\n');
    const file = await outlines.ofFile('a.ts');
    const text = await outlines.ofText('b.ts', 'class {\n');
    asked.length = 0;
    expect(await outlines.ofText('a.ts', TEXT)).toEqual(file);
    expect((await outlines.ofFile('b.ts')).error?.message).toBe(text.error?.message);
    expect(asked).toEqual([]);
  });

  test('a text too deep for one of them is right for the other one', async () => {
    const { outlines, asked, write } = world();
    const sum = `export const f = () => 1${'\n + 1'.repeat(60_000)};\n`;
    write('a.ts', sum);
    expect(await outlines.ofText('a.ts', sum)).toMatchObject({ error: null, outline: { items: [{ name: 'f' }] } });
    expect(asked).toEqual(['tree a.ts', 'convert a.ts']);
  });

  test('a file too deep for both has no outline, or the last good one', async () => {
    const { outlines, write } = world();
    write('a.ts', TEXT);
    const good = await outlines.ofFile('a.ts');
    write('a.ts', `${'['.repeat(60_000)}${']'.repeat(60_000)}`.replace(/(.{300})/g, '$1\n'));
    const read = await outlines.ofFile('a.ts');
    expect(read).toMatchObject({ outline: { ...good.outline, stale: true }, degraded: ['parse_error:a.ts'] });
    expect(read.error?.message).toBe('a.ts is nested too deeply to be read.');
  });
});

test('the cheaper form is there as soon as one file is read, and nothing is loaded before', async () => {
  const { outlines, parser, write } = world();
  write('a.ts', 'export {};\n');
  expect(parser.loaded).toBe(false);
  expect(await outlines.ofFile('a.ts', { load: false })).toMatchObject({ waiting: true });
  expect(parser.loaded).toBe(false);
  await outlines.ofFile('a.ts');
  expect(parser.loaded).toBe(true);
});
