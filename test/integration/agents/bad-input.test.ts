import {
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import type { Delta } from '../../../src/delta/index.ts';
import { builtCommandLine, CommandLine, type Finished } from '../../support/command-line.ts';
import { GitSandbox } from '../../support/git-repo.ts';
import { tempDir } from '../../support/temp.ts';
import { waitFor } from '../../support/wait.ts';

const cli = await builtCommandLine();

function project(env: NodeJS.ProcessEnv = {}) {
  const root = tempDir();
  const repo = GitSandbox.init(join(root, 'app'));
  repo.write('src/a.ts', 'export function a(): void {}\n').commit('first');
  const home = join(root, 'data');
  return {
    root,
    repo,
    home,
    database: join(home, 'project-anchor.db'),
    pa: new CommandLine(cli, { home, cwd: repo.root, env }),
  };
}

/** Failed with one line on stderr, nothing on stdout, and no stack. */
function expectSentence(finished: Finished, code: number, ...words: (string | RegExp)[]): void {
  expect(finished).toMatchObject({ code, stdout: '' });
  expect(finished.stderr.trimEnd().split('\n'), finished.stderr).toHaveLength(1);
  expect(finished.stderr).toMatch(/^project-anchor: \S.*\S\n$/);
  for (const word of words) expect(finished.stderr).toMatch(word);
}

describe('where there is little', () => {
  test('a folder that is no repository is a project too', async () => {
    const root = tempDir();
    writeFileSync(join(root, 'a.ts'), 'export const a = 1;\n');
    const pa = new CommandLine(cli, { home: join(tempDir(), 'data'), cwd: root });
    expect(await pa.json(['anchor'])).toMatchObject({ repository: expect.stringMatching(/^folder:[0-9a-f]{32}$/) });
    await pa.text(['focus', 'add', 'a.ts', 'priority=high']);
    expect(await pa.json(['snapshot'])).toMatchObject({ git: { head: { kind: 'none' } }, stored: true });
    expect(await pa.text(['show'])).toContain('not a repository');
    expect(await pa.json(['verify'])).toMatchObject({ ok: true });
  });

  test('a repository without commits has its marks', async () => {
    const root = tempDir();
    GitSandbox.init(root).write('a.ts', 'export const a = 1;\n');
    const pa = new CommandLine(cli, { home: join(tempDir(), 'data'), cwd: root });
    expect(await pa.json(['snapshot'])).toMatchObject({ git: { head: { kind: 'unborn', branch: 'main' } } });
    await pa.text(['tag', 'add', 'a.ts', 'status=draft']);
    expectSentence(await pa.run(['show', 'HEAD']), 1, 'HEAD');
    expect(await pa.json(['verify'])).toMatchObject({ ok: true });
  });

  test('without git there are files and marks, and a sentence that names the remedy', async () => {
    const { pa, root } = project();
    const path = join(root, 'empty');
    mkdirSync(path);
    const env = { PATH: path };
    const anchor = await pa.json(['anchor']);
    expect(await pa.json(['anchor'], { env })).toEqual(anchor);
    expect(await pa.text(['snapshot'], { env })).toContain('Git was not found, so only files are known: install git');
    expect(await pa.json(['show'], { env })).toMatchObject({ degraded: ['no_git'], files: { count: 1 } });
    await pa.text(['focus', 'add', 'src/a.ts'], { env });
    expect(await pa.json(['verify'], { env })).toMatchObject({ ok: true });
  });

  test('an empty project lists nothing and verifies', async () => {
    const { pa } = project();
    expect(await pa.json(['focus', 'list'])).toEqual([]);
    expect(await pa.json(['tag', 'list'])).toEqual([]);
    expect(await pa.json(['receipts'])).toEqual([]);
    expect(await pa.text(['log'])).toBe('');
    expect(await pa.json(['verify'])).toMatchObject({ ok: true, deltas: 0, head: { seq: 0 } });
    expectSentence(await pa.run(['show']), 1, /snapshot/);
    expectSentence(await pa.run(['files', 'latest~3']), 1, /snapshot/);
  });
});

describe('wrong usage ends with 2', () => {
  test.each([
    [['frobnicate'], /frobnicate/],
    [['anchor', '--frobnicate'], /--frobnicate/],
    [['snapshot', '--trigger', 'commit'], /hook.*agent.*manual/],
    [['outline'], /file/],
    [['tag', 'add', 'src/a.ts'], /key=value/],
    [['tag', 'add', 'src/a.ts', 'meaningless'], /meaningless/],
    [['context'], /--type/],
    [['context', '--type', 'poem'], /completion/],
    [['context', '--type', 'completion'], /--file/],
    [['context', '--type', 'completion', '--file', 'src/a.ts', '--line', '0'], /1/],
    [['context', '--type', 'chat'], /--question/],
    [['receipts', '--last', 'many'], /whole number/],
    [['log', '--after', '-1'], /./],
    [['watch', '--on', 'nonsense'], /KEY=VALUE/],
    [['watch', '--exec', ''], /--exec has no command\. Give one/],
    [['watch', '--name', 'w', '--exec', ' '], /--exec has no command\. Give one/],
    [['hub', '--port', '99999'], /65535/],
  ] as const)('%j', async (args, words) => {
    expectSentence(await project().pa.run(args), 2, words);
  });

  test('and help is not an error', async () => {
    const { pa } = project();
    const help = await pa.run(['--help']);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    for (const name of [
      'anchor',
      'snapshot',
      'show',
      'files',
      'outline',
      'tag',
      'focus',
      'context',
      'receipts',
      'state',
      'log',
      'verify',
      'export',
      'import',
      'hub',
      'watch',
    ]) {
      expect(help.stdout).toMatch(new RegExp(`^ {2}${name}\\b`, 'm'));
    }
    expect(await pa.run(['watch', '--help'])).toMatchObject({ code: 0, stdout: expect.stringContaining('--exec') });
    expect(await pa.run(['--version'])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
    expect(await pa.run([])).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('what cannot be, ends with 1 and a sentence', () => {
  test.each([
    [['show', 'no-such-revision'], /no-such-revision/],
    [['show', 'f'.repeat(64)], /f{10}/],
    [['show', '--', '--upload-pack=x'], /./],
    [['outline', 'src/gone.ts'], /gone\.ts/],
    [['outline', '../outside.ts'], /outside/],
    [['tag', 'add', '/etc/passwd', 'a=b'], /outside/],
    [['tag', 'remove', 'src/a.ts', 'nothing'], /tag list/],
    [['focus', 'remove', 'src/a.ts'], /focus list/],
    [['focus', 'add', 'src/a.ts#L5-L900'], /line/],
    [['context', '--type', 'completion', '--file', 'src/a.ts', '--line', '900'], /line/],
    [['anchor', '--cwd', '/no/such/folder'], /no\/such\/folder/],
    [['hub', '--host', '0.0.0.0'], /127\.0\.0\.1/],
  ] as const)('%j', async (args, words) => {
    expectSentence(await project().pa.run(args), 1, words);
  });

  test('a file that never leaves has no outline and no context', async () => {
    const { repo, pa } = project();
    repo.write('.env', 'TOKEN=abc\n').write('big.ts', `export const big = '${'x'.repeat(20_000)}';\n`);
    repo.write('latin1.ts', Buffer.from('// caf\xe9\nexport const c = 1;\n', 'latin1'));
    for (const file of ['.env', 'big.ts', 'latin1.ts']) {
      expectSentence(await pa.run(['outline', file]), 1, new RegExp(file.replace('.', '\\.')));
    }
    expectSentence(await pa.run(['context', '--type', 'completion', '--file', '.env', '--line', '1']), 1, /\.env/);
    expect(await pa.json(['receipts'])).toEqual([]);
  });

  test('a hub elsewhere is refused before anything is done', async () => {
    const { pa, database } = project({ PROJECT_ANCHOR_HUB_URL: 'wss://hub.example.com/v1' });
    for (const args of [['watch'], ['hub'], ['focus', 'add', 'src/a.ts']]) {
      expectSentence(await pa.run(args), 1, /hub/, /projectAnchor\.hub\.url|PROJECT_ANCHOR_HUB_URL/);
    }
    expect(existsSync(database)).toBe(false);
  });

  test('a setting that is not valid is named, its value is not', async () => {
    const { pa, home } = project();
    mkdirSync(home, { mode: 0o700 });
    writeFileSync(join(home, 'config.json'), '{"projectAnchor.hub.port": "sk-verysecret"}');
    const finished = await pa.run(['anchor']);
    expectSentence(finished, 1, /projectAnchor\.hub\.port/, /config\.json/);
    expect(finished.stderr).not.toContain('verysecret');
  });
});

describe('tags as people and machines write them', () => {
  test('keep quotes, emoji, other scripts and names of objects', async () => {
    const { pa } = project();
    const words = [
      'note="quoted" \'and\' `ticks` $(no)',
      'mood=🙂',
      '模块=登录',
      '__proto__=polluted',
      'constructor=x',
      'equation=a=b',
    ];
    await pa.text(['tag', 'add', 'src/a.ts', ...words]);
    const tags = await pa.json<{ key: string; value: string }[]>(['tag', 'list', 'src/a.ts']);
    expect(Object.fromEntries(tags.map(({ key, value }) => [`=${key}`, value]))).toMatchObject({
      '=note': '"quoted" \'and\' `ticks` $(no)',
      '=mood': '🙂',
      '=__proto__': 'polluted',
      '=constructor': 'x',
      '=equation': 'a=b',
    });
    expect(await pa.json(['verify'])).toMatchObject({ ok: true });
    await pa.text(['tag', 'remove', 'src/a.ts', '__proto__']);
    const { context } = await pa.json<{ context: string }>([
      'context',
      '--type',
      'completion',
      '--file',
      'src/a.ts',
      '--line',
      '1',
    ]);
    expect(context).toContain('🙂');
  });

  test('are refused when too long or not text of a tag, and change nothing', async () => {
    const { pa } = project();
    await pa.text(['tag', 'add', 'src/a.ts', 'status=kept']);
    expectSentence(await pa.run(['tag', 'add', 'src/a.ts', `note=${'x'.repeat(10_000)}`]), 1, /128/);
    expectSentence(await pa.run(['tag', 'add', 'src/a.ts', `${'k'.repeat(10_000)}=x`]), 1, /64/);
    expectSentence(await pa.run(['tag', 'add', 'src/a.ts', 'note=']), 1, /value/);
    expectSentence(await pa.run(['focus', 'add', 'src/a.ts', 'ok=yes', 'no!key=x']), 1, /key/);
    expect(await pa.json(['tag', 'list'])).toMatchObject([{ key: 'status', value: 'kept' }]);
    expect(await pa.json(['focus', 'list'])).toEqual([]);
    expect((await pa.jsonLines<Delta>(['log'])).length).toBe(1);
  });

  test('cannot move the cursor of a terminal', async () => {
    const { repo, pa } = project();
    repo.write('evil\u001b[31m.ts', 'export {};\n');
    const text = await pa.run(['focus', 'add', 'evil\u001b[31m.ts']);
    expect(text.stdout + text.stderr).not.toContain('\u001b');
  });

  test('on what is not on this disk are kept, with a note', async () => {
    const { pa } = project();
    const { code, stderr } = await pa.run(['focus', 'add', 'other-branch.ts']);
    expect(code).toBe(0);
    expect(stderr).toContain('not on this disk');
    expect(await pa.json(['focus', 'remove', 'other-branch.ts'])).toEqual([]);
  });
});

describe('marks that a file does not fit', () => {
  test('on a symbol that the outline does not have are kept, with a note', async () => {
    const { pa } = project();
    for (const args of [
      ['focus', 'add', 'src/a.ts#sym:nope'],
      ['tag', 'add', 'src/a.ts#sym:nope', 'status=draft'],
    ]) {
      const { code, stderr } = await pa.run(args);
      expect({ code, stderr }).toEqual({
        code: 0,
        stderr: 'note: the outline of src/a.ts has no nope now; the mark is kept for when it has\n',
      });
    }
    expect(await pa.run(['focus', 'add', 'src/a.ts#sym:a'])).toMatchObject({ code: 0, stderr: '' });
    expect(await pa.json(['focus', 'list'])).toHaveLength(2);
  });

  test('a mark that is refused is not said to be kept', async () => {
    const { pa } = project();
    expectSentence(await pa.run(['tag', 'add', 'gone.ts', 'key=AKIAIOSFODNN7EXAMPLE']), 1, /looks like/);
  });

  test('lines are counted alike for marks and requests, whatever the language', async () => {
    const { repo, pa } = project();
    repo.write('two.txt', 'one\ntwo\n');
    for (const [file, count] of [
      ['src/a.ts', 1],
      ['two.txt', 2],
    ] as const) {
      const has = new RegExp(`${file} has ${count} lines?\\. Give `);
      const context = ['context', '--type', 'completion', '--file', file, '--line'];
      expect(await pa.run(['focus', 'add', `${file}#L${count}`])).toMatchObject({ code: 0 });
      expectSentence(await pa.run(['focus', 'add', `${file}#L${count + 1}`]), 1, has);
      expect(await pa.run([...context, `${count + 1}`])).toMatchObject({ code: 0 });
      expectSentence(await pa.run([...context, `${count + 2}`]), 1, has, /empty place at the end/);
    }
  });
});

describe('the database', () => {
  test('that is newer is left untouched', async () => {
    const { pa, database } = project();
    await pa.text(['focus', 'add', 'src/a.ts']);
    const db = new DatabaseSync(database);
    db.exec('PRAGMA user_version = 999; PRAGMA wal_checkpoint(TRUNCATE)');
    db.close();
    const before = readFileSync(database);
    for (const args of [['focus', 'list'], ['focus', 'add', 'src/a.ts'], ['anchor'], ['verify'], ['watch'], ['hub']]) {
      expectSentence(await pa.run(args), 1, /Update ProjectAnchor/);
    }
    expect(readFileSync(database).equals(before)).toBe(true);
  });

  test('that is cut off is refused and not changed', async () => {
    const { pa, database } = project();
    for (let n = 0; n < 3; n++) await pa.text(['tag', 'add', 'src/a.ts', `note=${'x'.repeat(120)}`, `n${n}=1`]);
    const db = new DatabaseSync(database);
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    db.close();
    const handle = openSync(database, 'r+');
    ftruncateSync(handle, 4096 * 3);
    closeSync(handle);
    const before = readFileSync(database);
    expectSentence(await pa.run(['tag', 'list']), 1, /damaged/, /import|copy/);
    expectSentence(await pa.run(['tag', 'add', 'src/a.ts', 'a=b']), 1, /damaged/);
    expect(readFileSync(database).equals(before)).toBe(true);
  });

  test('that another program keeps locked is not waited for for ever, and loses nothing', async () => {
    const { pa, database } = project();
    await pa.text(['tag', 'add', 'src/a.ts', 'kept=yes']);
    const db = new DatabaseSync(database);
    db.exec('BEGIN IMMEDIATE');
    const locked = await pa.run(['tag', 'add', 'src/a.ts', 'later=yes']);
    db.exec('ROLLBACK');
    db.close();
    expectSentence(locked, 1, /Another process/, /Try again/);
    expect(await pa.json(['tag', 'list'])).toMatchObject([{ key: 'kept' }]);
    await pa.text(['tag', 'add', 'src/a.ts', 'later=yes']);
    expect(await pa.json(['verify'])).toMatchObject({ ok: true, deltas: 2 });
  });

  test('is for its owner alone', async () => {
    const { pa, home, database } = project();
    await pa.text(['focus', 'add', 'src/a.ts']);
    expect(statSync(home).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(home)) expect(statSync(join(home, name)).mode & 0o077, name).toBe(0);
    expect(statSync(database).size).toBeGreaterThan(0);
  });

  test('without a folder that can be written is a sentence', async () => {
    const { root, repo } = project();
    writeFileSync(join(root, 'in-the-way'), '');
    const pa = new CommandLine(cli, { home: join(root, 'in-the-way', 'data'), cwd: repo.root });
    expectSentence(await pa.run(['focus', 'list']), 1, /PROJECT_ANCHOR_HOME/);
    expectSentence(
      await new CommandLine(cli, { home: 'relative', cwd: repo.root }).run(['focus', 'list']),
      1,
      /PROJECT_ANCHOR_HOME/,
    );
  });
});

describe('a log that was tampered with', () => {
  test('is found by verify, which ends with 1 and names the seq', async () => {
    const { pa, database } = project();
    for (const value of ['one', 'two', 'three']) await pa.text(['tag', 'add', 'src/a.ts', `status=${value}`]);
    const db = new DatabaseSync(database);
    const changed = db.prepare("UPDATE deltas SET body = replace(body, 'two', 'owt') WHERE seq = 2").run();
    expect(changed.changes).toBe(1);
    db.close();
    const report = await pa.run(['verify', '--json']);
    expect(report.code).toBe(1);
    expect(JSON.parse(report.stdout)).toMatchObject({ ok: false, firstBad: 2 });
    expect(await pa.run(['verify'])).toMatchObject({ code: 1, stdout: expect.stringContaining('first bad seq: #2') });
  });
});

describe('two at once', () => {
  test('both are stored, in one chain', async () => {
    const { pa } = project();
    const each = Array.from({ length: 6 }, (_, n) => pa.run(['tag', 'add', 'src/a.ts', `k${n}=v${n}`]));
    for (const { code, stderr } of await Promise.all(each)) expect(code, stderr).toBe(0);
    expect(await pa.json<unknown[]>(['tag', 'list'])).toHaveLength(6);
    expect(await pa.json(['verify'])).toMatchObject({ ok: true, deltas: 6 });
    const ids = new Set((await pa.jsonLines<Delta>(['log'])).map(({ id }) => id));
    expect(ids.size).toBe(6);
  });

  test('the first run of all may be two', async () => {
    const { pa } = project();
    const anchors = await Promise.all([1, 2, 3, 4].map(() => pa.json<{ id: string }>(['anchor'])));
    expect(new Set(anchors.map(({ id }) => id)).size).toBe(1);
    const snapshots = await Promise.all([1, 2, 3].map(() => pa.run(['snapshot', '--json'])));
    for (const { code, stderr } of snapshots) expect(code, stderr).toBe(0);
    expect(await pa.json(['verify'])).toMatchObject({ ok: true });
  });
});

test('a reader that goes away ends the command quietly', async () => {
  const { repo, pa } = project();
  for (let n = 0; n < 2_000; n++) repo.write(`src/generated/${'deep/'.repeat(8)}file-with-a-long-name-${n}.ts`, 'x\n');
  await pa.text(['snapshot']);
  expect(await pa.intoHead(['files', '--json'])).toEqual({ code: 0, stderr: '' });
});

test('an import that is interrupted changes nothing', async () => {
  const { pa, database } = project();
  const running = pa.start(['import', '-', '--json']);
  running.stdin.write('{"t":"header"');
  // It makes the database before it reads, so from then on it waits for the rest.
  await waitFor(() => existsSync(database), { timeoutMs: 20_000, what: 'the database' });
  running.signal('SIGINT');
  const { code, stderr } = await running.finished();
  expect(code).toBe(1);
  expect(stderr).toMatch(/othing was imported/);
  expect(await pa.json(['verify'])).toMatchObject({ ok: true, deltas: 0 });
});

test('a file that never leaves cannot be marked', async () => {
  const { repo, pa } = project();
  repo.write('.env', 'TOKEN=abc\n');
  expectSentence(await pa.run(['focus', 'add', '.env']), 1, /\.env .*\. Mark another file or folder\.$/m);
  const token = ['tag', 'add', 'src/a.ts', `note=ghp_${'aB3dE6gH9'.repeat(4)}`];
  expectSentence(await pa.run(token), 1, /looks like .*\. Leave it out: name where it is kept instead\.$/m);
  expect(await pa.text(['log'])).toBe('');
});

test('secrets of the environment are in no output', async () => {
  const { pa } = project({
    PROJECT_ANCHOR_MINIMAX_API_KEY: 'sk-very-secret-key',
    PROJECT_ANCHOR_POWERCONTEXT_AUTHORIZATION: 'Bearer very-secret',
  });
  const outputs = await Promise.all(
    [
      ['anchor'],
      ['snapshot', '--json'],
      ['state', '--json'],
      ['context', '--type', 'chat', '--question', 'q', '--json'],
      ['export'],
    ].map((args) => pa.run(args)),
  );
  for (const { code, stdout, stderr } of outputs) {
    expect(code, stderr).toBe(0);
    expect(stdout + stderr).not.toMatch(/very-secret/);
  }
});
