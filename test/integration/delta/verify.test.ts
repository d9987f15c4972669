import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { canonical, silentLogger, systemClock } from '../../../src/base/index.ts';
import {
  apply,
  type Delta,
  deltaHash,
  EmbeddedLog,
  emptyState,
  genesis,
  type Op,
  ReceiptLog,
  sealDelta,
  stateHash,
  type VerifyReport,
  verifyLog,
} from '../../../src/delta/index.ts';
import { toRow } from '../../../src/delta/rows.ts';
import { DATABASE_NAME, openStore, type Store } from '../../../src/store/index.ts';
import { ANCHOR, draftOf } from '../../support/arbitraries/delta.ts';
import { receiptDraft } from '../../support/receipts.ts';
import { tempDir } from '../../support/temp.ts';

const AT = '2026-11-30T12:00:00.000Z';
const tag = (value: string): Op => ({
  op: 'add_tag',
  target: 'a.ts',
  key: 'k',
  value,
  by: 'user',
  at: AT,
  source: 'user',
});

interface Project {
  readonly folder: string;
  readonly deltas: readonly Delta[];
}

/** Ten deltas and three receipts in a real file, closed. */
async function project(length = 10): Promise<Project> {
  const folder = tempDir();
  const store = await open(folder);
  const log = new EmbeddedLog({ store, clock: systemClock(), logger: silentLogger() });
  const receipts = new ReceiptLog({ store, clock: systemClock(), self: { pid: 1, processStart: 's' } });
  for (let n = 1; n <= length; n++) await log.append(draftOf([tag(`v${n}`)]));
  for (let n = 0; n < 3; n++) await receipts.append(receiptDraft({ head: await log.head(ANCHOR) }));
  const deltas = await log.read(ANCHOR, 0, 500);
  await log.close();
  store.close();
  return { folder, deltas };
}

async function open(folder: string): Promise<Store> {
  const store = await openStore({ folder, logger: silentLogger() });
  onTestFinished(() => store.close());
  return store;
}

/** The same with one bit of it changed. */
function flipped<T extends Uint8Array | string>(original: T, at: number): Uint8Array | string {
  if (typeof original !== 'string') return original.map((byte, index) => (index === at ? byte ^ 1 : byte));
  return original.slice(0, at) + String.fromCharCode(original.charCodeAt(at) ^ 1) + original.slice(at + 1);
}

/** What somebody with a database tool does to the file. */
function tamper(folder: string, sql: string, ...values: (string | number)[]): void {
  const database = new DatabaseSync(join(folder, DATABASE_NAME));
  try {
    expect(Number(database.prepare(sql).run(...values).changes)).toBeGreaterThan(0);
  } finally {
    database.close();
  }
}

async function verify(folder: string): Promise<VerifyReport> {
  const store = await open(folder);
  return await verifyLog(store, ANCHOR);
}

test('a whole log passes, with its receipts', async () => {
  const { folder, deltas } = await project();
  const last = deltas.at(-1) as Delta;
  expect(await verify(folder)).toEqual({
    ok: true,
    base: 0,
    deltas: 10,
    head: { seq: 10, hash: last.hash },
    pending: 0,
    receipts: 3,
  });
});

test('a project without deltas passes at genesis', async () => {
  expect(await verify(tempDir())).toEqual({
    ok: true,
    base: 0,
    deltas: 0,
    head: genesis(ANCHOR),
    pending: 0,
    receipts: 0,
  });
});

describe('every change of the file is found, at its seq', () => {
  test('one byte of a body', async () => {
    const { folder } = await project();
    tamper(folder, `UPDATE deltas SET body = replace(body, '"v4"', '"v5"') WHERE seq = 4`);
    expect(await verify(folder)).toMatchObject({ ok: false, firstBad: 4, deltas: 3, head: { seq: 3 } });
  });

  test('any byte of any delta, one after the other', async () => {
    const { folder } = await project(3);
    const database = new DatabaseSync(join(folder, DATABASE_NAME));
    onTestFinished(() => database.close());
    const store = await open(folder);
    for (const column of ['id', 'hash', 'prev', 'body']) {
      const original = database.prepare(`SELECT ${column} FROM deltas WHERE seq = 2`).get()?.[column] as
        | Uint8Array
        | string;
      for (let at = 0; at < original.length; at += column === 'body' ? 7 : 5) {
        const changed = flipped(original, at);
        database.prepare(`UPDATE deltas SET ${column} = ? WHERE seq = 2`).run(changed);
        expect(await verifyLog(store, ANCHOR), `${column} at ${at}: ${String(changed)}`).toMatchObject({
          ok: false,
          firstBad: 2,
        });
      }
      database.prepare(`UPDATE deltas SET ${column} = ? WHERE seq = 2`).run(original);
    }
    expect(await verifyLog(store, ANCHOR)).toMatchObject({ ok: true });
  });

  test('a removed row', async () => {
    const { folder } = await project();
    tamper(folder, 'DELETE FROM deltas WHERE seq = 6');
    expect(await verify(folder)).toMatchObject({ ok: false, firstBad: 6, reason: 'delta 6 is missing' });
  });

  test('a removed row, the others moved up', async () => {
    const { folder } = await project();
    tamper(folder, 'DELETE FROM deltas WHERE seq = 6');
    for (let seq = 7; seq <= 10; seq++) tamper(folder, 'UPDATE deltas SET seq = ? WHERE seq = ?', seq - 1, seq);
    expect(await verify(folder)).toMatchObject({ ok: false, firstBad: 6 });
  });

  test('the first row removed', async () => {
    const { folder } = await project();
    tamper(folder, 'DELETE FROM deltas WHERE seq = 1');
    expect(await verify(folder)).toMatchObject({ ok: false, firstBad: 1, deltas: 0 });
  });

  test('a swapped pair', async () => {
    const { folder } = await project();
    for (const [from, to] of [
      [3, 100],
      [4, 3],
      [100, 4],
    ] as const) {
      tamper(folder, 'UPDATE deltas SET seq = ? WHERE seq = ?', to, from);
    }
    expect(await verify(folder)).toMatchObject({ ok: false, firstBad: 3 });
  });

  test('an operation edited and its hash made anew: the next link tells', async () => {
    const { folder, deltas } = await project();
    const edited = { ...(deltas[4] as Delta), ops: [tag('forged')] };
    const row = toRow({ ...edited, hash: deltaHash(edited) });
    tamper(folder, 'UPDATE deltas SET body = ?, hash = ? WHERE seq = 5', row.body, row.hash);
    expect(await verify(folder)).toMatchObject({ ok: false, firstBad: 6, head: { seq: 5 } });
  });

  test('all made anew from there on: the receipts saw another log', async () => {
    const { folder, deltas } = await project();
    let head = deltas[3] as Delta;
    for (const delta of deltas.slice(4)) {
      const { seq: _, prev: __, hash: ___, ...draft } = delta;
      head = sealDelta({ ...draft, ops: [tag('forged')] }, head);
      const row = toRow(head);
      tamper(
        folder,
        'UPDATE deltas SET body = ?, hash = ?, prev = ? WHERE seq = ?',
        row.body,
        row.hash,
        row.prev,
        row.seq,
      );
    }
    expect(await verify(folder)).toMatchObject({
      ok: false,
      reason: expect.stringContaining('receipt 1 saw another delta 10'),
    });
  });

  test('the newest rows removed: the receipts saw more, and only a peer may have it', async () => {
    const { folder } = await project();
    tamper(folder, 'DELETE FROM deltas WHERE seq > 8');
    expect(await verify(folder)).toMatchObject({ ok: false, firstBad: 9, need: 'peer', head: { seq: 8 } });
  });

  test('the newest rows removed, without receipts: the kept state saw more', async () => {
    const { folder } = await project(120);
    const store = await open(folder);
    await new EmbeddedLog({ store, clock: systemClock(), logger: silentLogger() }).state(ANCHOR);
    store.close();
    tamper(folder, 'DELETE FROM receipts');
    tamper(folder, 'DELETE FROM deltas WHERE seq > 110');
    expect(await verify(folder)).toMatchObject({ ok: false, firstBad: 111, need: 'peer' });
  });
});

describe('checkpoints', () => {
  /** A chain whose third delta claims the state after the second. */
  async function withClaim(claim: (state: string) => string): Promise<string> {
    const folder = tempDir();
    const store = await open(folder);
    const first = sealDelta(draftOf([tag('one')]), genesis(ANCHOR));
    const second = sealDelta(draftOf([tag('two')]), first);
    const state = stateHash([first, second].reduce((made, delta) => apply(made, delta), emptyState(ANCHOR)));
    const third = sealDelta(draftOf([{ op: 'checkpoint', seq: 2, stateHash: claim(state) }]), second);
    const fourth = sealDelta(draftOf([tag('three')]), third);
    for (const delta of [first, second, third, fourth]) store.deltas.insert(ANCHOR, toRow(delta));
    store.close();
    return folder;
  }

  test('that names the state the deltas make passes', async () => {
    expect(await verify(await withClaim((state) => state))).toMatchObject({ ok: true, deltas: 4 });
  });

  test('that names another state is the first bad one', async () => {
    const report = await verify(await withClaim(() => 'f'.repeat(64)));
    expect(report).toMatchObject({
      ok: false,
      firstBad: 3,
      deltas: 4,
      reason: expect.stringContaining('delta 3 announces'),
    });
  });
});

test('a cached state that the deltas do not make is found and dropped', async () => {
  const { folder } = await project();
  const store = await open(folder);
  const { seq, hash } = store.deltas.head(ANCHOR) ?? genesis(ANCHOR);
  store.states.put(ANCHOR, { seq, hash, json: canonical(apply(emptyState(ANCHOR), [tag('forged')])) });
  expect(await verifyLog(store, ANCHOR)).toMatchObject({
    ok: false,
    firstBad: 10,
    reason: expect.stringContaining('dropped'),
  });
  expect(await verifyLog(store, ANCHOR)).toMatchObject({ ok: true });
});

test('a log that a newer version wrote is whole, and says what it cannot tell', async () => {
  const { folder, deltas } = await project();
  const store = await open(folder);
  const next = sealDelta(draftOf([{ op: 'teleport' } as unknown as Op]), deltas.at(-1) as Delta);
  store.deltas.insert(ANCHOR, toRow(next));
  expect(await verifyLog(store, ANCHOR)).toMatchObject({
    ok: true,
    deltas: 11,
    reason: expect.stringContaining('newer version'),
  });
});

describe('receipts', () => {
  test.each<readonly [string, string, string]>([
    [
      'an edited one',
      `UPDATE receipts SET body = replace(body, '"tokens":7', '"tokens":8') WHERE n = 2`,
      'receipt 2 does not have the hash',
    ],
    ['a removed one', 'DELETE FROM receipts WHERE n = 2', 'receipt 2 is missing'],
    ['one that is no JSON', `UPDATE receipts SET body = 'x' || body WHERE n = 3`, 'receipt 3 cannot be read'],
    ['one with another prev', `UPDATE receipts SET prev = hash WHERE n = 1`, 'receipt 1 does not follow'],
  ])('%s is found', async (_, sql, reason) => {
    const { folder } = await project();
    tamper(folder, sql);
    expect(await verify(folder)).toMatchObject({ ok: false, deltas: 10, reason: expect.stringContaining(reason) });
  });
});
