import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { dependenciesOf } from '../../../src/snapshot/dependencies.ts';
import { createGate } from '../../../src/snapshot/gate.ts';
import { Manifests } from '../../../src/snapshot/manifests.ts';
import { SourceReader } from '../../../src/snapshot/source-reader.ts';
import { tempDir } from '../../support/temp.ts';

/** A working tree on the disk with what is asked of its manifests. */
function project(files: Readonly<Record<string, string>>) {
  const root = tempDir();
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  const gate = createGate();
  const manifests = new Manifests(new SourceReader(root, gate), gate);
  return { root, write, manifests };
}

const yes = () => true;

async function dependency(manifests: Manifests, importer: string, language: string, module: string) {
  return (await manifests.scope(importer)).dependency(language, module);
}

describe('what a manifest declares', () => {
  const declared = (direct: Record<string, string>) => ({ manager: 'npm', direct: new Map(Object.entries(direct)) });

  test('comes in order of names, on one line each, bounded, with a digest of the text', () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`p${at}`, '1']));
    const found = dependenciesOf(declared({ b: '>=1,\n  <2', a: 'x'.repeat(500), ...many }), 'text', yes);
    expect(Object.keys(found.direct)).toHaveLength(400);
    expect(Object.keys(found.direct)).toEqual(Object.keys(found.direct).toSorted());
    expect(found.direct['b']).toBe('>=1, <2');
    expect(found.direct['a']).toHaveLength(100);
    expect(found.digest).toMatch(/^[0-9a-f]{64}$/);
    expect(dependenciesOf(declared({}), 'text ', yes).digest).not.toBe(found.digest);
  });

  test('does not hold what the gate refuses: a range is withheld, a name left out', () => {
    const allow = (text: string) => !text.includes('hunter2');
    const found = dependenciesOf(declared({ a: 'git+https://me:hunter2@h/x.git', hunter2: '1' }), '', allow);
    expect(found.direct).toEqual({ a: '(withheld)' });
  });
});

describe('manifests of a working tree', () => {
  const MIXED = {
    'package.json': '{"dependencies": {"@acme/sdk": "^2.0.0"}}',
    'package-lock.json': '{"packages": {"": {}, "node_modules/@acme/sdk": {"version": "2.3.4"}}}',
    'api/pyproject.toml': '[project]\ndependencies = ["PyYAML>=6", "requests"]\n',
    'api/uv.lock': '[[package]]\nname = "pyyaml"\nversion = "6.0.2"\n',
    'api/app/main.py': 'import yaml\n',
    'tool/go.mod': 'module example.com/tool\nrequire github.com/a/b v1.2.0\n',
    'tool/main.go': '',
  };

  test('those above a file count, nearest first, whatever their ecosystem', async () => {
    const { manifests } = project(MIXED);
    const { found, degraded } = await manifests.above(['api/app/main.py', 'tool/main.go'], 20, yes);
    expect(found.map(({ path }) => path)).toEqual(['api/pyproject.toml', 'package.json', 'tool/go.mod']);
    expect(degraded).toEqual([]);
    const listed = await manifests.above(['api/app/main.py'], 20, (path) => path === 'package.json');
    expect(listed.found.map(({ path }) => path)).toEqual(['package.json']);
    expect((await manifests.above(['api/app/main.py'], 1, yes)).found).toHaveLength(1);
  });

  test('an import names a dependency of its own ecosystem, with the locked version', async () => {
    const { manifests } = project(MIXED);
    expect(await dependency(manifests, 'api/app/main.py', 'py', 'yaml')).toEqual({
      name: 'PyYAML',
      version: '6.0.2',
      range: '>=6',
      manifest: 'api/pyproject.toml',
    });
    expect(await dependency(manifests, 'api/app/main.py', 'py', 'requests.auth')).toEqual({
      name: 'requests',
      version: '',
      manifest: 'api/pyproject.toml',
    });
    expect(await dependency(manifests, 'api/app/main.py', 'py', '@acme/sdk')).toBeUndefined();
    expect(await dependency(manifests, 'api/x.ts', 'ts', '@acme/sdk/deep')).toMatchObject({ version: '2.3.4' });
    expect(await dependency(manifests, 'tool/main.go', 'go', 'github.com/a/b/c')).toMatchObject({ version: 'v1.2.0' });
    expect(await dependency(manifests, 'tool/main.go', 'md', 'github.com/a/b/c')).toBeUndefined();
  });

  test('a Python file sees the version of the JavaScript SDK that it calls', async () => {
    const { manifests } = project(MIXED);
    expect((await manifests.scope('api/app/main.py')).all()).toEqual([
      { name: 'PyYAML', version: '6.0.2', manifest: 'api/pyproject.toml' },
      { name: 'requests', version: '', manifest: 'api/pyproject.toml' },
      { name: '@acme/sdk', version: '2.3.4', manifest: 'package.json' },
    ]);
  });

  test('all of them, with what is locked and what is broken', async () => {
    const files = { ...MIXED, 'bad/package.json': '{', 'worse/package.json': '{}', 'worse/yarn.lock': 'what' };
    const { manifests } = project(files);
    const all = await manifests.all((path) => path !== 'tool/go.mod', Object.keys(files));
    expect(all).toMatchObject([
      { path: 'api/pyproject.toml', locked: { PyYAML: '6.0.2' }, lockFile: 'api/uv.lock' },
      { path: 'bad/package.json', dependencies: null, locked: {}, degraded: 'malformed:bad/package.json' },
      { path: 'package.json', locked: { '@acme/sdk': '2.3.4' }, lockFile: 'package-lock.json' },
      { path: 'worse/package.json', locked: {}, degraded: 'malformed:worse/yarn.lock' },
    ]);
    expect(all[1]).not.toHaveProperty('lockFile');
    expect(all[3]).not.toHaveProperty('lockFile');
    const other = project({ ...MIXED, 'examples/package.json': '{"dependencies": {"@acme/sdk": "1"}}' });
    const [example] = await other.manifests.all(yes, ['examples/package.json']);
    expect(example).toMatchObject({ path: 'examples/package.json', locked: {} });
    expect(example).not.toHaveProperty('lockFile');
  });

  test('what changes on the disk is seen: a manifest, its lock file, what it refers to, and one that comes or goes', async () => {
    const { manifests, write, root } = project({
      ...MIXED,
      'requirements.txt': '-r other.txt\n',
      'other.txt': 'flask==1\n',
    });
    const flask = () => dependency(manifests, 'x.py', 'py', 'flask');
    const sdk = () => dependency(manifests, 'x.ts', 'ts', '@acme/sdk');
    expect(await flask()).toMatchObject({ version: '==1' });
    expect(await sdk()).toMatchObject({ version: '2.3.4' });
    write('other.txt', 'flask==2.0\n');
    write('package-lock.json', MIXED['package-lock.json'].replace('2.3.4', '2.3.10'));
    expect(await flask()).toMatchObject({ version: '==2.0' });
    expect(await sdk()).toMatchObject({ version: '2.3.10' });
    // A folder that has stood for a while is only looked at again when it has changed.
    utimesSync(root, 1_000, 1_000);
    expect(await sdk()).toMatchObject({ version: '2.3.10' });
    rmSync(join(root, 'package-lock.json'));
    expect(await sdk()).toMatchObject({ version: '^2.0.0' });
    write('pyproject.toml', '[project]\ndependencies = ["flask>3"]\n');
    expect(await flask()).toMatchObject({ version: '>3', manifest: 'pyproject.toml' });
  });

  test('a folder that has stood for a while is not listed again', () => {
    const { root, write } = project({ 'package.json': '{}', 'a.ts': '' });
    const reader = new SourceReader(root, createGate());
    const isJson = (name: string) => name.endsWith('.json');
    utimesSync(root, 1_000, 1_000);
    const first = reader.namesIn('', undefined, isJson);
    expect(first?.names).toEqual(['package.json']);
    expect(reader.namesIn('', first ?? undefined, isJson)).toBe(first);
    write('b.json', '');
    expect(reader.namesIn('', first ?? undefined, isJson)?.names).toEqual(['b.json', 'package.json']);
    expect(reader.namesIn('none', undefined, isJson)).toBeNull();
    expect(reader.namesIn('../x', undefined, isJson)).toBeNull();
  });

  test('what leads out of the project or is on the deny list is not looked at', async () => {
    const { manifests, root } = project({
      'src/a.ts': '',
      'node_modules/x/package.json': '{"dependencies": {"y": "1"}}',
    });
    const outside = tempDir();
    writeFileSync(join(outside, 'package.json'), '{"dependencies": {"y": "1"}}');
    symlinkSync(outside, join(root, 'linked'));
    symlinkSync(join(outside, 'package.json'), join(root, 'src/package.json'));
    expect(await dependency(manifests, 'linked/a.ts', 'ts', 'y')).toBeUndefined();
    expect(await dependency(manifests, 'src/a.ts', 'ts', 'y')).toBeUndefined();
    expect(await dependency(manifests, 'node_modules/x/a.ts', 'ts', 'y')).toBeUndefined();
    expect((await manifests.above(['src/a.ts'], 9, yes)).degraded).toEqual(['outside']);
    expect((await manifests.above(['linked/a.ts'], 9, yes)).degraded).toEqual([]);
  });

  test('a lock file of many megabytes is looked up in, a manifest of more than one is too large', async () => {
    const filler = Array.from({ length: 20 }, (_, at) => [`node_modules/f${at}`, { resolved: 'x'.repeat(60_000) }]);
    const { manifests } = project({
      'package.json': '{"dependencies": {"a": "1"}}',
      'package-lock.json': JSON.stringify({
        packages: { 'node_modules/a': { version: '1.9.0' }, ...Object.fromEntries(filler) },
      }),
      'big/package.json': `{"dependencies": {"a": "1"}, "x": "${'y'.repeat(1_100_000)}"}`,
    });
    expect(await dependency(manifests, 'a.ts', 'ts', 'a')).toMatchObject({ version: '1.9.0' });
    expect(await manifests.all(yes, ['big/package.json'])).toMatchObject([{ degraded: 'too_large:big/package.json' }]);
  });
});
