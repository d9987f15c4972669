import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { buildBundles } from '../../../scripts/lib/bundle.mjs';
import { BUNDLES } from '../../../scripts/lib/bundles.mjs';
import { codeOf, ProjectAnchorError, silentLogger } from '../../../src/base/index.ts';
import { connectSnapshotWorker, type SnapshotService } from '../../../src/snapshot/index.ts';
import { BEHIND_THE_EDITOR } from '../../../src/snapshot/priority.ts';
import { machineId, openStore } from '../../../src/store/index.ts';
import { GitSandbox } from '../../support/git-repo.ts';
import { NO_MARKS, SnapshotBench } from '../../support/snapshot-service.ts';
import { tempDir } from '../../support/temp.ts';
import { waitFor } from '../../support/wait.ts';

const ROOT = join(import.meta.dirname, '../../..');
const dist = mkdtempSync(join(tmpdir(), 'pa-worker-'));

beforeAll(async () => {
  const bundles = BUNDLES.filter(({ name }) => ['snapshot-worker', 'git-process'].includes(name));
  const { problems } = await buildBundles({ root: ROOT, outdir: dist, minify: false, bundles });
  expect(problems).toEqual([]);
});
afterAll(() => rmSync(dist, { recursive: true, force: true }));

const BUNDLE = join(dist, 'snapshot-worker.js');

interface Connected {
  readonly service: SnapshotService;
  readonly folder: string;
  readonly warnings: string[];
}

function connect({ file = BUNDLE, folder = tempDir() } = {}): Connected {
  const warnings: string[] = [];
  const service = connectSnapshotWorker({
    file,
    folder,
    logger: { ...silentLogger(), warn: (text) => warnings.push(text) },
  });
  onTestFinished(() => service.dispose());
  return { service, folder, warnings };
}

/** The priorities of this process's threads, from lowest to highest `nice` (proc_pid_stat(5), field 19). */
function priorities(): readonly number[] {
  const stats = readdirSync('/proc/self/task').map((id) => readFileSync(`/proc/self/task/${id}/stat`, 'latin1'));
  return stats.map((stat) => Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16])).sort((a, b) => a - b);
}

/** A worker that ends itself as soon as the file exists, which it takes away first if it is to crash only once. */
function crashing(once: boolean): { readonly file: string; readonly flag: string } {
  const folder = tempDir();
  const [file, flag] = [join(folder, 'worker.cjs'), join(folder, 'flag')];
  const crash = `${once ? 'fs.rmSync(flag); ' : ''}process.exit(7)`;
  writeFileSync(
    file,
    `const fs = require('node:fs'); const flag = ${JSON.stringify(flag)};
     setInterval(() => { if (fs.existsSync(flag)) { ${crash} } }, 1);
     require(${JSON.stringify(BUNDLE)});`,
  );
  return { file, flag };
}

function repository(): GitSandbox {
  const repo = GitSandbox.init(join(tempDir(), 'repo'));
  repo.write('src/a.ts', "import { b } from './b.ts';\nexport const a = (x: number) => b(x);\n");
  repo.write('src/b.ts', 'export function b(x: number): number {\n  return x;\n}\n').commit('[feat] one');
  return repo;
}

const look = (folder: string) =>
  ({ folder, trigger: 'editor', editor: { active: 'src/a.ts', open: [] }, marks: NO_MARKS }) as const;

test.runIf(process.platform === 'linux')('its thread lets the others go first, and no other one does', async () => {
  const repo = GitSandbox.init(join(tempDir(), 'repo'));
  const before = priorities();
  const { service } = connect();
  await service.identify(repo.root);
  const behind = priorities().filter((nice) => nice === Math.max(getPriority(), BEHIND_THE_EDITOR));
  expect(behind.length).toBe(before.filter((nice) => nice === behind[0]).length + 1);
  expect(getPriority()).toBe(before[0]);
});

describe('the snapshot worker', () => {
  test('starts at the first call and answers as the service in this process does', async () => {
    const repo = repository();
    const { service, folder } = connect();
    await service.configure({ mainBranch: '', exclude: ['*.md'], signatures: true, dictionary: {} });
    expect(existsSync(join(folder, 'project-anchor.db'))).toBe(false);
    const identity = await service.identify(repo.root);
    expect(existsSync(join(folder, 'project-anchor.db'))).toBe(true);

    const store = await openStore({ folder, logger: silentLogger() });
    onTestFinished(() => store.close());
    const here = await SnapshotBench.open({ store, machine: machineId(folder) });
    expect(await here.service.identify(repo.root)).toEqual(identity);
    repo.write('README.md', 'excluded');
    const taken = await service.take(look(repo.root));
    expect(taken).toMatchObject({
      stored: true,
      snapshot: { active: 'src/a.ts', git: { lastCommit: { kinds: ['feat'] } }, files: { count: 2 } },
    });
    expect(await here.service.show(repo.root, 'latest')).toEqual(taken.snapshot);
    const facts = await service.facts(repo.root, 'src/a.ts', null);
    expect(facts.imports).toMatchObject([
      { module: './b.ts', path: 'src/b.ts', outline: { items: [{ signature: 'function b(x: number): number' }] } },
    ]);
    expect(await service.outline(repo.root, 'src/b.ts')).toEqual(await here.service.outline(repo.root, 'src/b.ts'));
    expect((await service.files(repo.root, 'latest')).map(({ path }) => path)).toEqual(['src/a.ts', 'src/b.ts']);
  });

  test('errors keep their code, their words and what to do', async () => {
    const { service } = connect();
    const error = await service.identify('/nowhere/at/all').catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ProjectAnchorError);
    expect(error).toMatchObject({
      code: 'not_found',
      remedy: 'Check the path, or give the folder of the project with --cwd.',
    });
    expect(String(error)).toBe(
      'ProjectAnchorError: There is no folder or file /nowhere/at/all. Check the path, or give the folder of the project with --cwd.',
    );
  });

  test('a crash in the middle of a call is not felt, and settings outlast it', async () => {
    const repo = repository();
    const { file, flag } = crashing(true);
    const { service, warnings } = connect({ file });
    await service.configure({ mainBranch: '', exclude: ['src/b.ts'], signatures: true, dictionary: {} });
    expect((await service.take(look(repo.root))).snapshot.files.count).toBe(1);
    writeFileSync(flag, '');
    const taken = await service.take(look(repo.root));
    expect(taken).toMatchObject({ stored: false, snapshot: { files: { count: 1 } } });
    await expect.poll(() => existsSync(flag)).toBe(false);
    expect((await service.take(look(repo.root))).snapshot.id).toBe(taken.snapshot.id);
    await expect.poll(() => warnings.join()).toContain('The snapshot worker ended');
  });

  test('one that crashes again and again is said', async () => {
    const repo = repository();
    const { file, flag } = crashing(false);
    const { service } = connect({ file });
    writeFileSync(flag, '');
    const error = await service.take(look(repo.root)).catch((reason: unknown) => reason);
    expect(codeOf(error)).toBe('worker_crashed');
    expect(String(error)).toContain('exit code 7');
    rmSync(flag);
    expect((await service.take(look(repo.root))).stored).toBe(true);
  });

  test('a script that is not there is said', async () => {
    const { service } = connect({ file: join(tempDir(), 'none.js') });
    expect(String(await service.identify(tempDir()).catch((reason: unknown) => reason))).toContain(
      'The snapshot worker ended',
    );
  });

  test('after the end nothing is answered, and the end comes twice without harm', async () => {
    const repo = repository();
    const { service, folder } = connect();
    const running = service.take(look(repo.root));
    await running;
    await service.dispose();
    await service.dispose();
    expect(codeOf(await service.take(look(repo.root)).catch((reason: unknown) => reason))).toBe('disposed');
    // Closed in its own time: nothing is left in the write-ahead log.
    expect(existsSync(join(folder, 'project-anchor.db-wal'))).toBe(false);
  });

  test('a database of a newer version is left untouched, and memory serves meanwhile', async () => {
    const repo = repository();
    const folder = tempDir();
    (await openStore({ folder, logger: silentLogger() })).close();
    const file = join(folder, 'project-anchor.db');
    const database = new DatabaseSync(file);
    database.exec('PRAGMA user_version = 999');
    database.close();
    const before = readFileSync(file);
    const { service, warnings } = connect({ folder });
    const first = await service.take(look(repo.root));
    expect((await service.show(repo.root, 'latest')).id).toBe(first.snapshot.id);
    expect((await service.take(look(repo.root))).stored).toBe(false);
    await service.dispose();
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(warnings.join()).toContain('Snapshots are kept in memory only');
  });
});

test('a tired worker is replaced when nobody waits for it, and loses nothing', async () => {
  const repo = repository();
  const said: string[] = [];
  const warned: string[] = [];
  const service = connectSnapshotWorker({
    file: BUNDLE,
    folder: tempDir(),
    logger: { ...silentLogger(), info: (text) => said.push(text), warn: (text) => warned.push(text) },
    tiredBytes: 1,
  });
  onTestFinished(() => service.dispose());
  const first = await service.take(look(repo.root));
  const [facts, outline] = await Promise.all([
    service.facts(repo.root, 'src/a.ts', null),
    service.outline(repo.root, 'src/b.ts'),
  ]);
  expect(facts.imports).toMatchObject([{ path: 'src/b.ts', names: ['b'] }]);
  expect(outline.items).toMatchObject([{ name: 'b' }]);
  expect(await service.take(look(repo.root))).toMatchObject({ stored: false, snapshot: { id: first.snapshot.id } });
  const { importedBy } = await service.imports(repo.root, 'src/b.ts', true);
  expect(importedBy).toEqual([{ path: 'src/a.ts', line: 1, names: ['b'] }]);
  await waitFor(() => said.length > 1, { timeoutMs: 5_000, what: 'the replacement of the worker' });
  expect(new Set(said.map((text) => text.replace(/\d+/, 'N')))).toEqual(
    new Set(['The snapshot worker is replaced by a new one: it has N MiB of memory.']),
  );
  expect(warned).toEqual([]);
});

/** A worker whose TypeScript never comes back from a text with this word in it. */
function looping(word: string): string {
  const folder = tempDir();
  for (const name of ['snapshot-worker.js', 'git-process.js']) {
    copyFileSync(join(dist, name), join(folder, name));
  }
  writeFileSync(
    join(folder, 'typescript.js'),
    `const real = require(${JSON.stringify(join(ROOT, 'node_modules/typescript'))});
     const createSourceFile = (path, text, ...rest) => {
       if (text.includes(${JSON.stringify(word)})) for (;;);
       return real.createSourceFile(path, text, ...rest);
     };
     module.exports = { ...real, createSourceFile };`,
  );
  return join(folder, 'snapshot-worker.js');
}

test('a text that a parser never comes back from costs its own outline, and the thread that read it', async () => {
  const repo = repository();
  repo.write('src/c.ts', 'export const never = 1;\n').commit('[feat] two');
  const warned: string[] = [];
  const service = connectSnapshotWorker({
    file: looping('never'),
    folder: tempDir(),
    logger: { ...silentLogger(), warn: (text) => warned.push(text) },
    patience: { parseMs: 100, pingMs: 50, stuckMs: 3_000 },
  });
  onTestFinished(() => service.dispose());
  const { degraded, outline } = await service.facts(repo.root, 'src/c.ts', null);
  expect({ degraded, outline }).toEqual({ degraded: ['parse_timeout:src/c.ts'], outline: null });
  expect(warned).toEqual([expect.stringMatching(/^The snapshot worker ended: it did not answer for \d+ s$/)]);
  expect((await service.facts(repo.root, 'src/a.ts', null)).imports).toMatchObject([{ path: 'src/b.ts' }]);
  expect(await service.index(repo.root, 'run')).toEqual({ files: 3, indexed: 3, complete: true });
  expect(warned).toHaveLength(1);
});
