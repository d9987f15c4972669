import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ago, bytes, columns, palette, shortened, table, visible, when } from '../../../../src/agents/commands/text.ts';

describe('visible', () => {
  test('writes out what could move the cursor or turn the reading order', () => {
    expect(visible('a\u001b[2Jb\r\n\tc\u202ed\u0085')).toBe('a\\x1b[2Jb\\x0d\\n\\tc\\u202ed\\x85');
    expect(visible('高优先级 🙂 "quoted"')).toBe('高优先级 🙂 "quoted"');
  });

  test('leaves no control character in any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(visible(text)).not.toMatch(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u);
        expect(stripVTControlCharacters(visible(text))).toBe(visible(text));
      }),
    );
  });
});

describe('table', () => {
  test('aligns columns, wide characters and styled cells included', () => {
    const { bold } = palette(true);
    const rows = table([
      ['路径', 'x', 'first'],
      ['ab', bold('bold'), 'second'],
      ['🙂', '', 'third'],
    ]);
    expect(rows.map(stripVTControlCharacters)).toEqual([
      '路径  x     first',
      'ab    bold  second',
      '🙂          third',
    ]);
  });

  test('has no trailing spaces and no row for nothing', () => {
    expect(table([['a', '']])).toEqual(['a']);
    expect(table([])).toEqual([]);
  });

  test('counts columns as terminals do', () => {
    expect(columns('abc')).toBe(3);
    expect(columns('日本')).toBe(4);
    expect(columns('e\u0301')).toBe(1);
    expect(columns('👩‍👩‍👧')).toBe(2);
    expect(columns(palette(true).good('ok'))).toBe(2);
  });
});

test('colours are only there when asked for', () => {
  expect(palette(false).bad('x')).toBe('x');
  expect(palette(true).bad('x')).not.toBe('x');
});

test('numbers and times read as people say them', () => {
  const now = Date.parse('2026-11-30T12:00:00.000Z');
  expect(bytes(999)).toBe('999 B');
  expect(bytes(1_500)).toBe('1.5 kB');
  expect(bytes(2_340_000)).toBe('2.3 MB');
  expect(ago(59_000)).toBe('just now');
  expect(ago(-5)).toBe('just now');
  expect(ago(60_000)).toBe('1 minute ago');
  expect(ago(3 * 86_400_000)).toBe('3 days ago');
  expect(when('2026-11-30T11:00:00.000Z', now)).toBe('2026-11-30 11:00:00 UTC (1 hour ago)');
  expect(when('never', now)).toBe('never');
  expect(shortened('abcdef', 4)).toBe('abc…');
  expect(shortened('🙂🙂', 2)).toBe('🙂🙂');
});
