import { LRUCache } from 'lru-cache';
import { ProjectAnchorError } from '../base/index.ts';
import { ensureChainKey } from './chains.ts';
import { type Database, integer, type Row, text } from './database.ts';
import { packHash, packText, unpackHash, unpackText } from './packed-text.ts';

/** One stored snapshot. What the columns hold is in `json` too; they are there to be found by. */
export interface SnapshotRow {
  readonly id: string;
  /** The anchor's id. */
  readonly anchor: string;
  readonly workspace: string;
  readonly takenAt: string;
  readonly trigger: string;
  /** The head commit, or null when there was none. */
  readonly commit: string | null;
  /** The snapshot with its larger parts replaced by hashes of objects, as the snapshot room writes it. */
  readonly json: string;
}

/** What decides how long a snapshot is kept. */
export interface SnapshotAge {
  /** Place in the order in which they were stored. */
  readonly n: number;
  readonly takenAt: string;
  readonly trigger: string;
  readonly commit: string | null;
}

/** How many others may have to be read to read one. */
const MOST_BASES = 16;

/** How many texts of rows are kept: the newest of a few working trees, which every new one is compared with. */
const TEXTS_KEPT = 8;

const FROM = `FROM snapshots s JOIN chains c ON c.key = s.chain JOIN trees t ON t.key = s.tree`;
const SELECT = `SELECT s.*, c.anchor, t.workspace ${FROM}`;
/** Of one workspace. */
const OF_TREE = 's.tree = (SELECT key FROM trees WHERE workspace = ?)';

/** Snapshots in the order they were stored. Each is kept as its difference from the one before it in its workspace. */
export class Snapshots {
  readonly #database: Database;
  /** By id, which is the hash of what the text says. */
  readonly #texts = new LRUCache<string, string>({ max: TEXTS_KEPT });

  constructor(database: Database) {
    this.#database = database;
  }

  /** Stores one; returns false when a snapshot with its id is there already. */
  insert(row: SnapshotRow): boolean {
    const id = packHash(row.id);
    if (this.#database.get('SELECT 1 AS found FROM snapshots WHERE id = ?', id) !== undefined) return false;
    const tree = this.#treeKey(row.workspace);
    const before = this.#database.get('SELECT * FROM snapshots WHERE tree = ? ORDER BY n DESC LIMIT 1', tree);
    const { base, bases, json } = this.#against(before, row.json, row);
    this.#database.run(
      `INSERT INTO snapshots (id, chain, tree, taken_at, trigger, commit_id, base, bases, json)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      id,
      ensureChainKey(this.#database, row.anchor),
      tree,
      row.takenAt,
      row.trigger,
      row.commit === null ? null : packHash(row.commit),
      base,
      bases,
      json,
    );
    this.#texts.set(row.id, row.json);
    return true;
  }

  /** The `back`-th snapshot of a workspace before its newest; 0 is the newest. */
  latest(workspace: string, back = 0): SnapshotRow | undefined {
    return this.#one(`${SELECT} WHERE ${OF_TREE} ORDER BY s.n DESC LIMIT 1 OFFSET ?`, workspace, back);
  }

  byId(id: string): SnapshotRow | undefined {
    return this.#one(`${SELECT} WHERE s.id = ?`, packHash(id));
  }

  /** Snapshots of an anchor whose id starts with `prefix`, at most `limit`. */
  byIdPrefix(anchor: string, prefix: string, limit: number): readonly SnapshotRow[] {
    const sql = `${SELECT} WHERE c.anchor = ?
      AND substr(CASE typeof(s.id) WHEN 'blob' THEN lower(hex(s.id)) ELSE s.id END, 1, ?) = ? ORDER BY s.n LIMIT ?`;
    return this.#database.all(sql, anchor, prefix.length, prefix, limit).map((row) => this.#toSnapshot(row));
  }

  /** The newest snapshot of a workspace that was taken with this commit as its head. */
  byCommit(workspace: string, commit: string): SnapshotRow | undefined {
    return this.#one(
      `${SELECT} WHERE ${OF_TREE} AND s.commit_id = ? ORDER BY s.n DESC LIMIT 1`,
      workspace,
      packHash(commit),
    );
  }

  /** Snapshots of an anchor, oldest first, `limit` at a time after the one with id `after` (null: from the first). */
  list(anchor: string, after: string | null = null, limit = 500): readonly SnapshotRow[] {
    const sql = `${SELECT} WHERE c.anchor = ? AND s.n > ifnull((SELECT n FROM snapshots WHERE id = ?), 0)
      ORDER BY s.n LIMIT ?`;
    const from = after === null ? null : packHash(after);
    return this.#database.all(sql, anchor, from, limit).map((row) => this.#toSnapshot(row));
  }

  /** Ids of an anchor's snapshots, oldest first. */
  ids(anchor: string): readonly string[] {
    const sql = `SELECT s.id ${FROM} WHERE c.anchor = ? ORDER BY s.n`;
    return this.#database.all(sql, anchor).map((row) => unpackHash(row['id']));
  }

  /** Every working tree that has snapshots. */
  workspaces(): readonly string[] {
    return this.#database.all('SELECT workspace FROM trees ORDER BY key').map((row) => text(row, 'workspace'));
  }

  /** How old the snapshots of a workspace are, in the order in which they were stored. */
  ages(workspace: string): readonly SnapshotAge[] {
    const sql = `SELECT s.n, s.taken_at, s.trigger, s.commit_id ${FROM} WHERE ${OF_TREE} ORDER BY s.n`;
    return this.#database.all(sql, workspace).map((row) => ({
      n: integer(row, 'n'),
      takenAt: text(row, 'taken_at'),
      trigger: text(row, 'trigger'),
      commit: commitOf(row),
    }));
  }

  /** Rows after a place in the order in which they were stored, of every project, `limit` at a time. */
  page(after: number, limit: number): readonly { readonly n: number; readonly json: string }[] {
    const sql = `${SELECT} WHERE s.n > ? ORDER BY s.n LIMIT ?`;
    return this.#database.all(sql, after, limit).map((row) => ({ n: integer(row, 'n'), json: this.#textOf(row) }));
  }

  /** Removes one; those that are stored as their difference from it are stored anew. Call it in a transaction. */
  remove(n: number): void {
    const gone = this.#database.get('SELECT * FROM snapshots WHERE n = ?', n);
    if (gone === undefined) return;
    const before =
      typeof gone['base'] === 'number'
        ? this.#database.get('SELECT * FROM snapshots WHERE n = ?', gone['base'])
        : undefined;
    for (const row of this.#database.all(`${SELECT} WHERE s.base = ?`, n)) {
      const { base, bases, json } = this.#against(before, this.#textOf(row), columnsOf(row));
      const sql = 'UPDATE snapshots SET base = ?, bases = ?, json = ? WHERE n = ?';
      this.#database.run(sql, base, bases, json, integer(row, 'n'));
    }
    this.#database.run('DELETE FROM snapshots WHERE n = ?', n);
  }

  /** A text as its difference from an earlier row, where that is not too far from one that stands alone. */
  #against(before: Row | undefined, json: string, columns: Columns) {
    const bases = before === undefined ? MOST_BASES : integer(before, 'bases');
    const usable = before !== undefined && bases < MOST_BASES;
    const packed = packText(json, [...(usable ? [this.#textOf(before)] : []), wordsOf(columns)]);
    if (!usable || typeof packed === 'string') return { base: null, bases: 0, json: packed };
    return { base: integer(before, 'n'), bases: bases + 1, json: packed };
  }

  #treeKey(workspace: string): number {
    this.#database.run('INSERT INTO trees (workspace) VALUES (?) ON CONFLICT DO NOTHING', workspace);
    return integer(this.#database.get('SELECT key FROM trees WHERE workspace = ?', workspace), 'key');
  }

  #one(sql: string, ...values: (string | number | Uint8Array)[]): SnapshotRow | undefined {
    const row = this.#database.get(sql, ...values);
    return row === undefined ? undefined : this.#toSnapshot(row);
  }

  /** Its text is put together when it is first asked for: who looks for the newest one mostly knows it. */
  #toSnapshot(row: Row): SnapshotRow {
    const textOf = () => this.#textOf(row);
    let json: string | undefined;
    return {
      id: unpackHash(row['id']),
      anchor: text(row, 'anchor'),
      workspace: text(row, 'workspace'),
      takenAt: text(row, 'taken_at'),
      trigger: text(row, 'trigger'),
      commit: commitOf(row),
      get json() {
        json ??= textOf();
        return json;
      },
    };
  }

  #textOf(row: Row): string {
    const id = unpackHash(row['id']);
    const known = this.#texts.get(id) ?? this.#unpacked(row);
    this.#texts.set(id, known);
    return known;
  }

  #unpacked(row: Row): string {
    const { base, json } = row;
    try {
      return unpackText(json, () => [
        ...(typeof base === 'number' ? [this.#byNumber(base)] : []),
        wordsOf(columnsOf(row)),
      ]);
    } catch (error) {
      throw new ProjectAnchorError(
        'database_corrupt',
        `A snapshot in ${this.#database.file} is damaged.`,
        'Take a new snapshot; the damaged one cannot be shown.',
        { cause: error },
      );
    }
  }

  #byNumber(n: number): string {
    const row = this.#database.get('SELECT * FROM snapshots WHERE n = ?', n);
    return row === undefined ? '' : this.#textOf(row);
  }
}

type Columns = Pick<SnapshotRow, 'id' | 'takenAt' | 'commit'>;

function columnsOf(row: Row): Columns {
  return { id: unpackHash(row['id']), takenAt: text(row, 'taken_at'), commit: commitOf(row) };
}

/** What the columns of a row say once more in its text. */
function wordsOf({ id, takenAt, commit }: Columns): string {
  return `"commit":"${commit ?? ''}","kind":"id":"${id}","takenAt":"${takenAt}","trigger":"`;
}

function commitOf(row: Row): string | null {
  const commit = row['commit_id'];
  return commit === null ? null : unpackHash(commit);
}
