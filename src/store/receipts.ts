import { chainKey, ensureChainKey } from './chains.ts';
import { type Database, integer, type Row, text } from './database.ts';

/** One link of an anchor's receipts on this machine. */
export interface ReceiptRow {
  /** 1, 2, 3, ... per anchor. */
  readonly n: number;
  readonly id: string;
  readonly hash: string;
  readonly prev: string;
  /** Canonical JSON of the receipt without `prev` and `hash`. */
  readonly body: string;
}

/** A process that may hold receipts which are not stored yet. */
export interface ReceiptWriter {
  readonly anchor: string;
  /** Unique per open service. */
  readonly owner: string;
  readonly pid: number;
  /** What tells this process from a later one with the same pid. */
  readonly processStart: string;
  readonly openedAt: string;
}

export interface ReceiptHead {
  readonly n: number;
  readonly hash: string;
}

/** The rows of the receipt chains, and who may still be adding to them. */
export class Receipts {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  head(anchor: string): ReceiptHead | undefined {
    const key = chainKey(this.#database, anchor);
    if (key === undefined) return undefined;
    const row = this.#database.get('SELECT n, hash FROM receipts WHERE chain = ? ORDER BY n DESC LIMIT 1', key);
    return row === undefined ? undefined : { n: integer(row, 'n'), hash: text(row, 'hash') };
  }

  byId(anchor: string, id: string): ReceiptRow | undefined {
    const sql = 'SELECT r.* FROM receipts r JOIN chains c ON c.key = r.chain WHERE c.anchor = ? AND r.id = ?';
    const row = this.#database.get(sql, anchor, id);
    return row === undefined ? undefined : toReceipt(row);
  }

  /** Adds one link. Call it in the transaction that read the head. */
  insert(anchor: string, row: ReceiptRow): void {
    this.#database.run(
      'INSERT INTO receipts (chain, n, id, hash, prev, body) VALUES (?, ?, ?, ?, ?, ?)',
      ensureChainKey(this.#database, anchor),
      row.n,
      row.id,
      row.hash,
      row.prev,
      row.body,
    );
  }

  /** Links with `n` above `after`, in order, at most `limit`. */
  read(anchor: string, after: number, limit: number): readonly ReceiptRow[] {
    const key = chainKey(this.#database, anchor);
    if (key === undefined) return [];
    const sql = 'SELECT * FROM receipts WHERE chain = ? AND n > ? ORDER BY n LIMIT ?';
    return this.#database.all(sql, key, after, limit).map(toReceipt);
  }

  /** The last `count` links, newest first. */
  last(anchor: string, count: number): readonly ReceiptRow[] {
    const key = chainKey(this.#database, anchor);
    if (key === undefined) return [];
    const sql = 'SELECT * FROM receipts WHERE chain = ? ORDER BY n DESC LIMIT ?';
    return this.#database.all(sql, key, count).map(toReceipt);
  }

  /** Says that a process may now hold receipts of an anchor in memory. */
  openWriter(writer: ReceiptWriter): void {
    this.#database.run(
      `INSERT INTO receipt_writers (chain, owner, pid, process_start, opened_at) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT DO NOTHING`,
      ensureChainKey(this.#database, writer.anchor),
      writer.owner,
      writer.pid,
      writer.processStart,
      writer.openedAt,
    );
  }

  /** Says that an owner has stored all it held, for one anchor or for all; returns how many entries ended. */
  closeWriter(owner: string, anchor?: string): number {
    if (anchor === undefined) return this.#database.run('DELETE FROM receipt_writers WHERE owner = ?', owner);
    const sql = 'DELETE FROM receipt_writers WHERE owner = ? AND chain = (SELECT key FROM chains WHERE anchor = ?)';
    return this.#database.run(sql, owner, anchor);
  }

  /** Everybody who has not said so yet. */
  writers(): readonly ReceiptWriter[] {
    const sql = `SELECT c.anchor, w.owner, w.pid, w.process_start, w.opened_at
      FROM receipt_writers w JOIN chains c ON c.key = w.chain ORDER BY w.opened_at, w.owner`;
    return this.#database.all(sql).map((row) => ({
      anchor: text(row, 'anchor'),
      owner: text(row, 'owner'),
      pid: integer(row, 'pid'),
      processStart: text(row, 'process_start'),
      openedAt: text(row, 'opened_at'),
    }));
  }
}

function toReceipt(row: Row): ReceiptRow {
  return {
    n: integer(row, 'n'),
    id: text(row, 'id'),
    hash: text(row, 'hash'),
    prev: text(row, 'prev'),
    body: text(row, 'body'),
  };
}
