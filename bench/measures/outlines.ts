import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Corpus } from '../lib/corpus.ts';
import { edit } from '../lib/edits.ts';
import type { IndexFigures, Order, OutlineFigures } from '../lib/reading-process.ts';
import { atMost, megabytes, milliseconds, ms, type Row, times } from '../lib/report.ts';
import { summarise } from '../lib/stats.ts';
import { inTemporary } from '../lib/temporary.ts';
import { Host } from './stall.ts';

/** Sizes of the two files that are outlined, in lines: about the median of a large code base, and one to be afraid of. */
const SMALL = 136;
const LARGE = 5_000;
const ROUNDS: Readonly<Record<number, number>> = { [SMALL]: 200, [LARGE]: 20 };
const FRESH = 5;
const CHANGES = 20;
const MB = 1_000_000;

/** Outlines of single files, as an editor asks for them. */
export async function outlineRows(corpus: Corpus): Promise<Row[]> {
  const rows: Row[] = [];
  for (const size of [SMALL, LARGE]) {
    const { path, text, lines } = nearest(corpus, size);
    const order = { kind: 'outlines', path, text, rounds: ROUNDS[size] ?? 0 } as const;
    const { clean, broken, bare } = await tell<OutlineFigures>(order);
    const baseline = `typescript-estree's bare parse: ${milliseconds(bare)}`;
    const whole = clean.median / bare.median;
    const cut = broken.median / bare.median;
    const row = { baseline, what: `outline and imports of ${lines} lines, warm` };
    rows.push(
      { ...row, figure: milliseconds(clean), ratio: times(whole), goal: atMost(whole, 1.3, 1.1) },
      {
        ...row,
        what: `${row.what}, mid-edit`,
        figure: milliseconds(broken),
        ratio: times(cut),
        goal: atMost(cut, 1, 0.7),
      },
    );
  }
  return rows;
}

/** The index of a whole tree beside TypeScript's own parser, each in a fresh process, in turn. */
export async function indexRows(corpus: Corpus): Promise<Row[]> {
  const { root, sources } = corpus;
  const [first = ''] = sources;
  const subject: number[] = [];
  const baseline: number[] = [];
  for (let round = 0; round < FRESH; round++) {
    baseline.push(await tell<number>({ kind: 'source-files', root, paths: sources }));
    subject.push((await tell<IndexFigures>({ kind: 'index', root, first, changes: 0 })).ms);
  }
  const [own, bare] = [summarise(subject), summarise(baseline)];
  const ratio = own.median / bare.median;
  return [
    {
      what: `index of ${corpus.lines.toLocaleString('en')} lines, first pass`,
      figure: milliseconds(own),
      baseline: `createSourceFile over them: ${milliseconds(bare)}`,
      ratio: times(ratio),
      goal: atMost(ratio, 2, 1.5),
    },
  ];
}

/** The index of a tree of a million lines: what it takes, what an update costs, and what the host feels of it. */
export async function largeIndexRows(corpus: Corpus): Promise<Row[]> {
  const { root, sources } = corpus;
  const [first = ''] = sources;
  const figures = await tell<IndexFigures>({ kind: 'index', root, first, changes: CHANGES }, (turn) =>
    edit(corpus, 1, turn * 211),
  );
  const updates = summarise(figures.updates);
  const felt = await inTemporary((data) => indexInHost(corpus, data));
  const row = { baseline: '', ratio: '' };
  return [
    {
      ...row,
      what: `index of ${corpus.lines.toLocaleString('en')} lines in the worker, first pass`,
      figure: ms(felt.ms),
      goal: atMost(felt.ms / 1000, 25, 12, 's'),
    },
    {
      ...row,
      what: 'memory of the whole process meanwhile, most',
      figure: megabytes(felt.rss),
      baseline: `before: ${megabytes(felt.before)}`,
      goal: atMost(felt.rss / MB, 400, 300, 'MB'),
    },
    {
      ...row,
      what: 'longest stall of the host meanwhile',
      figure: `${ms(felt.stall)}, own work ${ms(felt.own)}`,
      baseline: `the same process idle: ${ms(felt.idle)}`,
      goal: atMost(felt.stall, 16, 8, 'ms'),
    },
    {
      ...row,
      what: 'update of the index after one file',
      figure: milliseconds(updates),
      goal: atMost(updates.median, 20, 10, 'ms'),
    },
    { ...row, what: 'index on disk', figure: megabytes(figures.disk), goal: atMost(figures.disk / MB, 40, 20, 'MB') },
    {
      ...row,
      what: 'index in memory',
      figure: megabytes(figures.heap),
      goal: atMost(figures.heap / MB, 150, 80, 'MB'),
    },
  ];
}

/** How soon the first outline is there, when nothing was ever compiled and when it was. */
export async function parserRows(corpus: Corpus): Promise<Row[]> {
  const { path } = nearest(corpus, SMALL);
  return inTemporary(async (data) => {
    const readings: number[] = [];
    for (let round = 0; round <= FRESH; round++) {
      const host = new Host();
      try {
        await host.tell({ kind: 'open', folder: corpus.root, data });
        readings.push((await host.tell({ kind: 'outline', path })).ms);
        await host.tell({ kind: 'close' });
      } finally {
        host.end();
      }
    }
    const [ever = 0, ...later] = readings;
    const filled = summarise(later);
    const row = { baseline: '', ratio: '' };
    return [
      {
        ...row,
        what: 'first outline of a worker, nothing compiled yet',
        figure: ms(ever),
        goal: atMost(ever, 700, 500, 'ms'),
      },
      {
        ...row,
        what: 'first outline of a worker, compile cache filled',
        figure: milliseconds(filled),
        goal: atMost(filled.median, 300, 150, 'ms'),
      },
    ];
  });
}

async function indexInHost(corpus: Corpus, data: string) {
  const host = new Host();
  try {
    await host.tell({ kind: 'open', folder: corpus.root, data });
    const idle = await host.tell({ kind: 'idle', ms: 2_000 });
    const report = await host.tell({ kind: 'index' });
    await host.tell({ kind: 'close' });
    return { ...report, idle: idle.stall, before: idle.rss };
  } finally {
    host.end();
  }
}

/** The source with about so many lines. */
function nearest(
  corpus: Corpus,
  size: number,
): { readonly path: string; readonly text: string; readonly lines: number } {
  const all = corpus.sources.map((path) => {
    const text = readFileSync(join(corpus.root, path), 'utf8');
    return { path, text, lines: text.split('\n').length - 1 };
  });
  const [best] = all.sort((a, b) => Math.abs(a.lines - size) - Math.abs(b.lines - size));
  if (best === undefined) throw new Error('the corpus is empty');
  return best;
}

/** What a fresh process makes of an order. @param change makes one of the changes that it asks for */
async function tell<T>(order: Order, change?: (turn: number) => void): Promise<T> {
  const child: ChildProcess = fork(join(import.meta.dirname, '..', 'lib', 'reading-process.ts'), {
    execArgv: [...process.execArgv, '--disable-warning=MODULE_TYPELESS_PACKAGE_JSON', '--expose-gc'],
  });
  const ended = once(child, 'exit').then(() => {
    throw new Error(`the process for ${order.kind} has ended`);
  });
  ended.catch(() => undefined);
  child.send(order);
  for (;;) {
    const [message] = (await Promise.race([once(child, 'message'), ended])) as [{ done?: T; change?: number }];
    if (message.change === undefined) return message.done as T;
    change?.(message.change);
    child.send('changed');
  }
}
