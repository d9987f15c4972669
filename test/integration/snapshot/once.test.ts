import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { silentLogger, systemClock } from '../../../src/base/index.ts';
import { createLogService, type LogService, type Op } from '../../../src/delta/index.ts';
import type { TakenSnapshot, TakeRequest } from '../../../src/snapshot/index.ts';
import { openStore } from '../../../src/store/index.ts';
import { GitSandbox } from '../../support/git-repo.ts';
import { SnapshotBench } from '../../support/snapshot-service.ts';
import { tempDir } from '../../support/temp.ts';

const logger = silentLogger();

/** A window or a hook: its own connection to the database, snapshots and log. */
class Program {
  readonly bench: SnapshotBench;
  readonly log: LogService;
  readonly #session: string;
  readonly #trigger: TakeRequest['trigger'];

  constructor(bench: SnapshotBench, log: LogService, session: string, trigger: TakeRequest['trigger']) {
    this.bench = bench;
    this.log = log;
    this.#session = session;
    this.#trigger = trigger;
  }

  static async start(folder: string, session: string, trigger: TakeRequest['trigger']): Promise<Program> {
    const store = await openStore({ folder, logger });
    const who = { agent: 'test', session };
    const log = await createLogService({
      folder,
      store,
      who,
      hub: 'none',
      onUnusable: 'throw',
      clock: systemClock(),
      logger,
    });
    const bench = await SnapshotBench.open({ store });
    bench.clock.set(Date.now());
    onTestFinished(async () => {
      await log.dispose();
      store.close();
    });
    return new Program(bench, log, session, trigger);
  }

  /** Takes and publishes as a session does, with this program's own file in front. */
  async look(root: string): Promise<TakenSnapshot> {
    const active = `${this.#session}.ts`;
    const taken = await this.bench.take(root, { trigger: this.#trigger, editor: { active, open: [active] } });
    const author = { agent: 'test', session: this.#session };
    // Two callers may have been given one snapshot.
    const publish = () => this.log.publishSnapshot(taken.snapshot.anchor, author, taken);
    await Promise.all([publish(), publish()]);
    return taken;
  }
}

async function everyOp(log: LogService, anchor: string): Promise<readonly Op[]> {
  const ops: Op[] = [];
  for (let after = 0; ; ) {
    const deltas = await log.deltas(anchor, after, 500);
    if (deltas.length === 0) return ops;
    ops.push(...deltas.flatMap((delta) => delta.ops));
    after = deltas.at(-1)?.seq ?? after;
  }
}

describe('several programs look at one repository at once', () => {
  test('every commit is noted once and every rewriting told once, and the log knows the new ids', async () => {
    const folder = tempDir();
    const repo = GitSandbox.init(join(tempDir(), 'repo'));
    repo.write('a.ts', '').write('b.ts', '').write('c.ts', '').commit('base');
    const programs = [
      await Program.start(folder, 'a', 'commit'),
      await Program.start(folder, 'b', 'hook'),
      await Program.start(folder, 'c', 'manual'),
    ];
    const [first] = programs;
    const anchor = (await first?.look(repo.root))?.snapshot.anchor ?? '';
    const made: string[] = [];
    const replaced: string[] = [];
    for (let round = 0; round < 3; round++) {
      const commit = repo.write('a.ts', `export const round = ${round};\n`).commit(`round ${round}`);
      made.push(commit);
      await Promise.all(programs.map((each) => each.look(repo.root)));
      repo.write('b.ts', `export const round = ${round};\n`).amend(`round ${round}, better`);
      replaced.push(commit);
      await Promise.all(programs.map((each) => each.look(repo.root)));
    }
    const ops = await everyOp(first?.log as LogService, anchor);
    expect(ops.flatMap((op) => (op.op === 'note_commit' ? [op.commit] : []))).toEqual(made);
    const pairs = ops.flatMap((op) => (op.op === 'rewrite_history' ? op.pairs : []));
    expect(pairs.map((pair) => pair.old)).toEqual(replaced);
    const { state } = (await first?.log.state(anchor)) ?? {};
    const [workspace] = Object.values(state?.workspaces ?? {});
    expect(workspace?.commits?.map(({ commit }) => commit)).toEqual(pairs.map((pair) => pair.new));
    expect(workspace?.git?.head.commit).toBe(repo.head());
  });

  test('also while commits are made and amended without waiting for anybody', async () => {
    const folder = tempDir();
    const repo = GitSandbox.init(join(tempDir(), 'repo'));
    repo.write('a.ts', '').write('b.ts', '').write('c.ts', '').commit('base');
    const programs = [
      await Program.start(folder, 'a', 'manual'),
      await Program.start(folder, 'b', 'hook'),
      await Program.start(folder, 'c', 'agent'),
    ];
    const [first] = programs;
    const anchor = (await first?.look(repo.root))?.snapshot.anchor ?? '';
    let isOver = false;
    const watching = programs.map(async (each) => {
      while (!isOver) await each.look(repo.root);
    });
    for (let change = 0; change < 12; change++) {
      repo.write('a.ts', `export const change = ${change};\n`);
      if (change % 3 === 2) repo.amend(`change ${change}`);
      else repo.commit(`change ${change}`);
      await first?.look(repo.root);
    }
    isOver = true;
    await Promise.all(watching);
    const ops = await everyOp(first?.log as LogService, anchor);
    const noted = ops.flatMap((op) => (op.op === 'note_commit' ? [op.commit] : []));
    const pairs = ops.flatMap((op) => (op.op === 'rewrite_history' ? op.pairs : []));
    expect(noted).toHaveLength(new Set(noted).size);
    expect(pairs).toHaveLength(new Set(pairs.map((pair) => pair.old)).size);
    // Between two looks a commit may have come and gone; whatever is in the branch now was told one way or the other.
    const told = new Set([...noted, ...pairs.map((pair) => pair.new)]);
    const branch = repo.git('rev-list', 'HEAD', `^${repo.git('rev-list', '--max-parents=0', 'HEAD').trim()}`);
    expect(
      branch
        .trim()
        .split('\n')
        .filter((commit) => !told.has(commit)),
    ).toEqual([]);
  });
});
