import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Baselines } from '../lib/baselines.ts';
import type { Core } from '../lib/core.ts';
import type { Corpus } from '../lib/corpus.ts';
import { commit, edit } from '../lib/edits.ts';
import { atMost, kilobytes, milliseconds, ms, type Row, times, timingRow } from '../lib/report.ts';
import { pair, type Rounds, rounds, type Summary, summarise, timed } from '../lib/stats.ts';
import { inTemporary } from '../lib/temporary.ts';
import { LIST, STATUS, Window } from '../lib/window.ts';

/** How often each thing is done; large corpora take their time. */
export interface Effort {
  readonly switches: number;
  readonly commits: number;
  readonly firsts: number;
}

export const THOROUGH: Effort = { switches: 100, commits: 20, firsts: 10 };
export const BRIEF: Effort = { switches: 40, commits: 8, firsts: 5 };

/** The product, and what it is compared with. */
export interface Surroundings {
  readonly core: Core;
  readonly baselines: Baselines;
}

const WARMUP = 8;
/** Every n-th switch finds one more file edited on disk since the last one. */
const EDIT_EVERY = 5;
/** Edits go round among so many files: the few that a person has changed but not committed. */
const EDITED = 6;
/** The commit. */
const COMMITTED = 20;

const B0 = 'git status';

/** Snapshots on editor switches, warm, beside B0 and the straightforward pipeline; and what of them is kept and sent. */
export function switchRows(around: Surroundings, corpus: Corpus, effort: Effort): Promise<Row[]> {
  return withWindow(around, corpus, async (window, file) => {
    const table = await window.service.files(corpus.root, 'latest');
    const before = sizeOf(file);
    const subjects = {
      subject: () => window.switch(),
      status: () => around.baselines.git(corpus.root, STATUS),
      straightforward: () => around.baselines.straightforward(corpus.root),
    };
    const { subject, status, straightforward } = await rounds(subjects, switching(corpus, effort));
    const stored = window.taken.filter((each) => each.stored).length;
    const kept = (sizeOf(file) - before) / Math.max(1, stored - 1);
    const faster = straightforward.median / subject.median;
    const tail = subject.p95 / status.median;
    return [
      switchRow(subject, status),
      {
        what: 'snapshot on editor switch, p95',
        figure: ms(subject.p95),
        baseline: `median of ${B0}: ${ms(status.median)}; its p95: ${ms(status.p95)}`,
        ratio: times(tail),
        goal: atMost(tail, 3.5, 2.5),
      },
      {
        what: 'the straightforward pipeline over it',
        figure: milliseconds(straightforward),
        baseline: `snapshot on editor switch: ${milliseconds(subject)}`,
        ratio: times(faster),
        goal: { value: faster, must: 6, aim: 9, sign: '≥', unit: '×' },
      },
      ...sizeRows(around.core, window, kept, Buffer.byteLength(JSON.stringify(table))),
    ];
  });
}

/** The same on a larger corpus, beside B0 alone. */
export function largeSwitchRows(around: Surroundings, corpus: Corpus, effort: Effort): Promise<Row[]> {
  return withWindow(around, corpus, async (window) => {
    const subjects = { subject: () => window.switch(), status: () => around.baselines.git(corpus.root, STATUS) };
    const { subject, status } = await rounds(subjects, switching(corpus, effort));
    return [switchRow(subject, status)];
  });
}

function switching(corpus: Corpus, { switches }: Effort): Rounds {
  return {
    rounds: switches,
    warmup: WARMUP,
    before: (round) => {
      if (round % EDIT_EVERY === 0) edit(corpus, 1, (round / EDIT_EVERY) % EDITED);
    },
  };
}

function switchRow(subject: Summary, status: Summary): Row {
  const result = pair(subject, status);
  return { ...timingRow('snapshot on editor switch, median', B0, result), goal: atMost(result.ratio, 2, 1.5) };
}

/** A window that has taken its first snapshot: what later ones add to `file`, its database, is counted from there. */
function withWindow<T>(
  { core }: Surroundings,
  corpus: Corpus,
  work: (window: Window, file: string) => Promise<T>,
): Promise<T> {
  return inTemporary(async (data) => {
    const window = await Window.open(core, corpus, data);
    try {
      await window.take('editor');
      return await work(window, join(data, 'project-anchor.db'));
    } finally {
      await window.service.dispose();
    }
  });
}

/** Bytes of a database, after what is only in its write-ahead log was folded into it. */
function sizeOf(file: string): number {
  const database = new DatabaseSync(file);
  database.exec('PRAGMA busy_timeout = 5000; PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
  return statSync(file).size;
}

function sizeRows(core: Core, window: Window, kept: number, tableBytes: number): Row[] {
  const snapshots = window.taken.map(({ snapshot }) => snapshot);
  const full = summarise(snapshots.map((each) => Buffer.byteLength(core.canonical(each)))).median;
  const size = summarise(snapshots.map((each) => Buffer.byteLength(JSON.stringify(core.compact(each)))));
  return [
    {
      what: 'bytes kept per snapshot',
      figure: kilobytes(kept),
      baseline: `full JSON with its file table: ${kilobytes(full + tableBytes)}`,
      ratio: times(kept / (full + tableBytes)),
    },
    {
      what: 'compact form, median (4 files open, 6 changed, 5 marks)',
      figure: `${size.median} bytes`,
      baseline: `full snapshot: ${full} bytes`,
      ratio: times(size.median / full),
      goal: { value: size.median, must: 1_228, sign: '≤', unit: 'bytes' },
    },
    {
      what: 'compact form, most',
      figure: `${size.max} bytes`,
      baseline: '',
      ratio: '',
      goal: { value: size.max, must: 2_048, sign: '≤', unit: 'bytes' },
    },
  ];
}

/** Snapshots right after a commit. */
export function commitRows(around: Surroundings, corpus: Corpus, effort: Effort): Promise<Row[]> {
  return withWindow(around, corpus, async (window) => {
    const subjects = { subject: () => window.take('commit'), status: () => around.baselines.git(corpus.root, STATUS) };
    const before = (round: number) => commit(corpus, COMMITTED, round);
    const { subject, status } = await rounds(subjects, { rounds: effort.commits, warmup: 3, before });
    const result = pair(subject, status);
    const what = `snapshot of a commit, ${COMMITTED} files changed`;
    return [{ ...timingRow(what, B0, result), goal: atMost(result.ratio, 3, 2) }];
  });
}

/** First snapshots: an empty database, a worker that knows the project and nothing of its files, no parser loaded. */
export async function firstRows(around: Surroundings, corpus: Corpus, effort: Effort): Promise<Row[]> {
  const first: number[] = [];
  const outlined: number[] = [];
  const list: number[] = [];
  const status: number[] = [];
  for (let round = -1; round < effort.firsts; round++) {
    await inTemporary(async (data) => {
      const window = await Window.open(around.core, corpus, data);
      try {
        const own = await timed(() => window.take('editor', 'known'));
        const rest = await timed(() => window.take('editor'));
        const listing = await timed(() => around.baselines.git(corpus.root, LIST));
        const bare = await timed(() => around.baselines.git(corpus.root, STATUS));
        if (round < 0) return;
        first.push(own);
        outlined.push(own + rest);
        list.push(listing);
        status.push(bare);
      } finally {
        await window.service.dispose();
      }
    });
  }
  const sums = list.map((each, index) => each + (status[index] ?? Number.NaN));
  const result = pair(summarise(first), summarise(sums));
  return [
    { ...timingRow('first snapshot', `git ls-files + ${B0}`, result), goal: atMost(result.ratio, 3, 2) },
    {
      what: 'its outlines attached, the parser loaded for them',
      figure: milliseconds(summarise(outlined)),
      baseline: '',
      ratio: '',
    },
  ];
}
