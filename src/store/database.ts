import type { SQLInputValue, SQLOutputValue } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { codeOf, ProjectAnchorError } from '../base/index.ts';
import { explain } from './errors.ts';
import type { Connection } from './sqlite.ts';

/** One row, by column name. */
export type Row = Readonly<Record<string, SQLOutputValue>>;

/** How long another process's lock is waited for, in ms, before a call gives up with `database_busy`. */
export interface Waits {
  /** In a synchronous call, which blocks its thread. */
  readonly blocking: number;
  /** In `write`, which does not. */
  readonly write: number;
}

/** Every transaction of ours takes a few ms; seconds mean that somebody else's program holds the file. */
export const DEFAULT_WAITS: Waits = { blocking: 5_000, write: 15_000 };

/** How long one attempt of `write` may block the thread, and the pause after it, in ms. */
const WRITE_ATTEMPT_MS = 50;
const WRITE_PAUSE_MS = 20;

/**
 * One connection with its prepared statements, transactions and errors that say what to do.
 * Everything but `write` is synchronous: connections live in worker threads and in the command line.
 */
export class Database {
  readonly file: string;
  readonly #connection: Connection;
  readonly #waits: Waits;
  readonly #statements = new Map<string, ReturnType<Connection['prepare']>>();
  #depth = 0;
  #closed = false;

  constructor(file: string, connection: Connection, waits: Waits) {
    this.file = file;
    this.#connection = connection;
    this.#waits = waits;
    this.exec(`PRAGMA busy_timeout = ${waits.blocking}`);
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Runs SQL that gives no rows; several statements at once are fine. */
  exec(sql: string): void {
    this.#explained(() => this.#connection.exec(sql));
  }

  /** Runs one prepared statement and returns how many rows it changed. */
  run(sql: string, ...values: SQLInputValue[]): number {
    return this.#explained(() => Number(this.#prepare(sql).run(...values).changes));
  }

  get(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#explained(() => this.#prepare(sql).get(...values));
  }

  all(sql: string, ...values: SQLInputValue[]): readonly Row[] {
    return this.#explained(() => this.#prepare(sql).all(...values));
  }

  /** A number that changes whenever another connection commits (`PRAGMA data_version`). */
  dataVersion(): number {
    return integer(this.get('PRAGMA data_version'), 'data_version');
  }

  /**
   * Runs `work` in one write transaction: all of it is stored, durably, or none. Inside another one it joins that.
   * @throws ProjectAnchorError `database_busy` when the lock cannot be had in time, and the other storage codes.
   */
  transaction<T>(work: () => T): T {
    if (this.#depth > 0) return this.#inside(work);
    this.exec('BEGIN IMMEDIATE');
    return this.#finish(work);
  }

  /**
   * Like `transaction`, waiting for the lock without blocking the thread: for threads that also answer others.
   * `work` is run once, synchronously, when the lock is held.
   */
  async write<T>(work: () => T): Promise<T> {
    // The machine's own time and timers: what is waited for is another process, and the wait must keep this one alive.
    const end = performance.now() + this.#waits.write;
    while (!this.#tryBegin(performance.now() >= end)) await pause(WRITE_PAUSE_MS);
    return this.#finish(work);
  }

  /** A write that may be lost with the power, such as a lease: it does not wait for the disk. */
  relaxed<T>(work: () => T): T {
    if (this.#depth > 0) return this.#inside(work);
    this.exec('PRAGMA synchronous = NORMAL');
    try {
      return this.transaction(work);
    } finally {
      this.exec('PRAGMA synchronous = FULL');
    }
  }

  /** Ends the connection; later calls throw `database_closed`. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#statements.clear();
    this.#connection.close();
  }

  #tryBegin(last: boolean): boolean {
    this.exec(`PRAGMA busy_timeout = ${WRITE_ATTEMPT_MS}`);
    try {
      this.exec('BEGIN IMMEDIATE');
      return true;
    } catch (error) {
      if (last || codeOf(error) !== 'database_busy') throw error;
      return false;
    } finally {
      this.exec(`PRAGMA busy_timeout = ${this.#waits.blocking}`);
    }
  }

  #finish<T>(work: () => T): T {
    let done = false;
    try {
      const result = this.#inside(work);
      this.exec('COMMIT');
      done = true;
      return result;
    } finally {
      // SQLite has already rolled back by itself after some errors, such as a full disk.
      if (!done && this.#connection.isTransaction) this.exec('ROLLBACK');
    }
  }

  #inside<T>(work: () => T): T {
    this.#depth++;
    try {
      const result = work();
      if (result instanceof Promise) throw new TypeError('a transaction must not wait');
      return result;
    } finally {
      this.#depth--;
    }
  }

  #prepare(sql: string): ReturnType<Connection['prepare']> {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#connection.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #explained<T>(work: () => T): T {
    if (this.#closed) throw new ProjectAnchorError('database_closed', `The database ${this.file} is closed.`);
    try {
      return work();
    } catch (error) {
      throw explain(error, this.file);
    }
  }
}

/** A text column that the schema declares NOT NULL. */
export function text(row: Row | undefined, column: string): string {
  const value = row?.[column];
  if (typeof value !== 'string') throw new TypeError(`column ${column} is not text`);
  return value;
}

/** An integer column that the schema declares NOT NULL. */
export function integer(row: Row | undefined, column: string): number {
  const value = row?.[column];
  if (typeof value !== 'number') throw new TypeError(`column ${column} is not an integer`);
  return value;
}
