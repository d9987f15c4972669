import { LRUCache } from 'lru-cache';
import { ProjectAnchorError } from '../base/index.ts';
import { type Database, integer, type Row, text } from './database.ts';
import { packHash, packText, unpackHash, unpackText } from './packed-text.ts';

/** Something stored once under the hash of its canonical form. */
export interface StoredObject {
  readonly hash: string;
  /** `node` for a directory node, `outline` for an outline, ... */
  readonly kind: string;
  /** Canonical JSON. */
  readonly json: string;
}

/** How many others may have to be read to read one. */
const MOST_BASES = 8;
/** Large trees have thousands of nodes, all new at first: what has no earlier form is not worth the time. */
const PLAIN_KINDS: ReadonlySet<string> = new Set(['node']);

/** Characters of texts that are kept unpacked: those of the last snapshots, which the next one is stored against. */
const KEPT = 8 * 1024 * 1024;

/** Content-addressed pieces of snapshots: directory nodes and outlines. */
export class Objects {
  readonly #database: Database;
  /** By hash, so that whatever is stored or removed meanwhile, what is here stays true. */
  readonly #texts = new LRUCache<string, string>({ maxSize: KEPT, sizeCalculation: ({ length }) => length + 1 });

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Stores `json` under `hash`; returns false when it was there already.
   * @param base hash of an earlier form of it, which it is stored against
   */
  put(hash: string, kind: string, json: string, base?: string): boolean {
    if (this.has(hash)) return false;
    const before = base === undefined || base === hash ? undefined : this.#near(base);
    const { base: key, bases, packed } = this.#against(before, kind, json);
    const sql = 'INSERT INTO objects (hash, kind, base, bases, json) VALUES (?, ?, ?, ?, ?)';
    this.#database.run(sql, packHash(hash), kind, key, bases, packed);
    return true;
  }

  /** @throws ProjectAnchorError `database_corrupt` when it cannot be read */
  get(hash: string): StoredObject | undefined {
    const found = this.#row(hash);
    if (found === undefined) return undefined;
    return { hash, kind: text(found.row, 'kind'), json: this.#textOf(found.row) };
  }

  has(hash: string): boolean {
    return this.#database.get('SELECT 1 AS found FROM objects WHERE hash = ?', packHash(hash)) !== undefined;
  }

  /** Short name of an object in this database, for rows that are stored against it. */
  keyOf(hash: string): number | undefined {
    return this.#row(hash)?.key;
  }

  /** The JSON of the object with a short name, or undefined. */
  byKey(key: number): string | undefined {
    const found = this.#keyed(key);
    return found === undefined ? undefined : this.#textOf(found.row);
  }

  /** Objects in the order of their short names, `limit` at a time. */
  page(after: number, limit: number): readonly { readonly key: number; readonly hash: string }[] {
    const sql = 'SELECT key, hash FROM objects WHERE key > ? ORDER BY key LIMIT ?';
    return this.#database
      .all(sql, after, limit)
      .map((row) => ({ key: integer(row, 'key'), hash: unpackHash(row['hash']) }));
  }

  /** Removes one that nothing refers to; those that are stored against it are stored anew. Call it in a transaction. */
  remove(key: number): void {
    const gone = this.#keyed(key);
    if (gone === undefined) return;
    const before = typeof gone.row['base'] === 'number' ? this.#keyed(gone.row['base']) : undefined;
    for (const row of this.#database.all('SELECT * FROM objects WHERE base = ?', key)) {
      const { base, bases, packed } = this.#against(before, text(row, 'kind'), this.#textOf(row));
      const sql = 'UPDATE objects SET base = ?, bases = ?, json = ? WHERE key = ?';
      this.#database.run(sql, base, bases, packed, integer(row, 'key'));
    }
    this.#database.run('DELETE FROM objects WHERE key = ?', key);
  }

  #against(before: Found | undefined, kind: string, json: string) {
    const packed = before === undefined ? plainly(kind, json) : packText(json, [this.#textOf(before.row)], true);
    if (before === undefined || typeof packed === 'string') return { base: null, bases: 0, packed };
    return { base: before.key, bases: before.bases + 1, packed };
  }

  #row(hash: string): Found | undefined {
    return foundOf(this.#database.get('SELECT * FROM objects WHERE hash = ?', packHash(hash)));
  }

  #keyed(key: number): Found | undefined {
    return foundOf(this.#database.get('SELECT * FROM objects WHERE key = ?', key));
  }

  /** An object, or the one that stands alone behind it when too many would have to be read. */
  #near(hash: string): Found | undefined {
    let found = this.#row(hash);
    if (found === undefined || found.bases < MOST_BASES) return found;
    while (found !== undefined && typeof found.row['base'] === 'number') {
      found = this.#keyed(found.row['base']);
    }
    return found;
  }

  #textOf(row: Row): string {
    const { base, json } = row;
    const hash = unpackHash(row['hash']);
    const known = this.#texts.get(hash);
    if (known !== undefined) return known;
    try {
      const unpacked = unpackText(json, () => (typeof base === 'number' ? [this.byKey(base) ?? ''] : []));
      this.#texts.set(hash, unpacked);
      return unpacked;
    } catch (error) {
      throw new ProjectAnchorError(
        'database_corrupt',
        `A part of a snapshot in ${this.#database.file} is damaged.`,
        'Take a new snapshot; older ones with that part cannot be shown.',
        { cause: error },
      );
    }
  }
}

interface Found {
  readonly row: Row;
  readonly key: number;
  readonly bases: number;
}

function foundOf(row: Row | undefined): Found | undefined {
  return row === undefined ? undefined : { row, key: integer(row, 'key'), bases: integer(row, 'bases') };
}

function plainly(kind: string, json: string) {
  return PLAIN_KINDS.has(kind) ? json : packText(json);
}
