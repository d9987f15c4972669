import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { autoTagOps, BETWEEN_ROUNDS_MS, IDLE_MS, IdleAutoTags } from '../../../src/agents/auto-tags.ts';
import { openProjectSession } from '../../../src/agents/index.ts';
import { silentLogger } from '../../../src/base/index.ts';
import { apply, emptyState, type Op } from '../../../src/delta/index.ts';
import { type AutoTag, type AutoTagKey, type AutoTags, type Tags, tagsInForce } from '../../../src/snapshot/index.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { FakeLogService } from '../../support/fake-log-service.ts';
import { FakeSnapshotService } from '../../support/fake-snapshot-service.ts';

const AT = '2026-11-30T12:00:00.000Z';
const BY = { by: 'cli-0a0a', at: AT };
const KEYS: readonly AutoTagKey[] = ['complexity', 'ownership', 'churn'];

function found(tags: readonly AutoTag[], keys: readonly AutoTagKey[] = KEYS): AutoTags {
  return { commit: 'c', tags, keys, done: true };
}

function stateWith(...ops: readonly Op[]) {
  return apply(emptyState('x'), ops);
}

function tagsOf(state: { readonly tags?: Tags }): Tags {
  return state.tags ?? {};
}

const high = (target: string): AutoTag => ({ target, key: 'complexity', value: 'high' });
const auto = (target: string, key: string, value: string): Op => ({
  op: 'add_tag',
  target,
  key,
  value,
  ...BY,
  source: 'auto',
});
const byHand = (target: string, key: string, value: string): Op => ({
  op: 'add_tag',
  target,
  key,
  value,
  by: 'user',
  at: AT,
  source: 'user',
});

describe('operations that bring automatic tags up to date', () => {
  test('only what changed', () => {
    const state = stateWith(auto('a.ts', 'complexity', 'high'), auto('b.ts', 'complexity', 'high'));
    expect(autoTagOps(tagsOf(state), found([high('b.ts'), high('c.ts')]), BY)).toEqual([
      { op: 'remove_tag', target: 'a.ts', key: 'complexity', auto: true },
      auto('c.ts', 'complexity', 'high'),
    ]);
  });

  test('keys that nothing is known of, and keys of others, are left alone', () => {
    const state = stateWith(
      auto('a.ts', 'ownership', 'stale'),
      auto('a.ts', 'other', 'x'),
      auto('b.ts', 'churn', 'high'),
    );
    expect(autoTagOps(tagsOf(state), found([high('c.ts')], ['churn']), BY)).toEqual([
      { op: 'remove_tag', target: 'b.ts', key: 'churn', auto: true },
    ]);
  });

  test('what a person has set stays, counts, and is there when the automatic one goes', () => {
    const mine = byHand('a.ts', 'complexity', 'fine');
    const ops = autoTagOps(tagsOf(stateWith(mine)), found([high('a.ts')]), BY);
    const both = apply(stateWith(mine), ops);
    const inForce = (state: { readonly tags?: Tags }) =>
      tagsInForce({ tags: tagsOf(state), focus: {} }, 'a.ts', Date.parse(AT), 9).map(({ value }) => value);
    expect(both.tags?.['a.ts']?.['complexity']).toMatchObject({ set: { value: 'fine' }, auto: { value: 'high' } });
    expect(inForce(both)).toEqual(['fine']);
    const after = apply(both, autoTagOps(tagsOf(both), found([]), BY));
    expect(after.tags?.['a.ts']?.['complexity']).toEqual({ set: expect.objectContaining({ value: 'fine' }) });
    const unset = apply(both, [{ op: 'remove_tag', target: 'a.ts', key: 'complexity' }]);
    expect(inForce(unset)).toEqual(['high']);
  });

  test('applied, they make the automatic tags those that were found, and no other tag changes', () => {
    const target = fc.constantFrom('a.ts', 'b.ts', '__proto__', 'toString');
    const tag = fc.record({ target, key: fc.constantFrom(...KEYS), value: fc.constantFrom('high', 'stale') });
    const once = fc.uniqueArray(tag, { selector: (each) => `${each.target} ${each.key}`, maxLength: 8 });
    const before = fc.array(fc.tuple(tag, fc.boolean()), { maxLength: 8 });
    fc.assert(
      fc.property(before, once, (old, wanted) => {
        const state = stateWith(
          ...old.map(([{ target: on, key, value }, mine]) => (mine ? byHand : auto)(on, key, value)),
        );
        const after = apply(state, autoTagOps(tagsOf(state), found(wanted), BY));
        const list = (tags: Tags, side: 'set' | 'auto') =>
          Object.entries(tags)
            .flatMap(([on, slots]) =>
              Object.entries(slots).flatMap(([key, slot]) =>
                slot[side] === undefined ? [] : [`${on} ${key} ${slot[side].value}`],
              ),
            )
            .sort();
        expect(list(tagsOf(after), 'auto')).toEqual(
          wanted.map((each) => `${each.target} ${each.key} ${each.value}`).sort(),
        );
        expect(list(tagsOf(after), 'set')).toEqual(list(tagsOf(state), 'set'));
        expect(autoTagOps(tagsOf(after), found(wanted), BY)).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});

describe('a session', () => {
  test('writes them when all rounds are through, with the threshold of the settings, and once', async () => {
    const log = new FakeLogService();
    const snapshots = new FakeSnapshotService();
    const session = await openProjectSession('/nowhere/app', {
      snapshots,
      log,
      clock: new FakeClock(Date.parse(AT)),
      logger: silentLogger(),
      author: { agent: BY.by, session: 's' },
      settings: () => ({
        completionTokens: 1,
        explainTokens: 1,
        halfLifeDays: 9,
        complexityThreshold: 7,
        dictionary: {},
        exclude: [],
      }),
    });
    const all = found([high('a.ts')]);
    snapshots.autoTagRounds.push({ ...all, done: false }, all, all);
    expect(await session.autoTagRound()).toBe(false);
    expect(session.head.seq).toBe(0);
    expect(await session.autoTagRound()).toBe(true);
    expect(session.state.tags).toEqual({
      'a.ts': { complexity: { auto: { value: 'high', ...BY, source: 'auto' } } },
    });
    expect(session.marks()).toEqual([]);
    const { seq } = session.head;
    expect(await session.autoTagRound()).toBe(true);
    expect(session.head.seq).toBe(seq);
    expect(snapshots.rounds[0]).toEqual({ complexityThreshold: 7 });
    session.dispose();
  });
});

describe('when a project is idle', () => {
  function idle(answers: readonly (boolean | Error)[]) {
    const clock = new FakeClock();
    const failures: unknown[] = [];
    const world = { rounds: 0, hold: null as Promise<void> | null };
    const autoTagRound = async () => {
      const answer = answers[world.rounds];
      world.rounds += 1;
      await world.hold;
      if (answer instanceof Error) throw answer;
      return answer ?? true;
    };
    const subject = new IdleAutoTags({ autoTagRound }, clock, (error) => failures.push(error));
    return { clock, failures, world, subject };
  }

  test('rounds follow each other until all is done', async () => {
    const { clock, world, subject } = idle([false, false, true]);
    subject.active();
    await clock.advanceAsync(IDLE_MS - 1);
    expect(world.rounds).toBe(0);
    await clock.advanceAsync(1);
    expect(world.rounds).toBe(1);
    await clock.advanceAsync(10 * BETWEEN_ROUNDS_MS);
    expect(world.rounds).toBe(3);
  });

  test('they wait while something happens, and go on when it is idle again', async () => {
    const { clock, world, subject } = idle([false, true]);
    subject.active();
    await clock.advanceAsync(IDLE_MS - 1);
    subject.active();
    await clock.advanceAsync(IDLE_MS - 1);
    expect(world.rounds).toBe(0);
    await clock.advanceAsync(1);
    subject.active();
    await clock.advanceAsync(IDLE_MS - 1);
    expect(world.rounds).toBe(1);
    await clock.advanceAsync(1);
    expect(world.rounds).toBe(2);
  });

  test('one is under way at a time, however long it takes', async () => {
    const { clock, world, subject } = idle([false, true]);
    const { promise, resolve } = Promise.withResolvers<void>();
    world.hold = promise;
    subject.active();
    await clock.advanceAsync(IDLE_MS);
    subject.active();
    await clock.advanceAsync(2 * IDLE_MS);
    expect(world.rounds).toBe(1);
    resolve();
    await clock.advanceAsync(BETWEEN_ROUNDS_MS);
    expect(world.rounds).toBe(2);
  });

  test('a failure is told and waits for the next time; after the end nothing happens', async () => {
    const { clock, failures, world, subject } = idle([new Error('no disk'), false, true]);
    subject.active();
    await clock.advanceAsync(2 * IDLE_MS);
    expect([world.rounds, failures.length]).toEqual([1, 1]);
    subject.active();
    await clock.advanceAsync(IDLE_MS);
    subject.dispose();
    await clock.advanceAsync(2 * IDLE_MS);
    expect(world.rounds).toBe(2);
    expect(clock.pending).toBe(0);
  });
});
