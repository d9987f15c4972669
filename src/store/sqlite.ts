import type { DatabaseSync, DatabaseSyncOptions } from 'node:sqlite';
import { messageOf, ProjectAnchorError } from '../base/index.ts';

/** One open connection, as Node's own SQLite gives it. */
export type Connection = DatabaseSync;

/** Opens a connection to a file, a `file:` URL or `:memory:`. */
export type Connect = (location: string | URL, options?: DatabaseSyncOptions) => Connection;

/**
 * Node's SQLite, loaded when first needed: a host without it must still be able to run the rest.
 * The class was renamed from `DatabaseSync` to `Database` in newer versions of Node; either is taken.
 * @throws ProjectAnchorError `sqlite_missing`.
 */
export async function loadSqlite(): Promise<Connect> {
  let loaded: Record<string, unknown>;
  try {
    loaded = { ...(await import('node:sqlite')) };
  } catch (error) {
    throw missing(messageOf(error), error);
  }
  const found = loaded['DatabaseSync'] ?? loaded['Database'];
  if (typeof found !== 'function') throw missing('node:sqlite has no database class', undefined);
  const Constructor = found as new (location: string | URL, options?: DatabaseSyncOptions) => Connection;
  return (location, options = {}) => new Constructor(location, options);
}

function missing(detail: string, cause: unknown): ProjectAnchorError {
  return new ProjectAnchorError(
    'sqlite_missing',
    `This JavaScript runtime (Node ${process.versions.node}) has no SQLite: ${detail}.`,
    'Use Node 22.13 or newer, without --no-experimental-sqlite; in the editor, update VS Code.',
    { cause },
  );
}
