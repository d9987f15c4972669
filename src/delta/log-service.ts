import {
  type Clock,
  type Disposable,
  DisposableStore,
  Emitter,
  type Event,
  type Logger,
  messageOf,
  ProjectAnchorError,
} from '../base/index.ts';
import type { Receipt, ReceiptDraft } from '../inject/index.ts';
import type { Anchor, Gate, TakenSnapshot, Trigger } from '../snapshot/index.ts';
import { Authoring } from './authoring.ts';
import { opRefusal } from './delta-gate.ts';
import { news, takenOps } from './diff-snapshot.ts';
import { Follower } from './follower.ts';
import { ALONE_WATCH_MS } from './hub-limits.ts';
import type { HubLink } from './hub-link.ts';
import type { Imported } from './import.ts';
import type { LogBackend } from './log-backend.ts';
import type { DeltaBatch, HubStatus, LogService } from './service.ts';
import { every } from './timers.ts';
import type { Ack, Author, Delta, Op, State, StateView, VerifyReport } from './types.ts';

export interface LogServiceParts {
  readonly backend: LogBackend;
  readonly link: HubLink;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Judges single facts, so that one that may not leave does not keep the others. */
  readonly gate: Gate;
  /** Receipts may wait in this process before they are appended, so that its sudden end leaves a gap among them. */
  readonly holdsReceipts: boolean;
  /** Why nothing is kept, when the backend is memory only. */
  readonly memoryReason?: string;
}

/** Nobody else adds to these in a moment: what they found is published without waiting for the merge window. */
const AT_ONCE: ReadonlySet<Trigger> = new Set(['manual', 'hook', 'agent']);

/**
 * The log, the hub and the client of one process. Every opened anchor has one Follower: fed by own appends at once, by
 * the hub's pushes while connected, and otherwise by a look at the database every 250 ms.
 */
export class LocalLogService implements LogService {
  readonly #parts: LogServiceParts;
  readonly #authoring: Authoring;
  readonly #opened = new Map<string, Promise<Follower>>();
  readonly #followers = new Map<string, Follower>();
  readonly #held = new DisposableStore();
  readonly #deltas: Emitter<DeltaBatch>;
  readonly #statuses: Emitter<HubStatus>;
  #watch: Disposable | undefined;
  #told = '';
  #ended: Promise<void> | undefined;

  constructor(parts: LogServiceParts) {
    const { backend, link, clock, logger } = parts;
    const { log } = backend;
    const failed = (error: unknown) => logger.error(`a listener failed: ${messageOf(error)}`);
    this.#parts = parts;
    this.#deltas = this.#held.add(new Emitter<DeltaBatch>(failed));
    this.#statuses = this.#held.add(new Emitter<HubStatus>(failed));
    this.#authoring = new Authoring({
      append: async (draft) => {
        const ack = await log.append(draft);
        link.appended();
        return ack;
      },
      clock,
      seen: (anchor) => this.#followers.get(anchor)?.head.seq ?? 0,
      changed: () => this.#tell(),
    });
    this.#held.add(log.onAppended((anchor) => this.#appended(anchor)));
    this.#held.add(link.onChange(() => this.#tell()));
    link.start();
  }

  get onDeltas(): Event<DeltaBatch> {
    return this.#deltas.event;
  }

  get onHubStatus(): Event<HubStatus> {
    return this.#statuses.event;
  }

  async open(anchor: Anchor): Promise<StateView> {
    this.#demandOpen();
    const opening = this.#opened.get(anchor.id) ?? this.#open(anchor);
    this.#opened.set(anchor.id, opening);
    try {
      await opening;
    } catch (error) {
      if (this.#opened.get(anchor.id) === opening) this.#opened.delete(anchor.id);
      throw error;
    }
    return await this.state(anchor.id);
  }

  async author(
    anchor: string,
    author: Author,
    ops: readonly Op[],
    options: { readonly byHand: boolean },
  ): Promise<Ack> {
    this.#demandOpen();
    if (options.byHand) return await this.#add(anchor, author, ops, true);
    const state = await this.#settled(anchor);
    const fresh = news(this.#authoring.ahead(anchor, state), ops);
    return await this.#add(anchor, author, fresh.length > 0 ? fresh : ops, false);
  }

  async publishSnapshot(anchor: string, author: Author, taken: TakenSnapshot): Promise<Ack | null> {
    this.#demandOpen();
    const { gate, logger } = this.#parts;
    const state = await this.#settled(anchor);
    // From here to the window without a pause: what was added meanwhile by another call must not be said twice.
    const ops = takenOps(this.#authoring.ahead(anchor, state), taken).filter((op) => {
      const refusal = opRefusal(gate, op);
      if (refusal !== null) logger.info(`a fact stays here (${op.op}): ${refusal}`);
      return refusal === null;
    });
    if (ops.length === 0) return null;
    const { id, trigger } = taken.snapshot;
    return await this.#add(anchor, author, ops, AT_ONCE.has(trigger), id);
  }

  async state(anchor: string): Promise<StateView> {
    const pending = this.#authoring.waiting(anchor);
    const follower = await this.#follower(anchor);
    if (follower === undefined) return { ...(await this.#parts.backend.log.state(anchor)), pending };
    return follower.view(pending);
  }

  deltas(anchor: string, after: number, limit: number): Promise<readonly Delta[]> {
    return this.#parts.backend.log.read(anchor, after, limit);
  }

  async verify(anchor: string): Promise<VerifyReport> {
    const report = await this.#parts.backend.verify(anchor);
    return { ...report, pending: this.#authoring.waiting(anchor) };
  }

  async appendReceipt(draft: ReceiptDraft): Promise<Receipt> {
    return await this.#parts.backend.appendReceipt(draft);
  }

  async receipts(anchor: string, last: number): Promise<readonly Receipt[]> {
    return this.#parts.backend.receipts(anchor, last);
  }

  exportLines(anchor: string): AsyncIterable<string> {
    return this.#parts.backend.exportLines(anchor);
  }

  async importLines(lines: AsyncIterable<string>): Promise<Imported> {
    this.#demandOpen();
    const imported = await this.#parts.backend.importLines(lines);
    this.#parts.link.appended();
    return imported;
  }

  async hubStatus(): Promise<HubStatus> {
    return this.#status();
  }

  dispose(): Promise<void> {
    this.#ended ??= this.#end();
    return this.#ended;
  }

  /** Everything authored becomes durable before anything is let go. */
  async #end(): Promise<void> {
    await this.#authoring.flush();
    this.#watch?.dispose();
    await this.#parts.link.dispose();
    await this.#parts.backend.close();
    this.#held.dispose();
  }

  #demandOpen(): void {
    if (this.#ended !== undefined) throw new ProjectAnchorError('closed', 'The log of this process has been closed.');
  }

  async #open(anchor: Anchor): Promise<Follower> {
    const { backend, link, logger, clock } = this.#parts;
    const aliases = backend.know(anchor);
    if (this.#parts.holdsReceipts) await this.#holdReceipts(anchor.id);
    const source = {
      read: (id: string, after: number, limit: number) => backend.log.read(id, after, limit),
      state: (id: string) => backend.log.state(id),
    };
    const follower = new Follower(await backend.log.state(anchor.id), source, logger);
    this.#demandOpen();
    this.#followers.set(anchor.id, follower);
    follower.onDeltas((batch) => this.#deltas.fire(batch));
    link.follow(anchor, aliases, follower);
    this.#watch ??= every(clock, ALONE_WATCH_MS, () => this.#look());
    return follower;
  }

  async #holdReceipts(anchor: string): Promise<void> {
    const { backend, logger } = this.#parts;
    try {
      await backend.holdReceipts(anchor);
    } catch (error) {
      // Only the note that some may be missing after a crash would be missing.
      logger.warn(`receipts are kept without a note of who holds some: ${messageOf(error)}`);
    }
  }

  /** The follower of an opened anchor, in step with the log. */
  async #follower(anchor: string): Promise<Follower | undefined> {
    const follower = this.#followers.get(anchor);
    await follower?.catchUp();
    return follower;
  }

  /** The state of the log, without what is authored here and still waits. */
  async #settled(anchor: string): Promise<State> {
    const follower = await this.#follower(anchor);
    return follower?.state ?? (await this.#parts.backend.log.state(anchor)).state;
  }

  async #add(anchor: string, author: Author, ops: readonly Op[], now: boolean, snapshot?: string): Promise<Ack> {
    const stopped = this.#followers.get(anchor)?.stopped;
    if (stopped !== undefined) throw new ProjectAnchorError(stopped.code, stopped.message);
    return await this.#authoring.add(anchor, author, ops, now, snapshot);
  }

  #appended(anchor: string): void {
    this.#follower(anchor).catch((error: unknown) => {
      this.#parts.logger.warn(`the log could not be read: ${messageOf(error)}`);
    });
  }

  /** Other processes' appends, where no hub tells of them. */
  #look(): void {
    const { backend, link, logger } = this.#parts;
    if ([...this.#followers.keys()].every((anchor) => link.pushes(anchor))) return;
    try {
      backend.look();
    } catch (error) {
      logger.debug(`the database could not be looked at: ${messageOf(error)}`);
    }
  }

  #status(): HubStatus {
    const { link, memoryReason } = this.#parts;
    const waiting = this.#authoring.waiting();
    if (memoryReason !== undefined) return { kind: 'memory', waiting, reason: memoryReason };
    const { agents } = link;
    return { ...link.status, waiting, ...(agents !== undefined && { agents }) };
  }

  #tell(): void {
    const status = this.#status();
    const told = JSON.stringify(status);
    if (told === this.#told) return;
    this.#told = told;
    this.#statuses.fire(status);
  }
}
