import { type Clock, type Disposable, type Logger, messageOf } from '../base/index.ts';
import type { Receipt, ReceiptDraft } from '../inject/index.ts';

/** Protocol §8 allows 250 ms from the request to the durable receipt; the rest is for the append itself. */
const APPEND_AFTER_MS = 50;
/** Between two tries while the log refuses, such as a full disk. */
const RETRY_AFTER_MS = 1_000;

/**
 * Receipts on their way to the log: taken in without waiting, appended in order shortly after, kept until the log has them.
 * Disposing starts a last append; the owner awaits `flush()` before it closes the log.
 */
export class ReceiptQueue implements Disposable {
  readonly #append: (draft: ReceiptDraft) => Promise<Receipt>;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #waiting: ReceiptDraft[] = [];
  #timer: Disposable | null = null;
  #running: Promise<void> | null = null;
  #disposed = false;

  constructor(append: (draft: ReceiptDraft) => Promise<Receipt>, clock: Clock, logger: Logger) {
    this.#append = append;
    this.#clock = clock;
    this.#logger = logger;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  enqueue(draft: ReceiptDraft): void {
    this.#waiting.push(draft);
    if (this.#disposed) this.#flushInBackground();
    else this.#timer ??= this.#clock.timeout(APPEND_AFTER_MS, () => this.#flushInBackground());
  }

  /** Resolves when every receipt taken in so far is durable. Rejects with the log's error; the receipts stay queued. */
  flush(): Promise<void> {
    this.#timer?.dispose();
    this.#timer = null;
    this.#running ??= this.#drain().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#flushInBackground();
  }

  async #drain(): Promise<void> {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      await this.#append(next);
      this.#waiting.shift();
    }
  }

  #flushInBackground(): void {
    this.flush().catch((error: unknown) => {
      this.#logger.warn(`${this.#waiting.length} receipts wait to be written: ${messageOf(error)}`);
      if (!this.#disposed) this.#timer ??= this.#clock.timeout(RETRY_AFTER_MS, () => this.#flushInBackground());
    });
  }
}
