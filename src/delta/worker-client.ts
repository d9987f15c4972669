import { randomUUID } from 'node:crypto';
import {
  type Clock,
  canonical,
  Emitter,
  type Event,
  type Logger,
  messageOf,
  ProjectAnchorError,
  systemClock,
} from '../base/index.ts';
import type { Receipt, ReceiptDraft } from '../inject/index.ts';
import type { Anchor, TakenSnapshot } from '../snapshot/index.ts';
import { backoff } from './backoff.ts';
import { MAX_FETCH } from './hub-limits.ts';
import type { SessionName } from './hub-presence.ts';
import type { Imported } from './import.ts';
import type { DeltaBatch, HubStatus, LogService } from './service.ts';
import type { Ack, Author, Delta, Head, Op, StateView, VerifyReport } from './types.ts';
import { batchesOf, type Calls, type Method, type WorkerData } from './worker-protocol.ts';
import { WorkerEnded, WorkerThread } from './worker-thread.ts';

export interface LogWorkerOptions {
  /** Path of the worker's script, `dist/log-worker.js`. */
  readonly file: string;
  /** The data folder. */
  readonly folder: string;
  /** Who this process is at the hub. */
  readonly who?: SessionName;
  readonly hub: WorkerData['hub'];
  /** `projectAnchor.hub.url` and `.port`. */
  readonly hubUrl?: string;
  readonly hubPort?: number;
  readonly logger: Logger;
  readonly clock?: Clock;
}

/**
 * The same service from a worker thread of its own, so that a busy database or a slow disk never stalls this one.
 * The thread starts at the first call. After a crash it is started again, the opened anchors with it, and what was
 * appended meanwhile is told; calls that the crash interrupted are made again, a mark only if the log lacks it.
 */
export function connectLogWorker(options: LogWorkerOptions): LogService {
  return new WorkerLogService(options);
}

/** An opened anchor, and how far it has been told by `onDeltas`. */
interface Opened {
  readonly anchor: Anchor;
  told: Head;
  /** The thread from which what came before the next batch is being read, if that is so. */
  reader: WorkerThread | undefined;
  /** Highest seq announced meanwhile. */
  announced: number;
}

/** A thread that worked this long, in ms, was a good one: the next restart is quick again. */
const GOOD_AFTER_MS = 10_000;

class WorkerLogService implements LogService {
  readonly #options: LogWorkerOptions;
  readonly #clock: Clock;
  readonly #deltas: Emitter<DeltaBatch>;
  readonly #statuses: Emitter<HubStatus>;
  readonly #opened = new Map<string, Opened>();
  #thread: WorkerThread | undefined;
  #status: HubStatus = { kind: 'alone', waiting: 0 };
  #crashes = 0;
  #disposed = false;

  constructor(options: LogWorkerOptions) {
    const failed = (error: unknown) => options.logger.error(`a listener failed: ${messageOf(error)}`);
    this.#options = options;
    this.#clock = options.clock ?? systemClock();
    this.#deltas = new Emitter(failed);
    this.#statuses = new Emitter(failed);
  }

  get onDeltas(): Event<DeltaBatch> {
    return this.#deltas.event;
  }

  get onHubStatus(): Event<HubStatus> {
    return this.#statuses.event;
  }

  async open(anchor: Anchor): Promise<StateView> {
    const view = await this.#call('open', anchor);
    if (!this.#opened.has(anchor.id)) {
      this.#opened.set(anchor.id, {
        anchor,
        told: { seq: view.seq, hash: view.hash },
        reader: undefined,
        announced: 0,
      });
    }
    return view;
  }

  async author(
    anchor: string,
    author: Author,
    ops: readonly Op[],
    options: { readonly byHand: boolean },
  ): Promise<Ack> {
    const from = this.#opened.get(anchor)?.told.seq ?? 0;
    const ask = (thread: WorkerThread) => thread.call('author', anchor, author, ops, options);
    return await this.#twice(ask, async (thread) => {
      return (await findAuthored(thread, anchor, from, author, ops)) ?? (await ask(thread));
    });
  }

  publishSnapshot(anchor: string, author: Author, taken: TakenSnapshot): Promise<Ack | null> {
    return this.#call('publishSnapshot', anchor, author, taken);
  }

  state(anchor: string): Promise<StateView> {
    return this.#call('state', anchor);
  }

  deltas(anchor: string, after: number, limit: number): Promise<readonly Delta[]> {
    return this.#call('deltas', anchor, after, limit);
  }

  verify(anchor: string): Promise<VerifyReport> {
    return this.#call('verify', anchor);
  }

  /** A receipt has an id: given twice it is one receipt. */
  appendReceipt(draft: ReceiptDraft): Promise<Receipt> {
    return this.#call('appendReceipt', draft);
  }

  receipts(anchor: string, last: number): Promise<readonly Receipt[]> {
    return this.#call('receipts', anchor, last);
  }

  async *exportLines(anchor: string): AsyncGenerator<string> {
    const thread = this.#start();
    const id = await this.#once(thread.call('exportStart', anchor));
    try {
      for (;;) {
        const lines = await this.#once(thread.call('exportNext', id));
        if (lines.length === 0) return;
        yield* lines;
      }
    } finally {
      await thread.call('exportEnd', id).catch((error: unknown) => this.#unheard(error));
    }
  }

  async importLines(lines: AsyncIterable<string>): Promise<Imported> {
    const thread = this.#start();
    const id = await this.#once(thread.call('importStart'));
    try {
      for await (const batch of batchesOf(lines)) await this.#once(thread.call('importPush', id, batch));
    } catch (error) {
      await thread.call('importAbort', id).catch((failure: unknown) => this.#unheard(failure));
      throw error;
    }
    return await this.#once(thread.call('importFinish', id));
  }

  /** Asked of nobody while the worker does not run: asking does not start it. */
  async hubStatus(): Promise<HubStatus> {
    return this.#thread === undefined ? this.#status : await this.#call('hubStatus');
  }

  async dispose(): Promise<void> {
    if (this.#disposed) return;
    this.#disposed = true;
    try {
      await this.#thread?.close();
    } finally {
      this.#deltas.dispose();
      this.#statuses.dispose();
    }
  }

  #call<M extends Method>(method: M, ...args: Parameters<Calls[M]>): Promise<Awaited<ReturnType<Calls[M]>>> {
    const ask = (thread: WorkerThread) => thread.call(method, ...args);
    return this.#twice(ask, ask);
  }

  /** Asks, and after a crash asks the next thread once more. */
  async #twice<T>(ask: (thread: WorkerThread) => Promise<T>, again: (thread: WorkerThread) => Promise<T>): Promise<T> {
    try {
      return await ask(this.#start());
    } catch (error) {
      if (!(error instanceof WorkerEnded) || this.#disposed) throw sentence(error);
      return await this.#once(again(this.#start()));
    }
  }

  async #once<T>(asked: Promise<T>): Promise<T> {
    try {
      return await asked;
    } catch (error) {
      throw sentence(error);
    }
  }

  #start(): WorkerThread {
    if (this.#disposed) throw new ProjectAnchorError('closed', 'The log of this window has been closed.');
    this.#thread ??= this.#spawn();
    return this.#thread;
  }

  #spawn(): WorkerThread {
    const { file, folder, who = { agent: 'projectanchor', session: randomUUID() }, hub, logger } = this.#options;
    const { hubUrl = '', hubPort = 0 } = this.#options;
    const startedAt = this.#clock.monotonic();
    const host = {
      log: (level: keyof Logger, message: string) => logger[level](message),
      deltas: (batch: DeltaBatch) => this.#receive(batch),
      status: (status: HubStatus) => this.#tell(status),
    };
    const thread = new WorkerThread(file, { folder, who, hub, hubUrl, hubPort }, host, (why) => {
      if (this.#thread === thread) this.#thread = undefined;
      if (this.#clock.monotonic() - startedAt >= GOOD_AFTER_MS) this.#crashes = 0;
      this.#crashed(why);
    });
    for (const opened of this.#opened.values()) this.#resume(thread, opened);
    return thread;
  }

  /** Nothing durable is lost. Where anchors are open somebody waits for news of them, so the thread is started again. */
  #crashed(why: string): void {
    if (this.#disposed) return;
    this.#options.logger.error(`the log worker ended (${why}) and is started again; everything stored is kept`);
    this.#tell({ kind: 'alone', waiting: 0, reason: 'The log worker has ended and is being started again.' });
    if (this.#opened.size === 0) return;
    this.#clock.timeout(
      backoff(this.#crashes++, () => 1),
      () => {
        if (!this.#disposed) this.#start();
      },
    );
  }

  /** Opens an anchor in a thread and tells what was appended since the last batch. */
  #resume(thread: WorkerThread, opened: Opened): void {
    if (opened.reader === thread) return;
    opened.reader = thread;
    opened.announced = 0;
    this.#readOn(thread, opened)
      .catch((error: unknown) => this.#unheard(error))
      .finally(() => {
        if (opened.reader === thread) opened.reader = undefined;
      });
  }

  async #readOn(thread: WorkerThread, opened: Opened): Promise<void> {
    const { anchor } = opened;
    await thread.call('open', anchor);
    for (;;) {
      const items = await thread.call('deltas', anchor.id, opened.told.seq, MAX_FETCH);
      if (opened.reader !== thread) return;
      if (items.length > 0) this.#fire(opened, items);
      else if (opened.announced > opened.told.seq) opened.announced = 0;
      else return;
    }
  }

  #receive(batch: DeltaBatch): void {
    const opened = this.#opened.get(batch.anchor);
    if (opened === undefined) {
      this.#deltas.fire(batch);
    } else if (opened.reader !== undefined) {
      opened.announced = Math.max(opened.announced, batch.head.seq);
    } else {
      const items = batch.items.filter((item) => item.seq > opened.told.seq);
      if (items[0]?.seq === opened.told.seq + 1) this.#fire(opened, items);
      else if (items.length > 0 && this.#thread !== undefined) this.#resume(this.#thread, opened);
    }
  }

  #fire(opened: Opened, items: readonly Delta[]): void {
    const last = items.at(-1);
    if (last === undefined) return;
    opened.told = { seq: last.seq, hash: last.hash };
    this.#deltas.fire({ anchor: opened.anchor.id, items, head: opened.told });
  }

  #tell(status: HubStatus): void {
    this.#status = status;
    this.#statuses.fire(status);
  }

  /** A failure that nobody waits for: the thread's own end has been told already. */
  #unheard(error: unknown): void {
    if (!(error instanceof WorkerEnded)) this.#options.logger.warn(`the log worker: ${messageOf(error)}`);
  }
}

/** The ack of operations that a thread had made durable before it ended. */
async function findAuthored(
  thread: WorkerThread,
  anchor: string,
  from: number,
  author: Author,
  ops: readonly Op[],
): Promise<Ack | undefined> {
  for (let after = from; ; ) {
    const deltas = await thread.call('deltas', anchor, after, MAX_FETCH);
    const found = deltas.find((delta) => carries(delta, author, ops));
    if (found !== undefined) return { id: found.id, seq: found.seq, hash: found.hash };
    const last = deltas.at(-1);
    if (last === undefined) return undefined;
    after = last.seq;
  }
}

function carries(delta: Delta, author: Author, ops: readonly Op[]): boolean {
  if (delta.author.agent !== author.agent || delta.author.session !== author.session) return false;
  const held = new Set(delta.ops.map((op) => canonical(op)));
  return ops.every((op) => held.has(canonical(op)));
}

/** What a person is told when the thread ended under a call. */
function sentence(error: unknown): unknown {
  if (!(error instanceof WorkerEnded)) return error;
  return new ProjectAnchorError(
    'worker_crashed',
    `The log worker ended while it worked on this (${error.message}); what it had stored is kept.`,
    'Try again; the log of ProjectAnchor tells more if this repeats.',
    { cause: error },
  );
}
