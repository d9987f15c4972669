import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Baselines } from '../lib/baselines.ts';
import type { Corpus } from '../lib/corpus.ts';
import type { Order, Report } from '../lib/editor-host.ts';
import { commit, edit } from '../lib/edits.ts';
import { atMost, ms, type Row } from '../lib/report.ts';
import { summarise } from '../lib/stats.ts';
import { inTemporary } from '../lib/temporary.ts';
import { STATUS } from '../lib/window.ts';

const SWITCHES = 15;
const COMMITS = 4;
const COMMITTED = 20;
const STEP = 53;
/** As long as a snapshot with the publication of its changes takes. */
const IDLE_MS = 700;

/**
 * The longest stall of a process like the extension host while snapshots of every kind are taken in it, beside those it
 * has from the machine alone: while it does nothing, and while it does nothing and a bare git looks over the project.
 */
export function stallRows(baselines: Baselines, corpus: Corpus): Promise<Row[]> {
  return inTemporary(async (data) => {
    const host = new Host();
    const stalls: number[] = [];
    const own: number[] = [];
    const still: number[] = [];
    const besideGit: number[] = [];
    const { sources, root } = corpus;
    const view = (turn: number) => {
      const active = sources[(turn * STEP) % sources.length] ?? '';
      return { active, open: [active] };
    };
    try {
      await host.tell({ kind: 'open', folder: root, data });
      const take = async (trigger: 'editor' | 'commit', turn: number) => {
        const report = await host.tell({ kind: 'take', trigger, editor: view(turn) });
        stalls.push(report.stall);
        own.push(report.own);
      };
      await take('editor', 0);
      for (let turn = 1; turn <= SWITCHES; turn++) {
        if (turn % 5 === 0) edit(corpus, 1, turn);
        await take('editor', turn);
        still.push((await host.tell({ kind: 'idle', ms: IDLE_MS })).stall);
        const status = baselines.git(root, STATUS);
        besideGit.push((await host.tell({ kind: 'idle', ms: IDLE_MS })).stall);
        await status;
      }
      for (let turn = 1; turn <= COMMITS; turn++) {
        commit(corpus, COMMITTED, turn);
        await take('commit', SWITCHES);
      }
      await host.tell({ kind: 'close' });
    } finally {
      host.end();
    }
    const summary = summarise(stalls);
    const most = summary.max;
    const ownWork = summarise(own);
    const idle = summarise(still);
    const beside = summarise(besideGit);
    return [
      {
        what: 'longest stall of the extension host, first + switches + commits',
        figure: `${ms(most)} (median ${ms(summary.median)})`,
        baseline: `the same process idle: ${ms(idle.max)}; beside git status: ${ms(beside.max)}`,
        ratio: '',
        goal: atMost(most, 16, 8, 'ms'),
      },
      {
        what: 'of which its own work without a pause',
        figure: `${ms(ownWork.max)} (median ${ms(ownWork.median)})`,
        baseline: '',
        ratio: '',
        goal: atMost(ownWork.max, 16, 8, 'ms'),
      },
    ];
  });
}

/** The process in place of the extension host. */
export class Host {
  readonly #child: ChildProcess = fork(join(import.meta.dirname, '..', 'lib', 'editor-host.ts'));
  readonly #ended: Promise<never>;

  constructor() {
    this.#ended = once(this.#child, 'exit').then(() => {
      throw new Error('the process in place of the extension host has ended');
    });
    this.#ended.catch(() => undefined);
  }

  /** Carries out an order. */
  async tell(order: Order): Promise<Report> {
    const answer = once(this.#child, 'message');
    this.#child.send(order);
    const [report] = (await Promise.race([answer, this.#ended])) as [Report];
    return report;
  }

  end(): void {
    this.#child.kill();
  }
}
