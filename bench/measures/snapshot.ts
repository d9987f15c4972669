import { execFile } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Snapshot } from '../../src/snapshot/index.ts';
import type { Core } from '../lib/core.ts';
import type { Corpus } from '../lib/corpus.ts';
import { kilobytes, type Row, timingRow } from '../lib/report.ts';
import { paired, summarise } from '../lib/stats.ts';

const ROUNDS = 60;
const WARMUP = 8;
/** Every n-th switch finds one more file edited on disk since the last one. */
const EDIT_EVERY = 5;
const STATUS = ['--no-optional-locks', 'status', '--porcelain=v2', '-z', '--branch'];
/** Edits go round among the first so many files. */
const EDITED = 40;
/** Files switched to lie this far apart in the listing. */
const STEP = 37;

const NO_MARKS = { tags: {}, focus: {} };

/** Snapshots on editor switches over the corpus: time, bytes kept, and the size of the compact form. */
export async function snapshotRows(core: Core, corpus: Corpus): Promise<Row[]> {
  const run = promisify(execFile);
  const data = mkdtempSync(join(tmpdir(), 'pa-bench-'));
  const sources = corpus.git('ls-files', '-z', '*.ts').split('\0').filter(Boolean);
  const file = join(data, 'project-anchor.db');
  try {
    // The first snapshot stores the whole tree once; what the later ones add is counted from here.
    const first = await open(core, data, corpus, sources);
    await first.next();
    const fileTable = Buffer.byteLength(JSON.stringify(await first.service.files(corpus.root, 'latest')));
    await first.close();
    const before = statSync(file).size;

    const switches = await open(core, data, corpus, sources);
    await switches.next();
    const result = await paired({
      rounds: ROUNDS,
      warmup: WARMUP,
      before: () => {
        if (switches.turn % EDIT_EVERY === 0) edit(corpus, sources[switches.turn % EDITED]);
      },
      subject: switches.next,
      baseline: () => run('git', STATUS, { cwd: corpus.root, maxBuffer: 1 << 26 }),
    });
    await switches.close();
    const kept = (statSync(file).size - before) / Math.max(1, switches.stored);
    const full = summarise(switches.snapshots.map((each) => Buffer.byteLength(core.canonical(each)))).median;
    const compactSize = summarise(
      switches.snapshots.map((each) => Buffer.byteLength(JSON.stringify(core.compact(each)))),
    );
    return [
      timingRow('snapshot on editor switch', 'bare git status', result),
      {
        what: 'bytes kept per snapshot',
        figure: kilobytes(kept),
        baseline: `full JSON with its file table: ${kilobytes(full + fileTable)}`,
        ratio: `${(kept / (full + fileTable)).toFixed(3)} ×`,
      },
      {
        what: 'compact form, median / most',
        figure: `${compactSize.median} / ${compactSize.max} bytes`,
        baseline: `full snapshot: ${full} bytes; ceiling 2048`,
        ratio: `${(compactSize.median / full).toFixed(2)} ×`,
      },
    ];
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
}

/** One run of the service over the corpus; `next` is a switch to the next of its files. */
async function open(core: Core, data: string, corpus: Corpus, sources: readonly string[]) {
  const clock = core.systemClock();
  const logger = core.silentLogger();
  const store = await core.openStore({ folder: data, logger });
  const service = core.createSnapshotService({ store, machine: core.machineId(data), clock, logger, env: process.env });
  const run = {
    service,
    turn: 0,
    stored: 0,
    snapshots: [] as Snapshot[],
    async next() {
      const active = sources[(run.turn++ * STEP) % sources.length] ?? null;
      const editor = { active, open: active === null ? [] : [active] };
      const taken = await service.take({ folder: corpus.root, trigger: 'editor', editor, marks: NO_MARKS });
      if (taken.stored) run.stored++;
      run.snapshots.push(taken.snapshot);
    },
    async close() {
      await service.dispose();
      store.close();
    },
  };
  return run;
}

function edit(corpus: Corpus, path: string | undefined): void {
  if (path !== undefined) appendFileSync(join(corpus.root, path), '\n// edited\n');
}
