import { describe, expect, test } from 'vitest';
import { canonical } from '../../../src/base/index.ts';
import {
  type Ack,
  apply,
  checkLink,
  type Delta,
  type DeltaDraft,
  type DeltaLog,
  emptyState,
  genesis,
  type Op,
  stateHash,
} from '../../../src/delta/index.ts';
import { ANCHOR, draftOf } from '../arbitraries/delta.ts';
import { waitFor } from '../wait.ts';

export interface DeltaLogHarness {
  readonly log: DeltaLog;
}

/** Opens an empty log for one test; what it opened ends with the test. `deny` is the gate of protocol §9. */
export type OpenDeltaLog = (options: {
  readonly deny: (draft: DeltaDraft) => string | null;
}) => Promise<DeltaLogHarness>;

const AT = '2026-11-30T12:00:00.000Z';

function tag(value: string, target = 'src/a.ts'): Op {
  return { op: 'add_tag', target, key: 'priority', value, by: 'user', at: AT, source: 'user' };
}

/** What every log must do, whoever keeps the deltas (protocol §5 and §6). */
export function deltaLogContract(name: string, open: OpenDeltaLog): void {
  const opened = async () => (await open({ deny: () => null })).log;

  describe(`the log contract: ${name}`, () => {
    test('an anchor without deltas is at genesis, with an empty state', async () => {
      const log = await opened();
      const state = emptyState(ANCHOR);
      expect(await log.head(ANCHOR)).toEqual(genesis(ANCHOR));
      expect(await log.read(ANCHOR, 0, 10)).toEqual([]);
      expect(await log.state(ANCHOR)).toEqual({ ...genesis(ANCHOR), stateHash: stateHash(state), pending: 0, state });
    });

    test('append assigns contiguous numbers and hashes that chain from genesis', async () => {
      const log = await opened();
      const drafts = ['one', 'two', 'three'].map((value) => draftOf([tag(value)], { base: 0, snapshot: 's' }));
      const acks: Ack[] = [];
      for (const draft of drafts) acks.push(await log.append(draft));
      const deltas = await log.read(ANCHOR, 0, 10);
      let head = genesis(ANCHOR);
      for (const [index, delta] of deltas.entries()) {
        expect(checkLink(ANCHOR, head, delta)).toEqual({ kind: 'next' });
        const { seq, prev: _, hash, ...draft } = delta;
        expect(draft).toEqual(drafts[index]);
        expect(acks[index]).toEqual({ id: draft.id, seq, hash });
        head = { seq, hash };
      }
      expect(head.seq).toBe(3);
      expect(await log.head(ANCHOR)).toEqual(head);
    });

    test('an id that is there already returns its first ack, whatever comes with it', async () => {
      const log = await opened();
      const draft = draftOf([tag('one')]);
      const [first, same] = await Promise.all([log.append(draft), log.append(draft)]);
      await log.append(draftOf([tag('two')]));
      expect(same).toEqual(first);
      expect(await log.append({ ...draft, ops: [tag('other')] })).toEqual(first);
      expect((await log.head(ANCHOR)).seq).toBe(2);
      expect((await log.read(ANCHOR, 0, 1))[0]?.ops).toEqual([tag('one')]);
    });

    test('many appends at once are all kept, each once, in chains of their own', async () => {
      const log = await opened();
      const other = `${ANCHOR}-2`;
      const drafts = Array.from({ length: 120 }, (_, n) =>
        draftOf([tag(`v${n}`)], { anchor: n % 3 === 0 ? other : ANCHOR }),
      );
      const acks = await Promise.all(drafts.map((draft) => log.append(draft)));
      for (const anchor of [ANCHOR, other]) {
        const deltas = await log.read(anchor, 0, 500);
        const mine = drafts.filter((draft) => draft.anchor === anchor);
        expect(deltas.map((delta) => delta.seq)).toEqual(mine.map((_, index) => index + 1));
        expect(deltas.map((delta) => delta.id).sort()).toEqual(mine.map((draft) => draft.id).sort());
        expect(checkLink(anchor, genesis(anchor), deltas[0] as Delta)).toEqual({ kind: 'next' });
      }
      expect(new Set(acks.map((ack) => ack.hash)).size).toBe(120);
    });

    test('read gives what is above a seq, in order, at most 500', async () => {
      const log = await opened();
      await Promise.all(Array.from({ length: 510 }, (_, n) => log.append(draftOf([tag(`v${n}`)]))));
      const seqs = async (after: number, limit: number) =>
        (await log.read(ANCHOR, after, limit)).map((each) => each.seq);
      expect(await seqs(3, 2)).toEqual([4, 5]);
      expect(await seqs(510, 10)).toEqual([]);
      expect(await seqs(0, 100_000)).toHaveLength(500);
    });

    test('fields it does not know are kept, hashed and left out of the state', async () => {
      const log = await opened();
      const op: Op & { readonly colour: string } = { ...tag('one'), colour: 'red' };
      await log.append({ ...draftOf([op]), from: 'the future' } as DeltaDraft);
      const [delta] = (await log.read(ANCHOR, 0, 1)) as [Delta];
      expect(delta).toMatchObject({ from: 'the future', ops: [{ colour: 'red' }] });
      expect(checkLink(ANCHOR, genesis(ANCHOR), delta)).toEqual({ kind: 'next' });
      const { ops: _, ...bare } = delta;
      expect(checkLink(ANCHOR, genesis(ANCHOR), { ...bare, ops: [tag('one')] } as Delta).kind).toBe('broken');
      expect(canonical((await log.state(ANCHOR)).state)).toBe(canonical(apply(emptyState(ANCHOR), [tag('one')])));
    });

    test('what only a log assigns is not taken from an author', async () => {
      const log = await opened();
      const ack = await log.append({ ...draftOf([tag('one')]), seq: 9, prev: 'x', hash: 'y' } as DeltaDraft);
      expect(ack.seq).toBe(1);
      expect((await log.read(ANCHOR, 0, 1))[0]).toMatchObject({ seq: 1, prev: genesis(ANCHOR).hash, hash: ack.hash });
    });

    const long = 'x'.repeat(5_000);
    test.each<readonly [string, string, unknown]>([
      ['nothing', 'invalid', null],
      ['no operations', 'invalid', draftOf([])],
      ['257 operations', 'too_large', draftOf(Array.from({ length: 257 }, () => tag('v')))],
      ['an operation it does not know', 'unsupported_op', draftOf([{ op: 'teleport' } as unknown as Op])],
      ['an operation named like a prototype', 'unsupported_op', draftOf([{ op: '__proto__' } as unknown as Op])],
      ['an operation without its fields', 'invalid', draftOf([{ op: 'add_focus' } as unknown as Op])],
      ['a checkpoint by an author', 'invalid', draftOf([{ op: 'checkpoint', seq: 0, stateHash: 'a'.repeat(64) }])],
      ['a target outside the project', 'invalid', draftOf([tag('v', '../a')])],
      ['a target not in its one form', 'invalid', draftOf([tag('v', './a')])],
      ['a key that is not normalised', 'invalid', draftOf([{ ...tag('v'), key: 'High Priority' } as Op])],
      ['a value that is too long', 'invalid', draftOf([tag(long)])],
      ['a value that is not trimmed', 'invalid', draftOf([tag(' v')])],
      ['a lone surrogate', 'invalid', draftOf([tag('\ud800')])],
      ['a number that is not an integer', 'invalid', { ...draftOf([tag('v')]), weight: 0.5 }],
      ['an id that is no UUIDv7', 'invalid', draftOf([tag('v')], { id: 'one' })],
      ['a time in another form', 'invalid', draftOf([tag('v')], { at: '2026-11-30' })],
      [
        'a nesting without end',
        'invalid',
        { ...draftOf([tag('v')]), x: JSON.parse('['.repeat(9_999) + ']'.repeat(9_999)) },
      ],
      ['unknown fields beyond measure', 'too_large', { ...draftOf([tag('v')]), x: long.repeat(10) }],
    ])('%s is refused with %s, and nothing is kept', async (_, code, draft) => {
      const log = await opened();
      await expect(log.append(draft as DeltaDraft)).rejects.toMatchObject({ code });
      expect(await log.head(ANCHOR)).toEqual(genesis(ANCHOR));
    });

    test('operations of more than 128 KiB are too large; 256 that fit are taken', async () => {
      const log = await opened();
      const path = (n: number) => `src/${n}/${'x'.repeat(600)}.ts`;
      const focus = (n: number): Op => ({ op: 'add_focus', target: path(n), by: 'user', at: AT });
      const many = Array.from({ length: 256 }, (_, n) => focus(n));
      await expect(log.append(draftOf(many))).rejects.toMatchObject({ code: 'too_large' });
      await log.append(draftOf(many.map((_, n) => tag(`v${n}`))));
      expect((await log.head(ANCHOR)).seq).toBe(1);
    });

    test('what the gate denies is refused with its reason', async () => {
      const { log } = await open({
        deny: (draft) => (canonical(draft).includes('.env') ? 'secrets.env is secret.' : null),
      });
      await expect(log.append(draftOf([tag('v', 'secrets.env')]))).rejects.toMatchObject({
        code: 'denied',
        message: expect.stringContaining('secrets.env is secret.'),
      });
      await log.append(draftOf([tag('v')]));
      expect((await log.head(ANCHOR)).seq).toBe(1);
    });

    test('the state is what all deltas make, at the head', async () => {
      const log = await opened();
      const ops = [tag('one'), tag('two', '__proto__'), { op: 'add_focus', target: '.', by: 'user', at: AT } as const];
      for (const op of ops) {
        await log.append(draftOf([op]));
        await log.state(ANCHOR);
      }
      const view = await log.state(ANCHOR);
      const expected = apply(emptyState(ANCHOR), ops);
      expect(canonical(view.state)).toBe(canonical(expected));
      expect(view).toMatchObject({ ...(await log.head(ANCHOR)), stateHash: stateHash(expected), pending: 0 });
      expect(view.stopped).toBeUndefined();
    });

    test('it tells which anchor grew, when that can be read', async () => {
      const log = await opened();
      const seen: [string, number][] = [];
      let reading = Promise.resolve();
      const subscription = log.onAppended((anchor) => {
        reading = reading.then(async () => {
          seen.push([anchor, (await log.head(anchor)).seq]);
        });
      });
      await log.append(draftOf([tag('one')]));
      await waitFor(() => seen.length > 0, { timeoutMs: 5_000, what: 'the event' });
      expect(seen[0]).toEqual([ANCHOR, 1]);
      subscription.dispose();
      await log.append(draftOf([tag('two')]));
      await reading;
      expect(seen).toHaveLength(1);
    });
  });
}
