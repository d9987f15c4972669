import { describe, expect, test } from 'vitest';
import { isResolverConfig } from '../../../../src/snapshot/resolve/index.ts';
import { type Project, resolverOf } from './support.ts';

interface Case {
  readonly what: string;
  readonly files: Project;
  readonly paths?: readonly string[];
  readonly importer: string;
  readonly imports: Readonly<Record<string, string | null>>;
  readonly degraded?: readonly string[];
}

const json = (value: unknown) => JSON.stringify(value);

const CONFIGS: readonly Case[] = [
  {
    what: 'a relative import leaves the extension out, names what is written, or a folder',
    files: {},
    paths: ['src/a.ts', 'src/b.ts', 'src/c/index.tsx', 'src/d.mts', 'src/e.vue', 'lib.ts'],
    importer: 'src/a.ts',
    imports: {
      './b': 'src/b.ts',
      './b.js': 'src/b.ts',
      './c': 'src/c/index.tsx',
      './d.mjs': 'src/d.mts',
      './e.vue': 'src/e.vue',
      '../lib': 'lib.ts',
      '../../lib': null,
      './none': null,
    },
  },
  {
    what: 'paths of the tsconfig above, the longest prefix first, each target in order',
    files: {
      'web/tsconfig.json': `{
        // comments and trailing commas are fine
        "compilerOptions": { "paths": { "@/*": ["./src/*"], "@/ui/*": ["./none/*", "./ui/*"], "exact": ["./src/x.ts"], }, },
      }`,
    },
    paths: ['web/src/a/b.ts', 'web/src/x.ts', 'web/ui/button.tsx', 'src/x.ts'],
    importer: 'web/src/a/b.ts',
    imports: { '@/x': 'web/src/x.ts', '@/ui/button': 'web/ui/button.tsx', exact: 'web/src/x.ts', '@/ui/x': null },
  },
  {
    what: 'paths start from baseUrl, and plain names from it as well',
    files: { 'tsconfig.json': json({ compilerOptions: { baseUrl: './src', paths: { '~/*': ['lib/*'] } } }) },
    paths: ['src/lib/a.ts', 'src/app/main.ts', 'app/a.ts'],
    importer: 'src/app/main.ts',
    imports: { '~/a': 'src/lib/a.ts', 'lib/a': 'src/lib/a.ts', 'app/a': null },
  },
  {
    what: 'what is extended counts, later ones and the own more; paths start where they are written',
    files: {
      'apps/web/tsconfig.json': json({ extends: ['../../a.json', '../../config/b'] }),
      'a.json': json({ compilerOptions: { paths: { '#a/*': ['./one/*'] } } }),
      'config/b.json': json({ extends: './c', compilerOptions: {} }),
      'config/c.json': json({ compilerOptions: { paths: { '#b/*': ['./two/*'] } } }),
    },
    paths: ['apps/web/main.ts', 'one/x.ts', 'config/two/x.ts'],
    importer: 'apps/web/main.ts',
    imports: { '#b/x': 'config/two/x.ts', '#a/x': null },
  },
  {
    what: 'the folder of the configuration itself stands for configDir',
    files: {
      'p/tsconfig.json': json({ extends: '../base.json' }),
      'base.json': json({ compilerOptions: { paths: { '@/*': [`\${configDir}/src/*`] } } }),
    },
    paths: ['p/src/x.ts', 'p/main.ts', 'src/x.ts'],
    importer: 'p/main.ts',
    imports: { '@/x': 'p/src/x.ts' },
  },
  {
    what: 'what is extended from a package counts only where it can be read',
    files: {
      'tsconfig.json': json({ extends: ['@tsconfig/gone/tsconfig.json', 'shared'] }),
      'node_modules/shared/tsconfig.json': json({ compilerOptions: { paths: { s: ['../../s'] } } }),
    },
    paths: ['s.ts', 'a.ts'],
    importer: 'a.ts',
    imports: { s: 's.ts' },
  },
  {
    what: 'a solution file leads to the projects that it refers to',
    files: {
      'tsconfig.json': json({ files: [], references: [{ path: './tsconfig.app.json' }, { path: './tool' }] }),
      'tsconfig.app.json': json({ compilerOptions: { paths: { 'app/*': ['./src/*'] } } }),
      'tool/tsconfig.json': json({ references: [{ path: '..' }], compilerOptions: { paths: { 'app/*': ['./*'] } } }),
    },
    paths: ['src/x.ts', 'src/main.ts', 'tool/x.ts'],
    importer: 'src/main.ts',
    imports: { 'app/x': 'src/x.ts' },
  },
  {
    what: 'folders of rootDirs count as one',
    files: { 'tsconfig.json': json({ compilerOptions: { rootDirs: ['src', 'generated'] } }) },
    paths: ['src/views/a.ts', 'generated/views/b.ts'],
    importer: 'src/views/a.ts',
    imports: { './b': 'generated/views/b.ts' },
  },
  {
    what: 'a jsconfig.json does where there is no tsconfig.json',
    files: {
      'jsconfig.json': json({ compilerOptions: { paths: { '@/*': ['./src/*'] } } }),
      'ts/tsconfig.json': '',
      'ts/jsconfig.json': json({ compilerOptions: { paths: { '@/*': ['../src/*'] } } }),
    },
    paths: ['src/x.js', 'a.js'],
    importer: 'a.js',
    imports: { '@/x': 'src/x.js' },
  },
  {
    what: 'a configuration that extends itself says so and keeps what it says itself',
    files: { 'tsconfig.json': json({ extends: './tsconfig.json', compilerOptions: { paths: { x: ['./y'] } } }) },
    paths: ['y.ts', 'a.ts'],
    importer: 'a.ts',
    imports: { x: 'y.ts' },
    degraded: ['cycle:tsconfig.json'],
  },
  {
    what: 'so does a longer circle, once',
    files: {
      'tsconfig.json': json({ extends: './tsconfig.b.json' }),
      'tsconfig.b.json': json({ extends: './tsconfig.c.json', compilerOptions: { paths: { x: ['./y'] } } }),
      'tsconfig.c.json': json({ extends: './tsconfig.b.json' }),
    },
    paths: ['y.ts', 'a.ts'],
    importer: 'a.ts',
    imports: { x: 'y.ts' },
    degraded: ['cycle:tsconfig.b.json'],
  },
  {
    what: 'a malformed configuration says so; relative imports go on',
    files: { 'tsconfig.json': '{ "compilerOptions": ', 'b.ts': '' },
    importer: 'a.ts',
    imports: { './b': 'b.ts', b: null },
    degraded: ['malformed:tsconfig.json'],
  },
  {
    what: 'settings of the wrong kind are no settings',
    files: {
      'tsconfig.json': json({ extends: 5, references: { a: 1 }, compilerOptions: { baseUrl: [], paths: [1] } }),
    },
    importer: 'a.ts',
    imports: { b: null },
  },
  {
    what: 'files that import each other in a circle lead to each other',
    files: {},
    paths: ['a.ts', 'b.ts'],
    importer: 'b.ts',
    imports: { './a': 'a.ts', './b': null },
  },
];

const MONOREPO: Project = {
  'package.json': json({ name: 'root', workspaces: ['packages/*', 'apps/**', '!packages/old'] }),
  'packages/ui/package.json': json({
    name: '@acme/ui',
    exports: {
      '.': { types: './dist/index.d.ts', import: { node: './dist/esm/index.mjs', default: './dist/index.js' } },
      './button': './src/button.tsx',
      './icons/*': { default: ['./dist/icons/*.js'] },
      './icons/private/*': null,
      './package.json': './package.json',
    },
    imports: { '#log': { node: './dist/log-node.js', default: './dist/log.js' }, '#dep': '@acme/core' },
  }),
  'packages/core/package.json': json({ name: '@acme/core', main: 'lib/main.js', types: './lib/main.d.ts' }),
  'packages/old/package.json': json({ name: 'old', main: 'index.js' }),
  'packages/sugar/package.json': json({ name: 'sugar', exports: './build/cjs/start.cjs' }),
  'packages/plain/package.json': json({ name: 'plain' }),
  'apps/deep/web/package.json': json({ name: 'web', dependencies: { local: 'file:../../../vendored/local' } }),
  'vendored/local/package.json': json({ name: 'whatever', module: 'es/local.js' }),
  'test/data/package.json': json({ name: 'react' }),
};
const MONOREPO_PATHS = [
  ...['index.ts', 'button.tsx', 'log.ts', 'icons/star.tsx', 'icons/private/x.tsx'].map(
    (path) => `packages/ui/src/${path}`,
  ),
  ...['main.ts', 'util/text.ts', 'deep/more.ts'].map((path) => `packages/core/src/${path}`),
  ...['packages/old/index.js', 'packages/sugar/src/start.cts', 'packages/plain/index.ts'],
  ...['apps/deep/web/main.ts', 'apps/deep/web/src/shell.vue', 'vendored/local/local.ts', 'test/data/index.js'],
];

const PACKAGES: readonly Case[] = [
  {
    what: 'packages of a workspace are their exports, or the sources of what those are built to',
    files: MONOREPO,
    paths: MONOREPO_PATHS,
    importer: 'apps/deep/web/main.ts',
    imports: {
      '@acme/ui': 'packages/ui/src/index.ts',
      '@acme/ui/button': 'packages/ui/src/button.tsx',
      '@acme/ui/icons/star': 'packages/ui/src/icons/star.tsx',
      '@acme/ui/icons/private/x': null,
      '@acme/ui/src/log': null,
      '@acme/ui/package.json': 'packages/ui/package.json',
      '@acme/core': 'packages/core/src/main.ts',
      '@acme/core/lib/util/text': 'packages/core/src/util/text.ts',
      '@acme/core/deep/more.js': 'packages/core/src/deep/more.ts',
      sugar: 'packages/sugar/src/start.cts',
      plain: 'packages/plain/index.ts',
      local: 'vendored/local/local.ts',
      '../../../packages/sugar': 'packages/sugar/src/start.cts',
    },
  },
  {
    what: 'a package that is no member is not what a name means',
    files: MONOREPO,
    paths: MONOREPO_PATHS,
    importer: 'apps/deep/web/main.ts',
    imports: { old: null, react: null, whatever: null, constructor: null, __proto__: null },
  },
  {
    what: 'a package knows itself by name, and what it calls its own with #',
    files: MONOREPO,
    paths: MONOREPO_PATHS,
    importer: 'packages/ui/src/button.tsx',
    imports: {
      '@acme/ui': 'packages/ui/src/index.ts',
      '#log': 'packages/ui/src/log.ts',
      '#dep': 'packages/core/src/main.ts',
      '#no': null,
    },
  },
  {
    what: 'pnpm names its workspace in a file of its own',
    files: {
      'pnpm-workspace.yaml': 'packages:\n  - "libs/*" # all\n  - tools/**\n',
      'libs/a/package.json': json({ name: 'a', main: 'dist/a.js' }),
      'tools/x/y/package.json': json({ name: 'y', exports: { './*': './*' } }),
      'elsewhere/package.json': json({ name: 'e', main: 'e.ts' }),
    },
    paths: ['libs/a/src/a.ts', 'tools/x/y/z.ts', 'elsewhere/e.ts', 'm.ts'],
    importer: 'm.ts',
    imports: { a: 'libs/a/src/a.ts', 'y/z.ts': 'tools/x/y/z.ts', e: null },
  },
  {
    what: 'a pnpm-workspace.yaml of comments alone says nothing',
    files: { 'pnpm-workspace.yaml': '# later\n\n', 'sub/pnpm-workspace.yaml': '' },
    importer: 'm.ts',
    imports: { a: null },
  },
  {
    what: 'a malformed pnpm-workspace.yaml says so',
    files: { 'pnpm-workspace.yaml': 'packages: [a' },
    importer: 'm.ts',
    imports: { a: null },
    degraded: ['malformed:pnpm-workspace.yaml'],
  },
  {
    what: '@/ and $lib mean the sources of the package where nothing says otherwise',
    files: { 'web/package.json': '{}' },
    paths: ['web/src/a.ts', 'web/b.ts', 'web/src/lib/c.ts', 'web/src/deep/main.ts'],
    importer: 'web/src/deep/main.ts',
    imports: { '@/a': 'web/src/a.ts', '~/b': 'web/b.ts', '$lib/c': 'web/src/lib/c.ts', 'node:fs': null },
  },
];

describe('imports of TypeScript and JavaScript', () => {
  test.for([...CONFIGS, ...PACKAGES])('$what', async ({ files, paths = [], importer, imports, degraded = [] }) => {
    const resolver = await resolverOf(files, ...paths);
    const found = Object.keys(imports).map((module) => [
      module,
      resolver.resolve(importer, 'ts', { module, names: ['x'] })[0] ?? null,
    ]);
    expect(Object.fromEntries(found)).toEqual(imports);
    expect(resolver.degraded).toEqual(degraded);
  });

  test('which files make a new resolver necessary', () => {
    const yes = [
      'tsconfig.json',
      'a/tsconfig.app.json',
      'a/package.json',
      'pyproject.toml',
      'x/go.mod',
      'go.work',
      'base.tsconfig.json',
      'tsconfig-node.json',
    ];
    expect(yes.filter(isResolverConfig)).toEqual(yes);
    expect(['a.json', 'tsconfig.ts', 'mytsconfig.json', 'package-lock.json'].filter(isResolverConfig)).toEqual([]);
  });
});
