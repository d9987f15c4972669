/**
 * What is built: one table that the build, the size checks and the package test read.
 * Every file runs in Node as CommonJS; `imports` are the only other bundles it may load.
 *
 * @typedef {object} Bundle
 * @property {string} name file name in dist without `.js`
 * @property {string} entry source, relative to the project
 * @property {readonly string[]} imports other bundles (by name) that it may load at run time
 * @property {readonly string[]} forbidden packages that must never end up inside
 * @property {boolean} vscode whether it may import the editor's interface
 * @property {number} [maxBytes] ceiling of the minified file
 * @property {true} [namesDropped] functions and classes have no names when minified: they cost time at every start, and a
 *   stack of this bundle is shown to nobody
 */

/** The TypeScript library is a file of its own: it loads twice as fast unwrapped, and only where something is parsed. */
export const TYPESCRIPT = 'typescript';

/** Never together with the editor's interface: what makes activation slow. */
const HEAVY = [
  'openai',
  'ws',
  'typescript',
  '@typescript-eslint/typescript-estree',
  'zod/v4/classic',
  'zod/v3',
  'commander',
  'js-yaml',
  'sax',
  'smol-toml',
];

/** @type {readonly Bundle[]} */
export const BUNDLES = [
  {
    name: 'extension',
    entry: 'src/extension.ts',
    imports: ['minimax'],
    forbidden: HEAVY,
    vscode: true,
    maxBytes: 400_000,
  },
  {
    name: 'core',
    entry: 'src/agents/core.ts',
    imports: ['minimax', TYPESCRIPT],
    forbidden: ['openai', 'typescript'],
    vscode: false,
    namesDropped: true,
  },
  {
    name: 'cli',
    entry: 'src/agents/cli-main.ts',
    imports: ['core'],
    forbidden: HEAVY,
    vscode: false,
    namesDropped: true,
    maxBytes: 20_000,
  },
  {
    name: 'snapshot-worker',
    entry: 'src/snapshot/worker.ts',
    imports: [TYPESCRIPT],
    forbidden: ['openai', 'ws', 'typescript'],
    vscode: false,
  },
  {
    name: 'git-process',
    entry: 'src/snapshot/git-process-entry.ts',
    imports: [],
    // It is small in memory, or it is no use.
    forbidden: [...HEAVY, 'zod'],
    vscode: false,
    maxBytes: 150_000,
  },
  {
    name: 'log-worker',
    entry: 'src/delta/worker.ts',
    imports: [],
    forbidden: ['openai', 'typescript', '@typescript-eslint/typescript-estree'],
    vscode: false,
  },
  {
    name: 'minimax',
    entry: 'src/inject/minimax-entry.ts',
    imports: [],
    forbidden: ['ws', 'typescript'],
    vscode: false,
  },
];
