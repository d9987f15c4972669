import { ensureChainKey } from './chains.ts';
import { type Database, integer, text } from './database.ts';

/** The state that one head makes. */
export interface StateRow {
  readonly seq: number;
  /** Hash of the delta at `seq`. A cached state counts only while the log has that delta. */
  readonly hash: string;
  /** Canonical JSON of the state. */
  readonly json: string;
}

/** A cache of materialised states, one per anchor. Everything in it can be made again from the deltas. */
export class States {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  get(anchor: string): StateRow | undefined {
    const sql = 'SELECT s.seq, s.hash, s.json FROM states s JOIN chains c ON c.key = s.chain WHERE c.anchor = ?';
    const row = this.#database.get(sql, anchor);
    if (row === undefined) return undefined;
    return { seq: integer(row, 'seq'), hash: text(row, 'hash'), json: text(row, 'json') };
  }

  /** Keeps a state unless a newer one is kept already. It may be lost with the power. */
  put(anchor: string, row: StateRow): void {
    const sql = `INSERT INTO states (chain, seq, hash, json) VALUES (?, ?, ?, ?)
      ON CONFLICT (chain) DO UPDATE SET seq = excluded.seq, hash = excluded.hash, json = excluded.json
      WHERE excluded.seq >= states.seq`;
    this.#database.relaxed(() => {
      this.#database.run(sql, ensureChainKey(this.#database, anchor), row.seq, row.hash, row.json);
    });
  }

  /** Forgets what is cached for an anchor. */
  drop(anchor: string): void {
    const sql = 'DELETE FROM states WHERE chain = (SELECT key FROM chains WHERE anchor = ?)';
    this.#database.relaxed(() => this.#database.run(sql, anchor));
  }
}
