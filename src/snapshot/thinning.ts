import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Clock, type Disposable, type Logger, messageOf } from '../base/index.ts';
import type { PartsPlace, SnapshotAge, Store } from '../store/index.ts';
import { nodesIn, objectsOf } from './pack.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** All snapshots of so long are kept, then one an hour, then one a day. */
const ALL_FOR = 7 * DAY;
const HOURLY_FOR = 30 * DAY;

/** Snapshots and objects removed in one transaction: it takes a few ms, in which nobody else can write. */
const SNAPSHOTS_AT_ONCE = 20;
const OBJECTS_AT_ONCE = 100;
/** Rows read before others have a turn. */
const PAGE = 200;

/** Opening a window is busy enough; then whether a day has passed is looked at now and then. */
const FIRST_LOOK_MS = 60_000;
const LOOK_MS = HOUR;
/** Who thins and dies is followed by another one after this. */
const TRY_MS = HOUR;

/**
 * Which snapshots of one working tree may go. Kept are: the newest; all of the last 7 days; of each commit the newest one
 * that a commit or a hook caused; those of marks; and besides the last one of each hour up to 30 days, of each day before.
 * @param ages in the order in which they were stored
 * @param now wall time in ms
 * @returns their `n`
 */
export function surplus(ages: readonly SnapshotAge[], now: number): readonly number[] {
  const ofCommit = new Map<string, number>();
  const ofSpan = new Map<string, number>();
  for (const age of ages) {
    if (age.commit !== null && isOfCommit(age)) ofCommit.set(age.commit, age.n);
    ofSpan.set(spanOf(age, now), age.n);
  }
  const kept = new Set([...ofCommit.values(), ...ofSpan.values()]);
  const newest = ages.at(-1)?.n;
  return ages.flatMap(({ n, takenAt, trigger }) => {
    // A time that lies ahead, or is none, says nothing about the age.
    const recent = !(now - Date.parse(takenAt) > ALL_FOR);
    return recent || trigger === 'mark' || kept.has(n) || n === newest ? [] : [n];
  });
}

function isOfCommit({ trigger }: SnapshotAge): boolean {
  return trigger === 'commit' || trigger === 'hook';
}

/** The hour or day of which a snapshot may be the one that is kept. */
function spanOf({ takenAt }: SnapshotAge, now: number): string {
  const taken = Date.parse(takenAt);
  const length = now - taken > HOURLY_FOR ? DAY : HOUR;
  return now - taken > ALL_FOR ? `${length} ${Math.floor(taken / length)}` : 'recent';
}

export interface Thinned {
  readonly snapshots: number;
  readonly objects: number;
}

/**
 * Removes what the rules above let go, then every object that nothing refers to any more. Works in short transactions
 * with turns for others between them, and beside other processes that store snapshots meanwhile.
 */
export async function thinOut(store: Store, now: number): Promise<Thinned> {
  let snapshots = 0;
  for (const workspace of store.snapshots.workspaces()) {
    const numbers = surplus(store.snapshots.ages(workspace), now);
    for (let at = 0; at < numbers.length; at += SNAPSHOTS_AT_ONCE) {
      const batch = numbers.slice(at, at + SNAPSHOTS_AT_ONCE);
      await store.write(() => {
        for (const n of batch) store.snapshots.remove(n);
      });
      snapshots += batch.length;
      await nextTurn();
    }
  }
  return { snapshots, objects: await new Sweep(store).run() };
}

/**
 * Finds the objects that no snapshot and no delta leads to. What others store while it looks is looked at too, in the
 * very transaction that removes: nobody can begin to refer to an object in between.
 */
class Sweep {
  readonly #store: Store;
  readonly #keys = new Map<string, number>();
  readonly #reached = new Set<string>();
  readonly #kept = new Set<number>();
  #newestSnapshot = 0;
  #place: PartsPlace | null = null;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Returns how many it removed. */
  async run(): Promise<number> {
    await this.#readObjects();
    while ((await this.#readSnapshots()) || this.#readDeltas()) await nextTurn();
    // Later ones first: they are stored against earlier ones.
    const unused = [...this.#keys.values()].filter((key) => !this.#kept.has(key)).toReversed();
    let removed = 0;
    for (let at = 0; at < unused.length; at += OBJECTS_AT_ONCE) {
      removed += await this.#store.write(() => this.#remove(unused.slice(at, at + OBJECTS_AT_ONCE)));
      await nextTurn();
    }
    return removed;
  }

  #remove(keys: readonly number[]): number {
    this.#catchUp();
    const unused = keys.filter((key) => !this.#kept.has(key));
    for (const key of unused) this.#store.objects.remove(key);
    return unused.length;
  }

  /** What was stored since it was last looked at: a few rows, if any. */
  #catchUp(): void {
    for (const { n, json } of pages((after) => this.#store.snapshots.page(after, PAGE), this.#newestSnapshot)) {
      this.#newestSnapshot = n;
      for (const hash of objectsOf(json)) for (const _ of this.#reach(hash));
    }
    while (this.#readDeltas());
  }

  /** Objects that come later are in use. */
  async #readObjects(): Promise<void> {
    let newest = 0;
    for (;;) {
      const page = this.#store.objects.page(newest, PAGE);
      if (page.length === 0) return;
      for (const { key, hash } of page) {
        this.#keys.set(hash, key);
        newest = key;
      }
      await nextTurn();
    }
  }

  async #readSnapshots(): Promise<boolean> {
    const page = this.#store.snapshots.page(this.#newestSnapshot, PAGE);
    for (const { n, json } of page) {
      this.#newestSnapshot = n;
      let steps = 0;
      for (const hash of objectsOf(json)) {
        for (const _ of this.#reach(hash)) if (++steps % PAGE === 0) await nextTurn();
      }
    }
    return page.length > 0;
  }

  #readDeltas(): boolean {
    const { keys, place } = this.#store.deltas.partsAfter(this.#place, PAGE);
    for (const key of keys) this.#kept.add(key);
    if (place === null) return false;
    this.#place = place;
    return true;
  }

  /** Keeps an object and whatever is below it, a step at a time. */
  *#reach(hash: string): Generator<void> {
    const open = [hash];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (this.#reached.has(next)) continue;
      this.#reached.add(next);
      const found = this.#store.objects.get(next);
      if (found === undefined) continue;
      const key = this.#keys.get(next);
      if (key !== undefined) this.#kept.add(key);
      if (found.kind === 'node') open.push(...nodesIn(found.json));
      yield;
    }
  }
}

function* pages<T extends { readonly n: number }>(read: (after: number) => readonly T[], from: number): Generator<T> {
  let after = from;
  for (let page = read(after); page.length > 0; page = read(after)) {
    yield* page;
    after = page.at(-1)?.n ?? after;
  }
}

export interface ThinningParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Thins a database out unless that was done within a day, by whomever. A failure is logged: it waits for the next time. */
export async function thinDaily({ store, clock, logger }: ThinningParts): Promise<void> {
  const now = clock.now();
  const owner = randomUUID();
  const wish = { owner, pid: process.pid, processStart: '', url: '', expires: now + TRY_MS };
  try {
    // Somebody's clock was ahead.
    const mistaken = ({ expires }: { readonly expires: number }) => expires > now + DAY;
    if (store.lease.tryAcquire('thinning', wish, now, mistaken).owner !== owner) return;
    const { snapshots, objects } = await thinOut(store, now);
    store.lease.renew('thinning', owner, now + DAY);
    if (snapshots + objects > 0) logger.debug(`thinned out ${snapshots} snapshots and ${objects} parts of them`);
  } catch (error) {
    if (!store.closed) logger.warn(`Old snapshots were not thinned out: ${messageOf(error)}`);
  }
}

/** Has a database thinned out every day for as long as it is not disposed; never soon after the start. */
export function keepThin(parts: ThinningParts): Disposable {
  let timer = parts.clock.timeout(FIRST_LOOK_MS, look);
  let disposed = false;
  function look(): void {
    void thinDaily(parts).then(() => {
      if (!disposed) timer = parts.clock.timeout(LOOK_MS, look);
    });
  }
  return {
    dispose() {
      disposed = true;
      timer.dispose();
    },
  };
}
