import { describe, expect, test } from 'vitest';
import { checkManifest } from '../../../scripts/lint/manifest.mjs';
import { checkRoomHeader, checkRooms } from '../../../scripts/lint/rooms.mjs';
import {
  checkCatches,
  checkConstructors,
  checkDocstrings,
  checkLength,
  checkModuleState,
  checkSql,
} from '../../../scripts/lint/shape.mjs';
import { type Problem, parse, type Source } from '../../../scripts/lint/source.mjs';

/** `line:rule` of every problem, in order. */
function found(check: (source: Source) => Problem[], path: string, text: string): string[] {
  return check(parse({ path, text })).map(({ line, rule }) => `${line}:${rule}`);
}

describe('rooms', () => {
  const rooms = (path: string, text: string) => found(checkRooms, path, text);

  test.each([
    ['up', 'src/delta/log.ts', `import { inject } from '../inject/index.ts';`],
    ['up from base', 'src/base/x.ts', `import { y } from '../store/index.ts';`],
    ['up, partly types', 'src/delta/log.ts', `import { type Receipt } from '../inject/index.ts';`],
    ['up by re-export', 'src/delta/log.ts', `export { inject } from '../inject/index.ts';`],
    ['up by a late import', 'src/delta/log.ts', `const load = () => import('../inject/index.ts');`],
    ['up by require', 'src/delta/log.ts', `const load = () => require('../inject/index.ts');`],
    ['past the index', 'src/inject/x.ts', `import { chain } from '../delta/chain.ts';`],
    ['types past the index', 'src/delta/x.ts', `import type { Receipt } from '../inject/types.ts';`],
    ['a type in passing past the index', 'src/delta/x.ts', `let x: import('../inject/types.ts').Receipt;`],
    ['the composition root past the index', 'src/extension.ts', `import { Log } from './delta/log.ts';`],
    ['the composition root', 'src/ui/x.ts', `import { activate } from '../extension.ts';`],
    ['out of src', 'src/base/x.ts', `import { tempDir } from '../../test/support/temp.ts';`],
  ])('%s is refused', (_, path, text) => {
    expect(rooms(path, text)).toEqual(['1:rooms']);
  });

  test.each([
    ['down', 'src/ui/x.ts', `import { Log } from '../delta/index.ts';`],
    ['within the room', 'src/delta/x.ts', `import { chain } from './chain.ts';`],
    ['within the room, deeper', 'src/agents/commands/x.ts', `import { config } from '../config.ts';`],
    ['down from deeper', 'src/agents/commands/x.ts', `import { Log } from '../../delta/index.ts';`],
    ['types upward', 'src/delta/x.ts', `import type { Receipt } from '../inject/index.ts';`],
    ['types upward, re-exported', 'src/delta/x.ts', `export type { Receipt } from '../inject/index.ts';`],
    ['the exported interface of the extension, as types', 'src/ui/x.ts', `import type { Api } from '../api.ts';`],
    ['the composition root down', 'src/extension.ts', `import { Log } from './delta/index.ts';`],
    ['packages', 'src/delta/x.ts', `import { WebSocketServer } from 'ws';`],
    ['outside src', 'test/unit/delta/x.test.ts', `import { chain } from '../../../src/delta/chain.ts';`],
  ])('%s is fine', (_, path, text) => {
    expect(rooms(path, text)).toEqual([]);
  });

  test('a folder that is no room', () => {
    expect(rooms('src/utils/x.ts', '')).toEqual(['1:rooms']);
  });

  test('a relative import names its file in full', () => {
    expect(rooms('src/delta/x.ts', `import a from './a';\nimport b from './b.js';\nimport c from './c.ts';`)).toEqual([
      '1:import-extension',
      '2:import-extension',
    ]);
  });

  test('vscode stays in ui and in the composition root, types included', () => {
    const text = `import * as vscode from 'vscode';\nimport type { Uri } from 'vscode';\nlet x: import('vscode').Uri;`;
    expect(rooms('src/agents/x.ts', text)).toEqual(['1:no-vscode', '2:no-vscode', '3:no-vscode']);
    expect(rooms('src/api.ts', text)).toHaveLength(3);
    expect(rooms('src/ui/x.ts', text)).toEqual([]);
    expect(rooms('src/extension.ts', text)).toEqual([]);
  });

  test('only the store opens a database', () => {
    const text = `const open = async () => await import('node:sqlite');`;
    expect(rooms('src/delta/x.ts', text)).toEqual(['1:sql']);
    expect(rooms('src/store/x.ts', text)).toEqual([]);
  });

  test('a room says at its door what it is', () => {
    const header = (text: string) => found(checkRoomHeader, 'src/delta/index.ts', text);
    expect(header(`export * from './x.ts';`)).toEqual(['1:room-header']);
    expect(header(`// It moves operations. It knows nothing of git.\nexport * from './x.ts';`)).toEqual([
      '1:room-header',
    ]);
    expect(header(`// For what.\n// Never what.\n// Exports what.\nexport * from './x.ts';`)).toEqual([]);
    expect(header(`/** For what. Never what. Exports what. */\nexport * from './x.ts';`)).toEqual([]);
    expect(found(checkRoomHeader, 'src/delta/x.ts', '')).toEqual([]);
  });
});

describe('shape', () => {
  test('a file has at most 400 lines, extension.ts at most 120', () => {
    const lines = (count: number) => '// x\n'.repeat(count);
    expect(found(checkLength, 'src/delta/x.ts', lines(400))).toEqual([]);
    expect(found(checkLength, 'src/delta/x.ts', lines(401))).toEqual(['1:file-length']);
    expect(found(checkLength, 'src/extension.ts', lines(120))).toEqual([]);
    expect(found(checkLength, 'src/extension.ts', lines(121))).toEqual(['1:file-length']);
  });

  test('a constructor has at most five collaborators', () => {
    const text = (count: number) =>
      `class X {\n  constructor(${Array.from({ length: count }, (_, i) => `a${i}: string`).join(', ')}) {}\n}`;
    expect(found(checkConstructors, 'src/ui/x.ts', text(5))).toEqual([]);
    expect(found(checkConstructors, 'src/ui/x.ts', text(6))).toEqual(['2:collaborators']);
  });

  test.each([
    'let count = 0;',
    'var count = 0;',
    'export let count: number;',
    'const cache = new Map<string, string>();',
    'export const hub = new Hub();',
    'const list: string[] = [];',
    'const table = {};',
    'const table = {} as Record<string, string>;',
    'const known = new Set(["a"]);',
    'class X { static count = 0; }',
    'class X { private static instance?: X; }',
    'class X { static readonly cache = new Map(); }',
  ])('a module holds no state: %s', (text) => {
    expect(found(checkModuleState, 'src/delta/x.ts', text)).toEqual(['1:module-state']);
  });

  test.each([
    'const LIMIT = 10;',
    'const known: ReadonlySet<string> = new Set(["a"]);',
    'const names: readonly string[] = [];',
    'const names = [] as const;',
    'const table = { a: 1 } as const;',
    'const encoder = new TextEncoder();',
    'const words = new Intl.Segmenter();',
    'const Schema = z.object({});',
    'const pattern = /x/;',
    'function f() { let count = 0; const seen = new Map(); return [count, seen]; }',
    'class X { #count = 0; readonly #seen = new Map(); static readonly LIMIT = 5; }',
    'declare let later: string;',
  ])('is not state: %s', (text) => {
    expect(found(checkModuleState, 'src/delta/x.ts', text)).toEqual([]);
  });

  test.each([
    'start();',
    'void start();',
    'await start();',
    'new Hub();',
    'if (x) { y(); }',
    'for (const a of b) c(a);',
    'try { a(); } finally { b(); }',
    'process.exitCode = 1;',
  ])('a module does nothing when it is imported: %s', (text) => {
    expect(found(checkModuleState, 'src/delta/x.ts', text)).toEqual(['1:work-on-import']);
  });

  test('a file that the runtime starts may act', () => {
    expect(found(checkModuleState, 'src/agents/cli-main.ts', 'main();')).toEqual([]);
    expect(found(checkModuleState, 'src/delta/worker.ts', 'main();')).toEqual([]);
  });

  test('an error is never swallowed', () => {
    const text = [
      'try { a(); } catch {}',
      'try { a(); } catch (error) { /* fine */ }',
      'void p.catch(() => {});',
      'void p.catch(function () {});',
      'try { a(); } catch { return undefined; }',
      'void p.catch((error) => { log(error); });',
      'void p.catch(() => undefined);',
    ].join('\n');
    expect(found(checkCatches, 'src/delta/x.ts', text)).toEqual([1, 2, 3, 4].map((line) => `${line}:empty-catch`));
  });

  test.each([
    `db.run('SELECT seq FROM deltas')`,
    'db.run(`INSERT OR IGNORE INTO deltas VALUES (?)`)',
    'db.run(`UPDATE deltas SET seq = 1`)',
    `db.run('DELETE FROM deltas')`,
    `db.run('CREATE TABLE deltas (seq INTEGER)')`,
    `db.run('PRAGMA journal_mode=WAL')`,
    `db.run('BEGIN IMMEDIATE')`,
  ])('only the store writes SQL: %s', (text) => {
    expect(found(checkSql, 'src/delta/x.ts', text)).toEqual(['1:sql']);
    expect(found(checkSql, 'src/store/x.ts', text)).toEqual([]);
  });

  test.each([`say('Select a file from the list')`, `say('Delete from here on')`, `// SELECT a FROM b`, `say('BEGIN')`])(
    'is not SQL: %s',
    (text) => {
      expect(found(checkSql, 'src/ui/x.ts', text)).toEqual([]);
    },
  );

  test('an exported function or class says what it is for', () => {
    const text = `export function a() {}\nexport class B {}\n/** For c. */\nexport function c() {}\nfunction d() {}`;
    expect(found(checkDocstrings, 'src/ui/x.ts', text)).toEqual(['1:docstring', '2:docstring']);
  });
});

describe('manifest', () => {
  const manifest = {
    contributes: {
      commands: [{ command: 'projectAnchor.mark', enablement: 'projectAnchor.ready' }],
      views: { projectAnchor: [{ id: 'projectAnchor.context' }] },
      configuration: [{ properties: { 'projectAnchor.hub.url': {}, 'projectAnchor.hub.port': {} } }],
    },
  };
  const good = `use('projectAnchor.mark', 'projectAnchor.context', 'hub.url', 'projectAnchor.hub.port', 'projectAnchor.status', 'projectAnchor.ready')`;
  const check = (text: string) => checkManifest([parse({ path: 'src/ui/x.ts', text })], manifest);

  test('names used and declared agree', () => {
    expect(check(good)).toEqual([]);
  });

  test('a name that is not declared', () => {
    expect(check(`${good};\nuse('projectAnchor.marks')`)).toMatchObject([
      { path: 'src/ui/x.ts', line: 2, message: expect.stringContaining('projectAnchor.marks is not declared') },
    ]);
  });

  test.each(['projectAnchor.mark', 'projectAnchor.context', 'hub.url', 'projectAnchor.hub.port'])(
    'a declared name that nobody uses: %s',
    (name) => {
      expect(check(good.replace(`'${name}'`, `''`))).toMatchObject([
        { path: 'package.json', rule: 'manifest', message: expect.stringContaining(name) },
      ]);
    },
  );
});
