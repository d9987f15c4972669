import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BroadcastChannel } from 'node:worker_threads';
import { describe, expect, onTestFinished, test } from 'vitest';
import { codeOf, type Logger, silentLogger, systemClock } from '../../../src/base/index.ts';
import {
  connectLogWorker,
  createLogService,
  type DeltaBatch,
  type HubStatus,
  type LogService,
  type LogWorkerOptions,
} from '../../../src/delta/index.ts';
import { bundledProgram } from '../../support/bundled-program.ts';
import { tagOp, testAnchor } from '../../support/deltas.ts';
import { receiptDraft } from '../../support/receipts.ts';
import { takenOf } from '../../support/taken.ts';
import { tempDir } from '../../support/temp.ts';
import { waitFor } from '../../support/wait.ts';

const file = await bundledProgram(join(import.meta.dirname, '../../../src/delta/worker.ts'));
const crashing = await bundledProgram(join(import.meta.dirname, '../../support/programs/crashing-log-worker.ts'));
const anchor = testAnchor();
const me = { agent: 'vscode-1a2b', session: 's1' };
const mark = (n: number) => tagOp(`src/${n}.ts`, 'note', `${n}`);
const until = (what: string, probe: () => boolean) =>
  waitFor(async () => probe() || undefined, { timeoutMs: 20_000, intervalMs: 5, what });

/** A service in a worker, what it logs and tells, and a way to end its thread. */
function working(options: Partial<LogWorkerOptions> = {}) {
  const name = randomUUID();
  process.env['PA_TEST_CHANNEL'] = name;
  const errors: string[] = [];
  const logger: Logger = { ...silentLogger(), error: (line) => errors.push(line) };
  const folder = options.folder ?? tempDir();
  const service = connectLogWorker({ file: crashing, folder, who: me, hub: 'none', logger, ...options });
  onTestFinished(() => service.dispose());
  const batches: DeltaBatch[] = [];
  const statuses: HubStatus[] = [];
  service.onDeltas((batch) => batches.push(batch));
  service.onHubStatus((status) => statuses.push(status));
  const channel = new BroadcastChannel(name);
  channel.unref();
  onTestFinished(() => channel.close());
  const seqs = () => batches.flatMap(({ items }) => items.map(({ seq }) => seq));
  return { service, folder, errors, statuses, seqs, channel };
}

/** Another process's view of the same folder. */
async function beside(folder: string): Promise<LogService> {
  const options = { folder, who: { agent: 'other', session: 's2' }, hub: 'none', onUnusable: 'throw' } as const;
  const service = await createLogService({ ...options, clock: systemClock(), logger: silentLogger() });
  onTestFinished(() => service.dispose());
  return service;
}

async function collect(lines: AsyncIterable<string>): Promise<string[]> {
  const collected: string[] = [];
  for await (const line of lines) collected.push(line);
  return collected;
}

async function* each(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}

describe('the log service in a worker', () => {
  test('starts at the first call; asking how it stands is none', async () => {
    const { service } = working({ file: '/nowhere/log-worker.js' });
    expect(await service.hubStatus()).toEqual({ kind: 'alone', waiting: 0 });
    await expect(service.open(anchor)).rejects.toMatchObject({
      code: 'worker_crashed',
      message: expect.stringContaining('Try again'),
    });
  });

  test('does what the service does in process', async () => {
    const { service, seqs } = working({ file });
    const view = await service.open(anchor);
    expect(view.seq).toBe(0);
    const ack = await service.author(anchor.id, me, [mark(1)], { byHand: true });
    await until('its news', () => seqs().length === 1);
    const published = await service.publishSnapshot(
      anchor.id,
      me,
      takenOf(anchor, { trigger: 'manual', active: 'a.ts' }),
    );
    expect(published?.seq).toBe(2);
    expect(await service.deltas(anchor.id, 0, 1)).toMatchObject([{ id: ack.id, hash: ack.hash }]);
    const receipt = await service.appendReceipt(receiptDraft({ anchor: anchor.id }));
    expect(await service.receipts(anchor.id, 5)).toEqual([receipt]);
    expect(await service.verify(anchor.id)).toMatchObject({ ok: true, deltas: 2, receipts: 1 });
    expect(await service.state(anchor.id)).toMatchObject({ seq: 2, pending: 0 });
  });

  test('passes errors on with their code, words and remedy', async () => {
    const { service } = working({ file });
    const failed = await service
      .author(anchor.id, me, [tagOp('.env', 'note', 'x')], { byHand: true })
      .catch((error: unknown) => error);
    expect(codeOf(failed)).toBe('denied');
    expect(String(failed)).toContain('.env');
    const unknown = await collect(service.exportLines('nobody')).catch((error: unknown) => error);
    expect(codeOf(unknown)).toBe('unknown_anchor');
    expect(unknown).toMatchObject({ remedy: 'Take a snapshot first.' });
  });

  test('exports and imports in batches: another folder gets the same head', async () => {
    const one = working({ file });
    await one.service.open(anchor);
    for (let n = 0; n < 2; n++) {
      await Promise.all(
        Array.from({ length: 300 }, (_, m) =>
          one.service.author(anchor.id, { agent: `a${m}`, session: 's' }, [mark(n * 300 + m)], { byHand: true }),
        ),
      );
    }
    const lines = await collect(one.service.exportLines(anchor.id));
    expect(lines.length).toBeGreaterThan(600);
    const two = working({ file });
    const { seq, hash } = await one.service.state(anchor.id);
    expect(await two.service.importLines(each(lines))).toMatchObject({ anchor: anchor.id, seq, hash, added: seq });
    expect(await two.service.importLines(each(lines))).toMatchObject({ seq, added: 0 });
    await two.service.open(anchor);
    expect(await two.service.state(anchor.id)).toMatchObject({ seq, hash });
    // An export that nobody reads to its end keeps nothing open.
    for await (const line of one.service.exportLines(anchor.id)) if (line !== '') break;
  }, 120_000);

  test('imports nothing of what is wrong, or given up', async () => {
    const one = working({ file });
    await one.service.open(anchor);
    await one.service.author(anchor.id, me, [mark(1)], { byHand: true });
    const lines = await collect(one.service.exportLines(anchor.id));
    const two = working({ file });
    const wrong = two.service.importLines(each(lines.map((line) => line.replace('"note"', '"n0te"'))));
    await expect(wrong).rejects.toMatchObject({ code: 'invalid', message: expect.stringContaining('Line') });
    const cut = two.service.importLines(each(lines.slice(0, -1)));
    await expect(cut).rejects.toMatchObject({ code: 'invalid' });
    async function* broken(): AsyncGenerator<string> {
      yield* lines;
      throw new Error('the file cannot be read');
    }
    await expect(two.service.importLines(broken())).rejects.toThrow('the file cannot be read');
    expect(await two.service.state(anchor.id)).toMatchObject({ seq: 0 });
    expect(await two.service.importLines(each(lines))).toMatchObject({ added: 1 });
  });

  test('writes what waits before it ends', async () => {
    const { service, folder } = working({ file });
    const facts = service.author(anchor.id, me, [{ op: 'add_alias', id: 'x' }], { byHand: false });
    await service.hubStatus();
    await service.dispose();
    expect((await facts).seq).toBe(1);
    expect(await (await beside(folder)).state(anchor.id)).toMatchObject({ seq: 1 });
    await expect(service.state(anchor.id)).rejects.toMatchObject({ code: 'closed' });
  });

  test('says that it works in memory when there is no usable database', async () => {
    const folder = tempDir();
    writeFileSync(join(folder, 'project-anchor.db'), 'not a database, but longer than a header'.repeat(100));
    const { service } = working({ file, folder, hub: 'compete' });
    await service.open(anchor);
    await service.author(anchor.id, me, [mark(1)], { byHand: true });
    expect(await service.hubStatus()).toMatchObject({ kind: 'memory', reason: expect.stringContaining('damaged') });
  });
});

describe('a log worker that crashes', () => {
  test.each(['exit', 'throw'])('by %s is started again; the anchors go on without a gap', async (how) => {
    const { service, folder, seqs, channel, errors, statuses } = working();
    await service.open(anchor);
    await service.author(anchor.id, me, [mark(1)], { byHand: true });
    await until('its news', () => seqs().length === 1);
    channel.postMessage(how);
    await until('a word in the log', () => errors.length > 0);
    expect(errors[0]).toContain('is started again');
    expect(statuses.at(-1)?.reason).toContain('started again');
    const other = await beside(folder);
    for (let n = 2; n <= 5; n++) await other.author(anchor.id, me, [mark(n)], { byHand: true });
    await until('news without a call', () => seqs().length === 5);
    await service.author(anchor.id, me, [mark(6)], { byHand: true });
    await until('its own', () => seqs().length === 6);
    expect(seqs()).toEqual([1, 2, 3, 4, 5, 6]);
    expect(await service.state(anchor.id)).toMatchObject({ seq: 6 });
  });

  test('under a mark that it had stored gives its ack, and the log has it once', async () => {
    const { service, channel, seqs } = working();
    await service.open(anchor);
    const armed = once(channel as never, 'message');
    channel.ref();
    channel.postMessage('exit-before-answer');
    await armed;
    channel.unref();
    const ack = await service.author(anchor.id, me, [mark(1)], { byHand: true });
    expect(ack.seq).toBe(1);
    expect(await service.deltas(anchor.id, 0, 10)).toHaveLength(1);
    await until('its news', () => seqs().length === 1);
  });

  test('under marks, stored or not, ends with each of them in the log once', async () => {
    const { service, channel } = working();
    await service.open(anchor);
    const marked = Array.from({ length: 20 }, (_, n) => service.author(anchor.id, me, [mark(n)], { byHand: true }));
    channel.postMessage('exit');
    const acks = await Promise.all(marked);
    const log = await service.deltas(anchor.id, 0, 100);
    expect(log.map(({ id }) => id).sort()).toEqual(acks.map(({ id }) => id).sort());
    expect(log).toHaveLength(20);
  });

  test('twice under one call is a sentence', async () => {
    const { service } = working({ file: join(tempDir(), 'missing.js') });
    const failed = await service.state(anchor.id).catch((error: unknown) => error);
    expect(codeOf(failed)).toBe('worker_crashed');
    expect(String(failed)).toMatch(/what it had stored is kept\. Try again/);
  });
});
