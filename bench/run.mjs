/** Starts the benchmark on a Node that is new enough, over bundles that are up to date. */
import '../scripts/lib/require-node.mjs';
import { join } from 'node:path';

const { buildWhenStale } = await import('../scripts/lib/build-when-stale.mjs');
buildWhenStale(join(import.meta.dirname, '..'));
await import('./run.ts');
