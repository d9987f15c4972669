import { chainKey, ensureChainKey } from './chains.ts';
import { type Database, integer, type Row, text } from './database.ts';

/** One link of an anchor's chain. */
export interface DeltaRow {
  readonly seq: number;
  readonly id: string;
  readonly hash: string;
  readonly prev: string;
  /** Canonical JSON of the delta without `seq`, `prev` and `hash`, unknown fields included. */
  readonly body: string;
}

export interface ChainHead {
  readonly seq: number;
  readonly hash: string;
}

/** The rows of the log. It keeps what it is given: chaining is the delta room's. */
export class Deltas {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The newest link of an anchor, or undefined when it has none. */
  head(anchor: string): ChainHead | undefined {
    const sql = 'SELECT seq, hash FROM deltas WHERE chain = ? ORDER BY seq DESC LIMIT 1';
    const key = chainKey(this.#database, anchor);
    return key === undefined ? undefined : headOf(this.#database.get(sql, key));
  }

  /** The newest link of every anchor that has one. */
  heads(): ReadonlyMap<string, ChainHead> {
    const sql = `SELECT c.anchor, d.seq, d.hash FROM chains c
      JOIN deltas d ON d.chain = c.key AND d.seq = (SELECT max(seq) FROM deltas WHERE chain = c.key)`;
    return new Map(this.#database.all(sql).map((row) => [text(row, 'anchor'), toHead(row)]));
  }

  /** Where the delta with this id is, or undefined. */
  byId(anchor: string, id: string): ChainHead | undefined {
    const sql = `SELECT d.seq, d.hash FROM deltas d JOIN chains c ON c.key = d.chain WHERE c.anchor = ? AND d.id = ?`;
    return headOf(this.#database.get(sql, anchor, id));
  }

  /** The link at `seq`, or undefined. */
  at(anchor: string, seq: number): DeltaRow | undefined {
    const sql = `SELECT d.* FROM deltas d JOIN chains c ON c.key = d.chain WHERE c.anchor = ? AND d.seq = ?`;
    const row = this.#database.get(sql, anchor, seq);
    return row === undefined ? undefined : toDelta(row);
  }

  /** Links with seq above `after`, in order, at most `limit`. */
  read(anchor: string, after: number, limit: number): readonly DeltaRow[] {
    const key = chainKey(this.#database, anchor);
    if (key === undefined) return [];
    const sql = 'SELECT seq, id, hash, prev, body FROM deltas WHERE chain = ? AND seq > ? ORDER BY seq LIMIT ?';
    return this.#database.all(sql, key, after, limit).map(toDelta);
  }

  /**
   * Adds one link; seq and id are unique per anchor. Call it in the transaction that read the head.
   * Returns the bytes of all bodies of the chain up to and with this one.
   */
  insert(anchor: string, row: DeltaRow): number {
    const key = ensureChainKey(this.#database, anchor);
    const before = this.#database.get('SELECT total FROM deltas WHERE chain = ? AND seq = ?', key, row.seq - 1);
    const total = (before === undefined ? 0 : integer(before, 'total')) + Buffer.byteLength(row.body, 'utf8');
    this.#database.run(
      'INSERT INTO deltas (chain, seq, id, hash, prev, body, total) VALUES (?, ?, ?, ?, ?, ?, ?)',
      key,
      row.seq,
      row.id,
      row.hash,
      row.prev,
      row.body,
      total,
    );
    return total;
  }
}

function headOf(row: Row | undefined): ChainHead | undefined {
  return row === undefined ? undefined : toHead(row);
}

function toHead(row: Row): ChainHead {
  return { seq: integer(row, 'seq'), hash: text(row, 'hash') };
}

function toDelta(row: Row): DeltaRow {
  return {
    seq: integer(row, 'seq'),
    id: text(row, 'id'),
    hash: text(row, 'hash'),
    prev: text(row, 'prev'),
    body: text(row, 'body'),
  };
}
