import { cpSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { v7 as newId } from 'uuid';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { silentLogger } from '../../../src/base/index.ts';
import { EmbeddedLog, verifyLog } from '../../../src/delta/index.ts';
import type { Snapshot } from '../../../src/snapshot/index.ts';
import { keepThin, thinDaily, thinOut } from '../../../src/snapshot/thinning.ts';
import { openStore, type SnapshotRow, type Store } from '../../../src/store/index.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { cleanGitEnv, GitSandbox } from '../../support/git-repo.ts';
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

function change(repo: GitSandbox, n: number): void {
  repo.write(`src/part-${n % 5}/f${n % 7}.ts`, `export function f${n}(): void {}\n`);
}

/** Fifty days in which a file of several folders changes twice a day, and now and then one is committed or marked. */
async function liveThrough(bench: SnapshotBench, repo: GitSandbox): Promise<readonly Snapshot[]> {
  const taken: Snapshot[] = [];
  for (let n = 0; n < 100; n++) {
    change(repo, n);
    const trigger = n % 10 === 0 ? 'commit' : n % 17 === 0 ? 'mark' : 'editor';
    if (trigger === 'commit') repo.commit(`change ${n}`);
    bench.clock.advance(n % 2 === 0 ? 23.9 * HOUR : 0.1 * HOUR);
    const active = `src/part-${n % 5}/f${n % 7}.ts`;
    taken.push((await bench.take(repo.root, { trigger, editor: { active, open: [active] } })).snapshot);
  }
  return taken;
}

/** The fifty days, lived through once. Each test goes on in a copy of the data; the repository is everybody's. */
const fiftyDays = {
  root: realpathSync(mkdtempSync(join(tmpdir(), 'pa-fifty-days-'))),
  taken: [] as readonly Snapshot[],
  now: 0,
};
const repo = GitSandbox.init(join(fiftyDays.root, 'app'));

beforeAll(async () => {
  repo.write('package.json', '{}').commit('first');
  const store = await openStore({ folder: join(fiftyDays.root, 'data'), logger: silentLogger() });
  const bench = await SnapshotBench.open({ store, env: cleanGitEnv() });
  fiftyDays.taken = await liveThrough(bench, repo);
  fiftyDays.now = bench.clock.now();
  store.close();
});
afterAll(() => rmSync(fiftyDays.root, { recursive: true, force: true, maxRetries: 5 }));

/** The data folder after fifty days, for this test alone. */
function dataAfterFiftyDays(): string {
  const folder = join(tempDir(), 'data');
  cpSync(join(fiftyDays.root, 'data'), folder, { recursive: true });
  return folder;
}

async function benchOn(store: Store): Promise<SnapshotBench> {
  const bench = await SnapshotBench.open({ store });
  bench.clock.set(fiftyDays.now);
  return bench;
}

/** Every object in the database. */
function objectCount(store: Store): number {
  return store.objects.page(0, 1_000_000).length;
}

test('what is kept loses nothing, what nobody refers to is gone, and twice is once', async () => {
  const store = await fileStore(dataAfterFiftyDays());
  const bench = await benchOn(store);
  const { taken } = fiftyDays;
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

/** Removes all snapshots but the newest, and gives back their rows: then nothing leads to most of their parts. */
function forgetAllButNewest(store: Store, taken: readonly Snapshot[]): readonly SnapshotRow[] {
  const rows = taken.slice(0, -1).flatMap(({ id }) => store.snapshots.byId(id) ?? []);
  // A row puts its text together when it is asked for it.
  const kept = rows.map((row) => ({ ...row }));
  store.transaction(() => {
    for (const { n } of store.snapshots.ages(kept[0]?.workspace ?? '').slice(0, -1)) store.snapshots.remove(n);
  });
  return kept;
}

/** Appends what a snapshot says of its outlines. */
function note(log: EmbeddedLog, { id: snapshot, anchor, workspace, outlines }: Snapshot) {
  const ops = Object.entries(outlines).map(
    ([path, outline]) => ({ op: 'update_outline', workspace, path, outline }) as const,
  );
  const author = { agent: 'a', session: 's' };
  const at = '2026-11-30T12:00:00.000Z';
  return log.append({ schema: 'projectanchor.delta.v1', anchor, id: newId(), author, at, snapshot, ops });
}

test('deltas that repeat objects of thinned snapshots stay readable, and the chain whole', async () => {
  const store = await fileStore(dataAfterFiftyDays());
  const bench = await benchOn(store);
  const log = new EmbeddedLog({ store, clock: bench.clock, logger: silentLogger() });
  const { taken } = fiftyDays;
  const anchor = taken[0]?.anchor ?? '';
  for (const snapshot of taken.filter(({ outlines }) => Object.keys(outlines).length > 0)) await note(log, snapshot);
  const before = await log.read(anchor, 0, 500);
  expect(store.deltas.partsAfter(null, 500).keys.length).toBeGreaterThan(50);
  forgetAllButNewest(store, taken);
  expect((await thinOut(store, bench.clock.now())).objects).toBeGreaterThan(50);
  expect(await log.read(anchor, 0, 500)).toEqual(before);
  expect(await verifyLog(store, anchor)).toMatchObject({ ok: true, deltas: before.length });
  await log.close();
});

test('what is stored between the look and the removal is looked at in the very transaction', async () => {
  const folder = dataAfterFiftyDays();
  const store = await fileStore(folder);
  const other = await fileStore(folder);
  const bench = await benchOn(store);
  const log = new EmbeddedLog({ store: other, clock: bench.clock, logger: silentLogger() });
  const { taken } = fiftyDays;
  const [again, noted] = [taken[44] as Snapshot, taken[68] as Snapshot];
  const row = forgetAllButNewest(store, taken)[44] as SnapshotRow;
  let writes = 0;
  const sweeping = {
    snapshots: store.snapshots,
    objects: store.objects,
    deltas: store.deltas,
    async write<T>(work: () => T): Promise<T> {
      // Everything has been marked, nothing is removed yet.
      if (++writes === 1) {
        other.snapshots.insert(row);
        await note(log, noted);
      }
      return store.write(work);
    },
  };
  expect((await thinOut(sweeping as unknown as Store, bench.clock.now())).objects).toBeGreaterThan(50);
  expect(await bench.service.show(repo.root, again.id)).toEqual(again);
  expect(await bench.service.files(repo.root, again.id)).toHaveLength(again.files.count);
  expect(await verifyLog(store, again.anchor)).toMatchObject({ ok: true, deltas: 1 });
  store.checkIntegrity();
  await log.close();
});

test('what another process stores meanwhile, going back to what was thinned out, loses nothing', async () => {
  const folder = dataAfterFiftyDays();
  const bench = await benchOn(await fileStore(folder));
  const other = await SnapshotBench.open({ store: await fileStore(folder) });
  other.clock.set(bench.clock.now() + 41 * DAY);
  const back: Snapshot[] = [];
  /** The day whose snapshot goes and comes back as the n-th. */
  const dayOf = (n: number) => 10 * n + 4;
  /** The files are as they were on that day, and so are all their directories. */
  const goBack = async () => {
    const day = dayOf(back.length);
    const then = fiftyDays.taken[day] as Snapshot;
    repo.git('checkout', '--quiet', '--force', '--detach', then.git.head.commit as string);
    for (let n = 10 * back.length + 1; n <= day; n++) change(repo, n);
    const { snapshot } = await other.look(repo.root, 'src/part-0/f0.ts');
    expect(snapshot.files.tree).toBe(then.files.tree);
    back.push(snapshot);
  };
  // It comes in right before each transaction: what was looked at so far does not know of it.
  const raced: Store = Object.create(bench.store, {
    write: {
      value: async <T>(work: () => T) => {
        await goBack();
        return bench.store.write(work);
      },
    },
  });
  onTestFinished(() => void repo.git('checkout', '--quiet', '--force', 'main'));
  const { objects } = await thinOut(raced, bench.clock.now() + 41 * DAY);
  expect(objects).toBeGreaterThan(0);
  expect(back.length).toBeGreaterThan(1);
  const gone = back.map((_, n) => bench.store.snapshots.byId(fiftyDays.taken[dayOf(n)]?.id ?? ''));
  expect(gone).toEqual(back.map(() => undefined));
  for (const snapshot of back) {
    expect(await other.service.show(repo.root, snapshot.id)).toEqual(snapshot);
    expect(await other.service.files(repo.root, snapshot.id)).toHaveLength(snapshot.files.count);
  }
  other.store.checkIntegrity();
});

test('once a day per database, by whomever; a failure is said and tried again', async () => {
  const folder = join(tempDir(), 'data');
  const other = GitSandbox.init(join(tempDir(), 'app'));
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
  for (const size of [1, 2]) await bench.take(other.write('a.ts', ' '.repeat(size)).root);
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
