import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonical, hash, hashing } from '../../../src/base/index.ts';

const integer = fc.maxSafeInteger();
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.string({ unit: 'grapheme' }),
    integer,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.string({ unit: 'grapheme' }), tie('value'), { maxKeys: 4 }),
  ),
})).value;

describe('canonical form', () => {
  test('sorts keys by UTF-16 code units, as RFC 8785 §3.2.3 shows', () => {
    const sample = {
      '\u20ac': 'Euro Sign',
      '\r': 'Carriage Return',
      '\ufb33': 'Hebrew Letter Dalet With Dagesh',
      '1': 'One',
      '\ud83d\ude00': 'Emoji: Grinning Face',
      '\u0080': 'Control',
      '\u00f6': 'Latin Small Letter O With Diaeresis',
    };
    expect(canonical(sample)).toBe(
      '{"\\r":"Carriage Return","1":"One","\u0080":"Control","ö":"Latin Small Letter O With Diaeresis",' +
        '"€":"Euro Sign","😀":"Emoji: Grinning Face","\ufb33":"Hebrew Letter Dalet With Dagesh"}',
    );
  });

  test('leaves absent members out and keeps null', () => {
    expect(canonical({ b: undefined, a: null })).toBe('{"a":null}');
  });

  test('keeps an own key called __proto__', () => {
    expect(canonical(JSON.parse('{"__proto__":1,"constructor":2}'))).toBe('{"__proto__":1,"constructor":2}');
  });

  test.each([
    ['a fraction', 0.5],
    ['NaN', Number.NaN],
    ['infinity', Number.POSITIVE_INFINITY],
    ['an integer beyond 2^53-1', 2 ** 53],
    ['a bigint', 1n],
    ['a lone surrogate', '\ud800'],
    ['a nesting that would overflow the stack', JSON.parse('['.repeat(50_000) + ']'.repeat(50_000))],
    ['a lone surrogate in a key', { '\udfff': 1 }],
    ['a function', () => 1],
    ['undefined in a list', [undefined]],
    ['undefined', undefined],
  ])('refuses %s', (_name, value) => {
    expect(() => canonical(value)).toThrow(expect.objectContaining({ code: 'invalid' }));
  });

  test('means the same value, whatever the order of keys', () => {
    fc.assert(
      fc.property(json, (value) => {
        const text = canonical(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonical(shuffled(value))).toBe(text);
      }),
    );
  });
});

test('hash is the SHA-256 of the canonical bytes', () => {
  // printf '{"a":1}' | sha256sum
  expect(hash({ a: 1 })).toBe('015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862');
});

describe('a hash in steps', () => {
  test('is the same hash', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(inSteps(value).hash).toBe(hash(value));
      }),
    );
    expect(inSteps({ b: undefined, a: [[[[[[{ z: 1, y: undefined, x: [] }]]]]]] }).hash).toBe(
      hash({ a: [[[[[[{ x: [], z: 1 }]]]]]] }),
    );
  });

  test('goes in many steps where there is much', () => {
    const items = Array.from({ length: 300 }, (_, n) => ({ name: `item ${n}`, start: n }));
    expect(inSteps({ ops: [{ outline: { items } }] }).steps).toBeGreaterThan(300);
  });

  test.each([
    ['a fraction', 0.5],
    ['a lone surrogate', ['\ud800']],
    ['a lone surrogate in a key', { a: { '\udfff': 1 } }],
    ['undefined in a list', { a: [undefined] }],
    ['undefined', undefined],
    ['a nesting that would overflow the stack', JSON.parse('['.repeat(50_000) + ']'.repeat(50_000))],
    ['a function far down', [[[[[[() => 1]]]]]]],
  ])('refuses %s', (_name, value) => {
    expect(() => inSteps(value)).toThrow(expect.objectContaining({ code: 'invalid' }));
  });
});

function inSteps(value: unknown): { readonly hash: string; readonly steps: number } {
  const hashed = hashing(value);
  for (let steps = 0; ; steps++) {
    const step = hashed.next();
    if (step.done === true) return { hash: step.value, steps };
  }
}

function shuffled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffled);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, shuffled(member)]),
  );
}
