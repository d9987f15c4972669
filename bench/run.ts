/**
 * `npm run bench`: the figures of the project, each beside its baseline in the same run. Medians and p95; a shared machine
 * is noisy, so read the ratios. Needs `dist` (built when stale) and, once, the package registry for the corpora.
 */
import { cpus, totalmem } from 'node:os';
import { Baselines } from './lib/baselines.ts';
import { loadCore } from './lib/core.ts';
import { Corpora } from './lib/corpora.ts';
import { type Row, table } from './lib/report.ts';
import { MEASURES, type Measure } from './measures/index.ts';

const HELP = `Usage: npm run bench [-- [NAME...] [--profile]]

Measures what is named, else everything. A name also stands for those that begin with it and a dash: "snapshot".
--profile also says where the time of snapshots goes.

${MEASURES.map(({ name, about }) => `  ${name.padEnd(18)}${about}`).join('\n')}

The corpora come from the package registry once and are kept in $PROJECT_ANCHOR_TEST_CACHE, by default
~/.cache/project-anchor-test; repositories of them are made in the temporary folder and removed at the end.`;

function chosen(names: readonly string[]): readonly Measure[] {
  const fits = ({ name }: Measure, wish: string) => name === wish || name.startsWith(`${wish}-`);
  const unknown = names.find((wish) => !MEASURES.some((measure) => fits(measure, wish)));
  if (unknown !== undefined) {
    console.error(`There is no measure ${JSON.stringify(unknown)}: see npm run bench -- --help`);
    process.exit(2);
  }
  return names.length === 0 ? MEASURES : MEASURES.filter((measure) => names.some((wish) => fits(measure, wish)));
}

async function main(args: readonly string[]): Promise<void> {
  if (args.includes('--help') || args.includes('-h')) {
    console.log(HELP);
    return;
  }
  const measures = chosen(args.filter((arg) => arg !== '--profile'));
  const around = {
    core: loadCore(),
    baselines: new Baselines(),
    corpora: new Corpora(),
    profile: args.includes('--profile'),
  };
  try {
    console.log(`Node ${process.version}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB`);
    const rows: Row[] = [];
    for (const { name, run } of measures) {
      console.log(`Measuring ${name}`);
      rows.push(...(await run(around)));
    }
    console.log(`\n${table(rows)}`);
  } finally {
    around.baselines.dispose();
    around.corpora.dispose();
  }
}

await main(process.argv.slice(2));
