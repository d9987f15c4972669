import { existsSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { codeOf, silentLogger, systemClock } from '../../../src/base/index.ts';
import {
  createLogService,
  type DeltaBatch,
  hubFile,
  type LogService,
  type LogServiceOptions,
} from '../../../src/delta/index.ts';
import { openStore } from '../../../src/store/index.ts';
import { tagOp, testAnchor } from '../../support/deltas.ts';
import { participants } from '../../support/log-participant.ts';
import { receiptDraft } from '../../support/receipts.ts';
import { tempDir } from '../../support/temp.ts';
import { waitFor } from '../../support/wait.ts';

const participant = await participants();
const anchor = testAnchor();
const me = { agent: 'test', session: 's1' };
const mark = (n: number) => tagOp(`src/${n}.ts`, 'note', `${n}`);

async function opened(folder: string, options: Partial<LogServiceOptions> = {}): Promise<LogService> {
  const defaults = { folder, who: me, hub: 'none', onUnusable: 'throw', clock: systemClock() } as const;
  const service = await createLogService({ ...defaults, logger: silentLogger(), ...options });
  onTestFinished(() => service.dispose());
  return service;
}

async function becomes(service: LogService, kind: string): Promise<void> {
  await waitFor(async () => (await service.hubStatus()).kind === kind, { timeoutMs: 20_000, what: kind });
}

function seqsOf(service: LogService): () => number[] {
  const batches: DeltaBatch[] = [];
  service.onDeltas((batch) => batches.push(batch));
  return () => batches.flatMap(({ items }) => items.map(({ seq }) => seq));
}

/** What makes a folder's database unusable. */
const UNUSABLE: readonly (readonly [string, string, (folder: string) => Promise<void>])[] = [
  [
    'newer',
    'database_newer',
    async (folder) => {
      (await openStore({ folder, logger: silentLogger() })).close();
      const { DatabaseSync } = await import('node:sqlite');
      const database = new DatabaseSync(join(folder, 'project-anchor.db'));
      database.exec('PRAGMA user_version = 99');
      database.close();
    },
  ],
  [
    'damaged',
    'database_corrupt',
    async (folder) => writeFileSync(join(folder, 'project-anchor.db'), 'no database at all '.repeat(300)),
  ],
];

describe('without a usable database', () => {
  test.each(UNUSABLE)('(%s) an editor works in memory and says why', async (_what, _code, spoil) => {
    const folder = tempDir();
    await spoil(folder);
    const service = await opened(folder, { onUnusable: 'memory', hub: 'compete' });
    await service.open(anchor);
    const ack = await service.author(anchor.id, me, [mark(1)], { byHand: true });
    expect(await service.state(anchor.id)).toMatchObject({ seq: 1, hash: ack.hash });
    const receipt = await service.appendReceipt(receiptDraft({ anchor: anchor.id }));
    expect(await service.receipts(anchor.id, 1)).toEqual([receipt]);
    const status = await service.hubStatus();
    expect(status.kind).toBe('memory');
    expect(status.reason).toMatch(/untouched|nothing in it was changed/);
    expect(status.reason).toContain('marks last only as long as this window');
    expect(existsSync(hubFile(folder))).toBe(false);
  });

  test.each(UNUSABLE)('(%s) a command fails and says why', async (_what, code, spoil) => {
    const folder = tempDir();
    await spoil(folder);
    expect(codeOf(await opened(folder).catch((error: unknown) => error))).toBe(code);
  });

  test('(no SQLite in the runtime) an editor works in memory all the same', async () => {
    const options = { onUnusable: 'memory', nodeOptions: '--no-experimental-sqlite' } as const;
    const window = participant(tempDir(), 'compete', 'window', options);
    await window.open(anchor);
    expect((await window.mark(anchor, mark(1))).seq).toBe(1);
    await window.is('memory');
    expect(window.status.reason).toContain('has no SQLite');
  });
});

describe('a hub elsewhere', () => {
  test.each(['wss://hub.example/v1', 'ws://192.168.1.2:99/v1', 'ws://127.0.0.1:1/v2'])(
    'is refused in one sentence, and the log works: %s',
    async (hubUrl) => {
      const folder = tempDir();
      const service = await opened(folder, { hub: 'compete', hubUrl });
      await service.open(anchor);
      expect((await service.author(anchor.id, me, [mark(1)], { byHand: true })).seq).toBe(1);
      const status = await service.hubStatus();
      expect(status.kind).toBe('refused');
      expect(status.reason).toContain(hubUrl);
      expect(status.reason).toContain('Leave the setting empty.');
      expect(existsSync(hubFile(folder))).toBe(false);
    },
  );

  test('on this machine but of another folder is refused too; the own one is not', async () => {
    const folder = tempDir();
    const holder = await opened(folder, { hub: 'compete', who: { agent: 'test', session: 'holder' } });
    await becomes(holder, 'hub');
    const { url = '' } = await holder.hubStatus();
    const foreign = await opened(folder, { hub: 'client', hubUrl: 'ws://127.0.0.1:1/v1' });
    await becomes(foreign, 'refused');
    const own = await opened(folder, { hub: 'compete', hubUrl: url });
    await becomes(own, 'connected');
  });

  test('may not be made: a host off this machine does not start', async () => {
    const failed = await opened(tempDir(), { hub: 'compete', hubHost: '0.0.0.0' }).catch((error: unknown) => error);
    expect(codeOf(failed)).toBe('hub_host');
  });
});

describe('a hub that cannot start', () => {
  test('because its port is taken says so, and the log works', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    onTestFinished(() => void other.close());
    const { port } = other.address() as AddressInfo;
    const service = await opened(tempDir(), { hub: 'compete', hubPort: port });
    await service.open(anchor);
    await waitFor(async () => (await service.hubStatus()).reason, { timeoutMs: 10_000, what: 'a reason' });
    expect((await service.hubStatus()).reason).toContain(`Port ${port} of 127.0.0.1 is in use`);
    expect((await service.author(anchor.id, me, [mark(1)], { byHand: true })).seq).toBe(1);
  });
});

describe('services on one folder', () => {
  test('without any hub hear of each other all the same', async () => {
    const folder = tempDir();
    const one = await opened(folder);
    const two = await opened(folder, { who: { agent: 'test', session: 's2' } });
    await Promise.all([one.open(anchor), two.open(anchor)]);
    const seqs = seqsOf(two);
    await one.author(anchor.id, me, [mark(1)], { byHand: true });
    await waitFor(async () => seqs().length === 1, { timeoutMs: 10_000, what: 'the mark' });
  });

  test('hear of an import, in this process and in others', async () => {
    const source = await opened(tempDir());
    await source.open(anchor);
    for (let n = 1; n <= 3; n++) await source.author(anchor.id, me, [mark(n)], { byHand: true });
    const lines: string[] = [];
    for await (const line of source.exportLines(anchor.id)) lines.push(line);
    async function* read(): AsyncGenerator<string> {
      yield* lines;
    }
    const alone = await opened(tempDir());
    await alone.open(anchor);
    const own = seqsOf(alone);
    await alone.importLines(read());
    await waitFor(async () => own().length === 3, { timeoutMs: 10_000, what: 'the own import' });
    const folder = tempDir();
    const holder = await opened(folder, { hub: 'compete', who: { agent: 'test', session: 'holder' } });
    const client = await opened(folder, { hub: 'client', who: { agent: 'test', session: 'client' } });
    await Promise.all([holder.open(anchor), client.open(anchor)]);
    await becomes(client, 'connected');
    const heard = [seqsOf(holder), seqsOf(client)];
    expect(await client.importLines(read())).toMatchObject({ seq: 3, added: 3 });
    for (const seqs of heard) {
      await waitFor(async () => seqs().length === 3, { timeoutMs: 10_000, what: 'the import' });
      expect(seqs()).toEqual([1, 2, 3]);
    }
  });

  test('leave a store open that was given to them', async () => {
    const folder = tempDir();
    const store = await openStore({ folder, logger: silentLogger() });
    const service = await opened(folder, { store });
    await service.open(anchor);
    await service.dispose();
    expect(store.closed).toBe(false);
    store.close();
  });
});
