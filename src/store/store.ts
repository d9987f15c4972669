import { join } from 'node:path';
import type { Logger } from '../base/index.ts';
import { Anchors } from './anchors.ts';
import { DATABASE_NAME, ensureDataFolder } from './data-folder.ts';
import { type Database, DEFAULT_WAITS, type Waits } from './database.ts';
import { Deltas } from './deltas.ts';
import { Lease } from './lease.ts';
import { Objects } from './objects.ts';
import { checkIntegrity, MEMORY, openDatabase } from './open.ts';
import { Receipts } from './receipts.ts';
import { Snapshots } from './snapshots.ts';
import { States } from './states.ts';

/** Where to open: a data folder (its database is `project-anchor.db`), or a file, or `:memory:`. */
export type StorePlace = { readonly folder: string } | { readonly file: string };

export type StoreOptions = StorePlace & {
  readonly logger: Logger;
  readonly waits?: Waits;
};

/**
 * One connection to this machine's database. Every worker and process opens its own; they may all write.
 * Calls are synchronous and throw ProjectAnchorErrors with the storage codes; only its owner closes it.
 */
export class Store {
  readonly anchors: Anchors;
  readonly snapshots: Snapshots;
  readonly objects: Objects;
  readonly deltas: Deltas;
  readonly receipts: Receipts;
  readonly lease: Lease;
  readonly states: States;
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
    this.anchors = new Anchors(database);
    this.snapshots = new Snapshots(database);
    this.objects = new Objects(database);
    this.deltas = new Deltas(database, this.objects);
    this.receipts = new Receipts(database);
    this.lease = new Lease(database);
    this.states = new States(database);
  }

  /** The database's path, or `:memory:`. */
  get file(): string {
    return this.#database.file;
  }

  /** True when nothing that is written outlasts this connection. */
  get inMemory(): boolean {
    return this.#database.file === MEMORY;
  }

  get closed(): boolean {
    return this.#database.closed;
  }

  /** All that `work` writes is stored durably, or none of it. Blocks the thread while another process writes. */
  transaction<T>(work: () => T): T {
    return this.#database.transaction(work);
  }

  /** The same, waiting for other processes without blocking the thread. `work` itself is synchronous. */
  write<T>(work: () => T): Promise<T> {
    return this.#database.write(work);
  }

  /** A number that changes when another connection has committed something; cheap enough to ask every 25 ms. */
  dataVersion(): number {
    return this.#database.dataVersion();
  }

  /** Reads and checks the whole database. @throws ProjectAnchorError `database_corrupt`. */
  checkIntegrity(): void {
    checkIntegrity(this.#database);
  }

  close(): void {
    this.#database.close();
  }
}

/**
 * Opens this machine's database, making it and its folder when they are missing.
 * @throws ProjectAnchorError `sqlite_missing`, `database_newer`, `database_corrupt`, `database_busy`, `read_only`,
 *   `disk_full`, `database_io`. None of them has changed the file; after `database_corrupt` the caller may `setAside` it.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  return new Store(await openDatabase(fileOf(options), options.waits ?? DEFAULT_WAITS, options.logger));
}

function fileOf(place: StorePlace): string {
  if ('file' in place) return place.file;
  ensureDataFolder(place.folder);
  return join(place.folder, DATABASE_NAME);
}
