import { describe, expect, it } from 'vitest';
import { codeOf, silentLogger } from '../../../src/base/index.ts';
import { gateDeltas, machineGate } from '../../../src/delta/delta-gate.ts';
import { HubLink } from '../../../src/delta/hub-link.ts';
import { type DeltaBatch, genesis, type HubStatus, type Op, sealDelta } from '../../../src/delta/index.ts';
import { LocalLogService } from '../../../src/delta/log-service.ts';
import { memoryBackend } from '../../../src/delta/memory-backend.ts';
import { draft, tagOp, testAnchor } from '../../support/deltas.ts';
import { FakeClock, settle } from '../../support/fake-clock.ts';
import { receiptDraft } from '../../support/receipts.ts';
import { takenOf, WORKSPACE } from '../../support/taken.ts';

const anchor = testAnchor();
const me = { agent: 'vscode-1a2b', session: 's1' };
const logger = silentLogger();

async function opened(memoryReason?: string) {
  const clock = new FakeClock();
  const gate = machineGate();
  const backend = memoryBackend(logger, gateDeltas(gate));
  const link = new HubLink({ who: me, logger, clock });
  const parts = { backend, link, clock, logger, gate, holdsReceipts: false };
  const service = new LocalLogService(memoryReason === undefined ? parts : { ...parts, memoryReason });
  const batches: DeltaBatch[] = [];
  const statuses: HubStatus[] = [];
  service.onDeltas((batch) => batches.push(batch));
  service.onHubStatus((status) => statuses.push(status));
  await service.open(anchor);
  const log = () => backend.log.read(anchor.id, 0, 500);
  return { clock, backend, service, batches, statuses, log };
}

async function* lines() {
  yield 'a line';
}

describe('authoring', () => {
  it('by hand is durable when it resolves, and told at once', async () => {
    const { service, batches } = await opened();
    const ack = await service.author(anchor.id, me, [tagOp('a.ts', 'priority', 'high')], { byHand: true });
    await settle();
    expect(ack).toMatchObject({ seq: 1 });
    expect(batches.flatMap(({ items }) => items.map(({ id }) => id))).toEqual([ack.id]);
    expect(await service.state(anchor.id)).toMatchObject({ seq: 1, hash: ack.hash, pending: 0 });
  });

  it('waits for the merge window otherwise; a mark closes it with everything before it in the same delta', async () => {
    const { service, clock, log } = await opened();
    const facts = service.author(anchor.id, me, [{ op: 'add_alias', id: 'x' }], { byHand: false });
    await clock.advanceAsync(499);
    expect(await log()).toEqual([]);
    expect(await service.state(anchor.id)).toMatchObject({ seq: 0, pending: 1 });
    const mark = await service.author(anchor.id, me, [tagOp('a.ts', 'priority', 'high')], { byHand: true });
    expect(await facts).toEqual(mark);
    const [delta] = await log();
    expect(delta?.ops.map(({ op }) => op)).toEqual(['add_alias', 'add_tag']);
  });

  it('writes which seq a mark was made on, and nothing of that for facts', async () => {
    const { service, log, clock } = await opened();
    await service.author(anchor.id, me, [tagOp('a.ts', 'priority', 'high')], { byHand: true });
    await service.author(anchor.id, me, [tagOp('b.ts', 'priority', 'high')], { byHand: true });
    const facts = service.author(anchor.id, me, [{ op: 'add_alias', id: 'x' }], { byHand: false });
    await clock.advanceAsync(500);
    await facts;
    expect((await log()).map(({ base }) => base)).toEqual([0, 1, undefined]);
    expect((await log())[0]).toMatchObject({ author: me, at: '2026-11-30T12:00:00.000Z' });
  });

  it('leaves out tags that would only get another time, except by hand', async () => {
    const { service, log, clock } = await opened();
    const tag = (at: string): Op => ({
      op: 'add_tag',
      target: 'a.ts',
      key: 'k',
      value: 'v',
      by: 'user',
      at,
      source: 'user',
    });
    await service.author(anchor.id, me, [tag('2026-11-30T12:00:00.000Z')], { byHand: true });
    const again = [tag('2026-11-30T12:00:01.000Z'), { op: 'add_alias', id: 'x' } as const];
    const both = service.author(anchor.id, me, again, { byHand: false });
    await clock.advanceAsync(500);
    await both;
    await service.author(anchor.id, me, [tag('2026-11-30T12:00:02.000Z')], { byHand: true });
    expect((await log()).map(({ ops }) => ops.map(({ op }) => op))).toEqual([['add_tag'], ['add_alias'], ['add_tag']]);
  });

  it('refuses a mark that the gate refuses, with its reason', async () => {
    const { service, log } = await opened();
    const marked = service.author(anchor.id, me, [tagOp('.env', 'note', 'x')], { byHand: true });
    await expect(marked).rejects.toMatchObject({ code: 'denied', message: expect.stringContaining('.env') });
    expect(await log()).toEqual([]);
  });

  it('says how much waits', async () => {
    const { service, clock, statuses } = await opened();
    const facts = service.author(anchor.id, me, [{ op: 'add_alias', id: 'x' }], { byHand: false });
    await settle();
    expect(statuses.at(-1)).toEqual({ kind: 'alone', waiting: 1 });
    await clock.advanceAsync(500);
    await facts;
    await settle();
    expect(statuses.at(-1)).toEqual({ kind: 'alone', waiting: 0 });
  });

  it('is refused on a log that only a newer version can follow', async () => {
    const { service, backend } = await opened();
    const sealed = sealDelta(draft(anchor, { op: 'dance' } as never), genesis(anchor.id));
    backend.log.read = async (_anchor, after) => (after === 0 ? [sealed] : []);
    await service.state(anchor.id);
    const marked = service.author(anchor.id, me, [tagOp('a.ts', 'k', 'v')], { byHand: true });
    await expect(marked).rejects.toMatchObject({ code: 'unsupported_op', message: expect.stringContaining('Update') });
  });
});

describe('publishing a snapshot', () => {
  it('authors its facts through the window, with its id, and nothing when nothing changed', async () => {
    const { service, clock, log } = await opened();
    const taken = takenOf(anchor, { active: 'a.ts' });
    const published = service.publishSnapshot(anchor.id, me, taken);
    await clock.advanceAsync(500);
    expect(await published).toMatchObject({ seq: 1 });
    const [delta] = await log();
    expect(delta?.snapshot).toBe(taken.snapshot.id);
    expect(delta?.ops.map(({ op }) => op)).toEqual(
      expect.arrayContaining(['update_git', 'update_active', 'update_files']),
    );
    expect(await service.publishSnapshot(anchor.id, me, taken)).toBeNull();
    expect((await service.state(anchor.id)).state.workspaces?.[WORKSPACE]?.active).toBe('a.ts');
  });

  it.each(['manual', 'hook', 'agent'] as const)('does not wait when it was taken by %s', async (trigger) => {
    const { service } = await opened();
    expect(await service.publishSnapshot(anchor.id, me, takenOf(anchor, { trigger }))).toMatchObject({ seq: 1 });
  });

  it('is compared with what waits in the window too: there and back again ends where it began', async () => {
    const { service, clock } = await opened();
    await service.publishSnapshot(anchor.id, me, takenOf(anchor, { trigger: 'manual', active: 'a.ts' }));
    const there = service.publishSnapshot(anchor.id, me, takenOf(anchor, { active: 'b.ts' }));
    await clock.advanceAsync(100);
    const back = service.publishSnapshot(anchor.id, me, takenOf(anchor, { active: 'a.ts' }));
    await clock.advanceAsync(1_000);
    await Promise.all([there, back]);
    expect((await service.state(anchor.id)).state.workspaces?.[WORKSPACE]?.active).toBe('a.ts');
  });

  it('notes commits once', async () => {
    const { service, log } = await opened();
    const commit = {
      commit: 'c2'.padEnd(40, '0'),
      subject: 'fix: it',
      at: '2026-11-30T12:00:00.000Z',
      kinds: ['fix'],
      paths: ['a.ts'],
    };
    const taken = takenOf(anchor, { trigger: 'manual', commits: [commit] });
    await service.publishSnapshot(anchor.id, me, taken);
    await service.publishSnapshot(
      anchor.id,
      me,
      takenOf(anchor, { trigger: 'manual', active: 'b.ts', commits: [commit] }),
    );
    expect((await log()).flatMap(({ ops }) => ops).filter(({ op }) => op === 'note_commit')).toHaveLength(1);
  });

  it('says everything once when two callers were given one snapshot', async () => {
    const { service, log } = await opened();
    await service.publishSnapshot(anchor.id, me, takenOf(anchor, { trigger: 'manual' }));
    const commit = { commit: 'c3'.padEnd(40, '0'), subject: 'x', at: '2026-11-30T12:00:00.000Z', kinds: [], paths: [] };
    const pairs = [{ old: 'c1'.padEnd(40, '0'), new: 'c2'.padEnd(40, '0') }];
    const git = { head: { kind: 'branch', branch: 'main', commit: 'c3'.padEnd(40, '0') } } as const;
    const taken = takenOf(anchor, { trigger: 'hook', git, commits: [commit], rewritten: { pairs } });
    await Promise.all([1, 2, 3].map(() => service.publishSnapshot(anchor.id, me, taken)));
    const ops = (await log()).flatMap((delta) => delta.ops.map(({ op }) => op));
    expect(ops.filter((op) => op === 'rewrite_history' || op === 'note_commit')).toEqual([
      'rewrite_history',
      'note_commit',
    ]);
  });

  it('keeps back the fact that may not leave, and only that', async () => {
    const { service, log } = await opened();
    const git = { untracked: ['server.pem'] };
    await service.publishSnapshot(anchor.id, me, takenOf(anchor, { trigger: 'manual', active: 'a.ts', git }));
    const [delta] = await log();
    expect(delta?.ops.map(({ op }) => op)).toEqual(['update_active', 'update_files']);
  });
});

describe('the service', () => {
  it('follows what others append', async () => {
    const { service, backend, batches } = await opened();
    await backend.log.append(draft(anchor));
    await settle();
    expect(batches.map(({ head }) => head.seq)).toEqual([1]);
    expect((await service.state(anchor.id)).seq).toBe(1);
  });

  it('opens an anchor once, however often it is asked', async () => {
    const { service, backend, batches } = await opened();
    const views = await Promise.all([service.open(anchor), service.open(anchor)]);
    expect(views[0]).toEqual(views[1]);
    await backend.log.append(draft(anchor));
    await settle();
    expect(batches).toHaveLength(1);
  });

  it('answers for anchors that are not open', async () => {
    const { service, backend } = await opened();
    const other = testAnchor('other');
    await backend.log.append(draft(other));
    expect((await service.state(other.id)).seq).toBe(1);
    expect(await service.deltas(other.id, 0, 10)).toHaveLength(1);
    expect(await service.verify(other.id)).toMatchObject({ ok: true, deltas: 1 });
  });

  it('says that nothing is kept, and why, when it works in memory', async () => {
    const { service } = await opened('The disk is gone.');
    expect(await service.hubStatus()).toEqual({ kind: 'memory', waiting: 0, reason: 'The disk is gone.' });
    const imported = service.importLines(lines());
    await expect(imported).rejects.toMatchObject({ code: 'memory_only' });
  });

  it('chains receipts, newest first, each once', async () => {
    const { service } = await opened();
    const one = await service.appendReceipt(receiptDraft({ anchor: anchor.id }));
    const two = await service.appendReceipt(receiptDraft({ anchor: anchor.id }));
    expect(two.prev).toBe(one.hash);
    expect(await service.receipts(anchor.id, 1)).toEqual([two]);
    const { prev, hash, ...again } = one;
    expect(await service.appendReceipt(again)).toEqual(one);
    expect(await service.receipts(anchor.id, 10)).toEqual([two, one]);
  });

  it('writes what waits before it ends, and takes nothing after', async () => {
    const { service, backend, clock } = await opened();
    const facts = service.author(anchor.id, me, [{ op: 'add_alias', id: 'x' }], { byHand: false });
    await settle();
    await service.dispose();
    expect((await facts).seq).toBe(1);
    expect((await backend.log.head(anchor.id)).seq).toBe(1);
    const late = service.author(anchor.id, me, [{ op: 'add_alias', id: 'y' }], { byHand: true });
    expect(codeOf(await late.catch((error: unknown) => error))).toBe('closed');
    await service.dispose();
    expect(clock.pending).toBe(0);
  });
});
