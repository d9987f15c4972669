import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { canonical, type Logger, silentLogger, systemClock } from '../../../src/base/index.ts';
import {
  type Delta,
  EmbeddedLog,
  exportLines,
  importLines,
  type Op,
  ReceiptLog,
  sealDelta,
  verifyLog,
} from '../../../src/delta/index.ts';
import { toRow } from '../../../src/delta/rows.ts';
import { createSnapshotService } from '../../../src/snapshot/index.ts';
import { machineId, openStore, type Store } from '../../../src/store/index.ts';
import { draftOf } from '../../support/arbitraries/delta.ts';
import { GitSandbox } from '../../support/git-repo.ts';
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

async function open(folder: string): Promise<Store> {
  const store = await openStore({ folder, logger: silentLogger() });
  onTestFinished(() => store.close());
  return store;
}

async function* linesOf(lines: Iterable<string>): AsyncGenerator<string> {
  yield* lines;
}

function exported(store: Store, anchor: string): string[] {
  return [...exportLines(store, anchor)];
}

interface Project {
  readonly repo: string;
  readonly store: Store;
  readonly folder: string;
  readonly anchor: string;
  readonly log: EmbeddedLog;
}

/** A real repository with two snapshots, some deltas and some receipts. */
async function project(deltas = 5): Promise<Project> {
  const repo = GitSandbox.init(join(tempDir(), 'repo'));
  repo.write('src/a.ts', 'export function one(): void {}\n').write('docs/b.md', '# b\n').commit('first');
  repo.git('remote', 'add', 'origin', 'https://example.org/team/shop.git');
  const folder = tempDir();
  const store = await open(folder);
  const service = snapshotsOf(store, folder);
  const { anchor } = await service.identify(repo.root);
  const take = async () => {
    const editor = { active: 'src/a.ts', open: ['src/a.ts'] };
    return await service.take({ folder: repo.root, trigger: 'manual', editor, marks: { tags: {}, focus: {} } });
  };
  await take();
  repo.write('src/deep/c.ts', 'export const two = 2;\n').commit('second');
  await take();
  const log = new EmbeddedLog({ store, clock: systemClock(), logger: silentLogger() });
  const receipts = new ReceiptLog({ store, clock: systemClock(), self: { pid: 1, processStart: 's' } });
  for (let n = 1; n <= deltas; n++) await log.append(draftOf([tag(`v${n}`)], { anchor: anchor.id }));
  for (let n = 1; n <= 3; n++)
    await receipts.append(receiptDraft({ anchor: anchor.id, head: await log.head(anchor.id) }));
  store.anchors.addAlias(anchor.id, 'an older id');
  return { repo: repo.root, store, folder, anchor: anchor.id, log };
}

function snapshotsOf(store: Store, folder: string) {
  const service = createSnapshotService({
    store,
    machine: machineId(folder),
    clock: systemClock(),
    logger: silentLogger(),
  });
  onTestFinished(() => service.dispose());
  return service;
}

test('an export imported elsewhere is the same log with the same head, snapshots and receipts', async () => {
  const { store, anchor, log, repo } = await project();
  const lines = exported(store, anchor);
  const folder = tempDir();
  const other = await open(folder);
  const imported = await importLines(other, linesOf(lines), silentLogger());
  expect(imported).toEqual({ anchor, added: 5, ...(await log.head(anchor)) });
  expect(exported(other, anchor)).toEqual(lines);
  expect(await verifyLog(other, anchor)).toEqual({
    ...(await verifyLog(store, anchor)),
    ok: true,
    deltas: 5,
    receipts: 3,
  });
  expect(other.anchors.aliases(anchor)).toEqual(['an older id']);

  // The same repository finds what was imported, and its snapshots can be read in full.
  const service = snapshotsOf(other, folder);
  expect((await service.identify(repo)).anchor.id).toBe(anchor);
  const [, second] = store.snapshots.list(anchor);
  const snapshot = await service.show(repo, second?.id ?? '');
  expect(snapshot.outlines['src/a.ts']?.items.map((item) => item.name)).toEqual(['one']);
  expect((await service.files(repo, snapshot.id)).map((file) => file.path).sort()).toEqual([
    'docs/b.md',
    'src/a.ts',
    'src/deep/c.ts',
  ]);
});

test('importing twice adds nothing; a longer export of the same log adds what is new', async () => {
  const { store, anchor, log } = await project();
  const short = exported(store, anchor);
  await log.append(draftOf([tag('later')], { anchor }));
  const long = exported(store, anchor);
  const other = await open(tempDir());
  expect((await importLines(other, linesOf(short), silentLogger())).added).toBe(5);
  expect((await importLines(other, linesOf(short), silentLogger())).added).toBe(0);
  expect(await importLines(other, linesOf(long), silentLogger())).toEqual({
    anchor,
    added: 1,
    ...(await log.head(anchor)),
  });
  expect(await importLines(other, linesOf(short), silentLogger())).toMatchObject({ added: 0, seq: 6 });
  expect(exported(other, anchor)).toEqual(long);
});

describe('a log that is not a continuation', () => {
  test('is refused, and nothing is changed', async () => {
    const { store, anchor } = await project();
    const lines = exported(store, anchor);
    const other = await open(tempDir());
    await importLines(other, linesOf(lines), silentLogger());
    const log = new EmbeddedLog({ store: other, clock: systemClock(), logger: silentLogger() });
    await log.append(draftOf([tag('here')], { anchor }));
    const head = await new EmbeddedLog({ store, clock: systemClock(), logger: silentLogger() }).append(
      draftOf([tag('there')], { anchor }),
    );
    store.anchors.addAlias(anchor, 'only in the file');
    const before = exported(other, anchor);
    await expect(importLines(other, linesOf(exported(store, anchor)), silentLogger())).rejects.toMatchObject({
      code: 'import_conflict',
      message: expect.stringContaining('differ at or before delta 6'),
    });
    expect(exported(other, anchor)).toEqual(before);
    expect(other.anchors.aliases(anchor)).toEqual(['an older id']);
    expect((await log.head(anchor)).hash).not.toBe(head.hash);
  });

  test('is refused when this machine has another log of the same repository', async () => {
    const { store, anchor } = await project();
    const other = await open(tempDir());
    const own = { id: 'mine', repository: 'https://example.org/team/shop', mainBranch: 'main', attachedAt: AT };
    other.anchors.attach(own, { commonDir: '/x/.git' });
    const log = new EmbeddedLog({ store: other, clock: systemClock(), logger: silentLogger() });
    await log.append(draftOf([tag('here')], { anchor: 'mine' }));
    await expect(importLines(other, linesOf(exported(store, anchor)), silentLogger())).rejects.toMatchObject({
      code: 'import_conflict',
    });
    expect(other.anchors.list()).toEqual([own]);
  });

  test('takes the place of an anchor that has none', async () => {
    const { store, anchor } = await project();
    const other = await open(tempDir());
    const own = { id: 'mine', repository: 'https://example.org/team/shop', mainBranch: 'main', attachedAt: AT };
    other.anchors.attach(own, { commonDir: '/x/.git' });
    await importLines(other, linesOf(exported(store, anchor)), silentLogger());
    expect(other.anchors.byCommonDir('/x/.git')?.id).toBe(anchor);
    expect(other.anchors.byId('mine')?.id).toBe(anchor);
    expect(other.anchors.list().map((each) => each.id)).toEqual([anchor]);
  });
});

test('receipts of this machine are kept; those of a file that do not continue them are left out, and it is said', async () => {
  const { store, anchor } = await project();
  const other = await open(tempDir());
  const receipts = new ReceiptLog({ store: other, clock: systemClock(), self: { pid: 1, processStart: 's' } });
  const mine = await receipts.append(receiptDraft({ anchor }));
  const warnings: string[] = [];
  const logger: Logger = { ...silentLogger(), warn: (message) => warnings.push(message) };
  expect((await importLines(other, linesOf(exported(store, anchor)), logger)).added).toBe(5);
  expect(receipts.last(anchor, 9)).toEqual([mine]);
  expect(warnings).toEqual([expect.stringContaining('receipts')]);
});

describe('a file that is not whole', () => {
  const cache: { whole?: Promise<{ readonly lines: readonly string[]; readonly anchor: string }> } = {};

  async function build() {
    const { store, anchor } = await project(3);
    return { lines: exported(store, anchor), anchor };
  }

  /** The lines of one whole export, made by whoever asks first. */
  function whole() {
    cache.whole ??= build();
    return cache.whole;
  }

  /** Applies a change to the lines and expects a refusal that names the line, with nothing imported. */
  async function refused(
    change: (lines: string[]) => string[],
    line: number | RegExp,
    code = 'invalid',
  ): Promise<void> {
    const { lines: good, anchor } = await whole();
    const lines = change([...good]);
    const other = await open(tempDir());
    const message = typeof line === 'number' ? new RegExp(`^Line ${line} `) : line;
    const attempt = importLines(other, linesOf(lines), silentLogger());
    await expect(attempt).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
    expect(other.anchors.list()).toEqual([]);
    expect(other.deltas.heads().size).toBe(0);
    expect(other.snapshots.list(anchor)).toEqual([]);
  }

  const firstOf = (lines: string[], kind: string) => lines.findIndex((line) => line.includes(`"t":"${kind}"`));

  test('no JSON', () => refused((lines) => lines.with(4, '{"t":'), 5));
  test('nothing at all', () => refused(() => [], /ends early/));
  test('another file', () => refused(() => ['{"name":"project"}', '{}'], 1));
  test('cut off at a line', () => refused((lines) => lines.slice(0, -2), /ends early, after line/));
  test('cut off within a line', () => refused((lines) => [...lines.slice(0, -1), '{"t":"en'], /^Line \d+ .*not JSON/));
  test('a line left out', async () => {
    for (const kind of ['delta', 'receipt', 'snapshot', 'object', 'anchor', 'header']) {
      await refused((lines) => lines.toSpliced(firstOf(lines, kind), 1), /^Line \d+ /);
    }
  });
  test('a line twice', () =>
    refused(
      (lines) => lines.toSpliced(firstOf(lines, 'delta'), 0, lines[firstOf(lines, 'delta')] ?? ''),
      /out of its place/,
    ));
  test('a delta edited', () => {
    let at = 0;
    return refused((lines) => {
      at = lines.findIndex((line) => line.includes('"v2"'));
      return lines.with(at, (lines[at] ?? '').replace('"v2"', '"v9"'));
    }, /^Line \d+ .*delta 2 does not have the hash it says/);
  });
  test('an object edited', () =>
    refused(
      (lines) => lines.map((line) => (line.includes('"t":"object"') ? line.replace('"size":', '"size":1') : line)),
      /object does not have the hash/,
    ));
  test('a snapshot edited', () =>
    refused(
      (lines) => lines.map((line) => (line.includes('"t":"snapshot"') ? line.replace('"manual"', '"editor"') : line)),
      /snapshot does not have the id/,
    ));
  test('a receipt edited', () =>
    refused((lines) => lines.map((line) => line.replace('"tokens":7', '"tokens":8')), /receipt does not follow/));
  test('lines after the end', () => refused((lines) => [...lines, lines[0] ?? ''], /comes after the end/));
  test('of a newer version', () =>
    refused((lines) => lines.map((line) => line.replace('export.v1', 'export.v2')), 1, 'unsupported_op'));
  test('with a nesting without end', () =>
    refused(
      (lines) =>
        lines.with(
          2,
          `{"t":"object","hash":"${'a'.repeat(64)}","kind":"node","value":${'['.repeat(9_999)}${']'.repeat(9_999)}}`,
        ),
      3,
    ));

  test('with an operation of a newer version', async () => {
    const { store, anchor, log } = await project(1);
    const last = (await log.read(anchor, 0, 1))[0] as Delta;
    const next = sealDelta(draftOf([{ op: 'teleport' } as unknown as Op], { anchor }), last);
    store.deltas.insert(anchor, toRow(next));
    const other = await open(tempDir());
    await expect(importLines(other, linesOf(exported(store, anchor)), silentLogger())).rejects.toMatchObject({
      code: 'unsupported_op',
    });
  });
});

test('an export of a log with a hole stops instead of hiding it; one of nothing says so', async () => {
  const { store, anchor } = await project(1);
  const head = store.deltas.head(anchor);
  store.deltas.insert(anchor, { seq: 3, id: 'x', hash: 'h', prev: head?.hash ?? '', body: canonical({ id: 'x' }) });
  expect(() => exported(store, anchor)).toThrow(expect.objectContaining({ code: 'chain_broken' }));
  expect(() => exported(store, 'nobody')).toThrow(expect.objectContaining({ code: 'unknown_anchor' }));
});
