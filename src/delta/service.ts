import type { Event } from '../base/index.ts';
import type { Receipt, ReceiptDraft } from '../inject/index.ts';
import type { Anchor, Snapshot, TakenSnapshot } from '../snapshot/index.ts';
import type { Ack, Author, Delta, Head, Op, StateView, VerifyReport } from './types.ts';

/** How this process is connected, in the words of the status bar. */
export interface HubStatus {
  /**
   * `alone`: log only, no hub answered yet. `hub`: this process holds the hub. `connected`: client of another's hub.
   * `offline`: was connected, dialling again. `memory`: no usable database, nothing is kept. `refused`: will not retry; see `reason`.
   */
  readonly kind: 'alone' | 'hub' | 'connected' | 'offline' | 'memory' | 'refused';
  readonly url?: string;
  /** Agents of the anchor including this one, when connected. */
  readonly agents?: number;
  /** Operations waiting to be acknowledged. */
  readonly waiting: number;
  /** A sentence for people: what is wrong and what to do. */
  readonly reason?: string;
}

/** New deltas of one anchor, verified and in order. */
export interface DeltaBatch {
  readonly anchor: string;
  readonly items: readonly Delta[];
  readonly head: Head;
}

/**
 * The log, the hub and the client behind one asynchronous door.
 * The same interface is served in process (command line) and from the log worker (editor).
 */
export interface LogService {
  /** Opens an anchor: from here on its new deltas arrive by `onDeltas`, starting right after the returned head. */
  open(anchor: Anchor): Promise<StateView>;
  /**
   * Authors operations. `byHand` (a mark) closes the merge window at once, everything pending first in the same delta;
   * otherwise they wait for the window (protocol §5). Resolves when the delta that holds them is durable.
   */
  author(anchor: string, author: Author, ops: readonly Op[], options: { readonly byHand: boolean }): Promise<Ack>;
  /** `diffSnapshot(state, snapshot)` plus `note_commit`s, authored through the merge window; null when nothing changed. */
  publishSnapshot(anchor: string, author: Author, taken: TakenSnapshot): Promise<Ack | null>;
  state(anchor: string): Promise<StateView>;
  deltas(anchor: string, after: number, limit: number): Promise<readonly Delta[]>;
  verify(anchor: string): Promise<VerifyReport>;
  /** Appends to the receipts chain of the anchor on this machine; resolves with `prev` and `hash` filled in. */
  appendReceipt(draft: ReceiptDraft): Promise<Receipt>;
  /** Newest first. */
  receipts(anchor: string, last: number): Promise<readonly Receipt[]>;
  /** The log with snapshots and receipts as JSON lines, in batches. */
  exportLines(anchor: string): AsyncIterable<string>;
  /** @throws ProjectAnchorError `import_conflict` when neither chain is a prefix of the other. */
  importLines(lines: AsyncIterable<string>): Promise<Head & { readonly anchor: string; readonly added: number }>;
  hubStatus(): Promise<HubStatus>;
  readonly onDeltas: Event<DeltaBatch>;
  readonly onHubStatus: Event<HubStatus>;
  dispose(): Promise<void>;
}

export type { Snapshot };
