import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { join } from 'node:path';
import { createGit } from '../../src/snapshot/git.ts';
import { GitProcess } from '../../src/snapshot/git-process.ts';
import { type Core, DIST } from '../lib/core.ts';
import type { Corpus } from '../lib/corpus.ts';
import { commit, edit } from '../lib/edits.ts';
import { ms } from '../lib/report.ts';
import { summarise } from '../lib/stats.ts';
import { inTemporary } from '../lib/temporary.ts';
import { Window } from '../lib/window.ts';

const SWITCHES = 30;
const COMMITS = 5;
const COMMITTED = 20;
const PHASES = 'project-anchor.snapshot';

interface Phase {
  readonly name: string;
  /** Monotonic ms. */
  readonly start: number;
  readonly end: number;
}

/**
 * Prints where the time of snapshots goes: the service runs in this process, git as for the worker, and tells its phases.
 * They overlap: while git looks, files are listed and parsed.
 */
export function printProfile(core: Core, corpus: Corpus): Promise<void> {
  return inTemporary(async (data) => {
    const store = await core.openStore({ folder: data, logger: core.silentLogger() });
    const [clock, logger, env] = [core.systemClock(), core.silentLogger(), process.env];
    const direct = () => Promise.reject(new Error('the git process is gone'));
    const git = new GitProcess({ file: join(DIST, 'git-process.js'), env, logger, direct });
    const options = { store, machine: core.machineId(data), clock, logger, env };
    const service = core.createSnapshotService({ ...options, git: createGit({ env, clock, logger, run: git.run }) });
    const window = new Window(service, corpus);
    try {
      await window.service.identify(corpus.root);
      await profiled('first snapshot', 1, () => window.take('editor', 'known'));
      await window.take('editor');
      const switching = async () => {
        edit(corpus, 1, 1);
        await window.switch();
      };
      await profiled('editor switch', SWITCHES, switching);
      let round = 0;
      const committing = async () => {
        commit(corpus, COMMITTED, round++);
        await window.take('commit');
      };
      await profiled('commit', COMMITS, committing);
    } finally {
      await window.service.dispose();
      await git.dispose();
      store.close();
    }
  });
}

async function profiled(what: string, times: number, work: () => Promise<unknown>): Promise<void> {
  const phases = new Map<string, number[]>();
  const listen = (message: unknown) => {
    const { name, start, end } = message as Phase;
    phases.set(name, [...(phases.get(name) ?? []), end - start]);
  };
  subscribe(PHASES, listen);
  try {
    for (let n = 0; n < times; n++) await work();
  } finally {
    unsubscribe(PHASES, listen);
  }
  console.log(`\nWhere the time goes: ${what} (median of ${times}; phases overlap)`);
  for (const [name, readings] of phases) {
    const each = readings.length / times;
    const { median, max } = summarise(readings);
    console.log(
      `  ${name.padEnd(14)}${ms(median).padStart(9)}  most ${ms(max).padStart(9)}  ${each.toFixed(1)} a snapshot`,
    );
  }
}
