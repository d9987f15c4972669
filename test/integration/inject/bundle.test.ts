import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

const ROOM = join(import.meta.dirname, '../../../src/inject');

it('keeps the model library out of what is loaded with the room', async () => {
  const { metafile } = await build({
    entryPoints: [join(ROOM, 'index.ts')],
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    outdir: 'out',
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  const chunks = Object.values(metafile.outputs);
  const loaded = chunks.find(({ entryPoint }) => entryPoint?.endsWith('src/inject/index.ts'));
  const packages = (inputs: object) => Object.keys(inputs).filter((path) => path.includes('node_modules/openai/'));
  expect(packages(loaded?.inputs ?? {})).toEqual([]);
  expect(
    loaded?.imports.filter(
      ({ kind, path }) => kind === 'import-statement' && packages(metafile.outputs[path]?.inputs ?? {}).length > 0,
    ),
  ).toEqual([]);
  // The library is somewhere, or this would prove nothing.
  expect(chunks.some(({ inputs }) => packages(inputs).length > 0)).toBe(true);
});
