import { describe, expect, test } from 'vitest';
import { ProjectAnchorError } from '../../../src/base/index.ts';
import { type Ack, MergeWindow, mergeOps, type Op, splitOps } from '../../../src/delta/index.ts';
import type { GitPatch } from '../../../src/delta/types.ts';
import { FakeClock, settle } from '../../support/fake-clock.ts';

const WS = 'a'.repeat(32);
const AT = '2026-11-30T12:00:00.000Z';
const active = (path: string): Op => ({ op: 'update_active', workspace: WS, path });
const git = (patch: GitPatch): Op => ({ op: 'update_git', workspace: WS, ...patch });
const focus = (target: string): Op => ({ op: 'add_focus', target, by: 'user', at: AT });
const rename: Op = { op: 'rename_path', workspace: WS, from: 'a', to: 'b' };

/** A publisher that keeps what it is given and answers when it is told to, or at once. */
class Publisher {
  readonly lists: (readonly Op[])[] = [];
  fail: (ops: readonly Op[]) => Error | undefined = () => undefined;
  hold = false;
  readonly #held: (() => void)[] = [];

  readonly publish = async (ops: readonly Op[]): Promise<Ack> => {
    const seq = this.lists.push(ops);
    if (this.hold) await new Promise<void>((resolve) => this.#held.push(resolve));
    const error = this.fail(ops);
    if (error !== undefined) throw error;
    return { id: `id${seq}`, seq, hash: `h${seq}` };
  };

  release(): void {
    this.#held.shift()?.();
  }
}

function opened() {
  const clock = new FakeClock();
  const publisher = new Publisher();
  return { clock, publisher, window: new MergeWindow(clock, publisher.publish) };
}

describe('when a window closes', () => {
  test('500 ms after the last operation', async () => {
    const { clock, publisher, window } = opened();
    const first = window.add([active('a')], { byHand: false });
    await clock.advanceAsync(300);
    const second = window.add([active('b')], { byHand: false });
    await clock.advanceAsync(499);
    expect(publisher.lists).toEqual([]);
    expect(window.waiting).toBe(2);
    await clock.advanceAsync(1);
    expect(publisher.lists).toEqual([[active('b')]]);
    expect(await first).toEqual({ id: 'id1', seq: 1, hash: 'h1' });
    expect(await second).toEqual(await first);
    expect(window.waiting).toBe(0);
    expect(clock.pending).toBe(0);
  });

  test('1 s after the first, however many follow', async () => {
    const { clock, publisher, window } = opened();
    const acks: Promise<Ack>[] = [];
    for (let at = 0; at < 1_000; at += 200) {
      acks.push(window.add([active(`f${at}`)], { byHand: false }));
      await clock.advanceAsync(200);
    }
    expect(publisher.lists).toEqual([[active('f800')]]);
    await Promise.all(acks);
    const next = window.add([active('next')], { byHand: false });
    await clock.advanceAsync(499);
    expect(publisher.lists).toHaveLength(1);
    await clock.advanceAsync(1);
    expect((await next).seq).toBe(2);
  });

  test('at once for a mark by hand, everything pending first, in the same delta', async () => {
    const { clock, publisher, window } = opened();
    const fact = window.add([active('a')], { byHand: false });
    const mark = window.add([focus('a')], { byHand: true });
    expect((await mark).seq).toBe(1);
    expect(await fact).toEqual(await mark);
    expect(publisher.lists).toEqual([[active('a'), focus('a')]]);
    expect(clock.pending).toBe(0);
  });

  test('when it is flushed; flushing an empty one does nothing', async () => {
    const { publisher, window } = opened();
    await window.flush();
    const fact = window.add([active('a')], { byHand: false });
    await window.flush();
    expect((await fact).seq).toBe(1);
    expect(publisher.lists).toHaveLength(1);
  });

  test('flush waits for what fails too, and the failure goes to who added it', async () => {
    const { publisher, window } = opened();
    publisher.fail = () => new ProjectAnchorError('disk_full', 'full');
    const fact = window.add([active('a')], { byHand: false });
    const failed = expect(fact).rejects.toMatchObject({ code: 'disk_full' });
    await window.flush();
    await failed;
    publisher.fail = () => undefined;
    expect((await window.add([focus('a')], { byHand: true })).seq).toBe(2);
  });
});

test('windows are published one after the other, in order', async () => {
  const { publisher, window } = opened();
  publisher.hold = true;
  const first = window.add([focus('a')], { byHand: true });
  const second = window.add([focus('b')], { byHand: true });
  await settle();
  expect(publisher.lists).toEqual([[focus('a')]]);
  publisher.release();
  await first;
  await settle();
  expect(publisher.lists).toEqual([[focus('a')], [focus('b')]]);
  publisher.release();
  expect((await second).seq).toBe(2);
});

describe('what is at fault fails alone', () => {
  test('operations that could never be published are refused when they are added', async () => {
    const { publisher, window } = opened();
    const fact = window.add([active('a')], { byHand: false });
    await expect(window.add([focus('../x')], { byHand: true })).rejects.toMatchObject({ code: 'invalid' });
    await expect(window.add([{ op: 'zap' } as unknown as Op], { byHand: true })).rejects.toMatchObject({
      code: 'unsupported_op',
    });
    await window.flush();
    expect((await fact).seq).toBe(1);
    expect(publisher.lists).toEqual([[active('a')]]);
  });

  test('a mark does not fail with the fact that shared its delta', async () => {
    const { publisher, window } = opened();
    publisher.fail = (ops) =>
      ops.some((op) => op.op === 'update_active') ? new ProjectAnchorError('denied', 'secret') : undefined;
    const fact = window.add([active('a')], { byHand: false });
    const denied = expect(fact).rejects.toMatchObject({ code: 'denied' });
    const mark = await window.add([focus('a')], { byHand: true });
    await denied;
    expect(publisher.lists.at(-1)).toEqual([focus('a')]);
    expect(mark.seq).toBe(3);
  });

  test('a disk that is full fails all of them, once', async () => {
    const { publisher, window } = opened();
    publisher.fail = () => new ProjectAnchorError('disk_full', 'full');
    const both = [window.add([active('a')], { byHand: false }), window.add([focus('a')], { byHand: true })];
    const outcomes = await Promise.allSettled(both);
    expect(outcomes.map((outcome) => outcome.status)).toEqual(['rejected', 'rejected']);
    expect(publisher.lists).toHaveLength(1);
  });
});

describe('merging', () => {
  test('the later one wins and takes the later place', () => {
    const tag = (value: string, key = 'k'): Op => ({
      op: 'add_tag',
      target: 'a',
      key,
      value,
      by: 'user',
      at: AT,
      source: 'user',
    });
    const untag: Op = { op: 'remove_tag', target: 'a', key: 'k' };
    expect(mergeOps([tag('1'), focus('a'), tag('2')])).toEqual([focus('a'), tag('2')]);
    expect(mergeOps([tag('1'), untag, tag('1', 'other')])).toEqual([untag, tag('1', 'other')]);
    expect(mergeOps([tag('1'), { op: 'remove_tag', target: 'a', key: 'k', auto: true }])).toHaveLength(2);
    expect(mergeOps([focus('a'), focus('a/'), { op: 'remove_focus', target: 'a' }])).toEqual([
      focus('a/'),
      { op: 'remove_focus', target: 'a' },
    ]);
  });

  test('update_git merges field by field', () => {
    expect(
      mergeOps([git({ staged: ['a'], operation: 'merge' }), active('a'), git({ staged: [], operation: null })]),
    ).toEqual([active('a'), git({ staged: [], operation: null })]);
    expect(mergeOps([git({ staged: ['a'] }), git({ unstaged: ['b'] })])).toEqual([
      git({ staged: ['a'], unstaged: ['b'] }),
    ]);
  });

  test('notices of changed files are joined, the newest 50', () => {
    const files = (changed: string[]): Op => ({
      op: 'update_files',
      workspace: WS,
      count: changed.length,
      bytes: 0,
      byLanguage: {},
      tree: 't',
      changed,
    });
    const many = Array.from({ length: 50 }, (_, n) => `f${n}`);
    const [merged] = mergeOps([files(['a', 'b']), files(['b', 'c'])]);
    expect(merged).toEqual({ ...files(['a', 'b', 'c']), count: 2 });
    expect(mergeOps([files(['a']), files(many)])).toEqual([files(many)]);
  });

  test.each<readonly [string, Op]>([
    ['rename_path', rename],
    ['rewrite_history', { op: 'rewrite_history', workspace: WS, pairs: [{ old: 'a', new: 'b' }] }],
    ['remove_workspace', { op: 'remove_workspace', workspace: WS }],
  ])('nothing is merged across %s', (_, barrier) => {
    const ops = [active('a'), focus('a'), barrier, active('b'), barrier, focus('a')];
    expect(mergeOps(ops)).toEqual(ops);
  });
});

describe('splitting', () => {
  test('a long list is cut between operations', () => {
    const ops = Array.from({ length: 600 }, (_, n) => focus(`f${n}`));
    const lists = splitOps(ops);
    expect(lists.map((list) => list.length)).toEqual([256, 256, 88]);
    expect(lists.flat()).toEqual(ops);
    expect(splitOps([])).toEqual([]);
  });

  test('an update_git beyond the size of a delta goes field by field', () => {
    const long = (letter: string) => Array.from({ length: 200 }, (_, n) => `${n}/${letter.repeat(400)}`);
    const ops = [git({ staged: long('s'), unstaged: long('u'), history: 'h' })];
    const lists = splitOps(ops);
    expect(lists.length).toBeGreaterThan(1);
    expect(mergeOps(lists.flat())).toEqual(ops);
  });

  test('a single operation that fits no delta is too large', () => {
    expect(() => splitOps([git({ staged: ['x'.repeat(200_000)] })])).toThrow(
      expect.objectContaining({ code: 'too_large' }),
    );
  });

  test('a window longer than a delta is published in several, and the last ack counts', async () => {
    const { publisher, window } = opened();
    const ack = await window.add(
      Array.from({ length: 300 }, (_, n) => focus(`f${n}`)),
      { byHand: true },
    );
    expect(publisher.lists.map((list) => list.length)).toEqual([256, 44]);
    expect(ack.seq).toBe(2);
  });
});
