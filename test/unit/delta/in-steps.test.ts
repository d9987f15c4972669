import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { codeOf, messageOf } from '../../../src/base/index.ts';
import { checkingLink, checkLink, type Delta, genesis, knownOp, sealDelta } from '../../../src/delta/index.ts';
import { readingOp } from '../../../src/delta/schema.ts';
import { ANCHOR, drafts, ops } from '../../support/arbitraries/delta.ts';

/** What an editor does in steps is what others do at once. */

function finish<T>(steps: Generator<void, T>): { readonly value: T; readonly steps: number } {
  for (let count = 0; ; count++) {
    const { done, value } = steps.next();
    if (done === true) return { value, steps: count };
  }
}

/** What a reading came to, its error included. */
function outcome<T>(read: () => T): unknown {
  try {
    return read();
  } catch (error) {
    return [codeOf(error), messageOf(error)];
  }
}

const item = (n: number) => ({ kind: 'function', name: `f${n}`, start: n, end: n, extra: 'of a later version' });
const outlined = (items: readonly unknown[]) => ({
  op: 'update_outline',
  workspace: 'a'.repeat(32),
  path: 'a.ts',
  outline: { language: 'ts', lines: 9, items },
});
const many = Array.from({ length: 100 }, (_, n) => item(n));

describe('operations read in steps', () => {
  test('are the same operations', () => {
    fc.assert(
      fc.property(ops, (op) => {
        expect(finish(readingOp(op)).value).toEqual(knownOp(op));
      }),
    );
  });

  test('a long outline takes several, and loses what this version does not know', () => {
    const { value, steps } = finish(readingOp(outlined(many)));
    expect(value).toEqual(knownOp(outlined(many)));
    expect(JSON.stringify(value)).not.toContain('extra');
    expect(steps).toBeGreaterThan(5);
  });

  test.each([
    ['no items', { ...outlined(many), outline: { language: 'ts', lines: 1 } }],
    ['no outline', { ...outlined(many), outline: null }],
    ['a wrong item far behind', outlined([...many, { ...item(1), start: 'one' }])],
    ['a wrong field beside many items', { ...outlined(many), path: 7 }],
    ['another operation with an outline', { ...outlined(many), op: 'remove_outline' }],
    ['an unknown operation with an outline', { ...outlined(many), op: 'dance' }],
    ['a name that every object has', { ...outlined(many), op: 'toString' }],
  ])('%s: the same answer', (_, raw) => {
    expect(outcome(() => finish(readingOp(raw)).value)).toEqual(outcome(() => knownOp(raw)));
  });
});

test('a link checked in steps is the same link', () => {
  const changes = fc.constantFrom<(delta: Delta) => Delta>(
    (delta) => delta,
    (delta) => ({ ...delta, ops: [...delta.ops, ...delta.ops] }),
    (delta) => ({ ...delta, seq: delta.seq + 1 }),
    (delta) => ({ ...delta, anchor: 'other' }),
  );
  fc.assert(
    fc.property(drafts, changes, fc.nat({ max: 1 }), (draft, change, at) => {
      const first = sealDelta(draft, genesis(ANCHOR));
      const delta = change(first);
      const head = at === 0 ? genesis(ANCHOR) : { seq: 1, hash: first.hash };
      expect(finish(checkingLink(ANCHOR, head, delta)).value).toEqual(checkLink(ANCHOR, head, delta));
    }),
  );
});
