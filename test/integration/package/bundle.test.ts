import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildBundles, buildErrors } from '../../../scripts/lib/bundle.mjs';
import { tempDir } from '../../support/temp.ts';

interface Wanted {
  readonly source: string;
  readonly imports?: readonly string[];
  readonly forbidden?: readonly string[];
  readonly vscode?: boolean;
  readonly maxBytes?: number;
}

/** Builds bundles from the sources given, in a project of their own with this project's packages. */
async function build(wanted: Readonly<Record<string, Wanted>>) {
  const root = tempDir();
  mkdirSync(join(root, 'src'));
  symlinkSync(join(import.meta.dirname, '../../../node_modules'), join(root, 'node_modules'));
  const bundles = Object.entries(wanted).map(([name, { source, ...rest }]) => {
    writeFileSync(join(root, `src/${name}.ts`), source);
    return { name, entry: `src/${name}.ts`, imports: [], forbidden: [], vscode: false, ...rest };
  });
  const outdir = join(root, 'dist');
  const { problems } = await buildBundles({ root, outdir, minify: true, bundles });
  return { problems, text: (name: string) => readFileSync(join(outdir, `${name}.js`), 'utf8'), outdir };
}

test('a bundle without the editor must not import vscode, not even from afar', async () => {
  const failed = build({ core: { source: `import * as vscode from 'vscode'; export const x = vscode.version;` } });
  const lines = buildErrors(await failed.catch((error: unknown) => error));
  expect(lines.join('\n')).toContain('core.js must not import vscode');
});

test('the editor is left to the editor', async () => {
  const { text } = await build({
    main: { vscode: true, source: `import * as v from 'vscode'; export const x = v.version;` },
  });
  expect(text('main')).toContain('require("vscode")');
});

test('what a bundle must not contain', async () => {
  const { problems } = await build({
    main: { forbidden: ['ws'], source: `import { WebSocket } from 'ws'; export const open = () => new WebSocket('');` },
  });
  expect(problems).toEqual([expect.stringContaining('main.js must not contain ws')]);
});

test('a bundle that is too large', async () => {
  const source = `export const text = '${'x'.repeat(2000)}';`;
  expect((await build({ main: { maxBytes: 2000, source } })).problems).toEqual([
    expect.stringMatching(/^main\.js has \d+ bytes; at most 2000 are allowed$/),
  ]);
  expect((await build({ main: { maxBytes: 4000, source } })).problems).toEqual([]);
});

test('an import of another bundle loads that file when it is reached, and only where the table allows it', async () => {
  const sources = {
    main: { imports: ['late'], source: `export const later = async () => (await import('./late.ts')).answer;` },
    late: { source: 'export const answer = 42;' },
  };
  const { outdir, text, problems } = await build(sources);
  expect(problems).toEqual([]);
  expect(text('main')).not.toContain('42');
  const script = `require(${JSON.stringify(join(outdir, 'main.js'))}).later().then((x) => console.log(x))`;
  expect(execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' })).toBe('42\n');

  const refused = await build({ ...sources, main: { ...sources.main, imports: [] } });
  expect(refused.problems).toEqual([expect.stringContaining('main.js must not load ./late.js')]);
});

test('the parser uses the one TypeScript library beside it', async () => {
  const { outdir, text, problems } = await build({
    parser: {
      imports: ['typescript'],
      forbidden: ['typescript'],
      source: `import { parse } from '@typescript-eslint/typescript-estree'; export const count = parse('let x: number').body.length;`,
    },
  });
  expect(problems).toEqual([]);
  expect(text('parser').length).toBeLessThan(500_000);
  const script = `console.log(require(${JSON.stringify(join(outdir, 'parser.js'))}).count)`;
  expect(execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' })).toBe('1\n');
});

test('both forms of the parser share that library, and it is loaded with the first text', async () => {
  const parser = join(import.meta.dirname, '../../../src/snapshot/parser.ts');
  const { outdir, problems } = await build({
    main: {
      imports: ['typescript'],
      forbidden: ['typescript'],
      source: `export { createParser } from ${JSON.stringify(parser)};`,
    },
  });
  expect(problems).toEqual([]);
  const script = `
    const parser = require(${JSON.stringify(join(outdir, 'main.js'))}).createParser();
    const libraries = () => Object.keys(require.cache).filter((path) => path.endsWith('typescript.js')).length;
    const counts = [libraries()];
    parser.tree('a.ts', 'let x: number').then(async ({ file }) => {
      counts.push(libraries(), file.statements.length);
      const { program } = await parser.convert('a.ts', await parser.tree('a.ts', 'let x: number'));
      console.log(...counts, libraries(), program.body.length);
    });`;
  expect(execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' })).toBe('0 1 1 1 1\n');
});

test('the grammars stand beside the bundle that reads them, and one that is missing is named', async () => {
  const grammars = join(import.meta.dirname, '../../../src/snapshot/grammars/index.ts');
  const { outdir, problems } = await build({
    main: { source: `export { createGrammarParser } from ${JSON.stringify(grammars)};` },
  });
  expect(problems).toEqual([]);
  rmSync(join(outdir, 'grammars/tree-sitter-go.wasm'));
  const script = `
    const parser = require(${JSON.stringify(join(outdir, 'main.js'))}).createGrammarParser();
    console.log(parser.has('py'), parser.has('go'));
    parser.read('a.py', 'def f(): ...', 'py').then(({ outline }) => console.log(outline.items[0].name));
    parser.read('a.go', 'package a', 'go').catch((error) => console.log(error.code, error.message));`;
  const said = execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' }).split('\n').sort().join('\n');
  expect(said).toContain('true false');
  expect(said).toMatch(/^f$/m);
  expect(said).toContain(`no_grammar ${join(outdir, 'grammars/tree-sitter-go.wasm')} is missing`);
  expect(readFileSync(join(outdir, 'THIRD-PARTY-LICENSES.txt'), 'utf8')).toContain('2016 Max Brunsfeld');
});

test('node:sqlite is loaded on first use, so that its absence can be said', async () => {
  const { outdir } = await build({
    main: { source: `export const open = async () => (await import('node:sqlite')).DatabaseSync.name;` },
  });
  const run = (options: string) =>
    execFileSync(
      process.execPath,
      [
        '-e',
        `require(${JSON.stringify(join(outdir, 'main.js'))}).open().then((x) => console.log(x), (e) => console.log(e.code))`,
      ],
      { encoding: 'utf8', env: { ...process.env, NODE_OPTIONS: options } },
    );
  expect(run('')).toContain('DatabaseSync');
  expect(run('--no-experimental-sqlite')).toContain('ERR_UNKNOWN_BUILTIN_MODULE');
});
