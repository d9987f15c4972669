import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { codeOf } from '../../../src/base/index.ts';
import { normaliseTag, parseTags } from '../../../src/snapshot/index.ts';
import dictionary from '../../../src/snapshot/tag-dictionary.json' with { type: 'json' };

function pairs(text: string, own?: Record<string, string>): string[] {
  return parseTags(text, own).tags.map(({ key, value }) => `${key}: ${value}`);
}

describe('free text', () => {
  test.each<[string, string[]]>([
    ['priority: high, module=auth', ['priority: high', 'module: auth']],
    ['high priority', ['priority: high']],
    ['HIGH PRIORITY', ['priority: high']],
    ['urgent', ['priority: high']],
    ['P0', ['priority: high']],
    ['高优先级', ['priority: high']],
    ['wip', ['status: in_progress']],
    ['P0 wip', ['priority: high', 'status: in_progress']],
    ['紧急，模块：登录、状态：进行中', ['priority: high', 'module: 登录', 'status: in_progress']],
    ['ｐｒｉｏｒｉｔｙ：高；ｗｉｐ', ['priority: high', 'status: in_progress']],
    ['priority=high module=auth', ['priority: high', 'module: auth']],
    ['urgent module=auth', ['priority: high', 'module: auth']],
    ['priority: high module: auth', ['priority: high', 'module: auth']],
    ['review status: approved', ['review_status: approved']],
    ['code review=ok', ['review_status: approved']],
    ['note: see: this', ['note: see: this']],
    ['Module: Auth Service', ['module: Auth Service']],
    ["owner: O'Brien", ["owner: O'Brien"]],
    ['note: "a, b; c: d"', ['note: a, b; c: d']],
    ['note: “引用，内容”, wip', ['note: 引用，内容', 'status: in_progress']],
    ['note: "say \\"hi\\" \\\\"', ['note: say "hi" \\']],
    ['mood: 🔥👩‍👩‍👧', ['mood: 🔥👩‍👩‍👧']],
    ['#urgent\nmodule=x', ['priority: high', 'module: x']],
    ['__proto__: 1, constructor=x, toString=y', ['__proto__: 1', 'constructor: x', 'tostring: y']],
    ['重要: 是', ['重要: 是']],
    ['', []],
    [' \n , ，;', []],
  ])('%j', (text, expected) => {
    expect(parseTags(text).problems).toEqual([]);
    expect(pairs(text)).toEqual(expected);
  });

  test.each<[string, string[], RegExp]>([
    ['auth', [], /“auth” has no key.*topic: auth/],
    ['🔥', [], /“🔥” has no key/],
    ['🔥: hot', [], /“🔥” cannot be a key/],
    ['wip, a:', ['status: in_progress'], /“a” has no value.*a: value/],
    [': x', [], /value but no key/],
    ['note: "open', [], /not closed/],
    ['note: "a" b', [], /“b” behind the quoted “a”.*comma/],
    ['https://example.com/x', [], /link: "https/],
    ['a=1,a=2', ['a: 2'], /given twice: “2” is used, not “1”/],
    ['note: "a\nb"', [], /control character/],
    [`x`.repeat(10_000), [], /has no key/],
    [`k=${'v'.repeat(10_000)}`, [], /has 10000 characters. Use at most 128/],
    [`${'k'.repeat(10_000)}=v`, [], /has 10000 characters. Use at most 64/],
    ['note: \ud800x', [], /half of a character/],
  ])('%j says what is wrong', (text, expected, problem) => {
    const { problems } = parseTags(text);
    expect(pairs(text)).toEqual(expected);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(problem);
  });

  test('many tags are cut, and many problems are counted', () => {
    const many = parseTags(Array.from({ length: 2500 }, (_, n) => `k${n}=1`).join(','));
    expect(many.tags).toHaveLength(32);
    expect(many.problems.join()).toContain('2500 tags: the first 32');
    const wrong = parseTags(Array.from({ length: 300 }, (_, n) => `w${n}`).join(','));
    expect(wrong.problems).toHaveLength(6);
    expect(wrong.problems.at(-1)).toContain('295 more');
  });

  test('a person’s own phrases win', () => {
    expect(pairs('核心, urgent', { 核心: 'layer: core', Urgent: 'priority: low' })).toEqual([
      'layer: core',
      'priority: low',
    ]);
    expect(parseTags('x', { x: 'nonsense' }).problems[0]).toMatch(
      /“nonsense”, which is not a tag.*projectAnchor\.tags\.dictionary/,
    );
  });

  test('never throws, and everything it understands is normal already', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc
        .array(
          fc.constantFrom('a', '=', ':', '：', ',', '，', '"', '“', '”', '\\', ' ', 'wip', '高', '__proto__', '\n'),
          { maxLength: 20 },
        )
        .map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(text, (input) => {
        for (const { key, value } of parseTags(input).tags) {
          expect(key).toMatch(/^[\p{Ll}\p{Lo}\p{N}_]{1,64}$/u);
          expect(normaliseTag(key, value)).toEqual({ key, value });
          expect(pairs(`${key}: "${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`)).toEqual([
            `${key}: ${value}`,
          ]);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('normaliseTag', () => {
  test('keys and values are NFC and trimmed, synonyms are replaced', () => {
    expect(normaliseTag(' Prio ', ' URGENT ')).toEqual({ key: 'priority', value: 'high' });
    expect(normaliseTag('模块', 'Cafe\u0301')).toEqual({ key: 'module', value: 'Café' });
    expect(normaliseTag('due-date', '2026-12-01')).toEqual({ key: 'deadline', value: '2026-12-01' });
    expect(normaliseTag('Some Key', 'V')).toEqual({ key: 'some_key', value: 'V' });
  });

  test.each([
    ['', 'x'],
    ['a.b', 'x'],
    ['a', ''],
    ['a', ' '],
    ['a', 'x'.repeat(129)],
  ])('%j: %j is invalid', (key, value) => {
    expect(() => normaliseTag(key, value)).toThrow();
    try {
      normaliseTag(key, value);
    } catch (error) {
      expect(codeOf(error)).toBe('invalid');
    }
  });

  test('128 characters are counted by code point', () => {
    expect(normaliseTag('a', '🔥'.repeat(128)).value).toHaveLength(256);
  });
});

test('the dictionary says what it means: every word leads to a tag, and no word to two', () => {
  for (const [meaning, words] of Object.entries(dictionary.phrases)) {
    for (const word of words) expect(pairs(word), word).toEqual([meaning]);
  }
  for (const [key, groups] of Object.entries(dictionary.values)) {
    for (const [value, words] of Object.entries(groups)) {
      for (const word of words) expect(normaliseTag(key, word), `${key}: ${word}`).toEqual({ key, value });
    }
  }
  for (const [key, words] of Object.entries(dictionary.keys)) {
    for (const word of words) expect(normaliseTag(word, 'x').key, word).toBe(key);
  }
});
