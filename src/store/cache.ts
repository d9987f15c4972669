import { rmSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { type Clock, codeOf, type Logger, messageOf } from '../base/index.ts';
import { createOnce, ensureDataFolder } from './data-folder.ts';
import { Database, integer, type Row, type Waits } from './database.ts';
import { loadSqlite } from './sqlite.ts';

/** Changes with the table below: the file's name carries it, so that two versions of the program do not share one. */
const FORMAT = 2;
const NAME = /^cache-(\d+)\.db(?:-wal|-shm)?$/;

const SCHEMA = `
  CREATE TABLE entries (
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    -- The day it was last of use, since 1970.
    seen INTEGER NOT NULL,
    value ANY NOT NULL,
    PRIMARY KEY (kind, key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX entries_by_seen ON entries (seen);
`;

/** What can be computed again waits for nobody. */
const WAITS: Waits = { blocking: 250, write: 1_000 };
const DAY_MS = 86_400_000;
/** Entries that were of no use for so many days are removed; a branch may rest for a month. */
const KEPT_DAYS = 30;
/** A larger file loses what was not of use lately, in bytes. */
const MOST_BYTES = 512 * 1024 * 1024;
/** That something was of use is noted once in so many days. */
const NOTED_DAYS = 7;

export interface CacheOptions {
  /** The data folder. */
  readonly folder: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * What can be computed again but takes time: a file of its own beside the database, for its owner alone, shared by all
 * processes. It may be deleted at any time. Nothing here throws: what cannot be read was never kept, and what cannot be
 * written is not kept; the log says why. A damaged file is replaced by an empty one.
 */
export class Cache {
  readonly #database: Database;
  readonly #logger: Logger;
  readonly #today: number;
  /** Entries to note as of use, with the next write. */
  readonly #used = new Map<string, readonly [kind: string, key: string]>();
  #broken = false;

  constructor(database: Database, clock: Clock, logger: Logger) {
    this.#database = database;
    this.#logger = logger;
    this.#today = Math.floor(clock.now() / DAY_MS);
  }

  /** A kept text, or undefined. */
  get(kind: string, key: string): string | undefined {
    return this.#tried(() => {
      const row = this.#database.get('SELECT seen, value FROM entries WHERE kind = ? AND key = ?', kind, key);
      if (row === undefined) return undefined;
      if (this.#today - integer(row, 'seen') >= NOTED_DAYS) this.#used.set(`${kind}\0${key}`, [kind, key]);
      return unpack(row['value']);
    });
  }

  /** Keeps a text. Another one under the same key is replaced. */
  put(kind: string, key: string, value: string): void {
    this.#tried(() => {
      const sql = 'INSERT OR REPLACE INTO entries (kind, key, seen, value) VALUES (?, ?, ?, ?)';
      this.#database.run(sql, kind, key, this.#today, pack(value));
    });
  }

  /** Runs `work` with all that it puts in one transaction, which is faster. */
  batch(work: () => void): void {
    const began = this.#tried(() => {
      this.#database.exec('BEGIN IMMEDIATE');
      return true;
    });
    try {
      work();
    } finally {
      if (began === true) {
        this.#tried(() => {
          this.#noteUsed();
          this.#database.exec('COMMIT');
        });
      }
    }
  }

  close(): void {
    if (this.#used.size > 0) this.batch(() => undefined);
    this.#database.close();
  }

  /** Removes what was of no use for long. */
  prune(): void {
    this.#tried(() => {
      this.#database.run('DELETE FROM entries WHERE seen < ?', this.#today - KEPT_DAYS);
      const pages = integer(this.#database.get('PRAGMA page_count'), 'page_count');
      const size = integer(this.#database.get('PRAGMA page_size'), 'page_size');
      if (pages * size > MOST_BYTES) this.#database.run('DELETE FROM entries WHERE seen < ?', this.#today - 1);
      this.#database.exec('PRAGMA incremental_vacuum');
    });
  }

  #noteUsed(): void {
    for (const [kind, key] of this.#used.values()) {
      this.#database.run('UPDATE entries SET seen = ? WHERE kind = ? AND key = ?', this.#today, kind, key);
    }
    this.#used.clear();
  }

  #tried<T>(work: () => T): T | undefined {
    if (this.#broken || this.#database.closed) return undefined;
    try {
      return work();
    } catch (error) {
      // Another process is at it: this entry is not kept, the next one may be.
      if (codeOf(error) === 'database_busy') return undefined;
      this.#broken = true;
      this.#logger.warn(`The cache is not used any more until the next start: ${messageOf(error)}`);
      return undefined;
    }
  }
}

/**
 * Opens the cache of a data folder, making it when it is missing; caches of older forms are removed.
 * @returns null where there can be none; the log says why
 */
export async function openCache({ folder, clock, logger }: CacheOptions): Promise<Cache | null> {
  try {
    ensureDataFolder(folder);
    await removeOlder(folder);
    const database = await openOrReplace(join(folder, `cache-${FORMAT}.db`), logger);
    const cache = new Cache(database, clock, logger);
    cache.prune();
    return cache;
  } catch (error) {
    logger.warn(`There is no cache, so what it would hold is computed each time: ${messageOf(error)}`);
    return null;
  }
}

async function removeOlder(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const format = NAME.exec(name)?.[1];
    if (format !== undefined && Number(format) < FORMAT) rmSync(join(folder, name), { force: true });
  }
}

async function openOrReplace(file: string, logger: Logger): Promise<Database> {
  try {
    return await openFile(file);
  } catch (error) {
    if (codeOf(error) !== 'database_corrupt') throw error;
    logger.warn(`The cache is damaged and is made anew: ${messageOf(error)}`);
    for (const each of [file, `${file}-wal`, `${file}-shm`]) rmSync(each, { force: true });
    return openFile(file);
  }
}

async function openFile(file: string): Promise<Database> {
  const connect = await loadSqlite();
  if (statSync(file, { throwIfNoEntry: false }) === undefined) createOnce(file, '');
  const database = new Database(file, connect(file), WAITS);
  try {
    // Losing it with the power is no loss, so nothing waits for the disk.
    database.exec('PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF');
    database.transaction(() => {
      if (versionOf(database.get('PRAGMA user_version')) === FORMAT) return;
      database.exec('DROP TABLE IF EXISTS entries');
      database.exec(`${SCHEMA}; PRAGMA user_version = ${FORMAT}`);
    });
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Shorter texts stay as they are, in UTF-16 units: to pack thousands of them is felt, and their room is not. */
const PLAIN_BELOW = 4096;
/** A value that claims more than this is damaged. */
const MOST_VALUE = 64 * 1024 * 1024;

/** Quickly rather than well: the entries of a whole tree are written at once. */
function pack(value: string): string | Uint8Array {
  return value.length < PLAIN_BELOW ? value : deflateRawSync(Buffer.from(value, 'utf8'), { level: 1 });
}

function unpack(value: unknown): string {
  if (typeof value === 'string') return value;
  if (!(value instanceof Uint8Array)) throw new TypeError('a value is neither text nor bytes');
  return inflateRawSync(value, { maxOutputLength: MOST_VALUE }).toString('utf8');
}

function versionOf(row: Row | undefined): number {
  return integer(row, 'user_version');
}
