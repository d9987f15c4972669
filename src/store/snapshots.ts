import { type Database, type Row, text } from './database.ts';

/** One stored snapshot. What the columns hold is in `json` too; they are there to be found by. */
export interface SnapshotRow {
  readonly id: string;
  /** The anchor's id. */
  readonly anchor: string;
  readonly workspace: string;
  readonly takenAt: string;
  /** The head commit, or null when there was none. */
  readonly commit: string | null;
  /** The snapshot with its larger parts replaced by hashes of objects, as the snapshot room writes it. */
  readonly json: string;
}

/** Snapshots in the order they were stored. */
export class Snapshots {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Stores one; returns false when a snapshot with its id is there already. */
  insert(row: SnapshotRow): boolean {
    const sql = `INSERT INTO snapshots (id, anchor, workspace, taken_at, commit_id, json)
      VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`;
    return this.#database.run(sql, row.id, row.anchor, row.workspace, row.takenAt, row.commit, row.json) > 0;
  }

  /** The `back`-th snapshot of a workspace before its newest; 0 is the newest. */
  latest(workspace: string, back = 0): SnapshotRow | undefined {
    const sql = 'SELECT * FROM snapshots WHERE workspace = ? ORDER BY n DESC LIMIT 1 OFFSET ?';
    return snapshotOf(this.#database.get(sql, workspace, back));
  }

  byId(id: string): SnapshotRow | undefined {
    return snapshotOf(this.#database.get('SELECT * FROM snapshots WHERE id = ?', id));
  }

  /** Snapshots of an anchor whose id starts with `prefix`, at most `limit`. */
  byIdPrefix(anchor: string, prefix: string, limit: number): readonly SnapshotRow[] {
    const sql = 'SELECT * FROM snapshots WHERE anchor = ? AND substr(id, 1, ?) = ? ORDER BY n LIMIT ?';
    return this.#database.all(sql, anchor, prefix.length, prefix, limit).map(toSnapshot);
  }

  /** The newest snapshot of a workspace that was taken with this commit as its head. */
  byCommit(workspace: string, commit: string): SnapshotRow | undefined {
    const sql = 'SELECT * FROM snapshots WHERE workspace = ? AND commit_id = ? ORDER BY n DESC LIMIT 1';
    return snapshotOf(this.#database.get(sql, workspace, commit));
  }

  /** Snapshots of an anchor, oldest first, `limit` at a time after the one with id `after` (null: from the first). */
  list(anchor: string, after: string | null = null, limit = 500): readonly SnapshotRow[] {
    const sql = `SELECT * FROM snapshots
      WHERE anchor = ? AND n > ifnull((SELECT n FROM snapshots WHERE id = ?), 0) ORDER BY n LIMIT ?`;
    return this.#database.all(sql, anchor, after, limit).map(toSnapshot);
  }
}

function snapshotOf(row: Row | undefined): SnapshotRow | undefined {
  return row === undefined ? undefined : toSnapshot(row);
}

function toSnapshot(row: Row): SnapshotRow {
  const commit = row['commit_id'];
  return {
    id: text(row, 'id'),
    anchor: text(row, 'anchor'),
    workspace: text(row, 'workspace'),
    takenAt: text(row, 'taken_at'),
    commit: typeof commit === 'string' ? commit : null,
    json: text(row, 'json'),
  };
}
