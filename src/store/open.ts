import { accessSync, chmodSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { codeOf, type Logger, ProjectAnchorError } from '../base/index.ts';
import { createOnce } from './data-folder.ts';
import { Database, integer, text, type Waits } from './database.ts';
import { corruptError, explain, newerError, readOnlyError } from './errors.ts';
import { MIGRATIONS, SCHEMA_VERSION } from './migrations.ts';
import { type Connect, loadSqlite } from './sqlite.ts';

/** Where a database in memory lives: nothing of it outlasts the connection. */
export const MEMORY = ':memory:';

/** 'PAnc' in ASCII; says that a SQLite file is ours (https://sqlite.org/pragma.html#pragma_application_id). */
const APPLICATION_ID = 0x50416e63;
/** Above this size, in bytes, opening checks the schema only: reading every page would be felt at each command. */
const FULL_CHECK_BYTES = 256 * 1024 * 1024;
const OPEN_PAUSE_MS = 25;

/**
 * Opens, checks and, where it is older, migrates the database.
 * A newer one is not touched, a damaged one not changed; each problem is an error of its own.
 * @throws ProjectAnchorError `sqlite_missing`, `database_newer`, `database_corrupt`, `database_busy`, `read_only`,
 *   `disk_full`, `database_io`.
 */
export async function openDatabase(file: string, waits: Waits, logger: Logger): Promise<Database> {
  const connect = await loadSqlite();
  if (file === MEMORY) return prepareMemory(connect, waits);
  ensureFile(file);
  refuseNewer(file, connect);
  const end = performance.now() + waits.blocking;
  for (;;) {
    try {
      return prepareFile(file, connect, waits, logger);
    } catch (error) {
      // Turning a new file to WAL and recovering one after a crash need every lock, and SQLite does not wait for those.
      if (codeOf(error) !== 'database_busy' || performance.now() >= end) throw error;
    }
    await pause(OPEN_PAUSE_MS);
  }
}

function prepareMemory(connect: Connect, waits: Waits): Database {
  const database = new Database(MEMORY, connect(MEMORY), waits);
  migrate(database);
  return database;
}

/**
 * The file is made by us, empty and for its owner alone, before SQLite sees it: `-wal` and `-shm` inherit its mode.
 * It is never opened by us afterwards: closing a second handle would drop SQLite's locks of this whole process.
 */
function ensureFile(file: string): void {
  const status = statSync(file, { throwIfNoEntry: false });
  if (status === undefined) {
    createOnce(file, '');
    return;
  }
  if (!status.isFile()) throw corruptError(file, 'it is not a file');
  const wal = statSync(`${file}-wal`, { throwIfNoEntry: false });
  // SQLite would take the empty file for a new database and throw the log beside it away.
  if (status.size === 0 && (wal?.size ?? 0) > 0) throw corruptError(file, 'it is empty, but its -wal file is not');
  try {
    accessSync(file, constants.R_OK | constants.W_OK);
    accessSync(dirname(file), constants.W_OK);
  } catch (error) {
    throw readOnlyError(file, error);
  }
  if (process.platform !== 'win32' && (status.mode & 0o077) !== 0) chmodSync(file, 0o600);
}

/**
 * Refuses a newer database before any ordinary connection makes files beside it. What is only in `-wal` is not seen
 * here, and whatever goes wrong here goes wrong again, with its locks, in the real opening.
 */
function refuseNewer(file: string, connect: Connect): void {
  const found = peekVersion(file, connect);
  if (found > SCHEMA_VERSION) throw newerError(file, found, SCHEMA_VERSION);
}

function peekVersion(file: string, connect: Connect): number {
  const url = pathToFileURL(file);
  url.searchParams.set('immutable', '1');
  try {
    const connection = connect(url, { readOnly: true });
    try {
      return integer(connection.prepare('PRAGMA user_version').get(), 'user_version');
    } finally {
      connection.close();
    }
  } catch {
    return 0;
  }
}

function prepareFile(file: string, connect: Connect, waits: Waits, logger: Logger): Database {
  // Checked through a connection that cannot write: an ordinary one would fold `-wal` into a damaged file at its end.
  closing(() => new Database(file, connect(file, { readOnly: true }), waits), file, check).close();
  return closing(
    () => new Database(file, connect(file), waits),
    file,
    (database) => {
      const mode = text(database.get('PRAGMA journal_mode = WAL'), 'journal_mode');
      if (mode !== 'wal') logger.warn(`the database's file system has no write-ahead log; it works in mode ${mode}`);
      database.exec('PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF');
      migrate(database);
    },
  );
}

/** Opens and prepares; when that fails the connection is closed and the error says what to do. */
function closing(open: () => Database, file: string, prepare: (database: Database) => void): Database {
  let database: Database | undefined;
  try {
    database = open();
    prepare(database);
    return database;
  } catch (error) {
    database?.close();
    throw explain(error, file);
  }
}

/** Refuses what is damaged or somebody else's, before anything is written. */
function check(database: Database): void {
  // Another process may be making the database just now: all is to be of one moment. It ends with the connection.
  database.exec('BEGIN');
  const version = versionOf(database);
  if (version > SCHEMA_VERSION) throw newerError(database.file, version, SCHEMA_VERSION);
  const application = integer(database.get('PRAGMA application_id'), 'application_id');
  const tables = integer(database.get('SELECT count(*) AS tables FROM sqlite_schema'), 'tables');
  if (tables === 0 && version === 0 && application === 0) return;
  if (application !== APPLICATION_ID) throw corruptError(database.file, 'it belongs to another program');
  const pages = integer(database.get('PRAGMA page_count'), 'page_count');
  const pageSize = integer(database.get('PRAGMA page_size'), 'page_size');
  if (pages * pageSize > FULL_CHECK_BYTES) return;
  const verdict = text(database.get('PRAGMA quick_check(1)'), 'quick_check');
  if (verdict !== 'ok') throw corruptError(database.file, verdict.replace(/\s*\n\s*/g, ' '));
}

/** Takes the missing steps, all or none; whoever else is opening waits and then finds nothing to do. */
function migrate(database: Database): void {
  if (versionOf(database) === SCHEMA_VERSION) return;
  database.transaction(() => {
    const version = versionOf(database);
    if (version > SCHEMA_VERSION) throw newerError(database.file, version, SCHEMA_VERSION);
    for (const step of MIGRATIONS.slice(version)) database.exec(step);
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION}`);
  });
}

function versionOf(database: Database): number {
  return integer(database.get('PRAGMA user_version'), 'user_version');
}

/**
 * Every check SQLite has, over the whole database; slow for a large one.
 * @throws ProjectAnchorError `database_corrupt` with what it found first.
 */
export function checkIntegrity(database: Database): void {
  const verdict = text(database.get('PRAGMA integrity_check(1)'), 'integrity_check');
  if (verdict !== 'ok') throw new ProjectAnchorError('database_corrupt', corruptError(database.file, verdict).message);
}
