import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { GitSandbox } from '../../support/git-repo.ts';
import { tempDir } from '../../support/temp.ts';

const DEMO = join(import.meta.dirname, '../../../scripts/demo.mjs');

interface Shown {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the demo as `npm run demo [folder]` in `current` does, with a folder of its own for what is temporary. */
function demo(
  current: string,
  folder?: string,
  extra: NodeJS.ProcessEnv = {},
): Promise<Shown & { readonly temporary: string }> {
  const temporary = tempDir();
  const env = {
    ...process.env,
    INIT_CWD: current,
    TMPDIR: temporary,
    PROJECT_ANCHOR_HOME: '/nowhere',
    GIT_CONFIG_GLOBAL: '/dev/null',
    ...extra,
  };
  const args = folder === undefined ? [DEMO] : [DEMO, folder];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { env, timeout: 150_000 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
      resolve({ code, stdout, stderr, temporary });
    });
  });
}

function expectWhole({ code, stdout, stderr, temporary }: Shown & { readonly temporary: string }): void {
  expect(stderr).toBe('');
  expect(code).toBe(0);
  for (const step of [1, 2, 3, 4, 5, 6, 7]) expect(stdout).toContain(`\n${step}/7  `);
  expect(stdout).toMatch(/arrived at the second process \d+ ms after the mark was made/);
  expect(stdout).toMatch(/receipt: [1-9]\d* tokens/);
  expect(stdout).toMatch(/ok {2}\d+ deltas/);
  expect(stdout).toContain('Nothing in it was changed');
  expect(stdout).toMatch(/\nDone in [\d.]+ s\.\n$/);
  expect(readdirSync(temporary)).toEqual([]);
}

describe('npm run demo', { timeout: 180_000 }, () => {
  test('shows a sample where there is no project', async () => {
    const shown = await demo(tempDir());
    expectWhole(shown);
    expect(shown.stdout).toContain('this folder is not a git repository');
    expect(shown.stdout).toContain('refund(share: number): Money');
    expect(shown.stdout).toContain('priority: "high"');
  });

  test('takes the repository it is run in, from any folder of it', async () => {
    const root = tempDir();
    const repo = GitSandbox.init(root);
    repo.write('lib/deep/tide.js', 'export function tide(hour) {\n  return hour % 12;\n}\n').commit('feat: tides');
    const shown = await demo(join(root, 'lib', 'deep'));
    expectWhole(shown);
    expect(shown.stdout).toContain('focus add lib/deep/tide.js');
  });

  test('says so where there is no TypeScript, and shows the rest', async () => {
    const root = tempDir();
    GitSandbox.init(root).write('main.py', 'print("hi")\n').commit('first');
    const shown = await demo(root, root);
    expectWhole(shown);
    expect(shown.stdout).toContain('There is no TypeScript or JavaScript here');
    expect(shown.stdout).toContain('focus add main.py');
  });

  test('works in a folder that is no repository, and in an empty one', async () => {
    const root = tempDir();
    mkdirSync(join(root, 'notes'));
    writeFileSync(join(root, 'notes', 'todo.txt'), 'nothing\n');
    expectWhole(await demo('/', join(root, 'notes')));
    mkdirSync(join(root, 'empty'));
    const shown = await demo('/', join(root, 'empty'));
    expectWhole(shown);
    expect(shown.stdout).toContain('the project itself is marked');
  });

  test('ends with a sentence where there is nothing to show', async () => {
    const missing = join(tempDir(), 'missing');
    expect(await demo('/', missing)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`There is no folder ${missing}`),
    });
    expect(await demo('/', '--help')).toMatchObject({ code: 2, stderr: expect.stringContaining('Usage') });
  });

  test('ends with a sentence when a step fails, and leaves nothing behind', async () => {
    const { code, stderr, temporary } = await demo('/', tempDir(), { NODE_OPTIONS: '--no-experimental-sqlite' });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^\nThe demo stopped: "project-anchor anchor" failed: .*SQLite.*\n$/i);
    expect(readdirSync(temporary)).toEqual([]);
  });
});
