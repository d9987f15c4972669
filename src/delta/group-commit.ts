import type { Store } from '../store/index.ts';

/** Most jobs of one transaction, so that other processes get their turn. */
const MAX_JOBS = 256;

interface Job {
  readonly work: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Runs what is asked within one turn of the event loop in one transaction: many appends cost one wait for the disk,
 * and none waits longer than that turn, which is well within the 2 ms of protocol §6.
 */
export class GroupCommit {
  readonly #store: Store;
  readonly #committed: () => void;
  readonly #jobs: Job[] = [];
  #running: Promise<void> | undefined;

  /** @param committed called after every transaction, before the promises of its jobs resolve */
  constructor(store: Store, committed: () => void = () => undefined) {
    this.#store = store;
    this.#committed = committed;
  }

  /** Runs `work` synchronously inside a write transaction; resolves with what it returns when that is durable. */
  run<T>(work: () => T): Promise<T> {
    const result = new Promise<T>((resolve, reject) => {
      this.#jobs.push({ work, resolve: resolve as (value: unknown) => void, reject });
    });
    this.#running ??= this.#drain();
    return result;
  }

  /** Resolves when everything asked so far is done, whether it went well or not. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  async #drain(): Promise<void> {
    try {
      while (this.#jobs.length > 0) {
        await nextTurn();
        await this.#commit();
      }
    } finally {
      this.#running = undefined;
    }
  }

  async #commit(): Promise<void> {
    let batch: readonly Job[] = [];
    let results: readonly unknown[];
    try {
      results = await this.#store.write(() => {
        // Taken only now, so that what was asked while others held the lock joins.
        batch = this.#jobs.splice(0, MAX_JOBS);
        return batch.map((job) => job.work());
      });
    } catch (error) {
      if (batch.length > 1) await this.#commitEach(batch);
      else for (const job of batch.length === 0 ? this.#jobs.splice(0) : batch) job.reject(error);
      return;
    }
    this.#committed();
    batch.forEach((job, index) => {
      job.resolve(results[index]);
    });
  }

  /** One job must not take the others down with it. */
  async #commitEach(batch: readonly Job[]): Promise<void> {
    for (const job of batch) {
      await this.#store.write(job.work).then(job.resolve, job.reject);
      this.#committed();
    }
  }
}

/** A turn of the event loop. Unlike a timer of the clock it keeps the process alive: somebody waits for the disk. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
