import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openProject } from '../../../src/agents/runtime.ts';
import { codeOf } from '../../../src/base/index.ts';
import type { Delta } from '../../../src/delta/index.ts';
import { cleanGitEnv } from '../../support/git-repo.ts';
import { executable, HookedProject, installedProgram } from '../../support/hooked-project.ts';
import { waitFor } from '../../support/wait.ts';

const program = await installedProgram();

interface Report {
  readonly installed: boolean;
  readonly path: string;
  readonly hooks: Readonly<Record<string, { state: string; kept?: string; runs?: boolean }>>;
  readonly lastFailure?: { at: string; message: string };
}

function installed(): HookedProject & { hooks: string } {
  const project = new HookedProject(program);
  return Object.assign(project, { hooks: join(project.repo.root, '.git', 'hooks') });
}

async function deltas(project: HookedProject): Promise<Delta[]> {
  return project.pa.jsonLines<Delta>(['log']);
}

function noted(log: readonly Delta[]): string[] {
  return log.flatMap(({ ops }) => ops.flatMap((op) => (op.op === 'note_commit' ? [op.commit] : [])));
}

describe('with no editor', () => {
  test('commit, checkout, merge and amend are seen', async () => {
    const project = installed();
    const { repo, pa } = project;
    expect(await pa.json(['hook', 'install'])).toMatchObject({ installed: true, path: project.hooks });
    await pa.run(['snapshot']);

    repo.write('src/b.ts', 'export const b = 1;\n').git('add', '--all');
    expect(project.git(['commit', '--quiet', '-m', 'fix: two'])).toEqual({ code: 0, stdout: '', stderr: '' });
    await project.idle();
    const second = repo.head();
    expect(await project.latest()).toMatchObject({ trigger: 'hook', git: { head: { commit: second } } });
    expect(noted(await deltas(project))).toEqual([second]);

    project.git(['switch', '--quiet', '-c', 'side']);
    await project.idle();
    expect((await project.latest()).git.head.branch).toBe('side');

    repo.write('src/c.ts', '').git('add', '--all');
    project.git(['commit', '--quiet', '-m', 'feat: three']);
    project.git(['switch', '--quiet', 'main']);
    project.git(['merge', '--quiet', '--ff-only', 'side']);
    await project.idle();
    const merged = await project.latest();
    expect(merged.git.head).toEqual({ kind: 'branch', branch: 'main', commit: repo.head() });
    expect(merged.git.lastCommit?.kinds).toEqual(['feat']);
  });

  test('what post-rewrite says goes into the log', async () => {
    const project = installed();
    const { repo, pa } = project;
    await pa.run(['hook', 'install']);
    repo.write('src/b.ts', '1').commit('two');
    await project.idle();
    const before = repo.head();
    project.git(['commit', '--quiet', '--amend', '-m', 'two, better']);
    await project.idle();
    const rewritten = (await deltas(project)).flatMap(({ ops }) =>
      ops.flatMap((op) => (op.op === 'rewrite_history' ? op.pairs : [])),
    );
    expect(rewritten).toEqual([{ old: before, new: repo.head() }]);
  });

  test('a linked working tree uses the hooks of the repository, and has snapshots of its own', async () => {
    const project = installed();
    const { repo, pa, root } = project;
    await pa.run(['hook', 'install']);
    const second = join(root, 'second');
    project.git(['worktree', 'add', '--quiet', '-b', 'side', second]);
    expect(await pa.at(second).json(['hook', 'status'])).toMatchObject({ installed: true, path: project.hooks });
    writeFileSync(join(second, 'new.ts'), 'export const n = 1;\n');
    project.git(['add', '--all'], { cwd: second });
    project.git(['commit', '--quiet', '-m', 'there'], { cwd: second });
    await project.idle();
    expect((await project.latest(second)).git.head).toMatchObject({ branch: 'side' });
    const here = await pa.run(['show', 'latest']);
    expect(here.stderr).toContain('No snapshot was taken here yet');
    expect(repo.git('log', '--format=%s', '-1', 'side').trim()).toBe('there');
  });

  test('checking out files alone starts nothing', async () => {
    const project = installed();
    await project.pa.run(['hook', 'install']);
    project.repo.write('src/a.ts', 'changed');
    expect(project.git(['checkout', '--quiet', '--', 'src/a.ts']).code).toBe(0);
    expect(project.starts).toBe(0);
    expect(existsSync(join(project.home, 'hooks'))).toBe(false);
  });
});

describe('with an editor', () => {
  test('both see a commit, whoever is first, and the log notes it once', async () => {
    const project = installed();
    const { repo, pa, home } = project;
    await pa.run(['hook', 'install']);
    const { session, dispose } = await openProject(repo.root, home);
    const view = { active: 'src/a.ts', open: ['src/a.ts'] };
    await session.take('editor', view);
    const made: string[] = [];
    for (let n = 0; n < 6; n++) {
      repo.write(`src/f${n}.ts`, `export const f${n} = ${n};\n`).git('add', '--all');
      project.git(['commit', '--quiet', '-m', `fix: ${n}`]);
      made.push(repo.head());
      // The window now, or when the hook has been there before it.
      if (n % 2 === 1) await project.idle();
      await session.take('commit', view);
    }
    project.git(['commit', '--quiet', '--amend', '-m', 'fix: better']);
    const old = made.pop();
    await session.take('commit', view);
    await project.idle();
    await session.take('interval', view);
    await dispose();
    const log = await deltas(project);
    expect(noted(log)).toEqual([...made, old]);
    const rewritten = log.flatMap(({ ops }) => ops.flatMap((op) => (op.op === 'rewrite_history' ? op.pairs : [])));
    expect(rewritten).toEqual([{ old, new: repo.head() }]);
    // The hook does not know what is open; it leaves what the editor said last as it is.
    expect((await project.latest()).active).toBe('src/a.ts');
    expect((await pa.json<{ ok: boolean }>(['verify'])).ok).toBe(true);
  });
});

describe('bursts', () => {
  test('a rebase of 50 commits starts at most two processes, and its end is seen with every pair', async () => {
    const project = installed();
    const { repo, pa } = project;
    repo.git('switch', '--quiet', '-c', 'side');
    for (let n = 0; n < 50; n++) repo.write(`side/${n}.ts`, '').commit(`side ${n}`);
    const old = repo.head();
    repo.git('switch', '--quiet', 'main');
    repo.write('main.ts', '').commit('main');
    repo.git('switch', '--quiet', 'side');
    await pa.run(['hook', 'install']);
    await pa.run(['snapshot']);
    expect(project.git(['rebase', '--quiet', 'main']).code).toBe(0);
    await project.idle();
    expect(project.starts).toBeLessThanOrEqual(2);
    expect((await project.latest()).git.head.commit).toBe(repo.head());
    const pairs = (await deltas(project)).flatMap(({ ops }) =>
      ops.flatMap((op) => (op.op === 'rewrite_history' ? op.pairs : [])),
    );
    expect(pairs).toHaveLength(50);
    expect(pairs.at(-1)).toEqual({ old, new: repo.head() });
  });

  test('a rebase that rewrites nothing is seen too', async () => {
    const project = installed();
    const { repo, pa } = project;
    repo.git('switch', '--quiet', '-c', 'ahead');
    repo.write('b.ts', '').commit('two');
    repo.git('switch', '--quiet', 'main');
    await pa.run(['hook', 'install']);
    await pa.run(['snapshot']);
    project.git(['rebase', '--quiet', 'ahead']);
    await project.idle();
    expect((await project.latest()).git).toMatchObject({ head: { branch: 'main', commit: repo.head() } });
    expect((await project.latest()).git.operation).toBeUndefined();
  });

  test('thirty commits one after the other: few processes, and the last is seen', async () => {
    const project = installed();
    const { repo, pa } = project;
    await pa.run(['hook', 'install']);
    for (let n = 0; n < 30; n++) project.git(['commit', '--quiet', '--allow-empty', '-m', `${n}`]);
    await project.idle();
    expect(project.starts).toBeLessThanOrEqual(3);
    expect((await project.latest()).git.head.commit).toBe(repo.head());
  });

  test('what a killed process left is seen to by the next one, with its pairs', async () => {
    const project = installed();
    const { repo, pa, home } = project;
    await pa.run(['hook', 'install']);
    await pa.run(['snapshot']);
    const before = repo.head();
    // The first node is one that never ends.
    const stuck = executable(
      join(project.root, 'stuck'),
      '#!/bin/sh\n[ "$1" = --version ] && echo v24.0.0 || exec sleep 600\n',
    );
    project.git(['commit', '--quiet', '--amend', '-m', 'first, again'], { env: { PROJECT_ANCHOR_NODE: stuck } });
    const pid = await runningPid(home);
    process.kill(pid, 'SIGKILL');
    expect(project.starts).toBe(0);
    const between = repo.head();
    project.git(['commit', '--quiet', '--allow-empty', '-m', 'second']);
    await project.idle();
    const ops = (await deltas(project)).flatMap((delta) => delta.ops);
    expect(ops).toContainEqual(
      expect.objectContaining({ op: 'rewrite_history', pairs: [{ old: before, new: between }] }),
    );
    expect(noted(await deltas(project))).toContain(repo.head());
  });
});

/** What a process has open. */
function openFiles(pid: number | 'self'): string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    const link = `/proc/${pid}/fd/${fd}`;
    return existsSync(link) || lstatSync(link, { throwIfNoEntry: false }) !== undefined ? [readlinkSync(link)] : [];
  });
}

/** The process that a hook says is at work. */
async function runningPid(home: string): Promise<number> {
  const folder = join(home, 'hooks');
  const text = await waitFor(
    () => {
      const name = readdirSync(folder).find((each) => each.endsWith('.run'));
      return name !== undefined && readFileSync(join(folder, name), 'utf8').trim();
    },
    { timeoutMs: 10_000, what: 'a running process' },
  );
  return Number.parseInt(text, 10);
}

describe('git is never held up or failed', () => {
  const SLEEPER = '#!/bin/sh\n[ "$1" = --version ] && echo v24.0.0 || exec sleep 600\n';

  test('git returns while the process still runs, with none of its pipes; closing the terminal leaves it', async () => {
    const project = installed();
    await project.pa.run(['hook', 'install']);
    const sleeper = executable(join(project.root, 'sleeper'), SLEEPER);
    const env = { ...cleanGitEnv(), PROJECT_ANCHOR_NODE: sleeper };
    const inherited = new Set(openFiles('self'));
    // A session of its own, as a terminal has; its output is read to its end.
    const git = spawn('git', ['commit', '--quiet', '--allow-empty', '-m', 'x'], {
      cwd: project.repo.root,
      env,
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    git.stdout.resume();
    git.stderr.resume();
    const [code] = (await once(git, 'close')) as [number];
    expect(code).toBe(0);
    const pid = await runningPid(project.home);
    try {
      process.kill(-Number(git.pid), 'SIGHUP');
    } catch (error) {
      expect(codeOf(error)).toBe('ESRCH');
    }
    await waitFor(() => readFileSync(`/proc/${pid}/cmdline`, 'latin1').startsWith('sleep'), {
      timeoutMs: 10_000,
      what: 'the process behind the launcher',
    });
    const own = openFiles(pid).filter((file) => !inherited.has(file));
    expect(own.filter((file) => /^(?:pipe|socket):/.test(file))).toEqual([]);
    process.kill(pid, 'SIGKILL');
  });

  test.each([
    ['the launcher is gone', (p: HookedProject) => p.repo.git('config', 'x.y', 'z')],
    ['the data folder cannot be made', (p: HookedProject) => writeFileSync(p.home, '')],
  ])('%s', async (what, spoil) => {
    const project = installed();
    const other = join(project.root, 'program');
    await project.pa.run(['hook', 'install']);
    rmSync(project.home, { recursive: true, force: true });
    if (what === 'the launcher is gone') {
      const hook = join(project.hooks, 'post-commit');
      writeFileSync(hook, readFileSync(hook, 'utf8').replace(/^launcher=.*$/m, `launcher='${other}'`));
    }
    spoil(project);
    expect(project.git(['commit', '--quiet', '--allow-empty', '-m', 'x'])).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(project.starts).toBe(0);
    rmSync(project.home, { recursive: true, force: true });
  });

  test('when the launcher is gone the one on the PATH is used', async () => {
    const project = installed();
    await project.pa.run(['hook', 'install']);
    const hook = join(project.hooks, 'post-commit');
    writeFileSync(hook, readFileSync(hook, 'utf8').replace(/^launcher=.*$/m, "launcher='/nowhere/project-anchor'"));
    const bin = join(program, 'bin');
    project.git(['commit', '--quiet', '--allow-empty', '-m', 'x'], {
      env: { PATH: `${bin}:${process.env['PATH']}` },
    });
    await project.idle();
    expect((await project.latest()).git.head.commit).toBe(project.repo.head());
  });

  test('what went wrong in the background can be found', async () => {
    const project = installed();
    const { pa, home } = project;
    await pa.run(['hook', 'install']);
    writeFileSync(join(home, 'project-anchor.db'), 'no database at all, but long enough to be looked at'.repeat(40));
    expect(project.git(['commit', '--quiet', '--allow-empty', '-m', 'x']).code).toBe(0);
    await waitFor(() => !readdirSync(join(home, 'hooks')).some((name) => name.endsWith('.run')), {
      timeoutMs: 20_000,
      what: 'the end of the process',
    });
    const { lastFailure } = await pa.json<Report>(['hook', 'status']);
    expect(lastFailure?.message).toMatch(/project-anchor\.db .* is damaged|project-anchor\.db is damaged/);
    // What was not seen waits for the next time.
    rmSync(join(home, 'project-anchor.db'));
    project.git(['commit', '--quiet', '--allow-empty', '-m', 'y']);
    await project.idle();
    expect(noted(await deltas(project))).toEqual([]);
    expect((await project.latest()).git.head.commit).toBe(project.repo.head());
  });

  test('no Node at all is told by the status', async () => {
    const project = installed();
    await project.pa.run(['hook', 'install']);
    rmSync(join(project.home, 'node-path'));
    const env = { PROJECT_ANCHOR_NODE: '', PATH: onlyGit(project.root), HOME: project.root };
    expect(project.git(['commit', '--quiet', '--allow-empty', '-m', 'x'], { env })).toMatchObject({
      code: 0,
      stderr: '',
    });
    const failure = await waitFor(async () => (await project.pa.json<Report>(['hook', 'status'])).lastFailure, {
      timeoutMs: 20_000,
      what: 'the failure',
    });
    expect(failure.message).toContain('no Node 22.13 or newer found');
    project.git(['commit', '--quiet', '--allow-empty', '-m', 'y']);
    await project.idle();
    expect((await project.pa.json<Report>(['hook', 'status'])).lastFailure).toBeUndefined();
  });
});

/** A PATH with the tools that git and the launcher use, and no node among them. */
function onlyGit(root: string): string {
  const folder = join(root, 'tools');
  mkdirSync(folder);
  for (const tool of ['git', 'sh', 'dirname', 'readlink', 'uname', 'find', 'mkdir', 'setsid', 'cat']) {
    const found = (process.env['PATH'] ?? '').split(':').find((each) => existsSync(join(each, tool)));
    if (found !== undefined) symlinkSync(join(found, tool), join(folder, tool));
  }
  return folder;
}

describe('snapshot --rewritten -', () => {
  test('takes pairs from standard input and refuses what is none', async () => {
    const { pa, repo } = installed();
    await pa.run(['snapshot']);
    const old = repo.head();
    repo.git('commit', '--quiet', '--amend', '-m', 'again');
    const wrong = await pa.run(['snapshot', '--rewritten', '-'], { input: `${old} ${old.slice(1)}\n` });
    expect(wrong).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Line 1 of what was rewritten is not "old new"'),
    });
    expect(await pa.run(['snapshot', '--rewritten', 'file'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Give "-"'),
    });
    const right = await pa.run(['snapshot', '--rewritten', '-', '--trigger', 'hook'], {
      input: `${old} ${repo.head()} and more words\n\n`,
    });
    expect(right.code).toBe(0);
    const ops = (await pa.jsonLines<Delta>(['log'])).flatMap((delta) => delta.ops);
    expect(ops).toContainEqual(expect.objectContaining({ op: 'rewrite_history', pairs: [{ old, new: repo.head() }] }));
  });
});
