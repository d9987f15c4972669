import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { surplus } from '../../../src/snapshot/thinning.ts';
import type { SnapshotAge } from '../../../src/store/index.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 10, 30, 12, 0, 0);

const TRIGGERS = ['commit', 'hook', 'editor', 'interval', 'mark', 'manual', 'agent'] as const;

/** Snapshots of one working tree, mostly in the order of their times; a clock may have been set back. */
const history = fc
  .array(
    fc.record({
      ago: fc.oneof(
        fc.integer({ min: -HOUR, max: 90 * DAY }),
        // Around the borders of the rules.
        fc
          .tuple(fc.constantFrom(7, 30), fc.integer({ min: -2, max: 2 }))
          .map(([days, hours]) => days * DAY + hours * HOUR),
      ),
      trigger: fc.constantFrom(...TRIGGERS),
      commit: fc.option(fc.constantFrom('a', 'b', 'c', 'd')),
    }),
    { maxLength: 60 },
  )
  .map((items) => items.toSorted((a, b) => b.ago - a.ago))
  .chain((items) =>
    fc.boolean().map((back) => (back && items.length > 3 ? [...items.slice(2), ...items.slice(0, 2)] : items)),
  )
  .map((items) =>
    items.map(({ ago, trigger, commit }, index): SnapshotAge => {
      return { n: index * 3 + 1, takenAt: new Date(NOW - ago).toISOString(), trigger, commit };
    }),
  );

function thinned(ages: readonly SnapshotAge[], now: number): readonly SnapshotAge[] {
  const gone = new Set(surplus(ages, now));
  return ages.filter(({ n }) => !gone.has(n));
}

/** The rules once more, as the issue says them, one snapshot at a time. */
function mustStay(ages: readonly SnapshotAge[], index: number): boolean {
  const self = ages[index] as SnapshotAge;
  const later = ages.slice(index + 1);
  const taken = Date.parse(self.takenAt);
  if (later.length === 0 || NOW - taken <= 7 * DAY || self.trigger === 'mark') return true;
  const isCommit = (age: SnapshotAge) => age.trigger === 'commit' || age.trigger === 'hook';
  if (isCommit(self) && self.commit !== null && !later.some((age) => isCommit(age) && age.commit === self.commit))
    return true;
  const span = NOW - taken <= 30 * DAY ? HOUR : DAY;
  const sameSpan = ({ takenAt }: SnapshotAge) => {
    const at = Date.parse(takenAt);
    const itsSpan = NOW - at <= 7 * DAY ? 0 : NOW - at <= 30 * DAY ? HOUR : DAY;
    return itsSpan === span && Math.floor(at / span) === Math.floor(taken / span);
  };
  return !later.some(sameSpan);
}

describe('thinning', () => {
  test('keeps what the rules keep and nothing else, for any sequence of times', () => {
    fc.assert(
      fc.property(history, (ages) => {
        const kept = new Set(thinned(ages, NOW).map(({ n }) => n));
        for (const [index, { n }] of ages.entries()) expect([n, kept.has(n)]).toEqual([n, mustStay(ages, index)]);
      }),
      { numRuns: 500 },
    );
  });

  test('twice is once', () => {
    fc.assert(fc.property(history, (ages) => surplus(thinned(ages, NOW), NOW).length === 0));
  });

  test('every day gives what once at the end gives', () => {
    fc.assert(
      fc.property(history, fc.array(fc.integer({ min: 1, max: 20 * DAY }), { maxLength: 5 }), (ages, waits) => {
        let now = NOW;
        let step = thinned(ages, now);
        for (const wait of waits) {
          now += wait;
          step = thinned(step, now);
        }
        expect(step).toEqual(thinned(ages, now));
      }),
    );
  });

  test('a week of ten a day, a month of them, a year', () => {
    const ages = Array.from({ length: 365 * 10 }, (_, index): SnapshotAge => {
      const takenAt = new Date(NOW - (365 * 10 - index) * (DAY / 10)).toISOString();
      return { n: index + 1, takenAt, trigger: 'editor', commit: null };
    });
    const of = (from: number, to: number) => {
      const inside = ({ takenAt }: SnapshotAge) =>
        NOW - Date.parse(takenAt) > from * DAY && NOW - Date.parse(takenAt) <= to * DAY;
      return thinned(ages, NOW).filter(inside).length;
    };
    expect([of(0, 7), of(7, 30), of(30, 364)]).toEqual([70, 230, 335]);
  });

  test('a time that is none keeps its snapshot', () => {
    const ages = ['no time', new Date(NOW).toISOString()].map((takenAt, n) => ({
      n,
      takenAt,
      trigger: 'editor',
      commit: null,
    }));
    expect(surplus(ages, NOW)).toEqual([]);
  });
});
