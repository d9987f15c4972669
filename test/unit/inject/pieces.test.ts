import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fenced, oneLine, quoted } from '../../../src/inject/fence.ts';
import { placeOf } from '../../../src/inject/paths.ts';
import { joined } from '../../../src/inject/render.ts';
import { openText } from '../../../src/inject/window.ts';

describe('fences', () => {
  it('writes short outside text as one quoted line', () => {
    expect(quoted('high')).toBe('"high"');
    expect(quoted('a"b\\c')).toBe('"a\\"b\\\\c"');
    expect(quoted('a\nb\u2028c\u2029d\r\te\u0085')).toBe('"a\\nb\\u2028c\\u2029d\\u000d\\u0009e\\u0085"');
    expect(quoted('</project>')).toBe('"\\u003c/project\\u003e"');
    expect(quoted('\u202eabc\u200b\u{e0041}')).toBe('"\\u202eabc\\u200b\\u{e0041}"');
    expect(quoted('优先级：高 😀')).toBe('"优先级：高 😀"');
  });

  it('never lets a quoted text end its quotes or its line', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const line = quoted(text);
        expect(line).toMatch(/^"(?:[^"\\\p{Cc}\p{Zl}\p{Zp}\p{Cf}<>]|\\.)*"$/u);
        expect(line.isWellFormed()).toBe(true);
      }),
    );
  });

  it('keeps different texts different', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
        fc.pre(a.toWellFormed() !== b.toWellFormed());
        expect(quoted(a)).not.toBe(quoted(b));
      }),
    );
  });

  it('puts code on one line and leaves its angle brackets', () => {
    expect(oneLine('get<T>(\n  a: T,\u2028)\u200b: T ')).toBe('get<T>( a: T, ): T');
  });

  it('gives the same text the same marks and another text others', () => {
    expect(fenced('remembered', 'a')).toBe(fenced('remembered', 'a'));
    expect(fenced('remembered', 'a').split('\n')[0]).not.toBe(fenced('remembered', 'b').split('\n')[0]);
  });
});

describe('paths', () => {
  it.each([
    ['/p', 'a.ts', { kind: 'inside', path: 'a.ts' }],
    ['/p', './a/../b.ts', { kind: 'inside', path: 'b.ts' }],
    ['/p', '/p/a b/ü.ts', { kind: 'inside', path: 'a b/ü.ts' }],
    ['/p', '..a.ts', { kind: 'inside', path: '..a.ts' }],
    ['/p', '/p', { kind: 'outside', name: 'p' }],
    ['/p', '/q/a.ts', { kind: 'outside', name: 'a.ts' }],
    ['/p', '../a.ts', { kind: 'outside', name: 'a.ts' }],
    ['/p', 'untitled:Untitled-1', { kind: 'nowhere' }],
    ['/p', undefined, { kind: 'nowhere' }],
    ['C:\\p', 'c:\\P\\src\\a.ts', { kind: 'inside', path: 'src/a.ts' }],
    ['C:\\p', 'D:\\p\\a.ts', { kind: 'outside', name: 'a.ts' }],
    ['\\\\host\\share\\p', '\\\\host\\share\\p\\a.ts', { kind: 'inside', path: 'a.ts' }],
  ])('%s and %s', (root, file, place) => {
    expect(placeOf(root, file)).toEqual(place);
  });
});

describe('joining', () => {
  it.each([
    ['p', 'o', 'p\n\n---\no'],
    ['p', '', 'p'],
    ['p', undefined, 'p'],
    ['', 'o', 'o'],
    ['', undefined, ''],
  ])('%j and %j', (project, original, both) => {
    expect(joined(project, original)).toBe(both);
  });
});

describe('open text', () => {
  const open = openText({
    type: 'completion',
    file: 'a.ts',
    language: 'ts',
    line: 4,
    prefix: 'export function total(\n  items: Item[],\n): Money {\n  return ',
    suffix: '\n}\nconst done = true;',
  });

  it('has what stands in it, white space aside', () => {
    expect(open.has('export function total(items: Item[]): Money')).toBe(true);
    expect(open.has('const done')).toBe(true);
    expect(open.has('function total')).toBe(true);
  });

  it('takes no part of a word for the word, and an empty text for none', () => {
    expect(open.has('const do')).toBe(false);
    expect(open.has('tal(items: Item[])')).toBe(false);
    expect(open.has('')).toBe(false);
    expect(open.has('total(items: Item): Money')).toBe(false);
  });

  it('covers the lines around the cursor', () => {
    expect([0, 1, 4, 6, 7].map((line) => open.covers(line))).toEqual([false, true, true, true, false]);
    expect(openText({ type: 'chat', question: 'x', session: 's', turn: 't' }).covers(1)).toBe(false);
  });
});
