import { v7 as uuidv7 } from 'uuid';
import {
  type Clock,
  Emitter,
  type Event,
  type Logger,
  messageOf,
  ProjectAnchorError,
  timestamp,
} from '../base/index.ts';
import type { Store } from '../store/index.ts';
import { genesis, sealDelta } from './chain.ts';
import { GroupCommit } from './group-commit.ts';
import { checkDraft } from './limits.ts';
import type { DeltaLog } from './log-port.ts';
import { Replay } from './replay.ts';
import { fromRow, toRow } from './rows.ts';
import type { Ack, Delta, DeltaDraft, Head, StateView } from './types.ts';

/** Most deltas of one `read` (protocol §7, `fetch`). */
const MAX_READ = 500;
/** The log adds a checkpoint at every so many deltas, and at every so many bytes of them (protocol §6). */
const CHECKPOINT_DELTAS = 1_000;
const CHECKPOINT_BYTES = 1024 * 1024;

export interface EmbeddedLogOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Why a delta may not be stored, as a sentence, or null: the gate of protocol §9. */
  readonly deny?: (draft: DeltaDraft) => string | null;
}

/**
 * The log in this machine's database, as the origin that numbers deltas. Any number of processes may append to one
 * file. It does not own the store: its owner closes the log first, then the store.
 */
export class EmbeddedLog implements DeltaLog {
  readonly onAppended: Event<string>;
  readonly #options: EmbeddedLogOptions;
  readonly #appended: Emitter<string>;
  readonly #commits: GroupCommit;
  readonly #replay: Replay;
  readonly #grown = new Set<string>();
  readonly #milestones = new Set<string>();
  #version: number;
  #heads: Map<string, Head>;

  constructor(options: EmbeddedLogOptions) {
    const { store, logger } = options;
    this.#options = options;
    this.#appended = new Emitter((error) => logger.error(`a listener of the log failed: ${messageOf(error)}`));
    this.onAppended = this.#appended.event;
    this.#commits = new GroupCommit(store, () => this.#announce());
    this.#replay = new Replay(store, logger);
    this.#version = store.dataVersion();
    this.#heads = new Map(store.deltas.heads());
  }

  async append(raw: DeltaDraft): Promise<Ack> {
    const draft = checkDraft(raw);
    if (draft.ops.some((op) => op.op === 'checkpoint')) {
      throw new ProjectAnchorError('invalid', 'Only the log itself writes a checkpoint.');
    }
    const denied = this.#options.deny?.(draft) ?? null;
    if (denied !== null) throw new ProjectAnchorError('denied', denied);
    const stopped = this.#replay.stopped(draft.anchor);
    if (stopped !== undefined) throw stopped;
    return await this.#commits.run(() => this.#insert(draft));
  }

  async head(anchor: string): Promise<Head> {
    return this.#options.store.deltas.head(anchor) ?? genesis(anchor);
  }

  async read(anchor: string, after: number, limit: number): Promise<readonly Delta[]> {
    return this.#options.store.deltas.read(anchor, after, Math.min(limit, MAX_READ)).map(fromRow);
  }

  async state(anchor: string): Promise<StateView> {
    return this.#replay.view(anchor);
  }

  /**
   * Looks whether another connection has written, and tells of anchors whose head moved. Cheap when nothing has:
   * its owner calls it every 25 ms while a hub has subscribers (protocol §7).
   */
  lookForOthers(): void {
    const version = this.#options.store.dataVersion();
    if (version === this.#version) return;
    this.#version = version;
    const before = this.#heads;
    this.#heads = new Map(this.#options.store.deltas.heads());
    for (const [anchor, head] of this.#heads) {
      if (before.get(anchor)?.hash !== head.hash) this.#appended.fire(anchor);
    }
  }

  /** Waits for what is being appended, then stops telling of anything. */
  async close(): Promise<void> {
    await this.#commits.idle();
    this.#appended.dispose();
  }

  /** Runs inside a write transaction: nobody else moves the head meanwhile. */
  #insert(draft: DeltaDraft): Ack {
    const { deltas } = this.#options.store;
    const known = deltas.byId(draft.anchor, draft.id);
    if (known !== undefined) return { id: draft.id, seq: known.seq, hash: known.hash };
    const delta = sealDelta(draft, deltas.head(draft.anchor) ?? genesis(draft.anchor));
    const row = toRow(delta);
    const total = deltas.insert(draft.anchor, row);
    this.#grown.add(draft.anchor);
    if (isMilestone(delta.seq, total, Buffer.byteLength(row.body))) this.#milestones.add(draft.anchor);
    return { id: delta.id, seq: delta.seq, hash: delta.hash };
  }

  /** After a commit: tells of what grew, and has the log add the checkpoints that are due. */
  #announce(): void {
    for (const anchor of take(this.#milestones)) this.#checkpoint(anchor);
    for (const anchor of take(this.#grown)) {
      const head = this.#options.store.deltas.head(anchor);
      if (head !== undefined) this.#heads.set(anchor, head);
      this.#appended.fire(anchor);
    }
  }

  #checkpoint(anchor: string): void {
    const { clock, logger } = this.#options;
    const { seq, stateHash, stopped } = this.#replay.view(anchor);
    if (stopped !== undefined) return;
    const draft: DeltaDraft = {
      schema: 'projectanchor.delta.v1',
      anchor,
      id: uuidv7(),
      author: { agent: 'log', session: 'log' },
      at: timestamp(clock.now()),
      ops: [{ op: 'checkpoint', seq, stateHash }],
    };
    this.#commits
      .run(() => this.#insert(draft))
      .catch((error: unknown) => logger.warn(`a checkpoint was not written: ${messageOf(error)}`));
  }
}

/** Whether a delta completes a thousand, or its bytes a MiB: exactly one of those who append sees each. */
function isMilestone(seq: number, total: number, bytes: number): boolean {
  const crossed = Math.floor(total / CHECKPOINT_BYTES) > Math.floor((total - bytes) / CHECKPOINT_BYTES);
  return seq % CHECKPOINT_DELTAS === 0 || crossed;
}

/** Empties a set. */
function take<T>(set: Set<T>): readonly T[] {
  const items = [...set];
  set.clear();
  return items;
}
