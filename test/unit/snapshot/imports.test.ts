import { beforeAll, describe, expect, test } from 'vitest';
import { candidatePaths, packageName } from '../../../src/snapshot/imports.ts';
import { createParser } from '../../../src/snapshot/parser.ts';
import { outlineForms } from '../../support/outline-forms.ts';

const forms = outlineForms(createParser());
beforeAll(async () => {
  for (const { read } of forms) await read('warm.ts', '');
}, 30_000);

describe.each(forms)('imports of a text: $name', ({ read }) => {
  async function sites(text: string, path = 'a.ts') {
    return (await read(path, text)).imports.map(({ module, names, line }) => [line, module, ...names]);
  }

  test('static ones, with names as they are exported there', async () => {
    const text =
      "import a, { b as c, type D, default as e } from './x';\nimport * as ns from '../y.js';\nimport 'side-effect';\nimport type { T } from '@scope/types';\nexport * from './all';\nexport * as grouped from './grouped';\nexport { f as g } from 'pkg/sub';\nimport fs = require('node:fs');\nimport { 'string name' as s } from './s';";
    expect(await sites(text)).toEqual([
      [1, './x', 'default', 'b', 'D', 'default'],
      [2, '../y.js', '*'],
      [3, 'side-effect'],
      [4, '@scope/types', 'T'],
      [5, './all', '*'],
      [6, './grouped', '*'],
      [7, 'pkg/sub', 'f'],
      [8, 'node:fs', '*'],
      [9, './s', 'string name'],
    ]);
  });

  test('calls, wherever they stand', async () => {
    const text =
      "const { a, b: c } = require('./x');\nconst all = require('./y');\nfunction f() {\n  return import('./lazy').then((m) => m.z);\n}\nconst d = require('./z').named;\nrequire(dynamic);\nimport(`template`);";
    expect(await sites(text, 'a.js')).toEqual([
      [1, './x', 'a', 'b'],
      [2, './y', '*'],
      [4, './lazy', 'then'],
      [6, './z', 'named'],
    ]);
  });

  test('calls between brackets, comments, casts and question marks', async () => {
    const text =
      "const { a, ...b } = require?.('x');\nconst { 'c': c, [d]: e, 5: f } = (require /* now */ ('y'));\nrequire<T>('z')?.g;\n(require)('w')['h'];\n(require('v') as T).i;\nimport.defer('u');\nmodule[require('t')];\nrequire('a', 'b');\nnew require('c');\nconst { j } = await import('s');";
    expect(await sites(text)).toEqual([
      [1, 'x', 'a', '*'],
      [2, 'y', 'c', '*', '5'],
      [3, 'z', 'g'],
      [4, 'w', 'h'],
      [5, 'v', '*'],
      [6, 'u', '*'],
      [7, 't', '*'],
      [10, 's', '*'],
    ]);
  });

  test('those of module blocks', async () => {
    const text =
      "declare module 'm' {\n  import a from 'x';\n  export * from 'y';\n  namespace N.O {\n    export import b = require('z');\n  }\n}";
    expect(await sites(text)).toEqual([
      [2, 'x', 'default'],
      [3, 'y', '*'],
      [5, 'z', '*'],
    ]);
    expect(await sites(text.replace(/.*require.*/, ''))).toEqual([
      [2, 'x', 'default'],
      [3, 'y', '*'],
    ]);
  });

  test('what passes names on says so', async () => {
    const { imports } = await read(
      'a.ts',
      "export { a as b, c } from './x';\nexport * from './y';\nexport * as ns from './z';\nimport { d } from './w';",
    );
    expect(imports.map(({ passedOn }) => passedOn && Object.fromEntries(passedOn))).toEqual([
      { b: 'a', c: 'c' },
      { '*': '*' },
      { ns: '*' },
      undefined,
    ]);
  });

  test('are few', async () => {
    expect(await sites(Array.from({ length: 300 }, (_, n) => `import './m${n}';`).join('\n'))).toHaveLength(200);
  });
});

describe('what a relative import may mean', () => {
  test.each<[string, string, string]>([
    ['src/a/b.ts', './c', 'src/a/c.ts'],
    ['src/a/b.ts', './c.js', 'src/a/c.ts'],
    ['src/a/b.ts', './c.mjs', 'src/a/c.mts'],
    ['src/a/b.ts', '../d', 'src/d/index.ts'],
    ['src/a/b.ts', '..', 'src/index.ts'],
    ['src/a/b.ts', '.', 'src/a/index.ts'],
    ['src/a/b.ts', './data.json', 'src/a/data.json'],
    ['src/a/b.ts', './x.d', 'src/a/x.d.ts'],
    ['src/a/b.ts', './c.ts?raw', 'src/a/c.ts'],
    ['b.ts', './c', 'c.tsx'],
    ['b.ts', './', 'index.js'],
  ])('%s: %s may be %s', (importer, module, path) => {
    expect(candidatePaths(importer, module)).toContain(path);
  });

  test('the file as written comes first, an index last', () => {
    const found = candidatePaths('src/b.ts', './c.js');
    expect(found.slice(0, 3)).toEqual(['src/c.js', 'src/c.ts', 'src/c.tsx']);
    expect(found.at(-1)).toBe('src/c.js/index.json');
  });

  test.each([
    ['b.ts', '../x'],
    ['a/b.ts', '../../x'],
    ['a/b.ts', '/etc/passwd'],
    ['a/b.ts', 'pkg'],
    ['a/b.ts', '...x'],
    ['a/b.ts', ''],
  ])('%s: %j means no file of the project', (importer, module) => {
    expect(candidatePaths(importer, module)).toEqual([]);
  });

  test('package names', () => {
    const names = [
      'react',
      'react/jsx-runtime',
      '@a/b',
      '@a/b/c/d',
      'node:fs',
      '#internal',
      './x',
      '/x',
      '@a',
      '',
      'Lodash',
      'https://x/y',
    ].map(packageName);
    expect(names).toEqual(['react', 'react', '@a/b', '@a/b', null, null, null, null, null, null, 'Lodash', null]);
  });
});
