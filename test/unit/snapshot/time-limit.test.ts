import { expect, test } from 'vitest';
import { TimeLimit } from '../../../src/snapshot/time-limit.ts';

const limit = new TimeLimit();
const stopped = expect.objectContaining({ code: 'parse_timeout' });

test('what ends in time gives its value', () => {
  expect(limit.run(1_000, () => 7)).toBe(7);
  expect(limit.run(1_000, () => undefined)).toBeUndefined();
});

test('what throws throws the same', () => {
  const mine = new TypeError('mine');
  expect(() => {
    limit.run(1_000, () => {
      throw mine;
    });
  }).toThrow(mine);
  const deeper = (): number => deeper() + 1;
  expect(() => limit.run(1_000, deeper)).toThrow(RangeError);
});

test('a loop and a regular expression without end are stopped, and the next run is as good as ever', () => {
  expect(() => {
    limit.run(20, () => {
      for (;;);
    });
  }).toThrow(stopped);
  expect(() => limit.run(20, () => /^(a+)+$/.test(`${'a'.repeat(40)}b`))).toThrow(stopped);
  expect(limit.run(1_000, () => 'well')).toBe('well');
});

test('a limit within a limit', () => {
  const inner = () =>
    limit.run(10, () => {
      for (;;);
    });
  expect(
    limit.run(1_000, () => {
      expect(inner).toThrow(stopped);
      return 'outer goes on';
    }),
  ).toBe('outer goes on');
});
