import { describe, expect, test } from 'vitest';
import { memoryCache, TogetherIndex } from '../../../../src/snapshot/commits/index.ts';
import { FakeGit } from '../../../support/fake-git.ts';
import { tempDir } from '../../../support/temp.ts';

const anyPath = () => true;

class World {
  readonly git = new FakeGit(tempDir());
  #round = 0;

  change(...paths: readonly string[]): string {
    this.#round += 1;
    for (const path of paths) this.git.write(path, `${path} ${this.#round}`);
    return this.git.commit(`round ${this.#round}`);
  }

  move(from: string, to: string): void {
    const text = 'the same';
    this.git.write(from, text);
    this.git.commit('before');
    this.git.remove(from);
    this.git.write(to, text);
    this.git.commit('moved');
  }
}

describe('files that change together', () => {
  test('at least twice, the most often first, with the share', async () => {
    const world = new World();
    for (const paths of [['a', 'b', 'c'], ['a', 'b'], ['a', 'c', 'once'], ['a', 'b'], ['b']]) world.change(...paths);
    const index = new TogetherIndex(world.git, memoryCache());
    expect(await index.of('a', anyPath)).toEqual([
      { path: 'b', commits: 3, of: 4 },
      { path: 'c', commits: 2, of: 4 },
    ]);
    expect(await index.of('once', anyPath)).toEqual([]);
    expect(await index.of('none', anyPath)).toEqual([]);
    expect(await index.of('a', (path) => path !== 'b')).toEqual([{ path: 'c', commits: 2, of: 4 }]);
  });

  test('a mass edit does not count, and at most ten are told', async () => {
    const world = new World();
    const many = Array.from({ length: 31 }, (_, at) => `f${at}`);
    for (let round = 0; round < 3; round++) world.change('a', ...many.slice(0, round === 0 ? 31 : 29));
    const told = await new TogetherIndex(world.git, memoryCache()).of('a', anyPath);
    expect(told).toHaveLength(10);
    expect(told[0]).toEqual({ path: 'f0', commits: 2, of: 2 });
  });

  test('a file counts under its present name, and not at all when it is gone', async () => {
    const world = new World();
    for (let round = 0; round < 2; round++) world.change('a', 'old', 'gone');
    world.move('old', 'new');
    world.git.remove('gone');
    world.change('a', 'new');
    const told = await new TogetherIndex(world.git, memoryCache()).of('a', anyPath);
    expect(told).toEqual([{ path: 'new', commits: 3, of: 3 }]);
  });

  test('only new commits are asked for, also after a restart, and all of them when history was replaced', async () => {
    const world = new World();
    const cache = memoryCache();
    world.change('a', 'b');
    world.change('a', 'b');
    await new TogetherIndex(world.git, cache).of('a', anyPath);
    world.change('a', 'b');
    world.git.asked.length = 0;
    const index = new TogetherIndex(world.git, cache);
    expect(await index.of('a', anyPath)).toEqual([{ path: 'b', commits: 3, of: 3 }]);
    await index.of('b', anyPath);
    expect(world.git.asked.filter((question) => question === 'changesSince')).toHaveLength(1);
    world.git.amend('the last one, better');
    expect(await new TogetherIndex(world.git, cache).of('a', anyPath)).toEqual([{ path: 'b', commits: 3, of: 3 }]);
  });

  test('a repository without commits has none', async () => {
    const index = new TogetherIndex(new FakeGit(tempDir()), memoryCache());
    expect(await index.of('a', anyPath)).toEqual([]);
  });
});
