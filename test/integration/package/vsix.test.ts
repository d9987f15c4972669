import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { packagedVsix } from '../../support/vsix.ts';
import { type ZipEntry, zipEntries } from '../../support/zip.ts';

/** Everything that a person installs, and nothing else. */
const FILES = [
  '[Content_Types].xml',
  'extension.vsixmanifest',
  'extension/LICENSE.txt',
  'extension/bin/project-anchor',
  'extension/bin/project-anchor.cmd',
  'extension/changelog.md',
  'extension/dist/THIRD-PARTY-LICENSES.txt',
  'extension/dist/cli.js',
  'extension/dist/core.js',
  'extension/dist/extension.js',
  'extension/dist/git-process.js',
  'extension/dist/grammars/tree-sitter-bash.wasm',
  'extension/dist/grammars/tree-sitter-c-sharp.wasm',
  'extension/dist/grammars/tree-sitter-cpp.wasm',
  'extension/dist/grammars/tree-sitter-go.wasm',
  'extension/dist/grammars/tree-sitter-java.wasm',
  'extension/dist/grammars/tree-sitter-php.wasm',
  'extension/dist/grammars/tree-sitter-powershell.wasm',
  'extension/dist/grammars/tree-sitter-python.wasm',
  'extension/dist/grammars/tree-sitter-ruby.wasm',
  'extension/dist/grammars/tree-sitter-rust.wasm',
  'extension/dist/grammars/tree-sitter.js',
  'extension/dist/grammars/tree-sitter.wasm',
  'extension/dist/log-worker.js',
  'extension/dist/minimax.js',
  'extension/dist/snapshot-worker.js',
  'extension/dist/typescript.js',
  'extension/media/anchor.svg',
  'extension/media/context-view.css',
  'extension/media/context-view.js',
  'extension/package.json',
  'extension/readme.md',
];

const MEGABYTE = 1_000_000;

let archive: Buffer;
let entries: ReadonlyMap<string, ZipEntry>;

beforeAll(() => {
  archive = readFileSync(packagedVsix());
  entries = new Map(zipEntries(archive).map((entry) => [entry.name, entry]));
});

const read = (name: string): string => entries.get(name)!.read().toString('utf8');

test('it holds exactly the files that it should', () => {
  expect([...entries.keys()].sort()).toEqual(FILES);
});

test('it has at most 6 MB, and the main bundle at most 0.4 MB', () => {
  expect(archive.byteLength).toBeLessThanOrEqual(6 * MEGABYTE);
  expect(entries.get('extension/dist/extension.js')!.read().byteLength).toBeLessThanOrEqual(0.4 * MEGABYTE);
});

test('the launcher can be executed and ends its lines as its shell expects', () => {
  expect(entries.get('extension/bin/project-anchor')!.mode).toBe(0o755);
  expect(read('extension/bin/project-anchor')).not.toContain('\r');
  expect(read('extension/bin/project-anchor.cmd').replaceAll('\r\n', '')).not.toContain('\n');
});

test('it installs on VS Code 1.104 and newer', () => {
  expect(JSON.parse(read('extension/package.json'))).toMatchObject({
    publisher: 'project-anchor',
    name: 'project-anchor',
    main: './dist/extension.js',
    engines: { vscode: '^1.104.0' },
  });
  expect(read('extension.vsixmanifest')).toContain('Id="Microsoft.VisualStudio.Code.Engine" Value="^1.104.0"');
});

test('no bundle but the extension knows the editor', () => {
  const editor = /require\(["']vscode["']\)/;
  const bundles = FILES.filter((name) => /dist\/(?!typescript|grammars).*\.js$/.test(name));
  const withEditor = bundles.filter((name) => editor.test(read(name)));
  expect(withEditor.filter((name) => name !== 'extension/dist/extension.js')).toEqual([]);
});

test('the licences of the libraries it ships go along', () => {
  expect(read('extension/dist/THIRD-PARTY-LICENSES.txt')).toContain('typescript 6.0.3 (Apache-2.0)');
  expect(read('extension/dist/THIRD-PARTY-LICENSES.txt')).toContain('@vscode/tree-sitter-wasm 0.3.1 (MIT)');
  expect(read('extension/dist/THIRD-PARTY-LICENSES.txt')).toContain('tree-sitter-python (MIT)');
});
