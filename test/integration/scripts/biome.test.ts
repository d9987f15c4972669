import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../support/temp.ts';

const ROOT = join(import.meta.dirname, '../../..');
const BIOME = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome');

/** What the linter says of a single file, with the project's own rules. */
function lint(path: string, text: string): { status: number | null; output: string } {
  const folder = tempDir();
  const { $schema, vcs, ...config } = JSON.parse(readFileSync(join(ROOT, 'biome.json'), 'utf8'));
  writeFileSync(join(folder, 'biome.json'), JSON.stringify(config));
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
  const { status, stdout, stderr } = spawnSync(process.execPath, [BIOME, 'lint', '--error-on-warnings', '.'], {
    cwd: folder,
    encoding: 'utf8',
    timeout: 30_000,
  });
  return { status, output: stdout + stderr };
}

test.each([
  ['noExplicitAny', 'src/delta/x.ts', 'export const f = (x: any): unknown => x;\n'],
  ['noConsole', 'src/delta/x.ts', "console.log('x');\n"],
  ['noEmptyBlockStatements', 'src/delta/x.ts', 'export function f(): void {}\n'],
  ['useImportType', 'src/delta/x.ts', "import { Delta } from './types.ts';\nexport type X = Delta;\n"],
  ['noNonNullAssertion', 'src/delta/x.ts', 'export const f = (x?: string): string => x!;\n'],
  ['noUnusedVariables', 'src/delta/x.ts', 'const unused = 1;\n'],
  ['noTsIgnore', 'src/delta/x.ts', '// @ts-ignore\nexport const x: string = 1;\n'],
  ['noFocusedTests', 'test/unit/x.test.ts', "test.only('x', () => { expect(1).toBe(1); });\n"],
  ['noSkippedTests', 'test/unit/x.test.ts', "test.skip('x', () => { expect(1).toBe(1); });\n"],
])('%s is an error', (rule, path, text) => {
  const { status, output } = lint(path, text);
  expect(output).toContain(rule);
  expect(status).not.toBe(0);
});

test.each([
  ['a clean file', 'src/delta/x.ts', 'export const limit = 1;\n'],
  ['console in a script', 'scripts/x.mjs', "console.log('x');\n"],
  ['an asserted value in a test', 'test/unit/x.test.ts', 'export const f = (x?: string): string => x!;\n'],
])('%s passes', (_, path, text) => {
  expect(lint(path, text)).toMatchObject({ status: 0 });
});
