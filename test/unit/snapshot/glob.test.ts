import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { alternatives, globTest } from '../../../src/snapshot/glob.ts';

describe('patterns of paths', () => {
  test.each([
    ['a/*.ts', ['a/b.ts', 'a/.ts'], ['a/b/c.ts', 'a/b.tsx', 'b.ts']],
    ['**/x', ['x', 'a/x', 'a/b/x'], ['xx', 'x/a']],
    ['a/**', ['a/b', 'a/b/c'], ['a', 'ab']],
    ['a/**/z', ['a/z', 'a/b/z', 'a/b/c/z'], ['a/bz', 'z']],
    ['a?c', ['abc', 'aüc', 'a😀c'], ['ac', 'abbc', 'a/c']],
    ['[a-c][!x]', ['ay', 'cz'], ['dx', 'ax', 'a']],
    ['*a*b*', ['ab', 'xaxbx', 'aab'], ['ba', 'a/b']],
    ['a\\*', ['a*'], ['ab']],
    ['[', ['['], ['']],
    ['', [''], ['a']],
  ])('%s', (pattern, yes, no) => {
    const test = globTest(pattern);
    expect(yes.filter((path) => !test(path))).toEqual([]);
    expect(no.filter(test)).toEqual([]);
  });

  test('of several alternatives', () => {
    expect(alternatives('a/{b,c}/{d,e}')).toEqual(['a/b/d', 'a/b/e', 'a/c/d', 'a/c/e']);
    expect(alternatives('plain/*')).toEqual(['plain/*']);
    expect(alternatives('{a,{b}')).toEqual(['{a,{b}']);
    expect(alternatives('{a,b}'.repeat(20))).toHaveLength(1);
  });

  test('a pattern without wildcards is the path itself, and stars take anything within a part', () => {
    const name = fc.stringMatching(/^[a-z.]{1,8}$/);
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 6 }), fc.nat(), (parts, at) => {
        const path = parts.join('/');
        expect(globTest(path)(path)).toBe(true);
        expect(globTest(parts.map((part, each) => (each === at % parts.length ? '*' : part)).join('/'))(path)).toBe(
          true,
        );
        expect(globTest(`**/${parts.at(-1)}`)(path)).toBe(true);
      }),
    );
  });

  test('that are made to take forever do not', () => {
    expect(globTest(`${'*a'.repeat(200)}b`)('a'.repeat(2_000))).toBe(false);
    expect(globTest(`${'**/a/'.repeat(100)}x`)('a/'.repeat(1_000))).toBe(false);
    expect(alternatives('{a,'.repeat(1_000))).toHaveLength(1);
  });
});
