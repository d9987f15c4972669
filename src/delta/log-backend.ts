import type { Receipt, ReceiptDraft } from '../inject/index.ts';
import type { Anchor } from '../snapshot/index.ts';
import type { AnchorDirectory } from './hub-services.ts';
import type { Imported } from './import.ts';
import type { DeltaLog } from './log-port.ts';
import type { VerifyReport } from './types.ts';

/** Everything that a LogService keeps, in this machine's database or in memory. */
export interface LogBackend {
  /** With the gate in it. Its `onAppended` also tells of imports. */
  readonly log: DeltaLog;
  readonly anchors: AnchorDirectory;
  /** Makes an anchor known that others found; returns its other ids. */
  know(anchor: Anchor): readonly string[];
  /** Looks whether another process has appended; what it finds comes by the log's `onAppended`. */
  look(): void;
  verify(anchor: string): Promise<VerifyReport>;
  /** From now on this process may hold receipts of an anchor that are not appended yet. */
  holdReceipts(anchor: string): Promise<void>;
  appendReceipt(draft: ReceiptDraft): Promise<Receipt>;
  receipts(anchor: string, last: number): readonly Receipt[];
  exportLines(anchor: string): AsyncIterable<string>;
  importLines(lines: AsyncIterable<string>): Promise<Imported>;
  /** Waits for what is being written, then lets go of everything. */
  close(): Promise<void>;
}
