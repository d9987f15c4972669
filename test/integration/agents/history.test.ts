import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Why } from '../../../src/snapshot/index.ts';
import { commitAs } from '../../support/history.ts';
import { HookedProject, installedProgram } from '../../support/hooked-project.ts';
import { waitFor } from '../../support/wait.ts';

const program = await installedProgram();
const DAY = 86_400_000;

const PAY = `export function pay(cents: number): number {
  return cents;
}

export class Till {
  open(): void {}
}
`;
const AGAIN = PAY.replace('return cents;', 'try {\n    return cents;\n  } catch {\n    return pay(cents);\n  }');

interface ListedTag {
  readonly target: string;
  readonly key: string;
  readonly value: string;
  readonly source: string;
}

describe('why is this here', () => {
  test('the command line names the commits, and says what to ask instead where it cannot', async () => {
    const project = new HookedProject(program);
    const { repo, pa } = project;
    repo.write('src/pay.ts', PAY).write('src/till.ts', '1').commit('feat: paying');
    repo.write('src/pay.ts', AGAIN).write('src/till.ts', '2');
    commitAs(
      repo,
      'fix: the bank hangs up at night\n\nThen a second try always works.\n\nSigned-off-by: A <a@b.example>',
    );
    repo.write('src/till.ts', '').commit('feat: tills');
    await pa.json(['tag', 'add', 'src/pay.ts#sym:pay', 'priority=high']);

    const text = await pa.text(['why', 'src/pay.ts#pay']);
    expect(text.split('\n').map((line) => line.replace(/^ +[0-9a-f]{10} +\S+ \(.*?\) +/, ''))).toEqual([
      'src/pay.ts#pay',
      'changed  fix: the bank hangs up at night',
      '      Then a second try always works.',
      'added    feat: paying',
      'tags: priority: high (user)',
      '',
    ]);
    const why = await pa.json<Why>(['why', 'pay.ts#L2-L4'], { cwd: join(repo.root, 'src') });
    expect(why).toMatchObject({ path: 'src/pay.ts', symbol: 'pay', tags: [{ key: 'priority', source: 'user' }] });
    expect(why.commits.map(({ change }) => change)).toEqual(['changed', 'added']);
    const file = await pa.json<{ readonly together: unknown }>(['why', 'src/pay.ts']);
    expect(file.together).toEqual([{ path: 'src/till.ts', commits: 2, of: 2 }]);

    const asked = async (typed: string) => {
      const { code, stderr } = await pa.run(['why', typed]);
      return `${code} ${stderr.trim()}`;
    };
    const answers = ['src/pay.ts#pai', 'src/pay.ts#L90', 'src', 'src/none.ts#pay'].map(asked);
    expect(await Promise.all(answers)).toEqual([
      expect.stringMatching(/^1 .*has no symbol pai\. Did you mean pay,/),
      expect.stringMatching(/^2 .*has 11 lines\./),
      expect.stringMatching(/^2 .*folder has no single history/),
      expect.stringMatching(/^1 .*There is no file src\/none\.ts\./),
    ]);
  });
});

describe('automatic tags', () => {
  test('come with a commit, go when their reason goes, and a tag by hand is never touched', async () => {
    const project = new HookedProject(program);
    const { repo, pa } = project;
    const tangled = `export function f(a: number) {\n${'  if (a) a += 1;\n'.repeat(15)}  return a;\n}\n`;
    const ago = (days: number) => Date.now() - days * DAY;
    repo.write('src/old.ts', PAY).write('src/kept.ts', PAY);
    commitAs(repo, 'feat: old ones', { at: ago(900), by: 'gone' });
    repo.write('src/kept.ts', AGAIN);
    commitAs(repo, 'feat: kept', { at: ago(800), by: 'here' });
    for (let round = 0; round < 10; round++) {
      repo.write('src/busy.ts', `export const a = ${round};\n`);
      commitAs(repo, `feat: round ${round}`, { at: ago(10), by: 'here' });
    }
    repo.write('src/tangled.ts', tangled).write('src/plain.ts', tangled).git('add', '--all');
    await pa.json(['hook', 'install']);
    await pa.json(['tag', 'add', 'src/tangled.ts', 'complexity=fine']);
    project.git(['commit', '--quiet', '-m', 'feat: tangled']);

    const listed = async () => {
      const tags = await pa.json<readonly ListedTag[]>(['tag', 'list']);
      return tags.map(({ target, key, value, source }) => `${target} ${key}: ${value} (${source})`);
    };
    const seen = (count: number) => {
      const whole = async () => {
        const tags = await listed();
        return tags.length === count && tags;
      };
      return waitFor(whole, { timeoutMs: 30_000, intervalMs: 300, what: 'the tags' });
    };
    expect(await seen(4)).toEqual([
      'src/busy.ts churn: high (auto)',
      'src/old.ts ownership: stale (auto)',
      'src/plain.ts complexity: high (auto)',
      'src/tangled.ts complexity: fine (user)',
    ]);
    repo.write('src/plain.ts', PAY).git('add', '--all');
    project.git(['commit', '--quiet', '-m', 'refactor: plain']);
    expect(await seen(3)).not.toContain('src/plain.ts complexity: high (auto)');
    await pa.json(['tag', 'remove', 'src/tangled.ts', 'complexity']);
    expect(await listed()).toContain('src/tangled.ts complexity: high (auto)');
  });
});
