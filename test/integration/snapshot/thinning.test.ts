import { join } from 'node:path';
import { v7 as newId } from 'uuid';
import { expect, onTestFinished, test } from 'vitest';
import { silentLogger } from '../../../src/base/index.ts';
import { EmbeddedLog, verifyLog } from '../../../src/delta/index.ts';
import type { Snapshot } from '../../../src/snapshot/index.ts';
import { keepThin, thinDaily, thinOut } from '../../../src/snapshot/thinning.ts';
import { openStore, type Store } from '../../../src/store/index.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { GitSandbox } from '../../support/git-repo.ts';
import { SnapshotBench } from '../../support/snapshot-service.ts';
import { tempDir } from '../../support/temp.ts';
import { waitFor } from '../../support/wait.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

async function fileStore(folder: string): Promise<Store> {
  const store = await openStore({ folder, logger: silentLogger() });
  onTestFinished(() => store.close());
  return store;
}

/** Fifty days in which a file of several folders changes twice a day, and now and then one is committed or marked. */
async function fiftyDays(bench: SnapshotBench, repo: GitSandbox): Promise<readonly Snapshot[]> {
  const taken: Snapshot[] = [];
  for (let n = 0; n < 100; n++) {
    repo.write(`src/part-${n % 5}/f${n % 7}.ts`, `export function f${n}(): void {}\n`);
    const trigger = n % 10 === 0 ? 'commit' : n % 17 === 0 ? 'mark' : 'editor';
    if (trigger === 'commit') repo.commit(`change ${n}`);
    bench.clock.advance(n % 2 === 0 ? 23.9 * HOUR : 0.1 * HOUR);
    const active = `src/part-${n % 5}/f${n % 7}.ts`;
    taken.push((await bench.take(repo.root, { trigger, editor: { active, open: [active] } })).snapshot);
  }
  return taken;
}

function project(): GitSandbox {
  const repo = GitSandbox.init(join(tempDir(), 'app'));
  repo.write('package.json', '{}').commit('first');
  return repo;
}

/** Every object in the database. */
function objectCount(store: Store): number {
  return store.objects.page(0, 1_000_000).length;
}

test('what is kept loses nothing, what nobody refers to is gone, and twice is once', async () => {
  const repo = project();
  const store = await fileStore(join(tempDir(), 'data'));
  const bench = await SnapshotBench.open({ store });
  const taken = await fiftyDays(bench, repo);
  const files = new Map<string, unknown>();
  for (const { id } of taken) files.set(id, await bench.service.files(repo.root, id));
  const before = objectCount(store);

  const { snapshots, objects } = await thinOut(store, bench.clock.now());
  expect(snapshots).toBeGreaterThan(10);
  expect(objects).toBeGreaterThan(10);
  expect(objectCount(store)).toBe(before - objects);
  expect(await thinOut(store, bench.clock.now())).toEqual({ snapshots: 0, objects: 0 });
  store.checkIntegrity();

  const left = taken.filter(({ id }) => store.snapshots.byId(id) !== undefined);
  expect(left).toHaveLength(100 - snapshots);
  for (const snapshot of left) {
    expect(await bench.service.show(repo.root, snapshot.id)).toEqual(snapshot);
    expect(await bench.service.files(repo.root, snapshot.id)).toEqual(files.get(snapshot.id));
  }
  for (const { id, trigger, takenAt } of taken) {
    const must = trigger !== 'editor' || bench.clock.now() - Date.parse(takenAt) <= 7 * DAY;
    if (must) expect(left.map((each) => each.id)).toContain(id);
  }
  // The parent of a kept one may be gone; the way back counts what is kept.
  const orphan = left.find(({ parent }) => parent !== null && store.snapshots.byId(parent) === undefined);
  expect(orphan?.parent).toMatch(/^[0-9a-f]{64}$/);
  expect(await bench.service.show(repo.root, `latest~${left.length - 1}`)).toEqual(left[0]);
  await expect(bench.service.show(repo.root, `latest~${left.length}`)).rejects.toMatchObject({ code: 'not_found' });
  // Equal to the last one: nothing new is stored against what is gone.
  expect((await bench.take(repo.root, { editor: { active: taken.at(-1)?.active ?? null, open: [] } })).stored).toBe(
    false,
  );
});

test('deltas that repeat objects of thinned snapshots stay readable, and the chain whole', async () => {
  const repo = project();
  const store = await fileStore(join(tempDir(), 'data'));
  const bench = await SnapshotBench.open({ store });
  const log = new EmbeddedLog({ store, clock: bench.clock, logger: silentLogger() });
  const taken = await fiftyDays(bench, repo);
  const anchor = taken[0]?.anchor ?? '';
  for (const { id, workspace, outlines } of taken) {
    const ops = Object.entries(outlines).map(
      ([path, outline]) => ({ op: 'update_outline', workspace, path, outline }) as const,
    );
    const schema = 'projectanchor.delta.v1';
    const author = { agent: 'a', session: 's' };
    if (ops.length > 0)
      await log.append({ schema, anchor, id: newId(), author, at: '2026-11-30T12:00:00.000Z', snapshot: id, ops });
  }
  const before = await log.read(anchor, 0, 500);
  expect(store.deltas.partsAfter(null, 500).keys.length).toBeGreaterThan(0);
  const { snapshots } = await thinOut(store, bench.clock.now() + 40 * DAY);
  expect(snapshots).toBeGreaterThan(10);
  expect(await log.read(anchor, 0, 500)).toEqual(before);
  expect(await verifyLog(store, anchor)).toMatchObject({ ok: true, deltas: before.length });
  expect(before.some(({ snapshot = '' }) => store.snapshots.byId(snapshot) === undefined)).toBe(true);
  await log.close();
});

test('what another process stores meanwhile, going back to what was thinned out, loses nothing', async () => {
  const repo = project();
  const folder = join(tempDir(), 'data');
  const bench = await SnapshotBench.open({ store: await fileStore(folder) });
  await fiftyDays(bench, repo);
  const other = await SnapshotBench.open({ store: await fileStore(folder) });
  other.clock.set(bench.clock.now() + 41 * DAY);
  let done = false;
  const thinning = thinOut(bench.store, bench.clock.now() + 41 * DAY).finally(() => {
    done = true;
  });
  const back: Snapshot[] = [];
  for (let n = 0; !done || back.length < 5; n++) {
    // What these files held at the beginning, and so directories that only old snapshots had.
    for (let part = 0; part < 5; part++)
      repo.write(`src/part-${part}/f${(n + part) % 7}.ts`, `export function f${(n * 5 + part) % 35}(): void {}\n`);
    back.push((await other.look(repo.root, `src/part-0/f${n % 7}.ts`)).snapshot);
  }
  const { objects } = await thinning;
  expect(objects).toBeGreaterThan(0);
  for (const snapshot of back) {
    expect(await other.service.show(repo.root, snapshot.id)).toEqual(snapshot);
    expect(await other.service.files(repo.root, snapshot.id)).toHaveLength(snapshot.files.count);
  }
  other.store.checkIntegrity();
});

test('once a day per database, by whomever; a failure is said and tried again', async () => {
  const folder = join(tempDir(), 'data');
  const repo = project();
  const store = await fileStore(folder);
  const bench = await SnapshotBench.open({ store });
  const logger = {
    ...silentLogger(),
    warn: (message: string) => warnings.push(message),
    debug: (message: string) => said.push(message),
  };
  const warnings: string[] = [];
  const said: string[] = [];
  const clock = new FakeClock(bench.clock.now());
  for (const size of [1, 2]) await bench.take(repo.write('a.ts', ' '.repeat(size)).root);
  clock.set(bench.clock.now() + 31 * DAY);
  const keeper = keepThin({ store, clock, logger });
  expect(said).toEqual([]);
  clock.advance(60_000);
  await waitFor(() => said.length === 1, { timeoutMs: 10_000, what: 'the first thinning' });
  // Nothing again within a day, not by another process either.
  await thinDaily({ store: await fileStore(folder), clock, logger });
  expect(store.lease.read('thinning')?.expires).toBe(clock.now() + DAY);
  keeper.dispose();
  expect(clock.pending).toBe(0);

  store.lease.release('thinning', store.lease.read('thinning')?.owner ?? '');
  const broken = {
    ...store,
    lease: store.lease,
    closed: false,
    snapshots: {
      workspaces: () => {
        throw new Error('no disk');
      },
    },
  };
  await thinDaily({ store: broken as unknown as Store, clock, logger });
  expect(warnings).toEqual(['Old snapshots were not thinned out: no disk']);
  expect(store.lease.read('thinning')?.expires).toBe(clock.now() + HOUR);
});
