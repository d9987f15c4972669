import { Emitter, hash, ProjectAnchorError } from '../../src/base/index.ts';
import {
  type Ack,
  type Author,
  apply,
  type Delta,
  type DeltaBatch,
  emptyState,
  genesisHash,
  type Head,
  type HubStatus,
  type LogService,
  type Op,
  type State,
  type StateView,
  sealDelta,
  stateHash,
  type VerifyReport,
} from '../../src/delta/index.ts';
import type { Receipt, ReceiptDraft } from '../../src/inject/index.ts';
import type { Anchor, TakenSnapshot } from '../../src/snapshot/index.ts';

const AT = '2026-11-30T12:00:00.000Z';

/**
 * A log of one anchor in memory with a real chain. Pushes are sent when the test says so: `hold` keeps them back,
 * `push` sends any batch, right or wrong.
 */
export class FakeLogService implements LogService {
  readonly deltasOf: Delta[] = [];
  readonly receiptsOf: Receipt[] = [];
  readonly published: TakenSnapshot[] = [];
  /** What `appendReceipt` rejects with, when set. */
  receiptFailure: Error | null = null;
  /** Whether appends are pushed at once. */
  hold = false;
  /** How often the whole state was asked for. */
  stateReads = 0;
  status: HubStatus = { kind: 'alone', waiting: 0 };
  #anchor = '';
  readonly #deltas = new Emitter<DeltaBatch>(fail);
  readonly #status = new Emitter<HubStatus>(fail);

  get onDeltas() {
    return this.#deltas.event;
  }

  get onHubStatus() {
    return this.#status.event;
  }

  get listening(): boolean {
    return this.#deltas.listening || this.#status.listening;
  }

  async open(anchor: Anchor): Promise<StateView> {
    this.#anchor = anchor.id;
    return this.state();
  }

  async author(_anchor: string, author: Author, ops: readonly Op[]): Promise<Ack> {
    return this.append(ops, author);
  }

  async publishSnapshot(_anchor: string, author: Author, taken: TakenSnapshot): Promise<Ack | null> {
    this.published.push(taken);
    if (!taken.stored) return null;
    return this.append(
      [{ op: 'update_active', workspace: taken.snapshot.workspace, path: taken.snapshot.active }],
      author,
    );
  }

  /** Adds a delta as any process would. */
  append(ops: readonly Op[], author: Author = { agent: 'other-0000', session: 's' }): Ack {
    const id = `delta-${this.deltasOf.length + 1}`;
    const draft = { schema: 'projectanchor.delta.v1', anchor: this.#anchor, id, author, at: AT, ops } as const;
    const delta = sealDelta(draft, this.head);
    this.deltasOf.push(delta);
    if (!this.hold) this.push([delta]);
    return { id, seq: delta.seq, hash: delta.hash };
  }

  push(items: readonly Delta[], anchor = this.#anchor): void {
    this.#deltas.fire({ anchor, items, head: this.head });
  }

  say(status: HubStatus): void {
    this.status = status;
    this.#status.fire(status);
  }

  get head(): Head {
    const last = this.deltasOf.at(-1);
    return last === undefined ? { seq: 0, hash: genesisHash(this.#anchor) } : { seq: last.seq, hash: last.hash };
  }

  async state(): Promise<StateView> {
    this.stateReads += 1;
    const state = this.deltasOf.reduce<State>(apply, emptyState(this.#anchor));
    return { ...this.head, state, stateHash: stateHash(state), pending: 0 };
  }

  async deltas(_anchor: string, after: number, limit: number): Promise<readonly Delta[]> {
    return this.deltasOf.slice(after, after + limit);
  }

  async verify(): Promise<VerifyReport> {
    const deltas = this.deltasOf.length;
    return { ok: true, base: 0, deltas, head: this.head, pending: 0, receipts: this.receiptsOf.length };
  }

  async appendReceipt(draft: ReceiptDraft): Promise<Receipt> {
    if (this.receiptFailure !== null) throw this.receiptFailure;
    const prev = this.receiptsOf.at(-1)?.hash ?? hash({ anchor: draft.anchor, schema: 'projectanchor.receipts.v1' });
    const linked = { ...draft, prev };
    const receipt = { ...linked, hash: hash(linked) };
    this.receiptsOf.push(receipt);
    return receipt;
  }

  async receipts(_anchor: string, last: number): Promise<readonly Receipt[]> {
    return this.receiptsOf.toReversed().slice(0, last);
  }

  async *exportLines(): AsyncGenerator<string> {
    for (const delta of this.deltasOf) yield JSON.stringify(delta);
  }

  async importLines(): Promise<never> {
    throw new ProjectAnchorError('unsupported', 'The fake log imports nothing.');
  }

  async hubStatus(): Promise<HubStatus> {
    return this.status;
  }

  async dispose(): Promise<void> {
    this.#deltas.dispose();
    this.#status.dispose();
  }
}

function fail(error: unknown): never {
  throw error;
}
