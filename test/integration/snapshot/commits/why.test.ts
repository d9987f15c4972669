import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { codeOf, messageOf } from '../../../../src/base/index.ts';
import type { Why } from '../../../../src/snapshot/index.ts';
import { GitSandbox } from '../../../support/git-repo.ts';
import { SnapshotBench } from '../../../support/snapshot-service.ts';
import { tempDir } from '../../../support/temp.ts';

const BANK = `export class Bank {
  pay(cents: number): number {
    return cents;
  }

  refund(cents: number): number {
    return -cents;
  }
}
`;
const RETRY = BANK.replace(
  'return cents;',
  'try {\n      return cents;\n    } catch {\n      return this.pay(cents);\n    }',
);

function told({ commits }: Why): readonly string[] {
  return commits.map(({ change, subject }) => `${change}: ${subject}`);
}

async function failure(work: Promise<unknown>): Promise<{ code: string | undefined; message: string }> {
  return work.then(
    () => ({ code: 'none', message: '' }),
    (error: unknown) => ({ code: codeOf(error), message: messageOf(error) }),
  );
}

/** A repository where a method got its try/catch, between a rename of the file, other commits and a merge. */
function bank(root: string): GitSandbox {
  const repo = GitSandbox.init(root);
  repo.write('src/bank.ts', BANK).write('latin1.ts', Buffer.from('// \xe9\n', 'latin1')).commit('feat: a bank');
  repo.write('notes.md', '1').commit('docs: notes');
  repo.git('mv', 'src/bank.ts', 'src/house.ts');
  repo.commit('refactor: banks are houses');
  repo.write('src/house.ts', RETRY.replace('-cents', '-1 * cents'));
  repo.commit('fix: pay again when the line breaks\n\nThe line breaks at night.\n\nSigned-off-by: A <a@b.example>');
  repo.git('switch', '--quiet', '-c', 'side', 'HEAD~1');
  repo.write('other.ts', 'export const a = 1;\n').commit('feat: other');
  repo.git('switch', '--quiet', 'main');
  repo.git('merge', '--quiet', '--no-ff', '-m', 'merge: side', 'side');
  repo
    .write('src/house.ts', `${RETRY.replace('-cents', '-1 * cents')}\nexport const rate = 2;\n`)
    .commit('feat: a rate');
  return repo;
}

describe('why', () => {
  test('a method, a class, a constant and the file, through the rename and past the merge', async () => {
    const repo = bank(join(tempDir(), 'bank'));
    const { service } = await SnapshotBench.open();
    const ask = (symbol: string | null) => service.why(repo.root, 'src/house.ts', symbol);

    const pay = await ask('Bank.pay');
    expect(told(pay)).toEqual(['changed: fix: pay again when the line breaks', 'added: feat: a bank']);
    expect(pay).toMatchObject({ path: 'src/house.ts', symbol: 'Bank.pay' });
    expect(pay.commits[0]).toMatchObject({ body: 'The line breaks at night.', kinds: ['fix'] });
    expect(pay.commits[1]).toMatchObject({ path: 'src/bank.ts' });
    expect(pay).not.toHaveProperty('bounded');
    expect(JSON.stringify(pay)).not.toMatch(/try|example|Signed/);

    expect(await ask('pay')).toEqual(pay);
    const { commits } = await ask('Bank');
    expect(commits.map(({ change, members }) => [change, members])).toEqual([
      ['changed', ['Bank.pay', 'Bank.refund']],
      ['added', undefined],
    ]);
    expect(told(await ask('rate'))).toEqual(['added: feat: a rate']);
    expect(told(await ask(null))).toEqual([
      'changed: feat: a rate',
      'changed: fix: pay again when the line breaks',
      'moved: refactor: banks are houses',
      'added: feat: a bank',
    ]);
    expect(told(await service.why(repo.root, 'latin1.ts', null))).toEqual(['added: feat: a bank']);
  });

  test('a merge counts only where it is none of its parents', async () => {
    const repo = GitSandbox.init(join(tempDir(), 'repo'));
    const file = (a: string, b: string, c: string) => {
      const lines = [`export function a() {\n  ${a}();\n}`, `export function b() {\n  ${b}();\n}`];
      return [...lines, `export function c() {\n  ${c}();\n}`].join('\n\n\n\n');
    };
    repo.write('a.ts', file('one', 'one', 'one')).commit('base');
    repo.git('switch', '--quiet', '-c', 'side');
    repo.write('a.ts', file('side', 'one', 'side')).commit('side');
    repo.git('switch', '--quiet', 'main');
    repo.write('a.ts', file('main', 'main', 'one')).commit('main');
    expect(() => repo.git('merge', 'side')).toThrow();
    repo.write('a.ts', file('both', 'main', 'side')).commit('merge: both');
    const { service } = await SnapshotBench.open();
    const a = told(await service.why(repo.root, 'a.ts', 'a'));
    expect(a[0]).toBe('changed: merge: both');
    expect(a.slice(1, 3).toSorted()).toEqual(['changed: main', 'changed: side']);
    expect(a[3]).toBe('added: base');
    expect(told(await service.why(repo.root, 'a.ts', 'b'))).toEqual(['changed: main', 'added: base']);
    expect(told(await service.why(repo.root, 'a.ts', 'c'))).toEqual(['changed: side', 'added: base']);
  });

  test('a shallow and a partial clone say what is missing, and fetch nothing', async () => {
    const root = tempDir();
    const repo = bank(join(root, 'bank'));
    repo.git('config', 'uploadpack.allowFilter', 'true');
    const from = `file://${repo.root}`;
    repo.git('clone', '--quiet', '--depth=2', from, join(root, 'shallow'));
    repo.git('clone', '--quiet', '--filter=blob:none', from, join(root, 'partial'));
    const { service } = await SnapshotBench.open();
    const shallow = await service.why(join(root, 'shallow'), 'src/house.ts', 'Bank.pay');
    expect(shallow.bounded).toBe('shallow');
    expect(told(shallow)).toEqual(['touched: merge: side']);

    const partial = new GitSandbox(join(root, 'partial'));
    const missing = () => partial.git('rev-list', '--objects', '--all', '--missing=print').match(/^\?/gm)?.length;
    const before = missing();
    expect(before).toBeGreaterThan(0);
    const known = await service.why(partial.root, 'src/house.ts', 'Bank.pay');
    expect(known.bounded).toBe('partial');
    expect(known.commits.map(({ change }) => change)).toContain('touched');
    expect(missing()).toBe(before);
    expect(told(await service.why(partial.root, 'src/house.ts', null)).at(-1)).toBe('added: feat: a bank');
  });

  test('what cannot be answered says what to do', async () => {
    const root = tempDir();
    const repo = GitSandbox.init(join(root, 'bank'));
    repo.write('src/house.ts', BANK).write('notes.md', '1').commit('docs: notes');
    repo.write('.gitignore', '*.log.ts\n').write('b.log.ts', 'export const b = 1;\n');
    repo.write('new.ts', 'export const a = 1;\n').write('.env', 'A=1\n');
    const { service } = await SnapshotBench.open();
    const ask = (path: string, symbol: string | null = null) => failure(service.why(repo.root, path, symbol));
    expect(await ask('src/house.ts', 'Bank.payy')).toMatchObject({
      code: 'no_symbol',
      message: expect.stringContaining('Did you mean Bank.pay'),
    });
    expect(await ask('new.ts')).toMatchObject({ code: 'no_history' });
    repo.git('mv', 'notes.md', 'later.md');
    expect(told(await service.why(repo.root, 'later.md', null))).toEqual(['added: docs: notes']);
    repo.git('mv', 'later.md', 'notes.md');
    expect(await ask('src')).toMatchObject({ code: 'no_history' });
    expect(await ask('.env')).toMatchObject({ code: 'denied' });
    expect(await ask('b.log.ts')).toMatchObject({ code: 'denied' });
    expect(await ask('notes.md', 'a')).toMatchObject({ code: 'no_outline' });
    expect(await failure(service.why(tempDir(), 'a.ts', null))).toMatchObject({ code: 'no_git' });
    const unborn = GitSandbox.init(join(root, 'new')).write('a.ts', '');
    expect(await failure(service.why(unborn.root, 'a.ts', null))).toMatchObject({ code: 'no_history' });
  });

  test('a copy begins with the commit that made it', async () => {
    const repo = GitSandbox.init(join(tempDir(), 'repo'));
    repo.write('bank.ts', BANK).commit('a bank');
    repo.write('copy.ts', BANK).commit('another one');
    const { service } = await SnapshotBench.open();
    expect(told(await service.why(repo.root, 'copy.ts', 'Bank.pay'))).toEqual(['added: another one']);
    expect(told(await service.why(repo.root, 'copy.ts', null))).toEqual(['added: another one']);
  });

  test('a credential in a message, or in a name, stays here', async () => {
    const repo = GitSandbox.init(join(tempDir(), 'repo'));
    const key = `AKIA${'ABCDEFGH'.repeat(2)}`;
    repo.write('a.ts', 'export const a = 1;\n').commit(`the key is ${key}`);
    repo.write('a.ts', 'export const a = 2;\n').commit(`better\n\nInstead of ${key}.`);
    const { service } = await SnapshotBench.open();
    const why = await service.why(repo.root, 'a.ts', 'a');
    expect(why.commits.map(({ subject, body }) => [subject, body])).toEqual([
      ['better', undefined],
      ['(withheld)', undefined],
    ]);
  });
});

test('a name that never leaves is not told of a file that had it; texts in other encodings have symbols', async () => {
  const repo = GitSandbox.init(join(tempDir(), 'moved'));
  repo.write('.env', 'A=1\n').write('cafe.py', Buffer.from('# coding: latin-1\ndef caf\xe9(): pass\n', 'latin1'));
  repo.commit('feat: first');
  repo.git('mv', '.env', 'conf.ts');
  repo.commit('refactor: no env');
  const { service } = await SnapshotBench.open();
  const why = await service.why(repo.root, 'conf.ts', null);
  expect(told(why)).toEqual(['moved: refactor: no env']);
  expect(JSON.stringify(why)).not.toContain('.env');
  expect(told(await service.why(repo.root, 'cafe.py', 'café'))).toEqual(['added: feat: first']);
});
