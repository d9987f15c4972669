import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  apply,
  checkLink,
  type Delta,
  emptyState,
  genesis,
  parseDelta,
  parseState,
  receiptHash,
  receiptsGenesis,
  type State,
  stateHash,
} from '../../../src/delta/index.ts';
import type { Receipt } from '../../../src/inject/index.ts';
import { parseSnapshot, type Snapshot } from '../../../src/snapshot/index.ts';
import { builtCommandLine, CommandLine } from '../../support/command-line.ts';
import { GitSandbox } from '../../support/git-repo.ts';
import { tempDir } from '../../support/temp.ts';

const cli = await builtCommandLine();

const SHOP = `import { pay } from './pay';
import { z } from 'zod';

export class Shop {
  sell(item: string): number {
    return pay(item.length);
  }
}
`;
const PAY = `/** Takes money. */
export function pay(cents: number): number {
  const secretBody = cents * 2;
  return secretBody;
}
`;

/** A repository with two commits, TypeScript with imports, and a dependency; and a command line on a fresh data folder. */
function project() {
  const root = tempDir();
  const repo = GitSandbox.init(join(root, 'shop'));
  repo.write('package.json', JSON.stringify({ name: 'shop', version: '1.0.0', dependencies: { zod: '^4.1.0' } }));
  repo.write('src/pay.ts', PAY).commit('feat: money');
  repo.write('src/shop.ts', SHOP).write('docs/guide.md', '# Guide\n').commit('[refactor] a shop of its own');
  const home = join(root, 'data');
  return { root, repo, home, pa: new CommandLine(cli, { home, cwd: repo.root }) };
}

interface StateDocument {
  readonly seq: number;
  readonly hash: string;
  readonly stateHash: string;
  readonly pending: number;
  readonly state: State;
}

describe('anchor', () => {
  test('is the same for every folder and worktree of a repository', async () => {
    const { repo, root, pa } = project();
    repo.git('remote', 'add', 'origin', 'git@GitHub.com:Acme/Shop.git');
    const here = await pa.json<Record<string, unknown>>(['anchor']);
    expect(Object.keys(here).sort()).toEqual(
      ['aliases', 'attachedAt', 'id', 'mainBranch', 'repository', 'toplevel', 'workspace'].sort(),
    );
    expect(here).toMatchObject({
      repository: 'https://github.com/Acme/Shop',
      mainBranch: 'main',
      toplevel: repo.root,
      aliases: [],
    });
    repo.git('worktree', 'add', '--quiet', join(root, 'second'), '-b', 'side');
    const there = await pa.json<Record<string, unknown>>(['anchor', '--cwd', join(root, 'second')]);
    expect(there['id']).toBe(here['id']);
    expect(there['workspace']).not.toBe(here['workspace']);
    expect(await pa.json(['anchor', '--cwd', join(repo.root, 'src')])).toEqual(here);
  });

  test('reads well for a person, without colours in a pipe', async () => {
    const { repo, pa } = project();
    const text = await pa.text(['anchor']);
    expect(text).toMatch(/^anchor {6}/m);
    expect(text).toContain(`root         ${repo.root}`);
    expect(text).not.toContain('\u001b');
  });
});

describe('snapshot, show, files, outline', () => {
  test('take one, store it once, and give it back', async () => {
    const { repo, pa } = project();
    repo.write('src/pay.ts', `${PAY}// changed\n`);
    const first = await pa.json<Record<string, unknown>>(['snapshot']);
    expect(first).toMatchObject({ stored: true, seq: 1, trigger: 'manual' });
    expect(Buffer.byteLength(JSON.stringify(first))).toBeLessThan(2_200);
    const again = await pa.json<Record<string, unknown>>(['snapshot', '--trigger', 'hook']);
    expect(again).toMatchObject({ stored: false, seq: 1, id: first['id'] });

    const shown = parseSnapshot(await pa.json<Snapshot>(['show']));
    expect(shown.id).toBe(first['id']);
    expect(shown.git).toMatchObject({ head: { kind: 'branch', branch: 'main' }, unstaged: ['src/pay.ts'] });
    expect(shown.git.lastCommit?.kinds).toEqual(['refactor']);
    expect(shown.dependencies['package.json']?.direct).toEqual({ zod: '^4.1.0' });
    expect(await pa.json(['show', shown.id])).toEqual(shown);
    expect(await pa.json(['show', 'HEAD'])).toEqual(shown);
  });

  test('count back, and find the snapshot of a commit', async () => {
    const { repo, pa } = project();
    const before = await pa.json<Snapshot>(['snapshot']);
    const old = repo.head();
    repo.write('src/new.ts', 'export const fresh = 1;\n').commit('fix: something');
    const after = await pa.json<Snapshot>(['snapshot', '--trigger', 'agent']);
    expect((await pa.json<Snapshot>(['show', 'latest~1'])).id).toBe(before.id);
    expect((await pa.json<Snapshot>(['show', old.slice(0, 10)])).id).toBe(before.id);
    expect((await pa.json<Snapshot>(['show', 'main~1'])).id).toBe(before.id);
    const rows = await pa.jsonLines<{ path: string }>(['files']);
    expect(Object.keys(rows[0] ?? {})).toEqual(['path', 'size', 'mtime', 'language']);
    expect(rows.map(({ path }) => path)).toEqual([
      'docs/guide.md',
      'package.json',
      'src/new.ts',
      'src/pay.ts',
      'src/shop.ts',
    ]);
    expect((await pa.jsonLines<{ path: string }>(['files', before.id])).map(({ path }) => path)).not.toContain(
      'src/new.ts',
    );
    expect((await pa.json<Snapshot>(['show'])).parent).toBe(before.id);
    expect(after.trigger).toBe('agent');
  });

  test('outline a file from where the person is', async () => {
    const { repo, pa } = project();
    const outline = await pa
      .at(join(repo.root, 'src'))
      .json<{ items: { name: string; of?: string }[] }>(['outline', 'shop.ts']);
    expect(outline.items.map(({ name, of }) => [name, of])).toEqual([
      ['Shop', undefined],
      ['sell', 'Shop'],
    ]);
    const text = await pa.text(['outline', 'src/shop.ts']);
    expect(text).toContain('sell(item: string): number');
    expect(text).not.toContain('return pay');
    repo.write('src/api.ts', '// Code generated by protoc. DO NOT EDIT.\nexport const a = 1;\n');
    const generated = await pa.run(['outline', 'src/api.ts', '--json']);
    expect(generated.stderr).toContain('generated: its header says "Code generated by protoc. DO NOT EDIT."');
    expect(JSON.parse(generated.stdout)).toMatchObject({ items: [{ name: 'a' }] });
  });

  test('write nothing into the repository', async () => {
    const { repo, pa } = project();
    const before = fingerprint(repo.root);
    await pa.text(['snapshot']);
    await pa.text(['focus', 'add', 'src', 'priority=high']);
    await pa.text(['context', '--type', 'completion', '--file', 'src/shop.ts', '--line', '5']);
    expect(fingerprint(repo.root)).toEqual(before);
  });
});

describe('marks', () => {
  test('are set, inherited, listed and taken away', async () => {
    const { repo, pa } = project();
    const added = await pa.json<Record<string, unknown>[]>([
      'tag',
      'add',
      'src',
      'Priority=P0',
      'module=shop, the "new" one',
    ]);
    expect(added).toEqual([
      expect.objectContaining({
        target: 'src/',
        key: 'module',
        value: 'shop, the "new" one',
        by: 'user',
        source: 'user',
        weight: 1000,
      }),
      expect.objectContaining({ target: 'src/', key: 'priority', value: 'high' }),
    ]);
    const inherited = await pa.at(join(repo.root, 'src')).json<Record<string, unknown>[]>(['tag', 'list', 'shop.ts']);
    expect(inherited.map(({ target, from, key }) => [target, from, key])).toEqual([
      ['src/shop.ts', 'src/', 'module'],
      ['src/shop.ts', 'src/', 'priority'],
    ]);
    await pa.text(['tag', 'add', 'src/shop.ts', '紧急', 'wip']);
    const own = await pa.json<{ key: string; value: string; from?: string }[]>(['tag', 'list', 'src/shop.ts']);
    expect(own.map(({ key, value, from }) => [key, value, from])).toEqual([
      ['module', 'shop, the "new" one', 'src/'],
      ['priority', 'high', undefined],
      ['status', 'in_progress', undefined],
    ]);
    expect(await pa.json<unknown[]>(['tag', 'list'])).toHaveLength(4);
    await pa.text(['tag', 'remove', 'src/', 'Module']);
    expect(await pa.json<unknown[]>(['tag', 'list'])).toHaveLength(3);
  });

  test('focus carries its tags along and goes with them', async () => {
    const { pa } = project();
    const list = await pa.json<Record<string, unknown>[]>(['focus', 'add', 'src/shop.ts#L4-L6', 'status=todo']);
    expect(list).toEqual([
      {
        target: 'src/shop.ts#L4-L6',
        by: 'user',
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        symbol: 'Shop',
        linesHash: expect.stringMatching(/^[0-9a-f]{64}$/),
        weight: 1000,
        tags: expect.objectContaining({ status: expect.any(String) }),
      },
    ]);
    await pa.text(['focus', 'add', '.']);
    await pa.text(['focus', 'add', 'src/shop.ts#sym:Shop.sell']);
    const text = await pa.text(['focus', 'list']);
    expect(text.trimEnd().split('\n')).toHaveLength(3);
    expect(await pa.json<unknown[]>(['focus', 'remove', 'src/shop.ts#L4-L6'])).toHaveLength(2);
    expect(await pa.json(['tag', 'list'])).toEqual([]);
  });

  test('survive the process and reach a snapshot', async () => {
    const { pa } = project();
    await pa.text(['focus', 'add', 'docs', 'topic=guide']);
    const { marks } = parseSnapshot(await pa.json<Snapshot>(['snapshot']).then(() => pa.json<Snapshot>(['show'])));
    expect(marks.focus).toHaveProperty(['docs/']);
    expect(marks.tags['docs/']?.['topic']?.set?.value).toBe('guide');
  });
});

describe('context and receipts', () => {
  test('are what a completion would be told, with names and no bodies', async () => {
    const { repo, pa } = project();
    await pa.text(['snapshot']);
    await pa.text(['tag', 'add', 'src/shop.ts', 'module=till']);
    const { context, receipt } = await pa.json<{ context: string; receipt: Receipt }>([
      'context',
      '--type',
      'completion',
      '--file',
      'src/shop.ts',
      '--line',
      '5',
    ]);
    expect(context).toContain('pay(cents: number): number');
    expect(context).toContain('till');
    expect(context).not.toContain('secretBody');
    expect(receipt.contextHash).toBe(createHash('sha256').update(context).digest('hex'));
    expect(receipt).toMatchObject({ type: 'completion', file: 'src/shop.ts', recall: { status: 'not_needed' } });
    expect(receipt.tokens).toBeLessThanOrEqual(1200);
    expect(receipt.snapshot).toBe((await pa.json<Snapshot>(['show'])).id);
    const text = await pa.run(['context', '--type', 'completion', '--file', 'shop.ts', '--line', '5'], {
      cwd: join(repo.root, 'src'),
    });
    expect(text.stdout.trimEnd()).toBe(context.trimEnd());
    expect(text.stderr).toContain('receipt');
    expect(receipt.hash).toBe(receiptHash(receipt));
    expect(receipt.prev).toBe(receiptsGenesis(receipt.anchor));
    const receipts = await pa.json<Receipt[]>(['receipts', '--last', '5']);
    expect(receipts).toHaveLength(2);
    expect(receipts[1]).toEqual(receipt);
    expect(receipts[0]?.prev).toBe(receipt.hash);
  });

  test('work for explain and chat, without a memory server', async () => {
    const { pa } = project();
    const explain = await pa.json<{ context: string; receipt: Receipt }>([
      'context',
      '--type',
      'explain',
      '--file',
      'src/shop.ts',
      '--line',
      '5',
      '--question',
      'why pay by length?',
    ]);
    expect(explain.context).toContain('pay');
    expect(explain.receipt).toMatchObject({ type: 'explain', recall: { status: 'off' } });
    const chat = await pa.json<{ receipt: Receipt }>([
      'context',
      '--type',
      'chat',
      '--question',
      'what is this?',
      '--no-recall',
    ]);
    expect(chat.receipt).toMatchObject({ type: 'chat', file: null });
    expect(await pa.text(['receipts'])).toContain('explain in src/shop.ts');
  });

  test('go out although the memory server is not there, and say so', async () => {
    const { pa } = project();
    const env = {
      PROJECT_ANCHOR_POWERCONTEXT_URL: 'http://127.0.0.1:9',
      PROJECT_ANCHOR_POWERCONTEXT_SCOPE_ID: 'scope',
      PROJECT_ANCHOR_POWERCONTEXT_RECALL: 'always',
    };
    const args = ['context', '--type', 'chat', '--question', 'why?'];
    const { code, stderr } = await pa.run(args, { env });
    expect(code).toBe(0);
    expect(stderr).toContain('memory: PowerContext could not be reached.');
    const { receipt } = await pa.json<{ receipt: Receipt }>([...args, '--no-recall'], { env });
    expect(receipt.recall.status).toBe('off');
  });
});

describe('state, log, verify', () => {
  test('agree with each other, delta by delta', async () => {
    const { repo, pa } = project();
    await pa.text(['snapshot']);
    await pa.text(['focus', 'add', 'src/shop.ts', 'priority=high']);
    repo.write('src/more.ts', 'export {};\n').commit('feat(shop): more');
    await pa.text(['snapshot']);
    const { id } = await pa.json<{ id: string }>(['anchor']);
    const deltas = (await pa.jsonLines<Delta>(['log'])).map(parseDelta);
    let head = genesis(id);
    let state = emptyState(id);
    for (const delta of deltas) {
      expect(checkLink(id, head, delta).kind).toBe('next');
      state = apply(state, delta);
      head = delta;
    }
    const document = await pa.json<StateDocument>(['state']);
    expect(document).toMatchObject({ seq: head.seq, hash: head.hash, stateHash: stateHash(state), pending: 0 });
    expect(parseState(document.state)).toEqual(state);
    expect(deltas.flatMap(({ ops }) => ops).some((op) => op.op === 'note_commit' && op.kinds.includes('feat'))).toBe(
      true,
    );
    expect(await pa.jsonLines<Delta>(['log', '--after', String(head.seq - 1)])).toEqual([deltas.at(-1)]);
    expect(await pa.text(['log'])).toContain('marked src/shop.ts; tagged src/shop.ts priority: high');
    expect(await pa.json(['verify'])).toEqual({
      ok: true,
      base: 0,
      deltas: deltas.length,
      head: { seq: head.seq, hash: head.hash },
      pending: 0,
      receipts: 0,
    });
    expect(await pa.text(['verify'])).toMatch(/^ok {2}\d+ deltas/);
    expect(await pa.text(['state'])).toContain(document.stateHash);
  });
});

describe('export and import', () => {
  test('carry the whole log to another data folder, with the same head', async () => {
    const { root, repo, pa } = project();
    await pa.text(['snapshot']);
    await pa.text(['tag', 'add', 'src', 'note=quotes " and 🙂 and 中文']);
    await pa.text(['context', '--type', 'chat', '--question', 'hello?']);
    const file = join(root, 'log.jsonl');
    expect(await pa.json(['export', file])).toMatchObject({ file });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await pa.text(['export'])).toBe(readFileSync(file, 'utf8'));

    const other = new CommandLine(cli, { home: join(root, 'other'), cwd: repo.root });
    const verified = await pa.json<{ head: object; deltas: number }>(['verify']);
    const imported = await other.json<{ added: number; anchor: string }>(['import', file]);
    const { id } = await pa.json<{ id: string }>(['anchor']);
    expect(imported).toEqual({ anchor: id, ...verified.head, added: verified.deltas });
    expect(await other.json(['verify'])).toMatchObject({ ok: true, head: verified.head });
    expect(await other.json<unknown[]>(['tag', 'list'])).toEqual(await pa.json<unknown[]>(['tag', 'list']));
    expect(await other.json<{ added: number }>(['import', '-'], { input: readFileSync(file, 'utf8') })).toMatchObject({
      added: 0,
    });
  });

  test('leave a project alone that has a log of its own', async () => {
    const { root, pa } = project();
    await pa.text(['focus', 'add', 'src']);
    const file = join(root, 'log.jsonl');
    await pa.text(['export', file]);
    const another = GitSandbox.init(join(root, 'another'));
    const other = new CommandLine(cli, { home: join(root, 'other'), cwd: another.root });
    await other.text(['focus', 'add', '.']);
    const before = await other.json(['state']);
    const { code, stderr } = await other.run(['import', file]);
    expect(code).toBe(0);
    expect(stderr).toContain('another project');
    expect(await other.json(['state'])).toEqual(before);
  });

  test('never overwrite a file by accident, nor take a broken one', async () => {
    const { root, pa } = project();
    await pa.text(['snapshot']);
    const file = join(root, 'log.jsonl');
    writeFileSync(file, 'precious');
    expect(await pa.run(['export', file])).toMatchObject({ code: 1, stderr: expect.stringContaining('--force') });
    expect(readFileSync(file, 'utf8')).toBe('precious');
    const { code, stderr } = await pa.run(['import', file]);
    expect(code).toBe(1);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    await pa.text(['export', '--force', file]);
    expect(readdirSync(root).filter((name) => name.startsWith('log.jsonl'))).toEqual(['log.jsonl']);
    expect(await pa.run(['import', join(root, 'missing')])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no such file'),
    });
  });
});

test('options that every command has may stand before it', async () => {
  const { repo, pa } = project();
  const there = await pa.at('/').run(['--cwd', join(repo.root, 'src'), '--json', 'anchor']);
  expect(JSON.parse(there.stdout)).toEqual(await pa.json(['anchor']));
});

test('a project through a symbolic link is the same project', async () => {
  const { root, repo, pa } = project();
  symlinkSync(repo.root, join(root, 'link'));
  const here = await pa.json<{ id: string; workspace: string }>(['anchor']);
  expect(await pa.json(['anchor', '--cwd', join(root, 'link', 'src')])).toEqual(here);
  mkdirSync(join(repo.root, 'src', 'new'));
  await pa.at(join(root, 'link', 'src')).text(['focus', 'add', 'shop.ts']);
  expect(await pa.json(['focus', 'list'])).toMatchObject([{ target: 'src/shop.ts' }]);
});

function fingerprint(root: string): Record<string, string> {
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const { mtimeMs, size } = statSync(path);
      return [path, `${size} ${mtimeMs}`];
    }),
  );
}
