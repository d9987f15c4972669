import { existsSync, readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { type Logger, silentLogger } from '../../../src/base/index.ts';
import { type Cache, openCache } from '../../../src/store/index.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { tempDir } from '../../support/temp.ts';

const DAY_MS = 86_400_000;
const TEXT = JSON.stringify(Array.from({ length: 200 }, (_, line) => ({ name: `symbol${line}`, line })));

async function open(folder: string, clock = new FakeClock(), logger: Logger = silentLogger()): Promise<Cache> {
  const cache = await openCache({ folder, clock, logger });
  if (cache === null) throw new Error('there is no cache');
  onTestFinished(() => cache.close());
  return cache;
}

const fileIn = (folder: string) => join(folder, 'cache-2.db');

test('keeps texts for every process of the machine, for the owner alone', async () => {
  const folder = tempDir();
  const one = await open(folder);
  const other = await open(folder);
  one.batch(() => {
    one.put('a', 'x', TEXT);
    one.put('a', 'y', 'short');
  });
  one.put('b', 'x', 'of another kind');
  one.put('a', 'y', 'newer');
  expect(['x', 'y', 'z'].map((key) => other.get('a', key))).toEqual([TEXT, 'newer', undefined]);
  expect(other.get('b', 'x')).toBe('of another kind');
  expect(statSync(fileIn(folder)).mode & 0o077).toBe(0);
});

test('what was put before an error in a batch is kept, and the error is told', async () => {
  const cache = await open(tempDir());
  const work = () => {
    cache.put('a', 'x', 'kept');
    throw new Error('mine');
  };
  expect(() => cache.batch(work)).toThrow('mine');
  expect(cache.get('a', 'x')).toBe('kept');
  cache.put('a', 'y', 'and goes on');
  expect(cache.get('a', 'y')).toBe('and goes on');
});

test('what was of no use for a month goes, what was used stays', async () => {
  const folder = tempDir();
  const clock = new FakeClock();
  const first = await open(folder, clock);
  first.put('a', 'used', 'stays');
  first.put('a', 'unused', 'goes');
  first.close();
  clock.advance(20 * DAY_MS);
  const second = await open(folder, clock);
  expect(second.get('a', 'used')).toBe('stays');
  second.close();
  clock.advance(20 * DAY_MS);
  const third = await open(folder, clock);
  expect([third.get('a', 'used'), third.get('a', 'unused')]).toEqual(['stays', undefined]);
});

test('one of an older form is removed, one of a newer form is left', async () => {
  const folder = tempDir();
  for (const name of ['cache-0.db', 'cache-0.db-wal', 'cache-9.db']) writeFileSync(join(folder, name), 'x');
  (await open(folder)).put('a', 'x', '1');
  expect(
    readdirSync(folder)
      .filter((name) => /^cache-\d\.db/.test(name))
      .sort(),
  ).toEqual(expect.arrayContaining(['cache-2.db', 'cache-9.db']));
  expect(existsSync(join(folder, 'cache-0.db')) || existsSync(join(folder, 'cache-0.db-wal'))).toBe(false);
});

test.each([
  ['is no database', (file: string) => writeFileSync(file, 'nonsense'.repeat(1_000))],
  ['is cut off', (file: string) => truncateSync(file, 5_000)],
])('a file that %s is made anew, or not used, and nothing is thrown', async (_, damage) => {
  const folder = tempDir();
  const first = await open(folder);
  for (let key = 0; key < 50; key++) first.put('a', String(key), TEXT);
  first.close();
  damage(fileIn(folder));
  const second = await open(folder);
  for (let key = 0; key < 50; key++) expect(second.get('a', String(key)) ?? TEXT).toBe(TEXT);
  second.put('a', 'new', 'x');
  second.close();
  const third = await open(folder);
  expect(third.get('a', 'new') ?? 'x').toBe('x');
});

test('while another program holds the file entries are not kept, and afterwards they are', async () => {
  const folder = tempDir();
  const cache = await open(folder);
  const other = new DatabaseSync(fileIn(folder));
  other.exec('BEGIN IMMEDIATE');
  cache.put('a', 'x', '1');
  expect(cache.get('a', 'x')).toBe(undefined);
  other.exec('ROLLBACK');
  other.close();
  cache.put('a', 'x', '2');
  expect(cache.get('a', 'x')).toBe('2');
});

test('where there can be none, that is said', async () => {
  const folder = join(tempDir(), 'file');
  writeFileSync(folder, '');
  const warned: string[] = [];
  const logger: Logger = { ...silentLogger(), warn: (message) => warned.push(message) };
  expect(await openCache({ folder, clock: new FakeClock(), logger })).toBe(null);
  expect(warned).toEqual([expect.stringContaining('There is no cache')]);
});
