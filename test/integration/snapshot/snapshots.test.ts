import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { codeOf, hash } from '../../../src/base/index.ts';
import { COMPACT_MAX, compact, parseSnapshot } from '../../../src/snapshot/index.ts';
import { fingerprint } from '../../support/fingerprint.ts';
import { GitSandbox } from '../../support/git-repo.ts';
import { SnapshotBench } from '../../support/snapshot-service.ts';
import { tempDir } from '../../support/temp.ts';

/** A user who owns nothing here. */
const NOBODY = 65_534;

const SHOP = `import { open, type Db } from './db.js';
import { z } from 'zod';
import { readFile } from 'node:fs/promises';

/** Sells. */
@injectable({ key: 'hunter2' })
export class Shop {
  constructor(private readonly db: Db, size = 'hunter2') {}

  async sell(item: string, price = 5): Promise<void> {
    await this.db.write(item, 'hunter2');
  }
}
`;
const DB = `export interface Db {
  write(item: string, text: string): Promise<void>;
}
export const open = async (url: string): Promise<Db> => connect(url);
`;

function shop(): GitSandbox {
  const repo = GitSandbox.init(join(tempDir(), 'shop'));
  repo
    .write('src/shop.ts', SHOP)
    .write('src/db.ts', DB)
    .write('src/index.ts', "export * from './shop.js';\nexport { open as openDb } from './db.js';\n");
  repo
    .write('package.json', '{"name": "shop", "dependencies": {"zod": "^4.1.0"}}')
    .write('README.md', '# Shop\n')
    .write('logo.png', Buffer.from([137, 80, 78, 71, 0]));
  return repo;
}

describe('git states', () => {
  test('unborn, branch, changed, detached', async () => {
    const repo = shop();
    const bench = await SnapshotBench.open();
    const unborn = (await bench.take(repo.root)).snapshot;
    expect(unborn.git).toEqual({
      head: { kind: 'unborn', branch: 'main' },
      staged: [],
      unstaged: [],
      untracked: ['README.md', 'logo.png', 'package.json', 'src/db.ts', 'src/index.ts', 'src/shop.ts'],
      conflicted: [],
      history: hash([]),
      submodules: [],
    });
    expect(unborn.files).toMatchObject({ count: 6, byLanguage: { ts: 3, json: 1, md: 1 } });

    const first = repo.commit('[feat] one');
    const born = await bench.take(repo.root, { trigger: 'commit' });
    expect(born.snapshot.git).toMatchObject({
      head: { kind: 'branch', branch: 'main', commit: first },
      untracked: [],
      history: hash([first]),
      lastCommit: { subject: '[feat] one', kinds: ['feat'] },
    });
    expect(born.snapshot.files.count).toBe(6);
    // Files that git holds clean carry their blob.
    expect(born.snapshot.files.tree).not.toBe(unborn.files.tree);
    parseSnapshot(born.snapshot);

    repo
      .write('src/db.ts', `${DB}// more\n`)
      .write('.env', 'API_TOKEN=hunter2\n')
      .git('rm', '--quiet', '--cached', 'logo.png');
    const changed = (await bench.take(repo.root)).snapshot;
    expect(changed.git).toMatchObject({ staged: ['logo.png'], unstaged: ['src/db.ts'], untracked: ['logo.png'] });
    expect(Object.keys(changed.outlines)).toEqual(['src/db.ts']);

    repo.git('switch', '--quiet', '--detach');
    expect((await bench.take(repo.root)).snapshot.git.head).toEqual({ kind: 'detached', commit: first });
  });

  test('the hash of the last ten commits, and what each of the new ones changed', async () => {
    const repo = shop();
    repo.commit('one');
    const bench = await SnapshotBench.open();
    await bench.take(repo.root);
    const ids = Array.from({ length: 25 }, (_, n) =>
      repo.write(`src/f${n}.ts`, '').commit(n === 24 ? '修复（登录）：last' : `commit ${n}`),
    );
    const { snapshot, commits } = await bench.take(repo.root, { trigger: 'commit' });
    expect(snapshot.git.history).toBe(hash(ids.slice(-10).reverse()));
    expect(commits).toHaveLength(20);
    expect(commits.map(({ commit }) => commit)).toEqual(ids.slice(-20));
    expect(commits.at(-1)).toMatchObject({ kinds: ['fix'], paths: ['src/f24.ts'] });
  });

  test('a merge with conflicts', async () => {
    const repo = shop();
    repo.commit('one');
    repo.git('switch', '--quiet', '-c', 'side');
    repo.write('src/db.ts', 'export const a = 1;\n').commit('two');
    repo.git('switch', '--quiet', 'main');
    repo.write('src/db.ts', 'export const b = 1;\n').commit('three');
    expect(() => repo.git('merge', '--quiet', 'side')).toThrow();
    const { snapshot } = await (await SnapshotBench.open()).look(repo.root, 'src/db.ts');
    expect(snapshot.git).toMatchObject({ operation: 'merge', conflicted: ['src/db.ts'], staged: [], unstaged: [] });
    expect(snapshot.degraded).toEqual(['parse_error:src/db.ts']);
  });

  test('an amended and a switched HEAD', async () => {
    const repo = shop();
    repo.commit('one');
    const bench = await SnapshotBench.open();
    await bench.take(repo.root);
    repo.git('commit', '--quiet', '--amend', '-m', '[refactor] one, better');
    expect((await bench.take(repo.root, { trigger: 'commit' })).commits).toEqual([]);
    repo.git('switch', '--quiet', '-c', 'fix');
    bench.clock.set(Date.now() - 60_000);
    await bench.take(repo.root);
    repo.git('switch', '--quiet', '-c', 'other');
    repo.write('src/new.ts', '').commit('fix: made since, on a new branch');
    expect((await bench.take(repo.root)).commits.map(({ kinds }) => kinds)).toEqual([['fix']]);
  });

  test('a shallow clone says that older history is not here', async () => {
    const repo = shop();
    repo.commit('one');
    repo.write('a.ts', '').commit('two');
    const clone = new GitSandbox(join(tempDir(), 'clone'));
    repo.git('clone', '--quiet', '--depth=1', `file://${repo.root}`, clone.root);
    const { snapshot } = await (await SnapshotBench.open()).take(clone.root);
    expect(snapshot).toMatchObject({ git: { bounded: true, history: hash([repo.head()]) }, degraded: ['shallow'] });
  });

  test('a bare repository has an identity and no files', async () => {
    const folder = join(tempDir(), 'bare.git');
    shop().git('init', '--quiet', '--bare', '--initial-branch=main', folder);
    const { snapshot } = await (await SnapshotBench.open()).take(folder);
    expect(snapshot).toMatchObject({
      git: { head: { kind: 'unborn', branch: 'main' } },
      files: { count: 0 },
      degraded: ['bare'],
    });
  });
});

describe('without a repository', () => {
  test('the folder is walked: no links followed, nothing denied, repositories inside left alone', async () => {
    const folder = tempDir();
    const outside = tempDir();
    writeFileSync(join(outside, 'secret.ts'), 'export const secret = 1;');
    for (const [path, text] of Object.entries({
      'a.ts': 'export const a = 1;',
      'sub/b.py': '',
      'node_modules/x/index.js': '',
      'dist/out.js': '',
      '.env': 'X=1',
      'private/p.ts': '',
    })) {
      mkdirSync(join(folder, path, '..'), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    writeFileSync(join(folder, '.projectanchorignore'), 'private/\n');
    symlinkSync(outside, join(folder, 'linked'));
    symlinkSync('..', join(folder, 'sub', 'loop'));
    symlinkSync(join(outside, 'secret.ts'), join(folder, 'secret.ts'));
    GitSandbox.init(join(folder, 'repo')).write('x.ts', '');
    const bench = await SnapshotBench.open();
    const { snapshot } = await bench.take(folder, {
      editor: { active: 'a.ts', open: ['secret.ts', 'linked/secret.ts'] },
    });
    expect(snapshot).toMatchObject({ git: { head: { kind: 'none' } }, active: 'a.ts', degraded: [] });
    expect(Object.keys(snapshot.outlines)).toEqual(['a.ts']);
    expect((await bench.service.files(folder, 'latest')).map(({ path }) => path)).toEqual([
      '.projectanchorignore',
      'a.ts',
      'linked',
      'repo',
      'secret.ts',
      'sub/b.py',
      'sub/loop',
    ]);
    for (const path of ['secret.ts', 'linked/secret.ts', 'sub/loop/../../x']) {
      expect(codeOf(await bench.service.outline(folder, path).catch((error: unknown) => error)), path).toBe('outside');
    }
    expect(await bench.take(folder, { editor: { active: 'a.ts', open: [] } })).toMatchObject({ stored: false });
  });

  test('it becomes a repository', async () => {
    const folder = tempDir();
    writeFileSync(join(folder, 'a.ts'), '');
    const bench = await SnapshotBench.open();
    const before = (await bench.take(folder)).snapshot;
    expect(before.git.head.kind).toBe('none');
    GitSandbox.init(folder);
    const after = (await bench.take(folder)).snapshot;
    expect(after.git.head.kind).toBe('unborn');
    // What was said about the folder stays.
    expect(after).toMatchObject({ anchor: before.anchor, workspace: before.workspace, parent: before.id });
    expect((await bench.service.identify(folder)).aliases).toEqual([expect.stringMatching(/^local:/)]);
  });

  test('too many files are cut and said, with git and without', async () => {
    const limits = { tracked: 5, walked: 3 };
    const bench = await SnapshotBench.open({ limits });
    const folder = tempDir();
    for (let n = 0; n < 9; n++) writeFileSync(join(folder, `f${n}.ts`), 'x');
    expect((await bench.take(folder)).snapshot).toMatchObject({
      files: { count: 3, truncated: true },
      degraded: ['file_limit'],
    });
    GitSandbox.init(folder);
    const taken = await bench.look(folder, 'f8.ts');
    expect(taken.snapshot).toMatchObject({
      files: { count: 5, truncated: true },
      active: 'f8.ts',
      degraded: ['file_limit'],
    });
  });

  test.skipIf(process.platform === 'win32')('a folder that cannot be read is said', async () => {
    const folder = tempDir();
    chmodSync(folder, 0o755);
    mkdirSync(join(folder, 'closed'), { mode: 0 });
    const bench = await SnapshotBench.open();
    // Root may read everything, so it looks as somebody else, once all is open that only root may open.
    if (process.getuid?.() === 0) {
      expect((await bench.take(folder)).snapshot.degraded).toEqual([]);
      process.seteuid?.(NOBODY);
      onTestFinished(() => process.seteuid?.(0));
    }
    expect((await bench.take(folder)).snapshot.degraded).toEqual(['unreadable:closed']);
  });
});

describe('outlines and facts by the real parser', () => {
  test('signatures, decorators in the range, no values', async () => {
    const repo = shop();
    repo.commit('one');
    const bench = await SnapshotBench.open();
    const { snapshot } = await bench.look(repo.root, 'src/shop.ts');
    expect(snapshot.outlines['src/shop.ts']?.items.map(({ start, end, signature }) => [start, end, signature])).toEqual(
      [
        [6, 13, 'class Shop'],
        [8, 8, 'constructor(private readonly db: Db, size = …)'],
        [8, 8, 'private readonly db: Db'],
        [10, 12, 'async sell(item: string, price = …): Promise<void>'],
      ],
    );
    expect(JSON.stringify(snapshot)).not.toContain('hunter2');
    const small = compact(snapshot);
    expect(Buffer.byteLength(JSON.stringify(small))).toBeLessThanOrEqual(COMPACT_MAX);
    expect(small.outlines['src/shop.ts']?.items).toHaveLength(4);
  });

  test('imports lead to files, their outlines and dependencies', async () => {
    const repo = shop();
    repo.commit('one');
    const { service } = await SnapshotBench.open();
    const { imports, degraded } = await service.facts(repo.root, 'src/shop.ts', SHOP);
    expect(degraded).toEqual([]);
    expect(imports.map(({ outline, ...rest }) => [rest, outline?.items.map(({ name }) => name)])).toEqual([
      [{ module: './db.js', names: ['open', 'Db'], line: 1, path: 'src/db.ts' }, ['Db', 'write', 'open']],
      [
        {
          module: 'zod',
          names: ['z'],
          line: 2,
          dependency: { name: 'zod', version: '^4.1.0', manifest: 'package.json' },
        },
        undefined,
      ],
      [{ module: 'node:fs/promises', names: ['readFile'], line: 3 }, undefined],
    ]);
  });

  test('names are followed through files that only pass them on', async () => {
    const repo = shop();
    const { service } = await SnapshotBench.open();
    const text =
      "import { Shop, openDb, missing } from '../src';\nimport * as all from '../src/index.ts';\nimport { nothing } from '../../outside';\n";
    const { imports } = await service.facts(repo.root, 'test/a.ts', text);
    expect(imports.map(({ names, path, line }) => [line, names, path])).toEqual([
      [1, ['Shop'], 'src/shop.ts'],
      [1, ['open'], 'src/db.ts'],
      [1, ['missing'], 'src/index.ts'],
      [2, ['*'], 'src/index.ts'],
      [3, ['nothing'], undefined],
    ]);
  });

  test('an import through a link that leaves the project, or of an ignored file, is none', async () => {
    const repo = shop();
    const outside = tempDir();
    writeFileSync(join(outside, 'secret.ts'), 'export const secret = 1;');
    symlinkSync(join(outside, 'secret.ts'), join(repo.root, 'src/linked.ts'));
    repo.write('.gitignore', 'src/generated.ts\n').write('src/generated.ts', 'export const g = 1;');
    const { service } = await SnapshotBench.open();
    const { imports } = await service.facts(
      repo.root,
      'src/x.ts',
      "import { secret } from './linked';\nimport { g } from './generated';\n",
    );
    expect(imports.map(({ path }) => path)).toEqual([undefined, undefined]);
    expect(await service.facts(repo.root, 'src/generated.ts', 'export const g = 1;')).toMatchObject({
      outline: null,
      degraded: ['denied'],
    });
  });

  test('the nearest manifest that has a package counts', async () => {
    const repo = shop();
    repo
      .write(
        'packages/a/package.json',
        '{"dependencies": {"zod": "3.0.0", "left-pad": "git+https://me:hunter2@host.example/x.git"}}',
      )
      .write('packages/a/src/a.ts', "import 'zod/mini';\nimport 'left-pad';\nimport 'unknown';\n");
    const bench = await SnapshotBench.open();
    const { imports } = await bench.service.facts(repo.root, 'packages/a/src/a.ts', null);
    expect(imports.map(({ dependency }) => dependency)).toEqual([
      { name: 'zod', version: '3.0.0', manifest: 'packages/a/package.json' },
      { name: 'left-pad', version: '(withheld)', manifest: 'packages/a/package.json' },
      undefined,
    ]);
    const { snapshot } = await bench.look(repo.root, 'packages/a/src/a.ts');
    expect(Object.keys(snapshot.dependencies).toSorted()).toEqual(['package.json', 'packages/a/package.json']);
  });

  test('files that cannot be read say why', async () => {
    const repo = shop();
    repo
      .write('src/latin1.ts', Buffer.from('export const a = "\xe9";\n', 'latin1'))
      .write('src/utf16.ts', Buffer.from('export const a = 1;\n', 'utf16le'));
    repo
      .write('src/big.ts', `// ${'x'.repeat(80)}\n`.repeat(63_000))
      .write('src/min.js', `var a=1;${'a=a+1;'.repeat(4000)}`)
      .write('src/bad.ts', 'export function (\n')
      .write('src/deep.ts', `${'['.repeat(60_000)}${']'.repeat(60_000)}`.replace(/(.{300})/g, '$1\n'));
    const { service } = await SnapshotBench.open();
    const why = async (path: string) =>
      String(
        await service.outline(repo.root, path).then(
          () => 'fine',
          (error: unknown) => error,
        ),
      );
    expect(await why('src/latin1.ts')).toContain('src/latin1.ts is not UTF-8 text. Save it as UTF-8, then try again.');
    expect(await why('src/utf16.ts')).toContain('src/utf16.ts is not UTF-8 text');
    expect(await why('src/big.ts')).toContain('src/big.ts has 5.0 MiB; files over 1 MiB are left out. Split it');
    expect(await why('src/min.js')).toMatch(/src\/min\.js looks minified .*\. Name the source/);
    expect(await why('src/bad.ts')).toContain('src/bad.ts does not parse at line 1');
    expect(await why('src/deep.ts')).toMatch(/src\/deep\.ts (?:is nested too deeply|does not parse)/);
    expect(await why('logo.png')).toContain('without outlines');
    expect(await why('src')).toContain('src is not a file. Give the path of a file');
    symlinkSync('/etc/hosts', join(repo.root, 'out.ts'));
    expect(await why('out.ts')).toMatch(/leads out of the project .*\. Give the path of a file inside/);
    repo.write('.gitignore', 'local.ts\n').write('local.ts', 'export const local = 1;\n');
    expect(await why('local.ts')).toMatch(/Git ignores local\.ts.*\. Name another file, or take it out of \.gitignore/);
    expect(await why('.env')).toMatch(/never leaves this machine\. Name another file/);
    expect(await why('src/shop.ts')).toBe('fine');
  });
});

describe('zero writes', () => {
  test('every file of the repository and of .git is as it was, whatever was asked', async () => {
    const repo = shop();
    repo.commit('one');
    repo.git('worktree', 'add', '--quiet', `${repo.root}-second`, '-b', 'side');
    repo.write('src/new.ts', 'export const n = 1;').git('add', 'src/new.ts');
    // Same content, newer time: an ordinary `git status` would refresh the index now.
    repo.write('src/shop.ts', SHOP).write('src/db.ts', `${DB}\n`).write('loose.ts', '').remove('README.md');
    const before = { here: fingerprint(repo.root), second: fingerprint(`${repo.root}-second`) };
    const bench = await SnapshotBench.open();
    for (const folder of [repo.root, join(repo.root, 'src'), `${repo.root}-second`]) {
      await bench.service.identify(folder);
      await bench.look(folder, 'src/shop.ts');
      await bench.take(folder, { trigger: 'commit' });
      await bench.service.facts(folder, 'src/index.ts', null);
      await bench.service.facts(folder, 'unknown/new.ts', "import './x';");
      await bench.service.outline(folder, 'src/shop.ts');
      await bench.service.show(folder, 'HEAD');
      await bench.service.show(folder, 'nope').catch(() => null);
      await bench.service.files(folder, 'latest');
    }
    await bench.service.dispose();
    expect({ here: fingerprint(repo.root), second: fingerprint(`${repo.root}-second`) }).toEqual(before);
    expect(Object.keys(before.here)).toContain(join('.git', 'index'));
  });
});

test('what git holds sparse or deleted is not listed; names that are not UTF-8 are', async () => {
  const repo = shop();
  repo.write('far/b.ts', '1');
  writeFileSync(
    Buffer.concat([Buffer.from(`${repo.root}/bad`), Buffer.of(0xff), Buffer.from('.ts')]),
    'export const a = 1;',
  );
  repo.commit('one');
  const bench = await SnapshotBench.open();
  const paths = async () => {
    await bench.take(repo.root);
    return (await bench.service.files(repo.root, 'latest')).map(({ path }) => path);
  };
  const all = [
    'README.md',
    'bad%FF.ts',
    'far/b.ts',
    'logo.png',
    'package.json',
    'src/db.ts',
    'src/index.ts',
    'src/shop.ts',
  ];
  expect(await paths()).toEqual(all);
  repo.remove('README.md');
  expect(await paths()).toEqual(all.slice(1));
  repo.git('checkout', '--quiet', '--', 'README.md');
  repo.git('sparse-checkout', 'set', '--no-cone', '/*', '!/far/');
  expect(await paths()).toEqual(all.filter((path) => path !== 'far/b.ts'));
  repo.git('sparse-checkout', 'disable');
  expect(await paths()).toEqual(all);
});
