import { createHash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { type Clock, canonical, hash, messageOf, ProjectAnchorError, timestamp } from '../base/index.ts';
import type { Receipt, ReceiptDraft } from '../inject/index.ts';
import type { ReceiptRow, ReceiptWriter, Store } from '../store/index.ts';
import { genesis } from './chain.ts';
import { GroupCommit } from './group-commit.ts';

/** What tells one process from a later one with the same pid. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly processStart: string;
}

export interface ReceiptLogOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly self: ProcessIdentity;
}

/** What the first receipt of an anchor on this machine has as its `prev` (protocol §8). */
export function receiptsGenesis(anchor: string): string {
  return hash({ anchor, schema: 'projectanchor.receipts.v1' });
}

/** The hash of a receipt: over everything it carries but `hash` itself. */
export function receiptHash(receipt: Omit<Receipt, 'hash'>): string {
  return hash({ ...receipt, hash: undefined });
}

/**
 * The receipts of this machine, one chain per anchor, in the store. Who keeps receipts in memory for a while announces
 * itself; if it then ends without `close`, whoever comes next leaves a `gap` in its place.
 */
export class ReceiptLog {
  readonly #options: ReceiptLogOptions;
  readonly #commits: GroupCommit;
  readonly #owner = uuidv7();

  constructor(options: ReceiptLogOptions) {
    this.#options = options;
    this.#commits = new GroupCommit(options.store);
  }

  /**
   * Appends durably; a receipt whose id is there already is given back as it was stored.
   * @throws ProjectAnchorError `invalid` for what cannot be written in canonical JSON, and the storage codes.
   */
  async append(draft: ReceiptDraft): Promise<Receipt> {
    canonical(draft);
    return await this.#commits.run(() => this.#insert(draft));
  }

  /** Newest first. */
  last(anchor: string, count: number): readonly Receipt[] {
    return this.#options.store.receipts.last(anchor, count).map(fromReceiptRow);
  }

  /** Says that this process will hold receipts of an anchor in memory until `close`. */
  async announce(anchor: string): Promise<void> {
    const writer: ReceiptWriter = { anchor, owner: this.#owner, ...this.#options.self, openedAt: this.#now() };
    await this.#commits.run(() => this.#options.store.receipts.openWriter(writer));
  }

  /**
   * Leaves a `gap` receipt for everybody who announced itself and has ended since without closing.
   * @param alive whether a process still runs
   */
  async leaveGaps(alive: (process: ProcessIdentity) => boolean): Promise<void> {
    const { receipts } = this.#options.store;
    const gone = receipts.writers().filter((writer) => writer.owner !== this.#owner && !alive(writer));
    await Promise.all(
      gone.map((writer) =>
        this.#commits.run(() => {
          // Another process may have come first.
          if (receipts.closeWriter(writer.owner, writer.anchor) > 0) this.#insert(this.#gap(writer));
        }),
      ),
    );
  }

  /** Waits for what is being appended and says that nothing is held any more. The store stays open. */
  async close(): Promise<void> {
    await this.#commits.idle();
    await this.#commits.run(() => this.#options.store.receipts.closeWriter(this.#owner));
  }

  #insert(draft: ReceiptDraft): Receipt {
    const { receipts } = this.#options.store;
    const known = receipts.byId(draft.anchor, draft.id);
    if (known !== undefined) return fromReceiptRow(known);
    const head = receipts.head(draft.anchor);
    const linked = { ...draft, prev: head?.hash ?? receiptsGenesis(draft.anchor) };
    const receipt: Receipt = { ...linked, hash: receiptHash(linked) };
    receipts.insert(draft.anchor, toReceiptRow(receipt, (head?.n ?? 0) + 1));
    return receipt;
  }

  #gap(writer: ReceiptWriter): ReceiptDraft {
    const { deltas } = this.#options.store;
    const why = `process ${writer.pid} ended before it had stored all it held; receipts since ${writer.openedAt} may be missing`;
    return {
      id: uuidv7(),
      at: this.#now(),
      anchor: writer.anchor,
      workspace: '',
      snapshot: null,
      head: deltas.head(writer.anchor) ?? genesis(writer.anchor),
      asOf: this.#now(),
      type: 'gap',
      file: null,
      items: [],
      dropped: [{ kind: 'gap', ref: 'receipts', tokens: 0, why }],
      tokens: 0,
      bytes: 0,
      recall: { status: 'off', ms: 0, bytes: 0 },
      contextHash: createHash('sha256').digest('hex'),
    };
  }

  #now(): string {
    return timestamp(this.#options.clock.now());
  }
}

/** How a receipt lies in the store. */
export function toReceiptRow(receipt: Receipt, n: number): ReceiptRow {
  const { prev, hash: own, ...draft } = receipt;
  return { n, id: receipt.id, prev, hash: own, body: canonical(draft) };
}

/** The receipt of a row; its hash is not recomputed here. @throws ProjectAnchorError `chain_broken`. */
export function fromReceiptRow(row: ReceiptRow): Receipt {
  let draft: unknown;
  try {
    draft = JSON.parse(row.body);
  } catch (error) {
    throw new ProjectAnchorError('chain_broken', `Receipt ${row.n} is not JSON (${messageOf(error)}).`);
  }
  if (typeof draft !== 'object' || draft === null || !('id' in draft) || draft.id !== row.id) {
    throw new ProjectAnchorError('chain_broken', `Receipt ${row.n} does not hold what its row says.`);
  }
  return { ...(draft as ReceiptDraft), prev: row.prev, hash: row.hash };
}
