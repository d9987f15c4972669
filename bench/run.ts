/**
 * `npm run bench`: the figures of the project, each beside its baseline in the same run. Medians and p95; a shared machine
 * is noisy, so read the ratios. Needs `dist` (built when stale) and, once, the package registry for the corpus.
 */
import { cpus, totalmem } from 'node:os';
import { loadCore } from './lib/core.ts';
import { makeCorpus } from './lib/corpus.ts';
import { type Row, table } from './lib/report.ts';
import { activationRows } from './measures/activation.ts';
import { bundleRows } from './measures/bundles.ts';
import { injectRows } from './measures/inject.ts';
import { pushRows } from './measures/push.ts';
import { snapshotRows } from './measures/snapshot.ts';

const core = loadCore();
const corpus = makeCorpus();
try {
  console.log(`Node ${process.version}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB`);
  console.log(`Corpus ${corpus.name}: ${corpus.files} files, ${corpus.lines} lines of TypeScript\n`);
  const rows: Row[] = [];
  for (const measure of [
    () => snapshotRows(core, corpus),
    () => injectRows(core, corpus),
    () => pushRows(core),
    activationRows,
    bundleRows,
  ]) {
    rows.push(...(await measure()));
  }
  console.log(table(rows));
} finally {
  corpus.dispose();
}
