import { createHash } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { silentLogger } from '../../../src/base/index.ts';
import { DEFAULT_WAITS, openStore, type Store } from '../../../src/store/index.ts';
import { MIGRATIONS } from '../../../src/store/migrations.ts';
import { openDatabase } from '../../../src/store/open.ts';
import { tempDir } from '../../support/temp.ts';

function sha(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

async function open(place: { folder: string } | { file: string }): Promise<Store> {
  const store = await openStore({ ...place, logger: silentLogger() });
  onTestFinished(() => store.close());
  return store;
}

const ANCHOR = {
  id: 'https://h/p#main@2026-11-30T12:00:00.000Z',
  repository: 'https://h/p',
  mainBranch: 'main',
  attachedAt: '2026-11-30T12:00:00.000Z',
};

describe.each(['file', 'memory'])('a store in a %s', (kind) => {
  const place = () => (kind === 'memory' ? { file: ':memory:' } : { folder: join(tempDir(), 'data') });

  test('anchors are found by directory, repository, id and alias; the first attach wins', async () => {
    const { anchors } = await open(place());
    expect(anchors.byRepository(ANCHOR.repository)).toBeUndefined();
    expect(anchors.attach(ANCHOR, { commonDir: '/p/.git' })).toEqual(ANCHOR);
    const later = { ...ANCHOR, id: 'other', attachedAt: '2026-12-01T00:00:00.000Z' };
    expect(anchors.attach(later, { commonDir: '/p/.git' })).toEqual(ANCHOR);
    anchors.attach(later);
    anchors.addAlias(ANCHOR.id, 'b');
    anchors.addAlias(ANCHOR.id, 'a');
    anchors.addAlias('other', 'a');
    anchors.addAlias(ANCHOR.id, ANCHOR.id);
    expect(anchors.aliases(ANCHOR.id)).toEqual(['a', 'b']);
    expect(anchors.byCommonDir('/p/.git')).toEqual(ANCHOR);
    expect(anchors.byRepository(ANCHOR.repository)).toEqual(ANCHOR);
    expect(anchors.byId('b')).toEqual(ANCHOR);
    expect(anchors.byId('c')).toBeUndefined();
    expect(anchors.list().map((a) => a.id)).toEqual([ANCHOR.id, 'other']);
  });

  test('objects are stored once', async () => {
    const { objects } = await open(place());
    expect(objects.put('h', 'node', '{}')).toBe(true);
    expect(objects.put('h', 'outline', '[]')).toBe(false);
    expect(objects.get('h')).toEqual({ hash: 'h', kind: 'node', json: '{}' });
    expect(objects.has('h')).toBe(true);
    expect(objects.has('x')).toBe(false);
    expect(objects.get('x')).toBeUndefined();
  });

  test('snapshots are found by place, id, prefix and commit', async () => {
    const { snapshots } = await open(place());
    const row = (id: string, workspace: string, commit: string | null) => ({
      id,
      anchor: ANCHOR.id,
      workspace,
      takenAt: ANCHOR.attachedAt,
      trigger: 'commit',
      commit,
      json: `{"id":"${id}"}`,
    });
    const rows = [row('aa1', 'w', null), row('ab2', 'w', 'c1'), row('ac3', 'w', 'c1'), row('bb4', 'v', 'c1')];
    for (const each of rows) expect(snapshots.insert(each)).toBe(true);
    expect(snapshots.insert(row('aa1', 'v', null))).toBe(false);
    expect(snapshots.latest('w')?.id).toBe('ac3');
    expect(snapshots.latest('w', 2)).toEqual(rows[0]);
    expect(snapshots.latest('w', 3)).toBeUndefined();
    expect(snapshots.byId('ab2')).toEqual(rows[1]);
    expect(snapshots.byIdPrefix(ANCHOR.id, 'a', 9).map((r) => r.id)).toEqual(['aa1', 'ab2', 'ac3']);
    expect(snapshots.byIdPrefix(ANCHOR.id, '%', 9)).toEqual([]);
    expect(snapshots.byCommit('w', 'c1')?.id).toBe('ac3');
    expect(snapshots.list(ANCHOR.id, null, 2).map((r) => r.id)).toEqual(['aa1', 'ab2']);
    expect(snapshots.list(ANCHOR.id, 'ab2').map((r) => r.id)).toEqual(['ac3', 'bb4']);
  });

  /** Two connections where there is a file: the second one has nothing in memory of what the first one wrote. */
  async function writerAndReader(): Promise<readonly [writer: Store, reader: Store]> {
    const where = place();
    const writer = await open(where);
    return [writer, kind === 'file' ? await open(where) : writer];
  }

  test('snapshots that repeat each other are read back word for word, whichever of them are removed', async () => {
    const [writer, reader] = await writerAndReader();
    const { snapshots } = writer;
    const property = (gone: readonly number[], run: string) => {
      const jsonOf = (n: number) => JSON.stringify({ run, n, text: sha(`${n}`).repeat(9), same: sha(run).repeat(20) });
      const idOf = (n: number) => sha(`${run} ${n}`);
      const { attachedAt: takenAt, id: anchor } = ANCHOR;
      writer.transaction(() => {
        for (let n = 0; n < 40; n++) {
          const row = { id: idOf(n), anchor, workspace: run, takenAt, trigger: 'editor', commit: null };
          snapshots.insert({ ...row, json: jsonOf(n) });
        }
        const first = snapshots.ages(run)[0]?.n ?? 0;
        for (const n of gone) snapshots.remove(first + n);
      });
      for (let n = 0; n < 40; n++) {
        expect(reader.snapshots.byId(idOf(n))?.json).toBe(gone.includes(n) ? undefined : jsonOf(n));
      }
    };
    fc.assert(fc.property(fc.uniqueArray(fc.nat({ max: 39 })), fc.uuid(), property), { numRuns: 40 });
  });

  test('objects and deltas that repeat others are read back word for word, whichever of them are removed', async () => {
    const [writer, reader] = await writerAndReader();
    const jsonOf = (n: number) => `{"items":"${Array.from({ length: 40 }, (_, at) => sha(`${Math.max(at, n)}`))}"}`;
    const gone = new Set([0, 3, 4, 5, 17, 29]);
    writer.transaction(() => {
      const { objects } = writer;
      for (let n = 0; n < 30; n++) {
        objects.put(sha(`o${n}`), 'outline', jsonOf(n), n === 0 ? undefined : sha(`o${n - 1}`));
      }
      for (const n of gone) objects.remove(objects.keyOf(sha(`o${n}`)) ?? 0);
    });
    for (let n = 0; n < 30; n++) {
      expect(reader.objects.get(sha(`o${n}`))?.json).toBe(gone.has(n) ? undefined : jsonOf(n));
    }
    const link = { seq: 1, id: 'i1', hash: 'h1', prev: 'h0', body: `{"ops":[${jsonOf(7)}]}` };
    writer.deltas.insert('a', { ...link, repeats: [sha('o7'), sha('unknown')] });
    expect(reader.deltas.at('a', 1)).toEqual(link);
    const { keys } = reader.deltas.partsAfter(null, 9);
    expect(keys.map((key) => reader.objects.byKey(key))).toEqual([jsonOf(7)]);
  });

  test('deltas are kept in order, each seq and id once', async () => {
    const { deltas } = await open(place());
    expect(deltas.head('a')).toBeUndefined();
    expect(deltas.read('a', 0, 9)).toEqual([]);
    const link = (seq: number) => ({ seq, id: `i${seq}`, hash: `h${seq}`, prev: `h${seq - 1}`, body: '{}' });
    for (const seq of [1, 2, 3]) deltas.insert('a', link(seq));
    deltas.insert('b', link(1));
    expect(() => deltas.insert('a', { ...link(3), id: 'new' })).toThrow(/UNIQUE/);
    expect(() => deltas.insert('a', { ...link(4), id: 'i1' })).toThrow(/UNIQUE/);
    expect(deltas.head('a')).toEqual({ seq: 3, hash: 'h3' });
    expect(deltas.byId('a', 'i2')).toEqual({ seq: 2, hash: 'h2' });
    expect(deltas.byId('b', 'i2')).toBeUndefined();
    expect(deltas.at('a', 2)).toEqual(link(2));
    expect(deltas.read('a', 1, 1)).toEqual([link(2)]);
    expect([...deltas.heads()]).toEqual([
      ['a', { seq: 3, hash: 'h3' }],
      ['b', { seq: 1, hash: 'h1' }],
    ]);
  });

  test('receipts are kept in order; writers are known until they say they are done', async () => {
    const { receipts } = await open(place());
    expect(receipts.head('a')).toBeUndefined();
    expect(receipts.last('a', 5)).toEqual([]);
    const link = (n: number) => ({ n, id: `i${n}`, hash: `h${n}`, prev: `h${n - 1}`, body: '{}' });
    for (const n of [1, 2, 3]) receipts.insert('a', link(n));
    expect(receipts.head('a')).toEqual({ n: 3, hash: 'h3' });
    expect(receipts.byId('a', 'i2')).toEqual(link(2));
    expect(receipts.last('a', 2)).toEqual([link(3), link(2)]);
    expect(receipts.read('a', 1, 5)).toEqual([link(2), link(3)]);
    const writer = { anchor: 'a', owner: 'o', pid: 7, processStart: '123', openedAt: ANCHOR.attachedAt };
    receipts.openWriter(writer);
    receipts.openWriter(writer);
    receipts.openWriter({ ...writer, anchor: 'b' });
    expect(receipts.writers()).toEqual([writer, { ...writer, anchor: 'b' }]);
    expect(receipts.closeWriter('o', 'a')).toBe(1);
    expect(receipts.closeWriter('o')).toBe(1);
    expect(receipts.writers()).toEqual([]);
  });

  test('a lease goes to one at a time', async () => {
    const { lease } = await open(place());
    const wish = (owner: string, expires: number) => ({ owner, pid: 1, processStart: 's', url: 'ws://x', expires });
    expect(lease.read('hub')).toBeUndefined();
    expect(lease.tryAcquire('hub', wish('a', 100), 0).owner).toBe('a');
    expect(lease.tryAcquire('hub', wish('b', 150), 99).owner).toBe('a');
    expect(lease.tryAcquire('other', wish('b', 150), 99).owner).toBe('b');
    expect(lease.renew('hub', 'b', 500)).toBe(false);
    expect(lease.renew('hub', 'a', 200)).toBe(true);
    expect(lease.tryAcquire('hub', wish('b', 300), 199).owner).toBe('a');
    expect(lease.tryAcquire('hub', wish('b', 300), 199, (holder) => holder.pid === 1).owner).toBe('b');
    expect(lease.read('hub')).toEqual(wish('b', 300));
    expect(lease.release('hub', 'a')).toBe(false);
    expect(lease.release('hub', 'b')).toBe(true);
    expect(lease.read('hub')).toBeUndefined();
  });

  test('a cached state is replaced by newer ones only', async () => {
    const { states } = await open(place());
    expect(states.get('a')).toBeUndefined();
    states.put('a', { seq: 5, hash: 'h5', json: '5' });
    states.put('a', { seq: 4, hash: 'h4', json: '4' });
    expect(states.get('a')).toEqual({ seq: 5, hash: 'h5', json: '5' });
    states.drop('a');
    expect(states.get('a')).toBeUndefined();
  });

  test('a transaction is stored whole or not at all, also inside another', async () => {
    const store = await open(place());
    const put = (hash: string) => store.objects.put(hash, 'node', '{}');
    expect(() =>
      store.transaction(() => {
        put('a');
        store.transaction(() => put('b'));
        throw new Error('no');
      }),
    ).toThrow('no');
    await expect(
      store.write(() => {
        put('c');
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    expect(() => store.transaction(() => Promise.resolve())).toThrow('must not wait');
    expect(['a', 'b', 'c'].map((h) => store.objects.has(h))).toEqual([false, false, false]);
    expect(await store.write(() => put('d'))).toBe(true);
    expect(store.objects.has('d')).toBe(true);
  });

  test('a closed store says so', async () => {
    const store = await open(place());
    store.close();
    store.close();
    expect(store.closed).toBe(true);
    expect(() => store.objects.has('a')).toThrow(expect.objectContaining({ code: 'database_closed' }));
  });
});

test('everything outlasts the connection, in files for the owner alone', async () => {
  const folder = join(tempDir(), 'a', 'data');
  const first = await open({ folder });
  first.objects.put('h', 'node', '{}');
  const mode = (path: string) => statSync(path).mode & 0o777;
  expect(mode(folder)).toBe(0o700);
  expect(readdirSync(folder).sort()).toEqual(['project-anchor.db', 'project-anchor.db-shm', 'project-anchor.db-wal']);
  for (const name of readdirSync(folder)) expect(mode(join(folder, name))).toBe(0o600);
  first.close();
  expect(existsSync(join(folder, 'project-anchor.db-wal'))).toBe(false);
  const second = await open({ folder });
  expect(second.objects.has('h')).toBe(true);
  expect(second.inMemory).toBe(false);
});

test('writes wait for the disk, but those that may be lost with the power', async () => {
  const database = await openDatabase(join(tempDir(), 'x.db'), DEFAULT_WAITS, silentLogger());
  onTestFinished(() => database.close());
  const synchronous = () => database.get('PRAGMA synchronous')?.['synchronous'];
  const FULL = 2;
  const NORMAL = 1;
  expect(database.get('PRAGMA journal_mode')).toEqual({ journal_mode: 'wal' });
  expect(synchronous()).toBe(FULL);
  expect(database.relaxed(synchronous)).toBe(NORMAL);
  expect(synchronous()).toBe(FULL);
  expect(() =>
    database.relaxed(() => {
      throw new Error('no');
    }),
  ).toThrow('no');
  expect(synchronous()).toBe(FULL);
  expect(database.transaction(() => database.relaxed(synchronous))).toBe(FULL);
});

test('dataVersion moves when somebody else has written, not by own writes', async () => {
  const folder = tempDir();
  const one = await open({ folder });
  const two = await open({ folder });
  const before = one.dataVersion();
  one.objects.put('a', 'node', '{}');
  expect(one.dataVersion()).toBe(before);
  two.objects.put('b', 'node', '{}');
  expect(one.dataVersion()).not.toBe(before);
});

test('what an older version stored is still there, and can still be found', async () => {
  const folder = tempDir();
  const [first = ''] = MIGRATIONS;
  const old = new DatabaseSync(join(folder, 'project-anchor.db'));
  old.exec(first);
  const id = sha('snapshot');
  const part = sha('part');
  const json = JSON.stringify({ id, trigger: 'mark', tree: part });
  old.prepare('INSERT INTO objects VALUES (?, ?, ?)').run(part, 'node', '{"entries":[]}');
  const snapshot = 'INSERT INTO snapshots (id, anchor, workspace, taken_at, commit_id, json) VALUES (?, ?, ?, ?, ?, ?)';
  old.prepare(snapshot).run(id, ANCHOR.id, 'w', ANCHOR.attachedAt, 'c1', json);
  old.prepare("INSERT INTO chains (anchor) VALUES ('another')").run();
  old.prepare("INSERT INTO deltas VALUES (1, 1, 'i1', 'h1', 'h0', '{}', 2)").run();
  old.exec(`PRAGMA application_id = ${0x50416e63}; PRAGMA user_version = 1`);
  old.close();

  const store = await open({ folder });
  const row = {
    id,
    anchor: ANCHOR.id,
    workspace: 'w',
    takenAt: ANCHOR.attachedAt,
    trigger: 'mark',
    commit: 'c1',
    json,
  };
  expect(store.snapshots.latest('w')).toEqual(row);
  expect(store.snapshots.byId(id)).toEqual(row);
  expect(store.snapshots.byIdPrefix(ANCHOR.id, id.slice(0, 9), 2)).toEqual([row]);
  expect(store.snapshots.byCommit('w', 'c1')?.id).toBe(id);
  expect(store.objects.get(part)).toEqual({ hash: part, kind: 'node', json: '{"entries":[]}' });
  expect(store.deltas.at('another', 1)).toEqual({ seq: 1, id: 'i1', hash: 'h1', prev: 'h0', body: '{}' });
  // What comes now is stored against it.
  const next = { ...row, id: sha('next'), json: JSON.stringify({ ...JSON.parse(json), more: json.repeat(9) }) };
  store.snapshots.insert(next);
  expect(store.snapshots.latest('w')).toEqual(next);
});
