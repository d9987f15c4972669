import { expect, test } from 'vitest';
import { findSymbol } from '../../../../src/snapshot/commits/find-symbol.ts';

test('where not all symbols are listed, nobody says that a file has no such symbol', () => {
  const items = [{ kind: 'function' as const, name: 'f1', start: 1, end: 1 }];
  const outline = { language: 'ts', lines: 9, items };
  expect(() => findSymbol('a.ts', outline, 'f9')).toThrow('a.ts has no symbol f9.');
  expect(() => findSymbol('a.ts', { ...outline, more: 8 }, 'f9')).toThrow('f9 is not among the 1 symbols');
  expect(findSymbol('a.ts', { ...outline, more: 8 }, 'f1')).toBe('f1');
});
