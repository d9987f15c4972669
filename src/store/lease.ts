import { type Database, integer, type Row, text } from './database.ts';

/** Who holds something that only one process of this machine may hold (protocol §7). */
export interface LeaseRow {
  /** Unique per try to hold it; proves that a renewal is the holder's own. */
  readonly owner: string;
  readonly pid: number;
  /** What tells this process from a later one with the same pid. */
  readonly processStart: string;
  readonly url: string;
  /** Wall time in ms after which others may take it. */
  readonly expires: number;
}

/** One lease per name. Its rows may be lost with the power, so writing them never waits for the disk. */
export class Lease {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  read(name: string): LeaseRow | undefined {
    return leaseOf(this.#database.get('SELECT * FROM leases WHERE name = ?', name));
  }

  /**
   * Takes the lease when it is free, has expired at `now`, is the asker's own, or `dead` says its holder is gone.
   * Returns who holds it afterwards: the asker succeeded when `owner` is its own.
   * @param now wall time in ms
   * @param dead whether the holder's process is known to have ended; asked inside the transaction, so it must be quick
   */
  tryAcquire(name: string, wish: LeaseRow, now: number, dead: (holder: LeaseRow) => boolean = () => false): LeaseRow {
    return this.#database.relaxed(() => {
      const holder = this.read(name);
      const free = holder === undefined || holder.owner === wish.owner || holder.expires <= now || dead(holder);
      if (!free) return holder;
      this.#database.run(
        'INSERT OR REPLACE INTO leases (name, owner, pid, process_start, url, expires) VALUES (?, ?, ?, ?, ?, ?)',
        name,
        wish.owner,
        wish.pid,
        wish.processStart,
        wish.url,
        wish.expires,
      );
      return wish;
    });
  }

  /** Moves the holder's own expiry; false when somebody else holds it by now. */
  renew(name: string, owner: string, expires: number): boolean {
    const sql = 'UPDATE leases SET expires = ? WHERE name = ? AND owner = ?';
    return this.#database.relaxed(() => this.#database.run(sql, expires, name, owner) > 0);
  }

  /** Gives the lease back; false when it was not this owner's. */
  release(name: string, owner: string): boolean {
    const sql = 'DELETE FROM leases WHERE name = ? AND owner = ?';
    return this.#database.relaxed(() => this.#database.run(sql, name, owner) > 0);
  }
}

function leaseOf(row: Row | undefined): LeaseRow | undefined {
  if (row === undefined) return undefined;
  return {
    owner: text(row, 'owner'),
    pid: integer(row, 'pid'),
    processStart: text(row, 'process_start'),
    url: text(row, 'url'),
    expires: integer(row, 'expires'),
  };
}
