import { codeOf } from '../base/index.ts';
import { chainKey, ensureChainKey } from './chains.ts';
import { type Database, integer, type Row, text } from './database.ts';
import type { Objects } from './objects.ts';
import { packHash, packId, packText, unpackHash, unpackId, unpackText } from './packed-text.ts';

/** One link of an anchor's chain. */
export interface DeltaRow {
  readonly seq: number;
  readonly id: string;
  readonly hash: string;
  readonly prev: string;
  /** Canonical JSON of the delta without `seq`, `prev` and `hash`, unknown fields included. */
  readonly body: string;
  /** When it is written: hashes of objects whose JSON the body repeats word for word. */
  readonly repeats?: readonly string[];
}

export interface ChainHead {
  readonly seq: number;
  readonly hash: string;
}

/** The rows of the log. It keeps what it is given: chaining is the delta room's. */
export class Deltas {
  readonly #database: Database;
  readonly #objects: Objects;

  constructor(database: Database, objects: Objects) {
    this.#database = database;
    this.#objects = objects;
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
    return headOf(this.#database.get(sql, anchor, packId(id)));
  }

  /** The link at `seq`, or undefined. */
  at(anchor: string, seq: number): DeltaRow | undefined {
    const sql = `SELECT d.* FROM deltas d JOIN chains c ON c.key = d.chain WHERE c.anchor = ? AND d.seq = ?`;
    const row = this.#database.get(sql, anchor, seq);
    return row === undefined ? undefined : this.#toDelta(anchor, row);
  }

  /** Links with seq above `after`, in order, at most `limit`. */
  read(anchor: string, after: number, limit: number): readonly DeltaRow[] {
    const key = chainKey(this.#database, anchor);
    if (key === undefined) return [];
    const sql = 'SELECT seq, id, hash, prev, body, parts FROM deltas WHERE chain = ? AND seq > ? ORDER BY seq LIMIT ?';
    return this.#database.all(sql, key, after, limit).map((row) => this.#toDelta(anchor, row));
  }

  /**
   * Adds one link; seq and id are unique per anchor. Call it in the transaction that read the head.
   * Returns the bytes of all bodies of the chain up to and with this one.
   */
  insert(anchor: string, row: DeltaRow): number {
    const key = ensureChainKey(this.#database, anchor);
    const before = this.#database.get('SELECT total FROM deltas WHERE chain = ? AND seq = ?', key, row.seq - 1);
    const total = (before === undefined ? 0 : integer(before, 'total')) + Buffer.byteLength(row.body, 'utf8');
    const parts = (row.repeats ?? []).flatMap((hash) => this.#objects.keyOf(hash) ?? []);
    const body = packText(row.body, [...this.#textsOf(parts), wordsOf(anchor, row.id)]);
    this.#database.run(
      'INSERT INTO deltas (chain, seq, id, hash, prev, body, parts, total) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
      key,
      row.seq,
      packId(row.id),
      packHash(row.hash),
      packHash(row.prev),
      body,
      parts.length === 0 || typeof body === 'string' ? null : JSON.stringify(parts),
      total,
    );
    return total;
  }

  /** Keys of the objects that links are stored against, of every anchor, after a place; null at the end. */
  partsAfter(
    place: PartsPlace | null,
    limit: number,
  ): { readonly keys: readonly number[]; readonly place: PartsPlace | null } {
    const sql = `SELECT chain, seq, parts FROM deltas
      WHERE parts IS NOT NULL AND (chain, seq) > (?, ?) ORDER BY chain, seq LIMIT ?`;
    const rows = this.#database.all(sql, place?.chain ?? 0, place?.seq ?? 0, limit);
    const last = rows.at(-1);
    const next = last === undefined ? null : { chain: integer(last, 'chain'), seq: integer(last, 'seq') };
    return { keys: rows.flatMap((row) => keysOf(row['parts'])), place: next };
  }

  /** A body that cannot be read is empty, which no delta is: who checks the chain finds it there. */
  #toDelta(anchor: string, row: Row): DeltaRow {
    const id = unpackId(row['id']);
    return {
      seq: integer(row, 'seq'),
      id,
      hash: unpackHash(row['hash']),
      prev: unpackHash(row['prev']),
      body: this.#bodyOf(row, wordsOf(anchor, id)),
    };
  }

  #bodyOf(row: Row, words: string): string {
    try {
      return unpackText(row['body'], () => [...this.#textsOf(keysOf(row['parts'])), words]);
    } catch (error) {
      if (codeOf(error) === 'database_busy' || codeOf(error) === 'database_closed') throw error;
      return '';
    }
  }

  #textsOf(keys: readonly number[]): readonly string[] {
    return keys.map((key) => this.#objects.byKey(key) ?? '');
  }
}

/** A link that is stored against objects. */
export interface PartsPlace {
  readonly chain: number;
  readonly seq: number;
}

function keysOf(parts: unknown): readonly number[] {
  return typeof parts === 'string' ? (JSON.parse(parts) as readonly number[]) : [];
}

/** What the columns of a row say once more in its body. */
function wordsOf(anchor: string, id: string): string {
  return `"anchor":"${anchor}","at":"2026-"id":"${id}","ops":[`;
}

function headOf(row: Row | undefined): ChainHead | undefined {
  return row === undefined ? undefined : toHead(row);
}

function toHead(row: Row): ChainHead {
  return { seq: integer(row, 'seq'), hash: unpackHash(row['hash']) };
}
