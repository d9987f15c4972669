import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { buildBundles } from '../../../scripts/lib/bundle.mjs';
import { BUNDLES } from '../../../scripts/lib/bundles.mjs';
import { codeOf, silentLogger, systemClock } from '../../../src/base/index.ts';
import { GitProcess } from '../../../src/snapshot/git-process.ts';
import { runGit, TIMEOUT_MS } from '../../../src/snapshot/git-run.ts';
import { BEHIND_THE_EDITOR } from '../../../src/snapshot/priority.ts';
import { GitSandbox } from '../../support/git-repo.ts';
import { tempDir } from '../../support/temp.ts';

const ROOT = join(import.meta.dirname, '../../..');
const dist = mkdtempSync(join(tmpdir(), 'pa-git-process-'));

beforeAll(async () => {
  const bundles = BUNDLES.filter(({ name }) => name === 'git-process');
  const { problems } = await buildBundles({ root: ROOT, outdir: dist, minify: false, bundles });
  expect(problems).toEqual([]);
});
afterAll(() => rmSync(dist, { recursive: true, force: true }));

interface Script {
  readonly file: string;
  pid(): number;
  /** Whether it has ended in its own time. */
  ended(): boolean;
}

/** The git process's script, which writes down its process id and its end; `before` runs first. */
function script(before = ''): Script {
  const folder = tempDir();
  const [file, note, end] = [join(folder, 'git-process.cjs'), join(folder, 'pid'), join(folder, 'end')];
  writeFileSync(
    file,
    `require('node:fs').writeFileSync(${JSON.stringify(note)}, String(process.pid));
     process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(end)}, ''));
     ${before}
     require(${JSON.stringify(join(dist, 'git-process.js'))});`,
  );
  return { file, pid: () => Number(readFileSync(note, 'utf8')), ended: () => existsSync(end) };
}

function open(file: string) {
  const warnings: string[] = [];
  const direct: string[] = [];
  const logger = { ...silentLogger(), warn: (text: string) => warnings.push(text) };
  const options = { env: process.env, clock: systemClock(), logger, timeoutMs: TIMEOUT_MS };
  const git = new GitProcess({
    file,
    env: process.env,
    logger,
    direct: (cwd, args, input) => {
      direct.push(args.join(' '));
      return runGit(options, cwd, args, input);
    },
  });
  onTestFinished(() => git.dispose());
  return { git, warnings, direct };
}

function repository(): string {
  const repo = GitSandbox.init(join(tempDir(), 'repo'));
  repo.write('a.ts', '1').commit('one');
  return repo.root;
}

test('it lets the editor go first', async () => {
  const { file, pid } = script();
  const repo = GitSandbox.init(join(tempDir(), 'repo'));
  await open(file).git.run(repo.root, ['rev-parse', '--git-dir']);
  expect(getPriority(pid())).toBe(Math.max(getPriority(), BEHIND_THE_EDITOR));
});

describe('git in a process of its own', () => {
  test('prints, reads and fails as git started from here does', async () => {
    const { git, direct } = open(script().file);
    const root = repository();
    expect((await git.run(root, ['ls-files', '-z'])).equals(Buffer.from('a.ts\0'))).toBe(true);
    const ignored = ['check-ignore', '-z', '-v', '-n', '--stdin'];
    expect((await git.run(root, ignored, Buffer.from('b.ts\0'))).toString()).toBe('\0\0\0b.ts\0');
    const error = await git.run(root, ['rev-parse', '--verify', 'none']).catch((reason: unknown) => reason);
    expect(codeOf(error)).toBe('git_failed');
    expect(String(error)).toContain('Needed a single revision');
    expect(direct).toEqual([]);
  });

  test('ends with whoever uses it', async () => {
    const { file, ended } = script();
    const { git } = open(file);
    await git.run(repository(), ['status']);
    expect(ended()).toBe(false);
    await git.dispose();
    expect(ended()).toBe(true);
  });

  test('ends when the thread that started it is ended', async () => {
    const { file, ended } = script();
    const worker = new Worker(
      `require('node:child_process').fork(${JSON.stringify(file)}, { execArgv: [], serialization: 'advanced' })
         .on('message', () => require('node:worker_threads').parentPort.postMessage('up'))
         .send({ m: 'run', a: [${JSON.stringify(repository())}, ['status'], undefined], i: '1', t: 'q' });`,
      { eval: true },
    );
    await new Promise((resolve) => worker.once('message', resolve));
    expect(ended()).toBe(false);
    await worker.terminate();
    await expect.poll(ended).toBe(true);
  });

  test('is started again after it was killed; what was asked meanwhile is done from here', async () => {
    const { file, pid } = script();
    const { git, warnings, direct } = open(file);
    const root = repository();
    await git.run(root, ['status']);
    const first = pid();
    process.kill(first, 'SIGKILL');
    expect((await git.run(root, ['ls-files'])).toString()).toBe('a.ts\n');
    expect(direct).toEqual(['ls-files']);
    await expect.poll(() => warnings).toHaveLength(1);
    expect((await git.run(root, ['ls-files'])).toString()).toBe('a.ts\n');
    expect(direct).toHaveLength(1);
    expect(pid()).not.toBe(first);
  });

  test.each([
    ['is not there', () => join(tempDir(), 'none.cjs')],
    ['ends at once', () => script('process.exit(3);').file],
  ])('one that %s is tried once, and git is started from here', async (_, file) => {
    const { git, warnings, direct } = open(file());
    const root = repository();
    for (let n = 0; n < 3; n++) expect((await git.run(root, ['ls-files'])).toString()).toBe('a.ts\n');
    expect(direct).toHaveLength(3);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('git is started from here');
  });
});
