import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import { describe, expect, onTestFinished, test } from 'vitest';
import { silentLogger, systemClock } from '../../../src/base/index.ts';
import { type Ack, EmbeddedLog, type Op, verifyLog } from '../../../src/delta/index.ts';
import { DATABASE_NAME, openStore, type Store } from '../../../src/store/index.ts';
import { ANCHOR, draftOf } from '../../support/arbitraries/delta.ts';
import { StoreWriter } from '../../support/store-writer.ts';
import { tempDir } from '../../support/temp.ts';
import { waitFor } from '../../support/wait.ts';

async function open(folder: string): Promise<Store> {
  const store = await openStore({ folder, logger: silentLogger() });
  onTestFinished(() => store.close());
  return store;
}

const mark: Op = { op: 'add_focus', target: 'a.ts', by: 'user', at: '2026-11-30T12:00:00.000Z' };

function acksOf(lines: readonly string[]): readonly Ack[] {
  return lines.map((line) => JSON.parse(line) as Ack);
}

describe('several processes', () => {
  test('write at once into a database that none of them found: one whole chain, each delta once', async () => {
    const folder = join(tempDir(), 'data');
    const shared = uuidv7();
    const writers = [1, 2, 3, 4].map(() => new StoreWriter(folder, ['append', '40', shared]));
    const acks = acksOf((await Promise.all(writers.map((writer) => writer.finish()))).flat());
    expect(acks).toHaveLength(4 * 41);
    const sharedAcks = acks.filter((ack) => ack.id === shared);
    expect(new Set(sharedAcks.map((ack) => ack.seq)).size).toBe(1);
    expect(new Set(acks.map((ack) => ack.seq)).size).toBe(161);
    const store = await open(folder);
    expect(await verifyLog(store, ANCHOR)).toMatchObject({ ok: true, deltas: 161 });
    for (const ack of acks) expect(store.deltas.byId(ANCHOR, ack.id)).toEqual({ seq: ack.seq, hash: ack.hash });
  });

  test('agree on whose anchor a directory has: the first attach wins', async () => {
    const folder = tempDir();
    (await open(folder)).close();
    const writers = ['a', 'b', 'c'].map((name) => new StoreWriter(folder, ['attach', name]));
    const [first = [], ...others] = await Promise.all(writers.map((writer) => writer.finish()));
    expect(first).toHaveLength(40);
    for (const other of others) expect(other).toEqual(first);
    const store = await open(folder);
    expect(store.anchors.list()).toHaveLength(40);
  });

  test('hear of each other’s deltas', async () => {
    const folder = tempDir();
    const log = new EmbeddedLog({ store: await open(folder), clock: systemClock(), logger: silentLogger() });
    const heard: string[] = [];
    log.onAppended((anchor) => heard.push(anchor));
    log.lookForOthers();
    expect(heard).toEqual([]);
    await new StoreWriter(folder, ['append', '3']).finish();
    log.lookForOthers();
    expect(heard).toEqual([ANCHOR]);
    log.lookForOthers();
    expect(heard).toEqual([ANCHOR]);
    expect((await log.state(ANCHOR)).seq).toBe(3);
    await log.append(draftOf([mark]));
    expect(heard).toEqual([ANCHOR, ANCHOR]);
  });

  test('get one and the same machine id and agent tag when all ask first', async () => {
    const folder = join(tempDir(), 'data');
    const writers = Array.from({ length: 6 }, () => new StoreWriter(folder, ['machine']));
    const lines = (await Promise.all(writers.map((writer) => writer.finish()))).flat();
    expect(lines).toHaveLength(6);
    expect(new Set(lines).size).toBe(1);
    expect(lines[0]).toMatch(/^[0-9a-f]{32} [0-9a-f]{4}$/);
    expect(readdirSync(folder).sort()).toEqual(['agent-tag', 'machine']);
    expect(statSync(join(folder, 'machine')).mode & 0o777).toBe(0o600);
  });

  test('do not lose their locks to another connection of this process that comes and goes', async () => {
    const folder = tempDir();
    const first = await open(folder);
    first.objects.put('kept', 'node', '{}');
    (await open(folder)).close();
    // The last one to close removes the -wal file. Were the first one's locks gone, the other process would be the last.
    expect(await new StoreWriter(folder, ['open']).finish()).toEqual(['open']);
    expect(existsSync(join(folder, `${DATABASE_NAME}-wal`))).toBe(true);
    first.objects.put('later', 'node', '{}');
    expect((await open(folder)).objects.has('later')).toBe(true);
  });
});

describe('kill -9', () => {
  test('while writing loses nothing that was acknowledged, time after time', async () => {
    const folder = tempDir();
    const acked: Ack[] = [];
    for (let round = 1; round <= 6; round++) {
      const writer = new StoreWriter(folder, ['forever']);
      await waitFor(() => writer.lines.length >= 5 * round, { timeoutMs: 20_000, intervalMs: 1, what: 'acks' });
      await writer.kill();
      acked.push(...acksOf(writer.lines.filter((line) => line.endsWith('}'))));
      const store = await open(folder);
      const report = await verifyLog(store, ANCHOR);
      expect(report).toMatchObject({ ok: true });
      expect(report.deltas).toBeGreaterThanOrEqual(acked.length);
      for (const ack of acked) expect(store.deltas.byId(ANCHOR, ack.id)).toEqual({ seq: ack.seq, hash: ack.hash });
      store.checkIntegrity();
      store.close();
    }
    expect(acked.length).toBeGreaterThan(100);
  });
});
