import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TextLines } from '../../../../src/agents/commands/lines.ts';

/** Texts of the characters that matter to lines. */
const texts = fc.array(fc.constantFrom('a', ' ', '\n', '\r\n', '\r', '\u2028')).map((parts) => parts.join(''));

describe('lines of a text', () => {
  test.each([
    ['', 0],
    ['a', 1],
    ['a\n', 1],
    ['a\n\n', 2],
    ['a\r\nb\rc', 3],
    ['a\u2028b', 1],
  ])('%j', (text, count) => {
    expect(new TextLines(text).count).toBe(count);
  });

  test('a mark may be on those, a cursor also in the empty place at the end', () => {
    const lines = new TextLines('a\nb\n');
    lines.demandLines('f', 2);
    lines.demandCursor('f', 3);
    expect(() => lines.demandLines('f', 3)).toThrow(/^f has 2 lines\. Give lines up to 2\.$/);
    expect(() => lines.demandCursor('f', 4)).toThrow(/^f has 2 lines\. Give a line up to 3, 3 being the empty place/);
    expect(() => new TextLines('a').demandCursor('f', 2)).toThrow(/^f has 1 line\. Give a line up to 1\.$/);
    expect(() => new TextLines('').demandLines('f', 1)).toThrow(/^f has no lines\. Mark the whole file\.$/);
    expect(() => new TextLines('').demandCursor('f', 1)).not.toThrow();
  });

  test('a cursor at the end of a line parts the text before the line end', () => {
    expect(new TextLines('a\r\nb\n').around(1)).toEqual({ prefix: 'a', suffix: '\r\nb\n' });
    expect(new TextLines('a\nb\n').around(3)).toEqual({ prefix: 'a\nb\n', suffix: '' });
    expect(new TextLines('a\r\nb\r\nc').between(1, 2)).toBe('a\r\nb');
  });

  test('nothing of the text is lost', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 20 }), (text, line) => {
        const { prefix, suffix } = new TextLines(text).around(line);
        expect(prefix + suffix).toBe(text);
        expect(new TextLines(text).between(1, 1_000)).toBe(text);
      }),
    );
  });
});
