import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseRewritten } from '../../../../src/agents/commands/rewritten.ts';

const id = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 40, maxLength: 40 });
const [A, B] = ['a'.repeat(40), 'b'.repeat(40)];

test('pairs as git writes them, words behind them ignored', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(id, id, fc.constantFrom('', ' ', ' a word', ' two words'))), (lines) => {
      const text = lines.map(([before, now, more]) => `${before} ${now}${more}\n`).join('');
      expect(parseRewritten(text)).toEqual(lines.map(([before, now]) => ({ old: before, new: now })));
    }),
  );
  expect(parseRewritten(`${'c'.repeat(64)} ${'d'.repeat(64)}`)).toEqual([{ old: 'c'.repeat(64), new: 'd'.repeat(64) }]);
  expect(parseRewritten('')).toEqual([]);
  expect(parseRewritten('\n\n')).toEqual([]);
});

test('of more than 500 the last ones count', () => {
  const ids = Array.from({ length: 600 }, (_, n) => n.toString(16).padStart(40, '0'));
  const pairs = parseRewritten(ids.map((each) => `${each} ${B}\n`).join(''));
  expect(pairs).toHaveLength(500);
  expect(pairs.at(-1)).toEqual({ old: ids[599], new: B });
});

test.each([
  `${A}`,
  `${A} `,
  `${A}  ${B}`,
  `${A}\t${B}`,
  ` ${A} ${B}`,
  `${A} ${B.slice(1)}`,
  `${A.toUpperCase()} ${B}`,
  `${A} ${'c'.repeat(64)}`,
  `HEAD~1 HEAD`,
  `${A} ${B}x`,
])('%j is refused with its line', (line) => {
  expect(() => parseRewritten(`${A} ${B}\n${line}\n`)).toThrow('Line 2 of what was rewritten is not "old new".');
});
