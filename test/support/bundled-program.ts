import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { afterAll } from 'vitest';

/**
 * A program of the tests, or a worker of ours, as one file that starts quickly; it goes when the test file is done.
 * Call it at the top of a test file.
 * @param source path of its TypeScript source
 */
export async function bundledProgram(source: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'pa-program-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const outfile = join(folder, `${basename(source, '.ts')}.cjs`);
  await build({
    entryPoints: [source],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node22.13',
    external: ['typescript', '@typescript-eslint/typescript-estree'],
    // A side effect is all that some programs are imported for.
    ignoreAnnotations: true,
    logLevel: 'error',
  });
  return outfile;
}
