import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  decodePath,
  encodePath,
  formatTarget,
  parseTarget,
  pathProblem,
  type Target,
  targetPath,
} from '../../../src/snapshot/index.ts';
import { pathFromBytes, pathToBytes } from '../../../src/snapshot/targets.ts';

const segments = fc
  .oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }),
    fc.constantFrom('a#b', '100%', 'é', '文件', '%41', 'L1'),
  )
  .filter((name) => !/[/\0]/.test(name) && name !== '.' && name !== '..' && name.isWellFormed());
const paths = fc.array(segments, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
const lines = fc.tuple(fc.integer({ min: 1, max: 1e6 }), fc.nat({ max: 1e6 }));
const targets: fc.Arbitrary<Target> = fc.oneof(
  fc.constant({ kind: 'project' } as const),
  paths.map((path) => ({ kind: 'file' as const, path })),
  paths.map((path) => ({ kind: 'directory' as const, path })),
  fc.tuple(paths, lines).map(([path, [start, more]]) => ({ kind: 'lines' as const, path, start, end: start + more })),
  fc
    .tuple(
      paths,
      fc.string({ unit: 'binary', minLength: 1, maxLength: 10 }).filter((text) => text.isWellFormed()),
    )
    .map(([path, symbol]) => ({ kind: 'symbol' as const, path, symbol })),
);

describe('the string form of a target', () => {
  test.each<[string, Target]>([
    ['.', { kind: 'project' }],
    ['src/a.ts', { kind: 'file', path: 'src/a.ts' }],
    ['src/', { kind: 'directory', path: 'src' }],
    ['src/a.ts#L10-L20', { kind: 'lines', path: 'src/a.ts', start: 10, end: 20 }],
    ['src/a.ts#sym:Outer.Inner.method', { kind: 'symbol', path: 'src/a.ts', symbol: 'Outer.Inner.method' }],
    ['src/a.ts#sym:Box.%23secret', { kind: 'symbol', path: 'src/a.ts', symbol: 'Box.#secret' }],
    ['a%23b%25.ts', { kind: 'file', path: 'a#b%.ts' }],
    ['a%0Ab', { kind: 'file', path: 'a\nb' }],
    ['bad%FFname', { kind: 'file', path: 'bad\udcffname' }],
    ['说明 (1).md', { kind: 'file', path: '说明 (1).md' }],
    ['__proto__', { kind: 'file', path: '__proto__' }],
  ])('%s', (text, target) => {
    expect(parseTarget(text)).toEqual(target);
    expect(formatTarget(target)).toBe(text);
  });

  test('comes back as it was, whatever the names are', () => {
    fc.assert(
      fc.property(targets, (target) => {
        expect(parseTarget(formatTarget(target))).toEqual(target);
      }),
    );
  });

  test('is the same for two targets only when they are the same', () => {
    fc.assert(
      fc.property(targets, targets, (a, b) => {
        fc.pre(JSON.stringify(a) !== JSON.stringify(b));
        expect(formatTarget(a)).not.toBe(formatTarget(b));
      }),
    );
  });

  test.each([
    ['', 'is empty'],
    ['/etc/passwd', 'is absolute'],
    ['../x', 'has the part ".."'],
    ['a/../b', 'has the part ".."'],
    ['a//b', 'empty part'],
    ['a/./b', 'has the part "."'],
    ['a%00b', 'zero byte'],
    ['100%', 'Write "%25"'],
    ['a#nonsense', 'neither lines nor a symbol'],
    ['a#L5', 'neither lines nor a symbol'],
    ['a#L0-L3', 'neither lines nor a symbol'],
    ['a#L9-L3', 'Write a#L3-L9'],
    ['src/#L1-L2', 'empty part'],
    ['./src/a.ts', 'Write src/a.ts instead'],
    ['%41', 'Write A instead'],
    ['a%0ab', 'Write a%0Ab instead'],
    ['a\nb', 'Write a%0Ab instead'],
    ['./', 'Write . instead'],
  ])('%j is refused with what to write', (text, words) => {
    expect(() => parseTarget(text)).toThrow(words);
  });

  test('lines and symbols that make no sense cannot be written', () => {
    expect(() => formatTarget({ kind: 'lines', path: 'a', start: 0, end: 1 })).toThrow('not numbers from 1 up');
    expect(() => formatTarget({ kind: 'lines', path: 'a', start: 3, end: 1 })).toThrow('end before they begin');
    expect(() => formatTarget({ kind: 'symbol', path: 'a', symbol: '' })).toThrow('no name');
    expect(() => formatTarget({ kind: 'file', path: 'a/' })).toThrow('empty part');
  });

  test('targetPath names what it is on', () => {
    expect(targetPath({ kind: 'project' })).toBeNull();
    expect(targetPath({ kind: 'directory', path: 'src' })).toBe('src');
  });
});

describe('names as bytes', () => {
  test('every sequence of bytes has exactly one text, and one string form', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 24 }), (bytes) => {
        const path = pathFromBytes(bytes);
        expect(pathToBytes(path)).toEqual(Buffer.from(bytes));
        const form = encodePath(bytes);
        expect(form).toBe(encodePath(path));
        expect(form.isWellFormed()).toBe(true);
        expect(form).not.toMatch(/[#\p{Cc}]/u);
        expect(pathToBytes(decodePath(form))).toEqual(Buffer.from(bytes));
      }),
    );
  });

  test('what is UTF-8 stays as it is but for %, # and control characters', () => {
    expect(encodePath('a b/é/文.ts')).toBe('a b/é/文.ts');
    expect(encodePath('50%#\t\u0085')).toBe('50%25%23%09%C2%85');
    expect(encodePath(Uint8Array.of(0x61, 0xff, 0xc3))).toBe('a%FF%C3');
  });

  test('half of a character is nobody’s name', () => {
    expect(() => encodePath('a\ud800b')).toThrow('half of a character');
  });

  test('pathProblem lets ordinary names through', () => {
    expect(pathProblem('a/b c/..d/e..')).toBeNull();
    expect(pathProblem(`${'x'.repeat(5000)}`)).toContain('longer');
  });
});
