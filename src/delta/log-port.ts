import type { Event } from '../base/index.ts';
import type { Ack, Delta, DeltaDraft, Head, StateView } from './types.ts';

/**
 * Where deltas are kept: the only place that assigns `seq`, `prev` and `hash` (protocol §6).
 * Every implementation passes the contract suite `test/support/contracts/delta-log.ts`.
 */
export interface DeltaLog {
  /**
   * Appends atomically and durably; an id that is already there returns its first ack.
   * @throws ProjectAnchorError with a nack code of protocol §7 (`invalid`, `too_large`, `denied`, `unsupported_op`)
   *   or a storage code (`database_busy`, `disk_full`, `read_only`, ...).
   */
  append(draft: DeltaDraft): Promise<Ack>;
  /** `{seq: 0, hash: genesis}` for an anchor without deltas. */
  head(anchor: string): Promise<Head>;
  /** Deltas with seq above `after`, in order, at most `limit` (≤ 500). */
  read(anchor: string, after: number, limit: number): Promise<readonly Delta[]>;
  /** What all deltas up to the head make. */
  state(anchor: string): Promise<StateView>;
  /** Anchors whose head may have moved, whoever moved it: appends here at once, other processes' when looked for. */
  readonly onAppended: Event<string>;
}
