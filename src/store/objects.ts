import { type Database, type Row, text } from './database.ts';

/** Something stored once under the hash of its canonical form. */
export interface StoredObject {
  readonly hash: string;
  /** `node` for a directory node, `outline` for an outline. */
  readonly kind: string;
  /** Canonical JSON. */
  readonly json: string;
}

/** Content-addressed pieces of snapshots: directory nodes and outlines. */
export class Objects {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Stores `json` under `hash`; returns false when it was there already. */
  put(hash: string, kind: string, json: string): boolean {
    const sql = 'INSERT INTO objects (hash, kind, json) VALUES (?, ?, ?) ON CONFLICT DO NOTHING';
    return this.#database.run(sql, hash, kind, json) > 0;
  }

  get(hash: string): StoredObject | undefined {
    return objectOf(this.#database.get('SELECT * FROM objects WHERE hash = ?', hash));
  }

  has(hash: string): boolean {
    return this.#database.get('SELECT 1 AS found FROM objects WHERE hash = ?', hash) !== undefined;
  }
}

function objectOf(row: Row | undefined): StoredObject | undefined {
  if (row === undefined) return undefined;
  return { hash: text(row, 'hash'), kind: text(row, 'kind'), json: text(row, 'json') };
}
