import { describe, expect, test } from 'vitest';
import { type IndexCache, memoryCache, SymbolHistory, whyOf } from '../../../../src/snapshot/commits/index.ts';
import { createGate } from '../../../../src/snapshot/gate.ts';
import type { Outline } from '../../../../src/snapshot/types.ts';
import { FakeGit } from '../../../support/fake-git.ts';
import { tempDir } from '../../../support/temp.ts';

const MAX_ITEMS = 150;

/** A file of one line per symbol, `name: body`. */
async function outline(path: string, text: string): Promise<Outline | null> {
  if (!path.endsWith('.ts')) return null;
  const all = text.split('\n').filter((line) => line !== '');
  const lines = all.slice(0, MAX_ITEMS);
  const items = lines.map((line, at) => ({
    kind: 'function' as const,
    name: line.split(':')[0] ?? '',
    start: at + 1,
    end: at + 1,
  }));
  const more = all.length - lines.length;
  return { language: 'ts', lines: all.length, items, ...(more > 0 ? { more } : {}) };
}

/** A cache that tells what was put into it. */
function openCache(): IndexCache & { readonly texts: string[] } {
  const texts: string[] = [];
  const inner = memoryCache();
  return {
    texts,
    get: inner.get,
    batch: inner.batch,
    put: (kind, key, json) => {
      texts.push(`${key} ${json}`);
      inner.put(kind, key, json);
    },
  };
}

function world(cache: IndexCache = memoryCache()) {
  const git = new FakeGit(tempDir());
  const parts = { repository: git, gate: createGate(), outline, cache };
  const save = (message: string, ...lines: readonly string[]) => {
    git.write('a.ts', lines.join('\n'));
    return git.commit(message);
  };
  return { git, parts, save };
}

describe('why', () => {
  test('twenty commits are told, the others counted', async () => {
    const { parts, save } = world();
    for (let round = 0; round < 30; round++) save(`round ${round}`, `f: ${round}`, 'g: 1');
    const why = await whyOf(parts, 'a.ts', 'f');
    expect([why.commits.length, why.more, why.bounded]).toEqual([20, 10, undefined]);
    expect(why.commits[0]).toMatchObject({ subject: 'round 29', change: 'changed' });
    expect(await whyOf(parts, 'a.ts', 'g')).toMatchObject({ commits: [{ subject: 'round 0', change: 'added' }] });
  });

  test('two hundred commits of the file are looked at, and it says that there are more', async () => {
    const { parts, save } = world();
    save('made', 'f: 0', 'g: 0');
    for (let round = 1; round < 201; round++) save(`round ${round}`, `f: ${round}`, 'g: 0');
    const why = await whyOf(parts, 'a.ts', 'g');
    expect(why).toEqual({ path: 'a.ts', symbol: 'g', commits: [], bounded: 'limit' });
    expect(await whyOf(parts, 'a.ts', 'f')).toMatchObject({ more: 180, bounded: 'limit' });
  });

  test('follows a symbol that got another name', async () => {
    const { parts, save } = world();
    save('made', 'old: x');
    save('changed', 'old: y');
    save('renamed', 'new: y');
    save('changed again', 'new: z');
    const { commits } = await whyOf(parts, 'a.ts', 'new');
    expect(commits.map(({ subject, change, was }) => [subject, change, was])).toEqual([
      ['changed again', 'changed', undefined],
      ['renamed', 'changed', 'old'],
      ['changed', 'changed', undefined],
      ['made', 'added', undefined],
    ]);
  });

  test('a symbol that is not committed has no commits, a file without outlines those that touched it', async () => {
    const { git, parts, save } = world();
    save('made', 'f: 1');
    expect((await whyOf(parts, 'a.ts', 'fresh')).commits).toEqual([]);
    git.write('a.txt', '1');
    git.commit('text');
    expect((await whyOf(parts, 'a.txt', 'x')).commits).toMatchObject([{ change: 'touched' }]);
  });

  test('what was compared is kept, without a word of the texts, and damage to it does no harm', async () => {
    const cache = openCache();
    const { git, parts, save } = world(cache);
    save('made', 'f: very secret words');
    save('changed', 'f: other secret words');
    const why = await whyOf(parts, 'a.ts', 'f');
    expect(cache.texts.length).toBeGreaterThan(0);
    expect(cache.texts.join()).not.toMatch(/secret|words/);
    git.asked.length = 0;
    expect(await whyOf(parts, 'a.ts', 'f')).toEqual(why);
    expect(git.asked).not.toContain('texts');
    const damaged = { ...parts, cache: { ...cache, get: () => '{"symbols":' } };
    expect(await whyOf(damaged, 'a.ts', 'f')).toEqual(why);
  });
});

describe('the symbols that a commit changed', () => {
  test('with message and kinds, by file, for files that may leave', async () => {
    const { git, parts, save } = world();
    save('made', 'f: 1', 'g: 1');
    git.write('.env', 'A=1');
    git.write('b.md', 'text');
    git.remove('a.ts');
    git.write('c.ts', 'f: 2\ng: 1\nh: 1');
    const commit = git.commit('fix(pay): twice\n\nOnce is not enough.');
    const history = new SymbolHistory(parts);
    expect(await history.ofCommits([commit])).toEqual([
      {
        commit,
        subject: 'fix(pay): twice',
        body: 'Once is not enough.',
        at: expect.any(String),
        kinds: ['fix'],
        files: [
          {
            path: 'a.ts',
            symbols: ['f', 'g'].map((symbol) => ({ symbol, kind: 'function', change: 'removed' })),
          },
          { path: 'b.md', symbols: [], unknown: true },
          {
            path: 'c.ts',
            symbols: ['f', 'g', 'h'].map((symbol) => ({ symbol, kind: 'function', change: 'added' })),
          },
        ],
      },
    ]);
  });

  test('an outline that was cut does not make symbols come and go', async () => {
    const { parts, save } = world();
    const many = Array.from({ length: MAX_ITEMS }, (_, at) => `f${at}: 1`);
    save('many', ...many);
    const commit = save('one more in front', 'fresh: 1', 'f0: 2', ...many.slice(1));
    const [found] = await new SymbolHistory(parts).ofCommits([commit]);
    expect(found?.files).toEqual([
      { path: 'a.ts', symbols: [{ symbol: 'f0', kind: 'function', change: 'changed' }], more: 1 },
    ]);
    expect((await whyOf(parts, 'a.ts', 'fresh')).commits).toMatchObject([{ change: 'touched' }, { change: 'touched' }]);
  });

  test('as many files and symbols as say something; the others are counted', async () => {
    const { git, parts } = world();
    const many = Array.from({ length: 120 }, (_, at) => `f${at}: 1`).join('\n');
    for (let file = 0; file < 60; file++) git.write(`f${file}.ts`, file === 0 ? many : 'f: 1');
    const [found] = await new SymbolHistory(parts).ofCommits([git.commit('all')]);
    expect([found?.files.length, found?.more]).toEqual([50, 10]);
    expect([found?.files[0]?.symbols.length, found?.files[0]?.more]).toEqual([100, 20]);
    const [kept] = await new SymbolHistory(parts).ofCommits([found?.commit ?? '']);
    expect(kept).toEqual(found);
  });
});
