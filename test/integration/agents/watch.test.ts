import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Delta } from '../../../src/delta/index.ts';
import { builtCommandLine, CommandLine, type RunningCommand } from '../../support/command-line.ts';
import { GitSandbox } from '../../support/git-repo.ts';
import { tempDir } from '../../support/temp.ts';
import { waitFor } from '../../support/wait.ts';

const cli = await builtCommandLine();

function project() {
  const root = tempDir();
  const repo = GitSandbox.init(join(root, 'app'));
  repo.write('src/a.ts', 'export function a(): void {}\n').commit('first');
  const home = join(root, 'data');
  return { root, repo, home, pa: new CommandLine(cli, { home, cwd: repo.root }) };
}

function tags(watch: RunningCommand): string[] {
  return watch.stdoutLines.flatMap((line) =>
    (JSON.parse(line) as Delta).ops.flatMap((op) => (op.op === 'add_tag' ? [`${op.key}=${op.value}`] : [])),
  );
}

function until(what: string, probe: () => boolean): Promise<boolean> {
  return waitFor(() => probe(), { timeoutMs: 20_000, intervalMs: 5, what });
}

async function stopped(running: RunningCommand, signal: NodeJS.Signals = 'SIGTERM') {
  running.signal(signal);
  return running.finished();
}

interface HubLine {
  readonly url: string;
  readonly tokenFile: string;
}

async function startHub(pa: CommandLine, ...args: string[]) {
  const hub = pa.start(['hub', '--json', ...args]);
  const line = JSON.parse(await hub.line('stdout', /./)) as HubLine;
  return { hub, line };
}

describe('hub', () => {
  test('says where it is, to its owner alone, and ends on SIGTERM', async () => {
    const { pa, home } = project();
    const { hub, line } = await startHub(pa);
    expect(line).toEqual({
      url: expect.stringMatching(/^ws:\/\/127\.0\.0\.1:\d+\/v1$/),
      tokenFile: join(home, 'hub-v1.json'),
    });
    expect(statSync(line.tokenFile).mode & 0o777).toBe(0o600);
    const { url, token } = JSON.parse(readFileSync(line.tokenFile, 'utf8')) as { url: string; token: string };
    expect(url).toBe(line.url);
    const ended = await stopped(hub);
    expect(ended.code).toBe(0);
    expect(ended.stdout + ended.stderr).not.toContain(token);
    expect(existsSync(line.tokenFile)).toBe(false);
  });

  test('is one per machine: a second one says where the first is', async () => {
    const { pa } = project();
    const { hub, line } = await startHub(pa);
    const second = await pa.run(['hub']);
    expect(second.code).toBe(1);
    expect(second.stderr).toContain(line.url);
    expect((await stopped(hub, 'SIGINT')).code).toBe(0);
    const again = await startHub(pa);
    expect((await stopped(again.hub)).code).toBe(0);
  });
});

describe('hub, when something is in the way', () => {
  test('names a port that another program has', async () => {
    const { pa } = project();
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const { code, stderr } = await pa.run(['hub', '--port', String(port)]);
    other.close();
    expect(code).toBe(1);
    expect(stderr).toContain(String(port));
  });

  test('a stranger that took the hub’s place gets no token, and the watch reads the log', async () => {
    const { home, pa } = project();
    const token = 'f'.repeat(64);
    const heard: string[] = [];
    const stranger = createHttpServer((request, response) => {
      heard.push(`${request.url} ${JSON.stringify(request.headers)}`);
      response.end('{"proof":"made up"}');
    }).listen(0, '127.0.0.1');
    await once(stranger, 'listening');
    const { port } = stranger.address() as AddressInfo;
    await pa.text(['focus', 'list']);
    writeFileSync(join(home, 'hub-v1.json'), JSON.stringify({ url: `ws://127.0.0.1:${port}/v1`, token }), {
      mode: 0o600,
    });
    const watch = pa.start(['watch', '--json']);
    await watch.line('stderr', /from the log/);
    await pa.text(['tag', 'add', 'src/a.ts', 'n=1']);
    await until('the delta', () => tags(watch).length === 1);
    await until('a visit', () => heard.length > 0);
    expect(heard.join()).not.toContain(token);
    await stopped(watch);
    stranger.close();
  });
});

describe('watch', () => {
  test('sees another process’s mark over the hub, at once', async () => {
    const { pa } = project();
    const { hub, line } = await startHub(pa);
    const watch = pa.start(['watch', '--json']);
    await watch.line('stderr', new RegExp(`over the hub ${line.url}`));
    await pa.text(['tag', 'add', 'src/a.ts', 'priority=high']);
    await until('the delta', () => watch.stdoutLines.length > 0);
    const [logged] = await pa.jsonLines<Delta>(['log']);
    expect(JSON.parse(watch.stdoutLines[0] ?? '')).toEqual(logged);
    expect((await stopped(watch)).code).toBe(0);
    await stopped(hub);
  });

  test('follows the log where there is no hub, and only what is new', async () => {
    const { pa } = project();
    await pa.text(['tag', 'add', 'src/a.ts', 'n=0']);
    const watch = pa.start(['watch', '--json']);
    await watch.line('stderr', /from the log/);
    for (const n of [1, 2, 3]) await pa.text(['tag', 'add', 'src/a.ts', `n=${n}`]);
    await until('three deltas', () => watch.stdoutLines.length >= 3);
    expect(tags(watch)).toEqual(['n=1', 'n=2', 'n=3']);
    expect((await stopped(watch, 'SIGINT')).code).toBe(0);
  });

  test('misses and doubles nothing when the hub is killed and another comes', async () => {
    const { pa } = project();
    const first = await startHub(pa);
    const watch = pa.start(['watch', '--json']);
    await watch.line('stderr', /over the hub/);
    await pa.text(['tag', 'add', 'src/a.ts', 'n=1']);
    await until('the first delta', () => tags(watch).length === 1);
    await stopped(first.hub, 'SIGKILL');
    await pa.text(['tag', 'add', 'src/a.ts', 'n=2']);
    await until('the second delta', () => tags(watch).length === 2);
    const second = await startHub(pa);
    await watch.line('stderr', new RegExp(second.line.url));
    await pa.text(['tag', 'add', 'src/a.ts', 'n=3']);
    await until('the third delta', () => tags(watch).length === 3);
    expect(tags(watch)).toEqual(['n=1', 'n=2', 'n=3']);
    expect((await stopped(watch)).code).toBe(0);
    await stopped(second.hub);
  });

  test('wakes only on what it is asked for', async () => {
    const { repo, pa } = project();
    await pa.text(['snapshot']);
    const watch = pa.start(['watch', '--json', '--on', 'change=refactor', '--on', 'priority=P0']);
    await watch.line('stderr', /following/);
    await pa.text(['tag', 'add', 'src/a.ts', 'priority=low']);
    repo.write('src/b.ts', 'export {};\n').commit('refactor: b on its own');
    await pa.text(['snapshot', '--trigger', 'hook']);
    await pa.text(['tag', 'add', 'src/a.ts', 'urgent']);
    await until('two deltas', () => watch.stdoutLines.length >= 2);
    const [commit, tag] = watch.stdoutLines.map((line) => JSON.parse(line) as Delta);
    expect(commit?.ops.some((op) => op.op === 'note_commit' && op.kinds.includes('refactor'))).toBe(true);
    expect(tag?.ops).toMatchObject([{ op: 'add_tag', key: 'priority', value: 'high' }]);
    await stopped(watch);
  });

  test('reads well for a person', async () => {
    const { pa } = project();
    const watch = pa.start(['watch']);
    await watch.line('stderr', /following/);
    await pa.text(['focus', 'add', 'src/a.ts', 'priority=high']);
    expect(await watch.line('stdout', /#1/)).toContain('marked src/a.ts; tagged src/a.ts priority: high');
    await stopped(watch);
  });
});

describe('watch --exec', () => {
  test('gives each delta to the command on its standard input', async () => {
    const { root, pa } = project();
    const seen = join(root, 'seen.jsonl');
    const watch = pa.start(['watch', '--exec', `cat >> '${seen}'; echo done`]);
    await watch.line('stderr', /following/);
    await pa.text(['tag', 'add', 'src/a.ts', 'note=$(touch pwned) "; rm -rf x']);
    await watch.line('stdout', /^done$/);
    const [logged] = await pa.jsonLines<Delta>(['log']);
    expect(JSON.parse(readFileSync(seen, 'utf8'))).toEqual(logged);
    expect(readdirSync(join(root, 'app'))).not.toContain('pwned');
    expect((await stopped(watch)).code).toBe(0);
  });

  test('with a name tries again until the command succeeds, and then moves on', async () => {
    const { root, pa } = project();
    const seen = join(root, 'seen');
    const flag = join(root, 'works');
    const command = `echo try >> '${seen}'; test -e '${flag}'`;
    const watch = pa.start(['watch', '--name', 'agent', '--exec', command]);
    await watch.line('stderr', /following/);
    await pa.text(['tag', 'add', 'src/a.ts', 'n=1']);
    await watch.line('stderr', /ended with 1 for #1; trying again in 1 s/);
    writeFileSync(flag, '');
    await until('a second try', () => readFileSync(seen, 'utf8').split('\n').length > 2);
    await pa.text(['tag', 'add', 'src/a.ts', 'n=2']);
    await until('the next delta', () => readFileSync(seen, 'utf8').split('\n').length > 3);
    expect((await stopped(watch)).code).toBe(0);
    expect(readFileSync(seen, 'utf8')).toBe('try\n'.repeat(3));
  });

  test('without a name goes on after a failure, and says so', async () => {
    const { pa } = project();
    const watch = pa.start(['watch', '--json', '--exec', 'no-such-program-here']);
    await watch.line('stderr', /following/);
    await pa.text(['tag', 'add', 'src/a.ts', 'n=1']);
    await watch.line('stderr', /was not found for #1; going on/);
    await pa.text(['tag', 'add', 'src/a.ts', 'n=2']);
    await watch.line('stderr', /for #2; going on/);
    expect(tags(watch)).toEqual(['n=1', 'n=2']);
    await stopped(watch);
  });

  test('lets a command finish when the watch is asked to end', async () => {
    const { root, pa } = project();
    const [started, go, done] = ['started', 'go', 'done'].map((name) => join(root, name)) as [string, string, string];
    const command = `touch '${started}'; while ! test -e '${go}'; do sleep 0.02; done; touch '${done}'`;
    const watch = pa.start(['watch', '--name', 'slow', '--exec', command]);
    await watch.line('stderr', /following/);
    await pa.text(['tag', 'add', 'src/a.ts', 'n=1']);
    await until('the command', () => existsSync(started));
    watch.signal('SIGTERM');
    writeFileSync(go, '');
    expect((await watch.finished()).code).toBe(0);
    expect(existsSync(done)).toBe(true);
    // It was done with: another run starts behind it.
    const again = pa.start(['watch', '--name', 'slow', '--json']);
    expect(await again.line('stderr', /following/)).toContain('from #1 ');
    await stopped(again);
  });
});

describe('watch --name', () => {
  test('goes on where it stopped, and hands over what it had not finished again', async () => {
    const { root, pa } = project();
    const flag = join(root, 'works');
    const args = ['watch', '--name', 'agent', '--json', '--exec', `test -e '${flag}'`];
    const first = pa.start(args);
    await first.line('stderr', /from #0 /);
    await pa.text(['tag', 'add', 'src/a.ts', 'n=1']);
    await first.line('stderr', /trying again/);
    await stopped(first, 'SIGKILL');
    await pa.text(['tag', 'add', 'src/a.ts', 'n=2']);
    writeFileSync(flag, '');
    const second = pa.start(args);
    await until('both', () => second.stdoutLines.length >= 2);
    expect(tags(second)).toEqual(['n=1', 'n=2']);
    await stopped(second);
    const other = pa.start(['watch', '--name', 'another', '--json']);
    expect(await other.line('stderr', /following/)).toContain('from #2 ');
    await stopped(other);
  });

  test('refuses a place that the log does not hold', async () => {
    const { home, pa } = project();
    await pa.text(['tag', 'add', 'src/a.ts', 'n=1']);
    const first = pa.start(['watch', '--name', 'agent']);
    await first.line('stderr', /following/);
    await stopped(first);
    const [file = ''] = readdirSync(join(home, 'watch')).map((name) => join(home, 'watch', name));
    writeFileSync(file, readFileSync(file, 'utf8').replace(/"hash":"../, '"hash":"zz'));
    const lost = await pa.run(['watch', '--name', 'agent']);
    expect(lost).toMatchObject({ code: 1, stdout: '' });
    expect(lost.stderr).toContain(file);
  });
});
