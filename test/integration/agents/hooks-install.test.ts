import {
  chmodSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { installHooks } from '../../../src/agents/hooks/files.ts';
import { executable, HookedProject, installedProgram } from '../../support/hooked-project.ts';
import { tempDir } from '../../support/temp.ts';

/** A user who owns nothing here. */
const NOBODY = 65_534;

const program = await installedProgram();

const NAMES = ['post-commit', 'post-checkout', 'post-merge', 'post-rewrite'];

interface Report {
  readonly installed: boolean;
  readonly path: string;
  readonly hooks: Readonly<Record<string, { state: string; kept?: string; runs?: boolean }>>;
  readonly lastFailure?: { at: string; message: string };
}

/** Every entry below a folder with its kind, mode and content. */
function contentOf(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  return Object.fromEntries(
    entries.map((entry) => {
      const path = join(folder, entry);
      const facts = lstatSync(path);
      const content = facts.isSymbolicLink() ? readlinkSync(path) : facts.isFile() ? readFileSync(path, 'latin1') : '';
      return [entry, `${facts.mode.toString(8)} ${content}`];
    }),
  );
}

function installed(): HookedProject & { hooks: string } {
  const project = new HookedProject(program);
  return Object.assign(project, { hooks: join(project.repo.root, '.git', 'hooks') });
}

describe('hooks that were there before', () => {
  /** What a hook was given: its name as it sees it, its folder, its arguments, its input. */
  const RECORDER = 'echo "$(basename "$0") $(basename "$(dirname "$0")") [$*] <$(cat | tr "\\n" "|")>" >>"$RECORD"';

  test('are still run, with the same arguments, input and exit code, and are put back byte for byte', async () => {
    const project = installed();
    const { repo, pa, hooks } = project;
    const record = join(project.root, 'record');
    const env = { RECORD: record };
    executable(join(hooks, 'post-commit'), `#!/usr/bin/env bash\n${RECORDER}\nexit 3\n`);
    executable(join(project.root, 'scripts', 'checkout'), `#!/bin/sh\n${RECORDER}\nexit 9\n`);
    symlinkSync('../../../scripts/checkout', join(hooks, 'post-checkout'));
    executable(
      join(hooks, 'post-rewrite'),
      `#!/usr/bin/env node\nrequire('node:fs').appendFileSync(process.env.RECORD, JSON.stringify([process.argv.slice(2), require('node:fs').readFileSync(0, 'utf8')]) + '\\n');\n`,
    );
    writeFileSync(join(hooks, 'post-merge'), '#!/bin/sh\necho never >>"$RECORD"\n', { mode: 0o644 });
    const before = contentOf(join(repo.root, '.git'));

    const report = await pa.json<Report>(['hook', 'install']);
    expect(report.installed).toBe(true);
    expect(Object.entries(report.hooks).map(([name, { state, runs }]) => [name, state, runs])).toEqual([
      ['post-commit', 'installed', true],
      ['post-checkout', 'installed', true],
      ['post-merge', 'installed', false],
      ['post-rewrite', 'installed', true],
    ]);
    const once = contentOf(hooks);
    expect((await pa.json<Report>(['hook', 'install'])).installed).toBe(true);
    expect(contentOf(hooks)).toEqual(once);

    const first = repo.head();
    expect(project.git(['commit', '--quiet', '--allow-empty', '-m', 'two'], { env }).code).toBe(0);
    const second = repo.head();
    // Git fails when post-checkout does, and passes its code on where only files were meant.
    expect(project.git(['checkout', '--quiet', '-b', 'side', 'HEAD~1'], { env }).code).toBe(1);
    expect(project.git(['checkout', '--quiet', 'main', '--', '.'], { env }).code).toBe(9);
    expect(project.git(['merge', '--quiet', '--ff-only', 'main'], { env }).code).toBe(0);
    project.git(['commit', '--quiet', '--allow-empty', '--amend', '-m', 'two, better'], { env });
    const amended = repo.head();
    await project.idle();
    expect(readFileSync(record, 'utf8').trim().split('\n')).toEqual([
      'post-commit hooks [] <>',
      `post-checkout hooks [${second} ${first} 1] <>`,
      `post-checkout hooks [${first} ${first} 0] <>`,
      'post-commit hooks [] <>',
      JSON.stringify([['amend'], `${second} ${amended}\n`]),
    ]);

    expect(await pa.json(['hook', 'remove'])).toMatchObject({ installed: false, path: hooks });
    const after = contentOf(join(repo.root, '.git'));
    for (const name of Object.keys(before).filter((each) => each.startsWith('hooks'))) {
      expect([name, after[name]]).toEqual([name, before[name]]);
    }
    expect(Object.keys(after).filter((each) => each.startsWith('hooks'))).toEqual(
      Object.keys(before).filter((each) => each.startsWith('hooks')),
    );
  });

  test('a program without a script is run as it is', async () => {
    const project = installed();
    const { pa, hooks } = project;
    writeFileSync(join(hooks, 'post-checkout'), readFileSync('/bin/false'), { mode: 0o755 });
    await pa.run(['hook', 'install']);
    expect(project.git(['switch', '--quiet', '-c', 'side']).code).toBe(1);
    await pa.run(['hook', 'remove']);
    expect(readFileSync(join(hooks, 'post-checkout')).equals(readFileSync('/bin/false'))).toBe(true);
    await project.idle();
  });

  test('a folder that was made for the hooks goes with them', async () => {
    const project = installed();
    const { repo, pa, hooks } = project;
    rmSync(hooks, { recursive: true });
    const before = contentOf(join(repo.root, '.git'));
    expect((await pa.json<Report>(['hook', 'install'])).installed).toBe(true);
    await pa.run(['hook', 'install']);
    await pa.run(['hook', 'remove']);
    expect(contentOf(join(repo.root, '.git'))).toEqual(before);
    // Twice is once.
    expect((await pa.run(['hook', 'remove'])).code).toBe(0);
    expect(contentOf(join(repo.root, '.git'))).toEqual(before);
  });

  test('a hook of ours that somebody has edited is kept by install and remove', async () => {
    const project = installed();
    const { pa, hooks } = project;
    await pa.run(['hook', 'install']);
    const hook = join(hooks, 'post-commit');
    const edited = `${readFileSync(hook, 'utf8')}echo mine\n`;
    writeFileSync(hook, edited);
    for (const command of ['install', 'remove']) {
      const { code, stderr, stdout } = await pa.run(['hook', command, '--json']);
      expect(code).toBe(1);
      expect(stderr).toContain('post-commit was edited after its installation and is left as it is');
      expect((JSON.parse(stdout) as Report).hooks['post-commit']?.state).toBe('changed');
      expect(readFileSync(hook, 'utf8')).toBe(edited);
    }
    expect(NAMES.filter((name) => existsSync(join(hooks, name)))).toEqual(['post-commit']);
  });

  test('a hook that another program put over ours is kept, and so is the one from before', async () => {
    const project = installed();
    const { pa, hooks } = project;
    const hook = executable(join(hooks, 'post-commit'), '#!/bin/sh\n# first\n');
    await pa.run(['hook', 'install']);
    executable(hook, '#!/bin/sh\n# second\n');
    const removed = await pa.run(['hook', 'remove']);
    expect([removed.code, removed.stderr]).toEqual([1, expect.stringContaining('was replaced after its installation')]);
    expect(readFileSync(hook, 'utf8')).toContain('second');
    await pa.run(['hook', 'install']);
    await pa.run(['hook', 'remove']);
    expect(readFileSync(hook, 'utf8')).toContain('second');
    expect(readFileSync(`${hook}.before-project-anchor-1`, 'utf8')).toContain('first');
  });
});

describe('where the hooks are', () => {
  test('a relative core.hooksPath is meant from the root of the working tree, and said to be tracked', async () => {
    const project = installed();
    const { repo, pa } = project;
    executable(join(repo.root, '.githooks', 'post-commit'), '#!/bin/sh\necho "kept $(basename "$0")" >>"$RECORD"\n');
    repo.commit('hooks');
    repo.git('config', 'core.hooksPath', '.githooks');
    const { stdout, stderr } = await pa.at(join(repo.root, 'src')).run(['hook', 'install', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ installed: true, path: join(repo.root, '.githooks') });
    expect(stderr).toContain('where git tracks files');
    const record = join(project.root, 'record');
    project.git(['commit', '--quiet', '--allow-empty', '-m', 'x'], {
      env: { RECORD: record },
      cwd: join(repo.root, 'src'),
    });
    await project.idle();
    expect(readFileSync(record, 'utf8')).toBe('kept post-commit\n');
    expect((await project.latest()).git.head.commit).toBe(repo.head());
    await pa.run(['hook', 'remove']);
    expect(repo.git('status', '--porcelain')).toBe('');
  });

  test('one that several repositories share is said, and serves them all', async () => {
    const project = installed();
    const { repo, pa, root } = project;
    const shared = join(root, 'shared', 'hooks');
    repo.git('config', 'core.hooksPath', shared);
    const { stdout, stderr } = await pa.run(['hook', 'install', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ installed: true, path: shared });
    expect(stderr).toContain('the hooks serve every repository that uses this folder');
    repo.git('config', '--unset', 'core.hooksPath');
    const other = new HookedProject(program, join(root, 'other'));
    other.git(['-c', `core.hooksPath=${shared}`, 'commit', '--quiet', '--allow-empty', '-m', 'x']);
    await project.idle();
    expect((await project.latest(other.repo.root)).git.head.commit).toBe(other.repo.head());
    await pa.run(['hook', 'status']);
    repo.git('config', 'core.hooksPath', shared);
    await pa.run(['hook', 'remove']);
    expect(existsSync(join(root, 'shared'))).toBe(false);
  });

  test('one that is set for all repositories of a person is said', async () => {
    const project = installed();
    const { pa, root } = project;
    const shared = join(root, 'all hooks');
    writeFileSync(join(root, '.gitconfig'), `[core]\n\thooksPath = ${shared}\n`);
    const env = { HOME: root };
    const { stdout, stderr } = await pa.run(['hook', 'install', '--json'], { env });
    expect(JSON.parse(stdout)).toMatchObject({ installed: true, path: shared, hooksPath: { scope: 'global' } });
    expect(stderr).toContain(`core.hooksPath is ${shared} for all your repositories: snapshots are taken of every one`);
    await pa.run(['hook', 'remove'], { env });
    expect(existsSync(shared)).toBe(false);
  });

  test('a bare repository, a folder without one, and a folder that cannot be written say what to do', async () => {
    const project = installed();
    const { repo, pa, root } = project;
    const bare = join(root, 'bare.git');
    repo.git('init', '--quiet', '--bare', bare);
    for (const command of ['install', 'remove', 'status']) {
      const inBare = await pa.at(bare).run(['hook', command]);
      expect(inBare).toMatchObject({ code: 1, stderr: expect.stringContaining('is a bare repository') });
      const nowhere = await pa.at(root).run(['hook', command]);
      expect(nowhere).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('is not in a git repository. Run this in'),
      });
    }
    repo.git('config', 'core.hooksPath', '/dev/null');
    const off = await pa.run(['hook', 'install']);
    expect(off).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/hooks in \/dev\/null cannot be changed.*core\.hooksPath/),
    });
  });

  test('variables of a git that is running do not lead elsewhere', async () => {
    const project = installed();
    const { pa, root, hooks } = project;
    const other = new HookedProject(program, join(root, 'other'));
    const env = { GIT_DIR: join(other.repo.root, '.git'), GIT_INDEX_FILE: join(root, 'nothing') };
    const { stdout } = await pa.run(['hook', 'install', '--json'], { env });
    expect(JSON.parse(stdout)).toMatchObject({ path: hooks });
    expect(existsSync(join(other.repo.root, '.git', 'hooks', 'post-commit'))).toBe(false);
  });
});

test('a folder of hooks that may not be written is said, and left as it is', () => {
  const folder = tempDir();
  writeFileSync(join(folder, 'post-commit'), '#!/bin/sh\n', { mode: 0o755 });
  chmodSync(folder, 0o555);
  onTestFinished(() => chmodSync(folder, 0o755));
  const before = contentOf(folder);
  // Root may write everywhere, so it tries as somebody else.
  const asRoot = process.getuid?.() === 0;
  if (asRoot) process.seteuid?.(NOBODY);
  onTestFinished(() => (asRoot ? process.seteuid?.(0) : undefined));
  expect(() => installHooks(folder, { launcher: '/bin/project-anchor', data: '/data' })).toThrow(
    expect.objectContaining({ code: 'hooks_folder', message: expect.stringContaining('cannot be changed (EACCES)') }),
  );
  if (asRoot) process.seteuid?.(0);
  expect(contentOf(folder)).toEqual(before);
});
