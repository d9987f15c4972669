import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { silentLogger, systemClock } from '../../../src/base/index.ts';
import {
  agentTag,
  DATABASE_NAME,
  machineId,
  openStore,
  Store,
  setAside,
  type Waits,
} from '../../../src/store/index.ts';
import { SCHEMA_VERSION } from '../../../src/store/migrations.ts';
import { openDatabase } from '../../../src/store/open.ts';
import { StoreWriter } from '../../support/store-writer.ts';
import { tempDir } from '../../support/temp.ts';
import { waitFor } from '../../support/wait.ts';

const SHORT: Waits = { blocking: 60, write: 200 };
const NOBODY = 65_534;

async function open(folder: string, waits: Waits = SHORT): Promise<Store> {
  const store = await openStore({ folder, logger: silentLogger(), waits });
  onTestFinished(() => store.close());
  return store;
}

const fileIn = (folder: string) => join(folder, DATABASE_NAME);

/** A database with some hundred kilobytes in it, closed. */
async function filled(): Promise<string> {
  const folder = tempDir();
  const store = await open(folder);
  store.transaction(() => {
    for (let n = 0; n < 200; n++) store.objects.put(`hash-${n}`, 'node', JSON.stringify('x'.repeat(2_000)));
  });
  store.close();
  return folder;
}

/** Everything in a folder, byte for byte. */
function contents(folder: string): Record<string, string> {
  return Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'base64')]));
}

describe('a damaged database', () => {
  const damage: readonly (readonly [string, (file: string) => void])[] = [
    ['is cut in half', (file) => truncateSync(file, Math.floor(statSync(file).size / 2))],
    ['is cut within its first page', (file) => truncateSync(file, 100)],
    ['is garbage', (file) => writeFileSync(file, 'this is not a database '.repeat(500))],
    ['is a few bytes of garbage', (file) => writeFileSync(file, 'oops')],
    [
      'has a page of zeros in it',
      (file) => {
        const bytes = readFileSync(file);
        writeFileSync(file, bytes.fill(0, 5 * 4096, 6 * 4096));
      },
    ],
    [
      'belongs to another program',
      (file) => {
        writeFileSync(file, '');
        const other = new DatabaseSync(file);
        other.exec('CREATE TABLE bookmarks (url)');
        other.close();
      },
    ],
    [
      'is empty beside a log that is not',
      (file) => {
        truncateSync(file, 0);
        writeFileSync(`${file}-wal`, 'x'.repeat(100));
      },
    ],
  ];

  test.each(damage)('that %s is told from every other fault, left as it is, and can be set aside', async (_, spoil) => {
    const folder = await filled();
    spoil(fileIn(folder));
    const before = readFileSync(fileIn(folder));
    await expect(open(folder)).rejects.toMatchObject({
      code: 'database_corrupt',
      message: expect.stringContaining(fileIn(folder)),
    });
    await expect(open(folder)).rejects.toMatchObject({ code: 'database_corrupt' });
    expect(readFileSync(fileIn(folder)).equals(before)).toBe(true);

    const aside = setAside(fileIn(folder), systemClock());
    expect(readFileSync(aside).equals(before)).toBe(true);
    const store = await open(folder);
    expect(store.objects.put('new', 'node', '{}')).toBe(true);
    expect(readFileSync(aside).equals(before)).toBe(true);
  });

  test('keeps the log beside it, byte for byte, when it is opened in vain and when it is set aside', async () => {
    const folder = await filled();
    const crashed = tempDir();
    const writer = await open(folder);
    writer.objects.put('only in the log', 'node', '{}');
    for (const suffix of ['', '-wal']) copyFileSync(fileIn(folder) + suffix, fileIn(crashed) + suffix);
    writer.close();
    writeFileSync(fileIn(crashed), readFileSync(fileIn(crashed)).fill(0, 5 * 4096, 6 * 4096));
    const before = [readFileSync(fileIn(crashed)), readFileSync(`${fileIn(crashed)}-wal`)];
    await expect(open(crashed)).rejects.toMatchObject({ code: 'database_corrupt' });
    const aside = setAside(fileIn(crashed), systemClock());
    expect(readFileSync(aside).equals(before[0] as Buffer)).toBe(true);
    expect(readFileSync(`${aside}-wal`).equals(before[1] as Buffer)).toBe(true);
    expect(readdirSync(crashed).filter((name) => !name.includes('damaged'))).toEqual([]);
  });

  test('two set aside in the same millisecond are both kept', () => {
    const folder = tempDir();
    const clock = { ...systemClock(), now: () => 0 };
    const names = ['one', 'two', 'three'].map((content) => {
      writeFileSync(fileIn(folder), content);
      return setAside(fileIn(folder), clock);
    });
    expect(names.map((name) => readFileSync(name, 'utf8'))).toEqual(['one', 'two', 'three']);
  });

  test('a folder in its place is told', async () => {
    const folder = tempDir();
    mkdirSync(fileIn(folder));
    await expect(open(folder)).rejects.toMatchObject({ code: 'database_corrupt' });
  });

  test('an empty file is a new database', async () => {
    const folder = tempDir();
    writeFileSync(fileIn(folder), '');
    expect((await open(folder)).objects.has('x')).toBe(false);
  });
});

describe('a newer database', () => {
  function makeNewer(folder: string): DatabaseSync {
    const database = new DatabaseSync(fileIn(folder));
    database.exec(`PRAGMA user_version = ${SCHEMA_VERSION + 1}`);
    return database;
  }

  test('is left untouched, byte for byte', async () => {
    const folder = await filled();
    makeNewer(folder).close();
    const before = contents(folder);
    await expect(open(folder)).rejects.toMatchObject({ code: 'database_newer', remedy: 'Update ProjectAnchor.' });
    expect(contents(folder)).toEqual(before);
  });

  test('whose newer schema is still in its log after a crash, too', async () => {
    const folder = await filled();
    const crashed = tempDir();
    const newer = makeNewer(folder);
    for (const suffix of ['', '-wal']) copyFileSync(fileIn(folder) + suffix, fileIn(crashed) + suffix);
    newer.close();
    const before = [readFileSync(fileIn(crashed)), readFileSync(`${fileIn(crashed)}-wal`)];
    await expect(open(crashed)).rejects.toMatchObject({ code: 'database_newer' });
    expect(readFileSync(fileIn(crashed)).equals(before[0] as Buffer)).toBe(true);
    expect(readFileSync(`${fileIn(crashed)}-wal`).equals(before[1] as Buffer)).toBe(true);
  });
});

describe('an older database', () => {
  test('without a schema is brought forward by whoever comes first, with all it holds', async () => {
    const folder = tempDir();
    writeFileSync(fileIn(folder), '');
    const stores = await Promise.all([open(folder), open(folder), open(folder)]);
    stores.forEach((store, n) => {
      store.objects.put(`o${n}`, 'node', '{}');
    });
    expect(stores.every((store) => ['o0', 'o1', 'o2'].every((hash) => store.objects.has(hash)))).toBe(true);
  });
});

describe('a busy database', () => {
  test('is not a damaged one: reading goes on, writing says that it is busy, and works again afterwards', async () => {
    const folder = await filled();
    const holder = new StoreWriter(folder, ['hold']);
    await waitFor(() => holder.lines[0] === 'held', { timeoutMs: 20_000, what: 'the lock' });
    const store = await open(folder);
    expect(store.objects.has('hash-1')).toBe(true);
    expect(() => store.transaction(() => store.objects.put('a', 'node', '{}'))).toThrow(
      expect.objectContaining({ code: 'database_busy' }),
    );
    await expect(store.write(() => store.objects.put('a', 'node', '{}'))).rejects.toMatchObject({
      code: 'database_busy',
    });
    await holder.finish();
    expect(await store.write(() => store.objects.put('a', 'node', '{}'))).toBe(true);
  });

  test('is waited for without blocking the thread', async () => {
    const folder = await filled();
    const store = await open(folder, { blocking: 60, write: 60_000 });
    const holder = new StoreWriter(folder, ['hold']);
    await waitFor(() => holder.lines[0] === 'held', { timeoutMs: 20_000, what: 'the lock' });
    let turns = 0;
    const turning = setInterval(() => turns++, 1);
    onTestFinished(() => clearInterval(turning));
    const written = store.write(() => store.objects.put('a', 'node', '{}'));
    await waitFor(() => turns >= 5, { timeoutMs: 20_000, what: 'turns of the event loop' });
    expect(store.objects.has('a')).toBe(false);
    await holder.finish();
    expect(await written).toBe(true);
  });

  test('that somebody has for himself cannot be opened, and says that it is busy', async () => {
    const folder = await filled();
    const holder = new StoreWriter(folder, ['hold', 'exclusive']);
    await waitFor(() => holder.lines[0] === 'held', { timeoutMs: 20_000, what: 'the lock' });
    await expect(open(folder)).rejects.toMatchObject({ code: 'database_busy' });
    await holder.finish();
    expect((await open(folder)).objects.has('hash-1')).toBe(true);
  });
});

/** Opens as a user who may not write there; root may write everywhere, so it lends another one. */
async function openAsOther(folder: string): Promise<readonly string[]> {
  const options = process.getuid?.() === 0 ? { uid: NOBODY } : {};
  return await new StoreWriter(folder, ['open'], options).finish();
}

describe.skipIf(process.platform === 'win32')('a database that cannot be written', () => {
  test('because of its file', async () => {
    const folder = await filled();
    chmodSync(folder, 0o777);
    chmodSync(fileIn(folder), 0o444);
    expect(await openAsOther(folder)).toEqual(['read_only']);
  });

  test('because of its folder', async () => {
    const folder = await filled();
    chmodSync(fileIn(folder), 0o666);
    chmodSync(folder, 0o555);
    onTestFinished(() => chmodSync(folder, 0o700));
    expect(await openAsOther(folder)).toEqual(['read_only']);
  });

  test('because its folder cannot be made', async () => {
    const parent = tempDir();
    chmodSync(parent, 0o555);
    onTestFinished(() => chmodSync(parent, 0o700));
    expect(await openAsOther(join(parent, 'data'))).toEqual(['read_only']);
  });

  test('because a file is in the way of its folder', async () => {
    const file = join(tempDir(), 'file');
    writeFileSync(file, 'x');
    await expect(open(file)).rejects.toMatchObject({ code: 'data_folder' });
  });

  test.runIf(process.platform === 'linux')('a folder where none can be made is told, at once', async () => {
    await expect(open('/proc/pa/data')).rejects.toMatchObject({
      code: 'data_folder',
    });
  });
});

test('a full disk stores nothing of what does not fit and keeps the rest', async () => {
  const folder = tempDir();
  const database = await openDatabase(fileIn(folder), SHORT, silentLogger());
  onTestFinished(() => database.close());
  const store = new Store(database);
  store.objects.put('before', 'node', '{}');
  const pages = Number(database.get('PRAGMA page_count')?.['page_count']);
  database.get(`PRAGMA max_page_count = ${pages + 2}`);
  const big = JSON.stringify('x'.repeat(50_000));
  expect(() =>
    store.transaction(() => {
      store.objects.put('small', 'node', '{}');
      store.objects.put('big', 'node', big);
    }),
  ).toThrow(expect.objectContaining({ code: 'disk_full', remedy: expect.stringContaining('Free') }));
  expect(['before', 'small', 'big'].map((hash) => store.objects.has(hash))).toEqual([true, false, false]);
  database.get('PRAGMA max_page_count = 100000');
  expect(store.objects.put('big', 'node', big)).toBe(true);
});

test('a runtime without SQLite is told from every other fault', async () => {
  const env = { NODE_OPTIONS: '--no-experimental-sqlite' };
  const folder = join(tempDir(), 'data');
  expect(await new StoreWriter(folder, ['open'], { env }).finish()).toEqual(['sqlite_missing']);
  expect(await new StoreWriter(folder, ['machine'], { env }).finish()).toHaveLength(1);
});

describe('the machine’s own files', () => {
  test('are made once and read ever after', () => {
    const folder = join(tempDir(), 'data');
    const id = machineId(folder);
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(agentTag(folder)).toMatch(/^[0-9a-f]{4}$/);
    expect([machineId(folder), agentTag(folder)]).toEqual([id, agentTag(folder)]);
    expect(machineId(tempDir())).not.toBe(id);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const name of ['machine', 'agent-tag']) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  });

  test.each(['', 'abc', 'Z'.repeat(32), '\0'.repeat(32)])('damaged (%j) say so and are kept', (content) => {
    const folder = tempDir();
    writeFileSync(join(folder, 'machine'), content);
    expect(() => machineId(folder)).toThrow(expect.objectContaining({ code: 'machine_damaged' }));
    expect(readFileSync(join(folder, 'machine'), 'utf8')).toBe(content);
  });
});

describe.skipIf(process.platform === 'win32')('a data folder that is open to others', () => {
  test('is closed when it is ours, and its files with it', async () => {
    const folder = await filled();
    chmodSync(folder, 0o755);
    chmodSync(fileIn(folder), 0o644);
    await open(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  });

  test('is left alone when it holds other things', async () => {
    const folder = tempDir();
    writeFileSync(join(folder, 'somebody-else’s.txt'), 'x');
    chmodSync(folder, 0o755);
    const store = await open(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o755);
    expect(statSync(store.file).mode & 0o777).toBe(0o600);
    expect(existsSync(store.file)).toBe(true);
  });
});
