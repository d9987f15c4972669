import { describe, expect, it } from 'vitest';
import { Answers, ASK_DEBOUNCE_MS, RETRY_MS } from '../../../src/ui/answers.ts';
import { FakeClock, settle } from '../../support/fake-clock.ts';

function answers(lifeOf?: (value: string) => number) {
  const clock = new FakeClock();
  const world = { wanted: true, changes: 0 };
  const asked: string[] = [];
  const waiting = new Map<string, PromiseWithResolvers<string>>();
  const subject = new Answers<string>(
    {
      isWanted: () => world.wanted,
      changed: () => {
        world.changes += 1;
      },
      ...(lifeOf === undefined ? {} : { lifeOf }),
    },
    clock,
  );
  const get = (key: string) => {
    const answer = subject.get(key, () => {
      asked.push(key);
      const outcome = Promise.withResolvers<string>();
      waiting.set(key, outcome);
      return outcome.promise;
    });
    if (answer === null) return null;
    return answer.ok ? answer.value : String(answer.error);
  };
  const pause = () => clock.advanceAsync(ASK_DEBOUNCE_MS);
  const answer = async (key: string) => {
    waiting.get(key)?.resolve(`answer to ${key}`);
    await settle();
  };
  const fail = async (key: string) => {
    waiting.get(key)?.reject(new Error(`no ${key}`));
    await settle();
  };
  return { subject, clock, world, asked, get, pause, answer, fail };
}

describe('answers that take a while', () => {
  it('are asked for after a pause, told when they come, and kept', async () => {
    const { get, pause, answer, asked, world } = answers();
    expect(get('a')).toBeNull();
    expect(asked).toEqual([]);
    await pause();
    expect(asked).toEqual(['a']);
    await answer('a');
    expect(world.changes).toBe(1);
    expect(get('a')).toBe('answer to a');
    await pause();
    expect(asked).toEqual(['a']);
  });

  it('are not asked for while the question changes', async () => {
    const { get, clock, pause, asked } = answers();
    for (const key of ['a', 'b', 'c']) {
      get(key);
      await clock.advanceAsync(ASK_DEBOUNCE_MS - 1);
    }
    expect(asked).toEqual([]);
    await pause();
    expect(asked).toEqual(['c']);
  });

  it('are asked one at a time, the newest question next', async () => {
    const { get, pause, answer, asked } = answers();
    for (const key of ['a', 'b', 'c']) {
      get(key);
      await pause();
    }
    expect(asked).toEqual(['a']);
    await answer('a');
    expect(asked).toEqual(['a', 'c']);
    await answer('c');
    expect(get('a')).toBe('answer to a');
    expect(get('b')).toBeNull();
  });

  it('are not asked for when nobody looks at the question any more, or at all', async () => {
    const { get, pause, answer, asked, world } = answers();
    get('a');
    await pause();
    await answer('a');
    get('b');
    get('a');
    await pause();
    world.wanted = false;
    get('c');
    await pause();
    expect(asked).toEqual(['a']);
    world.wanted = true;
    get('c');
    await pause();
    expect(asked).toEqual(['a', 'c']);
  });

  it('are not asked for twice while they are on their way', async () => {
    const { get, pause, answer, asked } = answers();
    get('a');
    await pause();
    get('a');
    await pause();
    await answer('a');
    expect(asked).toEqual(['a']);
  });

  it('that failed are given as errors, and asked for again later, when something happens', async () => {
    const { get, pause, fail, clock, asked, world } = answers();
    get('a');
    await pause();
    await fail('a');
    expect(get('a')).toBe('Error: no a');
    await clock.advanceAsync(RETRY_MS);
    expect([asked.length, world.changes]).toEqual([1, 1]);
    expect(get('a')).toBe('Error: no a');
    await pause();
    expect(asked).toEqual(['a', 'a']);
  });

  it('that count for a time are shown on, and asked for again after it', async () => {
    const { get, pause, answer, clock, asked, world } = answers(() => 2_000);
    get('a');
    await pause();
    await answer('a');
    await clock.advanceAsync(2_000);
    expect(world.changes).toBe(2);
    expect(get('a')).toBe('answer to a');
    await pause();
    expect(asked).toEqual(['a', 'a']);
  });

  it('leave nothing behind', async () => {
    const { subject, get, pause, answer, clock, world } = answers(() => 2_000);
    get('a');
    await pause();
    get('b');
    subject.dispose();
    await answer('a');
    await pause();
    expect([clock.pending, world.changes]).toEqual([0, 0]);
  });
});
