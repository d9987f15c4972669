import { type Database, type Row, text } from './database.ts';

/** An anchor's fields as the protocol names them (protocol §2). */
export interface AnchorRow {
  readonly id: string;
  readonly repository: string;
  readonly mainBranch: string;
  readonly attachedAt: string;
}

/** Which projects this machine knows, their other ids, and the git directories that lead to them. */
export class Anchors {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The anchor of a git common directory, by its real path. */
  byCommonDir(path: string): AnchorRow | undefined {
    const sql = 'SELECT a.* FROM common_dirs d JOIN anchors a ON a.id = d.anchor WHERE d.path = ?';
    return anchorOf(this.#database.get(sql, path));
  }

  /** The anchor of a repository; the one attached first when there are several. */
  byRepository(repository: string): AnchorRow | undefined {
    const sql = 'SELECT * FROM anchors WHERE repository = ? ORDER BY attached_at, id LIMIT 1';
    return anchorOf(this.#database.get(sql, repository));
  }

  /** The anchor with this id, or the one that has it as an alias. */
  byId(id: string): AnchorRow | undefined {
    const own = anchorOf(this.#database.get('SELECT * FROM anchors WHERE id = ?', id));
    if (own !== undefined) return own;
    const sql = 'SELECT a.* FROM anchor_aliases x JOIN anchors a ON a.id = x.anchor WHERE x.alias = ?';
    return anchorOf(this.#database.get(sql, id));
  }

  /** Every anchor, by id. */
  list(): readonly AnchorRow[] {
    return this.#database.all('SELECT * FROM anchors ORDER BY id').map(toAnchor);
  }

  /**
   * Stores an anchor the first time it is seen and ties it to a git common directory.
   * A directory that is tied already keeps its anchor, which is then returned: the first attach wins.
   */
  attach(anchor: AnchorRow, where: { readonly commonDir?: string } = {}): AnchorRow {
    return this.#database.transaction(() => {
      const known = where.commonDir === undefined ? undefined : this.byCommonDir(where.commonDir);
      if (known !== undefined) return known;
      this.#database.run(
        'INSERT INTO anchors (id, repository, main_branch, attached_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
        anchor.id,
        anchor.repository,
        anchor.mainBranch,
        anchor.attachedAt,
      );
      if (where.commonDir !== undefined) {
        this.#database.run('INSERT INTO common_dirs (path, anchor) VALUES (?, ?)', where.commonDir, anchor.id);
      }
      return this.byId(anchor.id) ?? anchor;
    });
  }

  /** Puts another anchor in the place of one: its directories lead to the new one, its id becomes an alias. */
  replace(oldId: string, anchor: AnchorRow): void {
    this.#database.transaction(() => {
      this.attach(anchor);
      this.#database.run('UPDATE common_dirs SET anchor = ? WHERE anchor = ?', anchor.id, oldId);
      this.#database.run('UPDATE anchor_aliases SET anchor = ? WHERE anchor = ?', anchor.id, oldId);
      this.#database.run('DELETE FROM anchors WHERE id = ?', oldId);
      this.addAlias(anchor.id, oldId);
    });
  }

  /** Gives an anchor another id. An alias that is taken stays with its first owner. */
  addAlias(anchorId: string, alias: string): void {
    if (anchorId === alias) return;
    this.#database.run(
      'INSERT INTO anchor_aliases (alias, anchor) VALUES (?, ?) ON CONFLICT DO NOTHING',
      alias,
      anchorId,
    );
  }

  /** The other ids of an anchor, sorted. */
  aliases(anchorId: string): readonly string[] {
    const rows = this.#database.all('SELECT alias FROM anchor_aliases WHERE anchor = ?', anchorId);
    return rows.map((row) => text(row, 'alias')).sort();
  }
}

function anchorOf(row: Row | undefined): AnchorRow | undefined {
  return row === undefined ? undefined : toAnchor(row);
}

function toAnchor(row: Row): AnchorRow {
  return {
    id: text(row, 'id'),
    repository: text(row, 'repository'),
    mainBranch: text(row, 'main_branch'),
    attachedAt: text(row, 'attached_at'),
  };
}
