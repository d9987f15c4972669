import { codeOf, messageOf, ProjectAnchorError } from '../base/index.ts';

/** Primary result codes of SQLite (https://sqlite.org/rescode.html). */
const SQLITE_PERM = 3;
const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;
const SQLITE_READONLY = 8;
const SQLITE_IOERR = 10;
const SQLITE_CORRUPT = 11;
const SQLITE_FULL = 13;
const SQLITE_CANTOPEN = 14;
const SQLITE_NOTADB = 26;
/** Extended code: the file was renamed or deleted under an open connection. */
const SQLITE_READONLY_DBMOVED = 1032;

/** The extended result code of an error thrown by SQLite, or undefined for any other error. */
export function resultCode(error: unknown): number | undefined {
  if (codeOf(error) !== 'ERR_SQLITE_ERROR') return undefined;
  const code = (error as { errcode?: unknown }).errcode;
  return typeof code === 'number' ? code : undefined;
}

/** `database_newer`: the file has a schema that this program does not know. */
export function newerError(file: string, found: number, known: number): ProjectAnchorError {
  return new ProjectAnchorError(
    'database_newer',
    `The database ${file} has schema ${found}, this program knows ${known}; the file was left untouched.`,
    'Update ProjectAnchor.',
  );
}

/** `database_corrupt`: the file cannot be read, or is not one of ours. */
export function corruptError(file: string, detail: string, cause?: unknown): ProjectAnchorError {
  return new ProjectAnchorError(
    'database_corrupt',
    `The database ${file} is damaged (${detail}); nothing in it was changed.`,
    'Restore a copy of it, or move it and its -wal file aside to begin a new one; import an export to get its log back.',
    { cause },
  );
}

/** `read_only`: the file or its folder may not be written by this user. */
export function readOnlyError(file: string, cause?: unknown): ProjectAnchorError {
  return new ProjectAnchorError(
    'read_only',
    `The database ${file} cannot be written.`,
    'Give your user write permission on it and its folder, or point PROJECT_ANCHOR_HOME at a folder you can write.',
    { cause },
  );
}

/**
 * What a person can act on, from what SQLite or the file system threw. Errors of ours, and bugs, pass unchanged.
 * Codes: `database_busy`, `database_corrupt`, `read_only`, `disk_full`, `database_io`, `database_closed`.
 */
export function explain(error: unknown, file: string): unknown {
  if (error instanceof ProjectAnchorError) return error;
  const code = resultCode(error);
  if (code === undefined) return explainSystemError(error, file);
  const detail = messageOf(error);
  if (code === SQLITE_READONLY_DBMOVED) return movedError(file, error);
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return busyError(file, error);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return corruptError(file, detail, error);
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return readOnlyError(file, error);
    case SQLITE_FULL:
      return fullError(file, error);
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
      return ioError(file, detail, error);
    default:
      return error;
  }
}

function explainSystemError(error: unknown, file: string): unknown {
  switch (codeOf(error)) {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return readOnlyError(file, error);
    case 'ENOSPC':
    case 'EDQUOT':
      return fullError(file, error);
    case 'ERR_INVALID_STATE':
      return new ProjectAnchorError('database_closed', `The database ${file} is closed.`, undefined, { cause: error });
    default:
      return error;
  }
}

function busyError(file: string, cause: unknown): ProjectAnchorError {
  return new ProjectAnchorError(
    'database_busy',
    `Another process holds the database ${file}; nothing was written.`,
    'Try again; if it lasts, end the program that keeps it locked.',
    { cause },
  );
}

function movedError(file: string, cause: unknown): ProjectAnchorError {
  return new ProjectAnchorError(
    'database_moved',
    `The database ${file} was moved or deleted while it was open; nothing was written.`,
    'Put it back, or restart ProjectAnchor to begin a new one.',
    { cause },
  );
}

function fullError(file: string, cause: unknown): ProjectAnchorError {
  return new ProjectAnchorError(
    'disk_full',
    `There is no room left to write the database ${file}; nothing was written.`,
    'Free some disk space and try again.',
    { cause },
  );
}

function ioError(file: string, detail: string, cause: unknown): ProjectAnchorError {
  return new ProjectAnchorError(
    'database_io',
    `The database ${file} could not be read or written (${detail}).`,
    'Check that its folder exists and that the disk works, then try again.',
    { cause },
  );
}
