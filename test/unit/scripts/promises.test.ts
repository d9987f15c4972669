import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkPromises } from '../../../scripts/lint/promises.mjs';
import { programOf } from '../../../scripts/lint/rules.mjs';
import { tempDir } from '../../support/temp.ts';

const DECLARATIONS = `
declare function work(): Promise<number>;
declare function either(): Promise<number> | undefined;
declare function thenable(): PromiseLike<number>;
declare function plain(): number;
declare function handler(error: unknown): void;
declare const port: { send(): Promise<void>; later: Promise<void>; optional?: () => Promise<void> };
declare const list: readonly number[];
declare const ready: boolean;
declare const anything: any;
`;

/** Lines of `statements` (1-based) that the rule reports, each compiled inside an async function. */
function reported(statements: readonly string[]): number[] {
  const folder = tempDir();
  mkdirSync(join(folder, 'src'));
  writeFileSync(join(folder, 'src/declarations.d.ts'), DECLARATIONS);
  writeFileSync(join(folder, 'src/x.ts'), `export async function f() {\n${statements.join('\n')}\n}`);
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { strict: true, lib: ['es2024'], types: [] }, include: ['src'] }),
  );
  const problems = checkPromises(programOf(join(folder, 'tsconfig.json')), (fileName) =>
    fileName.endsWith('src/x.ts') ? 'src/x.ts' : null,
  );
  return problems.map(({ line }) => line - 1);
}

test('a promise that nobody waits for is reported', () => {
  const bad = [
    'work();',
    'either();',
    'thenable();',
    'port.send();',
    'port.optional?.();',
    'port.later;',
    '(work());',
    'work().then(() => 1);',
    'work().finally(() => plain());',
    'list.map(async (n) => n);',
    'Promise.all([work()]);',
    '[work()];',
    'ready ? work() : plain();',
    'ready && work();',
    'plain(), work();',
    '(async () => { await work(); })();',
  ];
  expect(reported(bad)).toEqual(bad.map((_, index) => index + 1));
});

test('what is awaited, handled, kept or not a promise is fine', () => {
  expect(
    reported([
      'await work();',
      'void work();',
      'work().catch(handler);',
      'work().then(() => 1, handler);',
      'work().then(() => 1).catch(handler).finally(() => plain());',
      'const kept = work(); await kept;',
      'let later: Promise<number>; later = work(); await later;',
      'let shared: Promise<number> | undefined; shared ??= work().finally(() => plain()); await shared;',
      'plain();',
      'anything();',
      'list.map((n) => n);',
      'ready ? plain() : plain();',
      'return work();',
    ]),
  ).toEqual([]);
});
