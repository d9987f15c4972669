import { expect, onTestFinished, test } from 'vitest';
import { silentLogger } from '../../../src/base/index.ts';
import { GroupCommit } from '../../../src/delta/group-commit.ts';
import { MEMORY, openStore, type Store } from '../../../src/store/index.ts';

async function memoryStore(): Promise<Store> {
  const store = await openStore({ file: MEMORY, logger: silentLogger() });
  onTestFinished(() => store.close());
  return store;
}

test('what is asked in one turn is one transaction; the promises resolve when it is stored', async () => {
  const store = await memoryStore();
  const commits: number[] = [];
  const group = new GroupCommit(store, () => commits.push(Number(store.objects.has('o49'))));
  const results = await Promise.all(
    Array.from({ length: 50 }, (_, n) => group.run(() => (store.objects.put(`o${n}`, 'node', '{}') ? n : -1))),
  );
  expect(results).toEqual(Array.from({ length: 50 }, (_, n) => n));
  expect(commits).toEqual([1]);
});

test('jobs run in the order they were asked, also those asked by a job’s answer', async () => {
  const store = await memoryStore();
  const order: string[] = [];
  const group = new GroupCommit(store);
  const first = group.run(() => order.push('first')).then(() => group.run(() => order.push('third')));
  await Promise.all([first, group.run(() => order.push('second'))]);
  expect(order).toEqual(['first', 'second', 'third']);
});

test('a job that fails fails alone', async () => {
  const store = await memoryStore();
  const group = new GroupCommit(store);
  const put = (hash: string) => group.run(() => store.objects.put(hash, 'node', '{}'));
  const bad = group.run(() => {
    store.objects.put('bad', 'node', '{}');
    throw new Error('no');
  });
  const outcomes = await Promise.allSettled([put('a'), bad, put('b')]);
  expect(outcomes.map((outcome) => outcome.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(['a', 'bad', 'b'].map((hash) => store.objects.has(hash))).toEqual([true, false, true]);
});

test('a store that cannot be written fails every job, and the next ones are tried again', async () => {
  const store = await memoryStore();
  const group = new GroupCommit(store);
  store.close();
  const outcomes = await Promise.allSettled([group.run(() => 1), group.run(() => 2)]);
  expect(outcomes).toMatchObject([
    { status: 'rejected', reason: { code: 'database_closed' } },
    { status: 'rejected', reason: { code: 'database_closed' } },
  ]);
  await expect(group.run(() => 3)).rejects.toMatchObject({ code: 'database_closed' });
});

test('idle waits for everything asked so far', async () => {
  const store = await memoryStore();
  const group = new GroupCommit(store);
  await group.idle();
  const done: number[] = [];
  for (const n of [1, 2, 3]) group.run(() => done.push(n)).catch(() => undefined);
  expect(done).toEqual([]);
  await group.idle();
  expect(done).toEqual([1, 2, 3]);
});
