import { describe, expect, test } from 'vitest';
import { silentLogger } from '../../../../src/base/index.ts';
import { AutoTagRounds, type AutoTags, type IndexCache, memoryCache } from '../../../../src/snapshot/commits/index.ts';
import { createGate } from '../../../../src/snapshot/gate.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { FakeGit } from '../../../support/fake-git.ts';
import { tempDir } from '../../../support/temp.ts';

const DAY = 86_400_000;

/** A repository, and who works its tags out; a text is as complex as it says. */
class World {
  readonly git = new FakeGit(tempDir());
  readonly clock = new FakeClock();
  readonly read: string[] = [];
  readonly cache: IndexCache;

  constructor(cache = memoryCache()) {
    this.cache = cache;
  }

  get rounds(): AutoTagRounds {
    const languages = new Set(['ts']);
    return new AutoTagRounds({
      repository: this.git,
      gate: createGate(),
      complexity: {
        languages,
        read: async (path, text) => {
          this.read.push(path);
          return [{ name: 'f', line: 1, value: Number(text.split(' ')[0]) }];
        },
      },
      cache: this.cache,
      clock: this.clock,
      logger: silentLogger(),
    });
  }

  /** Commits files as somebody so many days ago. */
  commit(daysAgo: number, by: string, files: Readonly<Record<string, string>>): void {
    this.git.setTime(this.clock.now() - daysAgo * DAY);
    this.git.author = by;
    for (const [path, text] of Object.entries(files)) this.git.write(path, text);
    this.git.commit('work');
  }

  async tags(complexityThreshold = 15): Promise<readonly string[]> {
    return told(await until(this.rounds, complexityThreshold));
  }
}

async function until(rounds: AutoTagRounds, complexityThreshold: number): Promise<AutoTags> {
  for (;;) {
    const found = await rounds.next({ complexityThreshold });
    if (found.done) return found;
  }
}

function told({ tags }: AutoTags): readonly string[] {
  return tags.map(({ target, key, value }) => `${target} ${key}: ${value}`);
}

describe('automatic tags', () => {
  test('a file is complex from the threshold on, the most complex one first; 0 tags none', async () => {
    const world = new World();
    world.commit(1, 'ann', { 'a.ts': '15', 'b.ts': '14', 'c d#.ts': '40', 'e.md': '99', 'f.generated.ts': '99' });
    expect(await world.tags()).toEqual(['c d%23.ts complexity: high', 'a.ts complexity: high']);
    expect(await world.tags(14)).toContain('b.ts complexity: high');
    expect(await world.tags(0)).toEqual([]);
    expect((await world.rounds.next({ complexityThreshold: 0 })).keys).toContain('complexity');
  });

  test('what never leaves is not tagged', async () => {
    const world = new World();
    world.commit(1, 'ann', { 'node_modules/a.ts': '99', '.env.ts': '99' });
    expect(await world.tags()).toEqual([]);
  });

  test('a file that nobody touched for a year is stale, unless one of its authors is still active', async () => {
    const world = new World();
    world.commit(500, 'gone', { 'a.ts': '1', 'b.ts': '1', 'd.ts': '1' });
    world.commit(400, 'here', { 'b.ts': '2' });
    world.commit(366, 'gone', { 'c.ts': '1' });
    expect(await world.tags()).toEqual(['a.ts', 'b.ts', 'c.ts', 'd.ts'].map((path) => `${path} ownership: stale`));
    world.commit(364, 'here', { 'd.ts': '2', 'e.ts': '1' });
    expect(await world.tags()).toEqual(['a.ts ownership: stale', 'c.ts ownership: stale']);
    world.clock.advance(2 * DAY);
    expect(await world.tags()).toEqual(
      ['a.ts', 'b.ts', 'c.ts', 'd.ts', 'e.ts'].map((path) => `${path} ownership: stale`),
    );
  });

  test('a shallow clone says nothing of owners', async () => {
    const world = new World();
    world.commit(500, 'gone', { 'a.ts': '1' });
    world.git.shallowStamp = async () => 'x';
    const found = await until(world.rounds, 15);
    expect(found.keys).toEqual(['complexity', 'churn']);
    expect(told(found)).toEqual([]);
  });

  test('a history that git cannot tell leaves the complexity', async () => {
    const world = new World();
    world.commit(500, 'gone', { 'a.ts': '99' });
    world.git.failures.set('changesSince', Object.assign(new Error('no trees'), { code: 'git_failed' }));
    const found = await until(world.rounds, 15);
    expect([found.keys, told(found)]).toEqual([['complexity'], ['a.ts complexity: high']]);
  });

  test('files that change all the time churn', async () => {
    const world = new World();
    for (let round = 0; round < 10; round++) world.commit(1, 'ann', { 'a.ts': `1 ${round}`, 'yarn.lock': `${round}` });
    expect(await world.tags()).toEqual(['a.ts churn: high']);
  });

  test('takes rounds, begins anew where HEAD moved, and does nothing twice, not even after a restart', async () => {
    const world = new World();
    const files = Object.fromEntries(Array.from({ length: 210 }, (_, at) => [`f${at}.ts`, `20 ${at}`]));
    world.commit(1, 'ann', files);
    const { rounds } = world;
    expect(await rounds.next({ complexityThreshold: 15 })).toMatchObject({ done: false });
    expect(world.read).toHaveLength(200);
    world.commit(0, 'ann', { 'f0.ts': '1' });
    const found = await until(rounds, 15);
    expect(found.tags).toHaveLength(209);
    expect(world.read).toHaveLength(211);
    world.git.asked.length = 0;
    expect(await world.tags()).toHaveLength(209);
    expect(world.git.asked).toEqual(['resolve']);
    expect(await world.tags(21)).toEqual([]);
    expect(world.read).toHaveLength(211);
  });

  test('at most 500 of a key, the strongest', async () => {
    const world = new World();
    const files = Object.fromEntries(Array.from({ length: 510 }, (_, at) => [`f${at}.ts`, `${20 + at} ${at}`]));
    world.commit(1, 'ann', files);
    const tags = await world.tags();
    expect(tags).toHaveLength(500);
    expect(tags[0]).toBe('f509.ts complexity: high');
  });

  test('there are none before the first commit', async () => {
    expect(await new World().rounds.next({ complexityThreshold: 15 })).toEqual({
      commit: null,
      tags: [],
      keys: [],
      done: true,
    });
  });
});
