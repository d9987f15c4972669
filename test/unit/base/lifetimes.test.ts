import { describe, expect, test } from 'vitest';
import { DisposableStore, disposable, Emitter } from '../../../src/base/index.ts';
import { FakeClock } from '../../support/fake-clock.ts';

describe('DisposableStore', () => {
  test('ends everything once, last added first', () => {
    const ended: string[] = [];
    const store = new DisposableStore();
    store.add(disposable(() => ended.push('first')));
    store.add(disposable(() => ended.push('second')));
    store.dispose();
    store.dispose();
    expect(ended).toEqual(['second', 'first']);
  });

  test('disposes a late arrival at once', () => {
    const store = new DisposableStore();
    store.dispose();
    const ended: string[] = [];
    store.add(disposable(() => ended.push('late')));
    expect(ended).toEqual(['late']);
  });

  test('ends the others although one fails, then says so', () => {
    const ended: string[] = [];
    const store = new DisposableStore();
    store.add(disposable(() => ended.push('survivor')));
    store.add({
      dispose() {
        throw new Error('broken');
      },
    });
    expect(() => store.dispose()).toThrow(AggregateError);
    expect(ended).toEqual(['survivor']);
  });
});

describe('Emitter', () => {
  test('tells listeners in order until they leave', () => {
    const heard: string[] = [];
    const emitter = new Emitter<number>((error) => {
      throw error;
    });
    const first = emitter.event((value) => heard.push(`a${value}`));
    emitter.event((value) => heard.push(`b${value}`));
    emitter.fire(1);
    first.dispose();
    emitter.fire(2);
    expect(heard).toEqual(['a1', 'b1', 'b2']);
  });

  test('a throwing listener silences nobody and is reported', () => {
    const errors: unknown[] = [];
    const heard: number[] = [];
    const emitter = new Emitter<number>((error) => errors.push(error));
    emitter.event(() => {
      throw new Error('broken');
    });
    emitter.event((value) => heard.push(value));
    emitter.fire(7);
    expect(heard).toEqual([7]);
    expect(errors).toHaveLength(1);
  });
});

test('the fake clock runs timers in order, those they start included', () => {
  const clock = new FakeClock(0);
  const fired: string[] = [];
  clock.timeout(20, () => fired.push('late'));
  clock.timeout(10, () => {
    fired.push('early');
    clock.timeout(5, () => fired.push(`nested at ${clock.monotonic()}`));
  });
  const cancelled = clock.timeout(12, () => fired.push('never'));
  cancelled.dispose();
  clock.advance(30);
  expect(fired).toEqual(['early', 'nested at 15', 'late']);
  expect(clock.now()).toBe(30);
});
