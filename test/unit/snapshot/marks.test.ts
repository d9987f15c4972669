import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Focus,
  focusFor,
  linesHash,
  locateLines,
  type Marks,
  type Outline,
  type TagValue,
  tagsInForce,
  targetsAbove,
  targetsWithin,
  weight,
} from '../../../src/snapshot/index.ts';

const AT = '2026-11-20T12:00:00.000Z';
const DAY = 86_400_000;
const asOf = (days: number) => Date.parse(AT) + days * DAY;

function tag(value: string, extra: Partial<TagValue> = {}): TagValue {
  return { value, by: 'user', at: AT, source: 'user', ...extra };
}

describe('weight', () => {
  test('fades by half every half-life: 0.8 after three days of nine', () => {
    expect(weight(AT, asOf(0), 9, false)).toBe(1000);
    expect(weight(AT, asOf(3), 9, false)).toBe(794);
    expect(weight(AT, asOf(9), 9, false)).toBe(500);
    expect(weight(AT, asOf(90), 9, false)).toBe(1);
    expect(weight(AT, asOf(90), 9, true)).toBe(1000);
  });

  test('now is cut to the hour, and a mark from the future is new', () => {
    expect(weight(AT, asOf(1) + 3_599_999, 9, false)).toBe(weight(AT, asOf(1), 9, false));
    expect(weight(AT, asOf(1) + 3_600_000, 9, false)).toBeLessThan(weight(AT, asOf(1), 9, false));
    expect(weight('2027-01-01T00:00:00.000Z', asOf(0), 9, false)).toBe(1000);
  });

  test('is an integer from 0 to 1000, whatever it is given', () => {
    fc.assert(
      fc.property(fc.string(), fc.double(), fc.double(), (at, ms, halfLife) => {
        const value = weight(at, ms, halfLife, false);
        expect(Number.isInteger(value) && value >= 0 && value <= 1000).toBe(true);
      }),
    );
  });
});

describe('tags in force', () => {
  const marks: Marks = {
    tags: {
      '.': { module: { set: tag('all') }, status: { auto: tag('new', { source: 'auto' }) } },
      'src/': { module: { set: tag('core') }, complexity: { set: tag('low') } },
      'src/auth/': { owner: { set: tag('team-a') } },
      'src/auth/login.ts': {
        module: { set: tag('auth'), auto: tag('guessed', { source: 'auto' }) },
        complexity: { auto: tag('high', { source: 'auto' }) },
        churn: { auto: tag('high', { source: 'auto' }) },
      },
      'src/auth': { module: { set: tag('a file of that name') } },
    },
    focus: {},
  };

  test('the nearest set value counts, below a folder and before any automatic one', () => {
    const found = tagsInForce(marks, 'src/auth/login.ts', asOf(0), 9);
    expect(found.map(({ key, value, target, inherited }) => [key, value, target, inherited])).toEqual([
      ['churn', 'high', 'src/auth/login.ts', false],
      ['complexity', 'low', 'src/', true],
      ['module', 'auth', 'src/auth/login.ts', false],
      ['owner', 'team-a', 'src/auth/', true],
      ['status', 'new', '.', true],
    ]);
  });

  test('a folder, and the project', () => {
    const value = (path: string | null, key: string) =>
      tagsInForce(marks, path, asOf(0), 9).find((t) => t.key === key)?.value;
    expect(value('src/auth/', 'module')).toBe('core');
    expect(value('src/other/x.ts', 'module')).toBe('core');
    expect(value('srcs/x.ts', 'module')).toBe('all');
    expect(value(null, 'module')).toBe('all');
    expect(value('.', 'module')).toBe('all');
  });

  test('targets above are in their string form, nearest first', () => {
    expect(targetsAbove('a#b/c%/d.ts')).toEqual(['a%23b/c%25/d.ts', 'a%23b/c%25/', 'a%23b/', '.']);
    expect(targetsAbove('a/')).toEqual(['a/', '.']);
    expect(targetsAbove(null)).toEqual(['.']);
  });

  test('names of Object.prototype are names', () => {
    const tricky = JSON.parse(
      '{"tags":{"__proto__":{"__proto__":{"set":{"value":"x","by":"user","at":"2026-11-20T12:00:00.000Z","source":"user"}}}},"focus":{}}',
    ) as Marks;
    expect(tagsInForce(tricky, '__proto__', asOf(0), 9).map(({ key, value }) => [key, value])).toEqual([
      ['__proto__', 'x'],
    ]);
    expect(tagsInForce({ tags: {}, focus: {} }, 'constructor', asOf(0), 9)).toEqual([]);
    expect(focusFor({ tags: {}, focus: {} }, 'toString', asOf(0), 9)).toEqual([]);
  });
});

describe('focus', () => {
  const focus = (days: number, extra: Partial<Focus> = {}): Focus => ({
    by: 'user',
    at: new Date(asOf(-days)).toISOString(),
    ...extra,
  });
  const marks: Marks = {
    tags: { 'src/a.ts#L9-L9': { note: { set: tag('x') } } },
    focus: {
      'src/': focus(9),
      'src/a.ts': focus(3),
      'src/a.ts#L1-L2': focus(0),
      'src/a.ts#sym:f': focus(20, { pinned: true }),
      'src/a.tsx': focus(0),
      'src/b.ts': focus(0),
    },
  };

  test('of a file: its own, those in it, those of folders above, heaviest first', () => {
    expect(
      focusFor(marks, 'src/a.ts', asOf(0), 9).map(({ target, weight: w, inherited }) => [target, w, inherited]),
    ).toEqual([
      ['src/a.ts#L1-L2', 1000, false],
      ['src/a.ts#sym:f', 1000, false],
      ['src/a.ts', 794, false],
      ['src/', 500, true],
    ]);
    expect(targetsWithin(marks, 'src/a.ts')).toEqual(['src/a.ts#L1-L2', 'src/a.ts#L9-L9', 'src/a.ts#sym:f']);
  });

  test('the project has only its own', () => {
    expect(focusFor(marks, null, asOf(0), 9)).toEqual([]);
  });
});

describe('marked lines', () => {
  const text = 'one\ntwo\nthree\nfour\nfive\nsix\n';
  const outline: Outline = {
    language: 'ts',
    lines: 6,
    items: [
      { kind: 'class', name: 'C', start: 2, end: 5 },
      { kind: 'method', name: 'm', start: 3, end: 4, of: 'C' },
    ],
  };
  const mark = (symbol?: string, source = text): Focus => ({
    by: 'user',
    at: AT,
    linesHash: linesHash(source, { start: 3, end: 4 }),
    ...(symbol === undefined ? {} : { symbol }),
  });
  const target = 'a.ts#L3-L4';

  test('are where they were', () => {
    expect(locateLines(target, mark('C.m'), text, outline)).toEqual({ start: 3, end: 4 });
  });

  test('trailing blanks and line ends do not matter', () => {
    expect(locateLines(target, mark(), text.replaceAll('\n', ' \r\n'), null)).toEqual({ start: 3, end: 4 });
  });

  test('are found again after lines came before them', () => {
    expect(locateLines(target, mark(), `zero\n${text}`, null)).toEqual({ start: 4, end: 5 });
  });

  test('are looked for in their symbol first', () => {
    const twice = `three\nfour\n${text}`;
    const moved = { ...outline, items: outline.items.map((i) => ({ ...i, start: i.start + 2, end: i.end + 2 })) };
    expect(locateLines('a.ts#L3-L4', mark('C.m'), twice, moved)).toEqual({ start: 5, end: 6 });
    expect(locateLines('a.ts#L3-L4', mark(), twice, null)).toBeNull();
  });

  test('that were edited show their symbol', () => {
    expect(locateLines(target, mark('C.m'), text.replace('three', 'drei'), outline)).toEqual({ start: 3, end: 4 });
  });

  test('that fit nowhere are lost', () => {
    expect(locateLines(target, mark('gone'), text.replace('three', 'drei'), outline)).toBeNull();
    expect(locateLines('a.ts#L30-L40', mark(), 'one\n', null)).toBeNull();
  });

  test('without a hash they are taken by number for as long as that makes sense', () => {
    const bare: Focus = { by: 'user', at: AT };
    expect(locateLines(target, bare, text, null)).toEqual({ start: 3, end: 4 });
    expect(locateLines(target, bare, 'one\n', null)).toBeNull();
    expect(
      locateLines(target, { ...bare, symbol: 'C.m' }, `${text}`, {
        ...outline,
        items: [{ kind: 'method', name: 'm', of: 'C', start: 5, end: 6 }],
      }),
    ).toEqual({ start: 5, end: 6 });
  });

  test('found lines always have the marked text', () => {
    const some = fc.array(fc.constantFrom('a', 'b', 'c', ''), { minLength: 4, maxLength: 12 });
    fc.assert(
      fc.property(some, some, fc.nat({ max: 2 }), (before, after, length) => {
        const range = { start: 2, end: 2 + length };
        const wanted = linesHash(before.join('\n'), range);
        const found = locateLines(
          `a#L2-L${2 + length}`,
          { by: 'user', at: AT, linesHash: wanted },
          after.join('\n'),
          null,
        );
        if (found !== null) expect(linesHash(after.join('\n'), found)).toBe(wanted);
      }),
    );
  });
});
