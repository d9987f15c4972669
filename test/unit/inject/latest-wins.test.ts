import { describe, expect, it } from 'vitest';
import { LatestWins } from '../../../src/inject/latest-wins.ts';
import { FakeClock, settle } from '../../support/fake-clock.ts';

function gate<T>() {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  return { promise, resolve, reject };
}

describe('LatestWins', () => {
  it('starts a task after the pause and gives its result', async () => {
    const clock = new FakeClock();
    const queue = new LatestWins(clock, 250);
    let started = false;
    const result = queue.run(async () => {
      started = true;
      return 1;
    });
    await clock.advanceAsync(249);
    expect(started).toBe(false);
    await clock.advanceAsync(1);
    expect(await result).toBe(1);
    expect(clock.pending).toBe(0);
  });

  it('starts only the last of a burst', async () => {
    const clock = new FakeClock();
    const queue = new LatestWins(clock, 250);
    const started: number[] = [];
    const results = [1, 2, 3].map((n) =>
      queue.run(async () => {
        started.push(n);
        return n;
      }),
    );
    await clock.advanceAsync(1000);
    expect(await Promise.all(results)).toEqual([undefined, undefined, 3]);
    expect(started).toEqual([3]);
  });

  it('aborts what runs as soon as a newer task comes, and drops its late result and its error', async () => {
    const clock = new FakeClock();
    const queue = new LatestWins(clock, 100);
    const slow = gate<string>();
    const failing = gate<string>();
    let signal: AbortSignal | undefined;
    const first = queue.run((own) => {
      signal = own;
      return slow.promise;
    });
    await clock.advanceAsync(100);
    const second = queue.run(() => failing.promise);
    expect(signal?.aborted).toBe(true);
    await clock.advanceAsync(100);
    const third = queue.run(async () => 'third');
    slow.resolve('late');
    failing.reject(new Error('late'));
    await clock.advanceAsync(100);
    expect(await Promise.all([first, second, third])).toEqual([undefined, undefined, 'third']);
  });

  it('passes the error of the newest task on', async () => {
    const clock = new FakeClock();
    const queue = new LatestWins(clock, 0);
    const failed = expect(queue.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await clock.advanceAsync(0);
    await failed;
  });

  it('is cancelled from outside while it waits and while it runs', async () => {
    const clock = new FakeClock();
    const queue = new LatestWins(clock, 100);
    const waiting = new AbortController();
    let started = 0;
    const task = (signal: AbortSignal) =>
      new Promise<string>((resolve) => {
        started++;
        signal.addEventListener('abort', () => resolve('late'));
      });
    const first = queue.run(task, waiting.signal);
    waiting.abort();
    expect(await first).toBeUndefined();
    expect(clock.pending).toBe(0);

    const running = new AbortController();
    const second = queue.run(task, running.signal);
    await clock.advanceAsync(100);
    expect(started).toBe(1);
    running.abort();
    expect(await second).toBeUndefined();
    expect(await queue.run(task, running.signal)).toBeUndefined();
  });

  it('takes everything out when disposed', async () => {
    const clock = new FakeClock();
    const queue = new LatestWins(clock, 100);
    const result = queue.run(async () => 1);
    queue.dispose();
    await settle();
    expect(await result).toBeUndefined();
    expect(await queue.run(async () => 2)).toBeUndefined();
    expect(clock.pending).toBe(0);
  });
});
