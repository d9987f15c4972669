/** `npm run build`: the bundles of the package in dist/. `--dev` builds them readable, with source maps, for F5. */
import './lib/require-node.mjs';
import { join } from 'node:path';

const { buildBundles, buildErrors } = await import('./lib/bundle.mjs');
const root = join(import.meta.dirname, '..');

try {
  const { files, problems } = await buildBundles({
    root,
    outdir: join(root, 'dist'),
    minify: !process.argv.includes('--dev'),
  });
  for (const { name, bytes } of files) console.log(`dist/${name}  ${(bytes / 1000).toFixed(1)} kB`);
  if (problems.length > 0) throw new Error(problems.join('\n'));
} catch (error) {
  for (const line of buildErrors(error)) console.error(line);
  process.exitCode = 1;
}
