import { Worker } from 'node:worker_threads';
import { createBirpc } from 'birpc';
import { type Logger, messageOf, ProjectAnchorError } from '../base/index.ts';
import type { AutoTagOptions } from './commits/index.ts';
import type { SnapshotService, SnapshotSettings, TakeRequest } from './service.ts';
import { PARSE_LIMIT_MS } from './time-limit.ts';
import {
  type HostFunctions,
  type Method,
  type Outcome,
  valueOfOutcome,
  type WorkerData,
  type WorkerFunctions,
} from './worker-protocol.ts';

export interface SnapshotWorkerOptions {
  /** Path of the worker's script, `dist/snapshot-worker.js`. */
  readonly file: string;
  /** The data folder. */
  readonly folder: string;
  readonly logger: Logger;
  /** For tests: another limit than the worker's own. */
  readonly tiredBytes?: number;
  /** For tests: another patience. */
  readonly patience?: Patience;
}

/** How often a thread is asked whether it can still answer, and for how long it may fail to, in ms. */
interface Patience {
  /** For one text, in a thread after one that did not answer. */
  readonly parseMs: number;
  readonly pingMs: number;
  readonly stuckMs: number;
}

/**
 * No step of a snapshot takes this long; a text that sends a parser round in circles does. Waiting for another process
 * that writes the database takes five seconds at most.
 */
const PATIENCE: Patience = { parseMs: PARSE_LIMIT_MS, pingMs: 5_000, stuckMs: 20_000 };

/**
 * Memory of the thread, in MB. A million lines need a fifth of it; V8 collects garbage the sooner the smaller a heap may
 * become, and parsers make much of it.
 */
const MEMORY = { maxOldGenerationSizeMb: 896, maxYoungGenerationSizeMb: 24 } as const;

/** A worker that is busy longer than this when the window closes is ended without its consent, in ms. */
const CLOSE_MS = 3_000;

/**
 * The same service from a worker thread. The thread starts at the first call and again after a crash; a call that a
 * crash interrupted is made once more, because all of them only read the project. A thread that does not answer any more
 * is ended; the one after it gives every text a time limit, and so finds out which one it was.
 */
export function connectSnapshotWorker(options: SnapshotWorkerOptions): SnapshotService {
  return new WorkerClient(options);
}

interface Running {
  readonly worker: Worker;
  readonly call: (method: Method, args: readonly unknown[]) => Promise<Outcome>;
  /** Rejects when the thread ends by itself. */
  readonly crashed: Promise<never>;
  /** How many calls are under way. */
  calls: number;
  /** Whether it is to be replaced when nobody waits for it. */
  tired: boolean;
}

class Crash extends Error {}

class WorkerClient implements SnapshotService {
  readonly #options: SnapshotWorkerOptions;
  #running: Running | null = null;
  #settings: SnapshotSettings | null = null;
  #disposed = false;
  #careful = false;

  constructor(options: SnapshotWorkerOptions) {
    this.#options = options;
  }

  async configure(settings: SnapshotSettings): Promise<void> {
    this.#settings = settings;
    // A worker that is not there yet is told when it starts.
    if (this.#running !== null) await this.#call('configure', settings);
  }

  identify(folder: string) {
    return this.#call('identify', folder);
  }

  take(request: TakeRequest) {
    return this.#call('take', request);
  }

  facts(folder: string, path: string, text: string | null) {
    return this.#call('facts', folder, path, text);
  }

  imports(folder: string, path: string, complete: boolean) {
    return this.#call('imports', folder, path, complete);
  }

  index(folder: string, work: 'run' | 'look' | 'cancel') {
    return this.#call('index', folder, work);
  }

  dependencies(folder: string) {
    return this.#call('dependencies', folder);
  }

  outline(folder: string, path: string) {
    return this.#call('outline', folder, path);
  }

  origin(folder: string, path: string) {
    return this.#call('origin', folder, path);
  }

  why(folder: string, path: string, symbol: string | null) {
    return this.#call('why', folder, path, symbol);
  }

  commitSymbols(folder: string, revision: string) {
    return this.#call('commitSymbols', folder, revision);
  }

  together(folder: string, path: string) {
    return this.#call('together', folder, path);
  }

  autoTags(folder: string, options: AutoTagOptions) {
    return this.#call('autoTags', folder, options);
  }

  show(folder: string, ref: string) {
    return this.#call('show', folder, ref);
  }

  files(folder: string, ref: string) {
    return this.#call('files', folder, ref);
  }

  async dispose(): Promise<void> {
    this.#disposed = true;
    const running = this.#running;
    this.#running = null;
    if (running === null) return;
    await this.#end(running);
  }

  async #end(running: Running): Promise<void> {
    const late = new Promise<void>((resolve) => setTimeout(resolve, CLOSE_MS).unref());
    try {
      await Promise.race([running.call('dispose', []), running.crashed, late]);
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
    } finally {
      await running.worker.terminate();
    }
  }

  async #call<M extends Method>(
    method: M,
    ...args: Parameters<SnapshotService[M]>
  ): Promise<Awaited<ReturnType<SnapshotService[M]>>> {
    for (let attempt = 1; ; attempt++) {
      if (this.#disposed) throw new ProjectAnchorError('disposed', 'The snapshot service has ended.');
      const running = this.#start();
      running.calls += 1;
      try {
        const outcome = await Promise.race([running.call(method, args), running.crashed]);
        return valueOfOutcome(outcome) as Awaited<ReturnType<SnapshotService[M]>>;
      } catch (error) {
        if (!(error instanceof Crash)) throw error;
        if (attempt === 1 && !this.#disposed) continue;
        throw new ProjectAnchorError(
          'worker_crashed',
          `The snapshot worker ended while it worked on this (${error.message}).`,
          'It starts again with the next snapshot; see the log if this repeats.',
          { cause: error },
        );
      } finally {
        running.calls -= 1;
        this.#replaceIfTired(running);
      }
    }
  }

  /** The next call gets a new thread; what the old one knew is on disk. */
  #replaceIfTired(running: Running): void {
    if (!running.tired || running.calls > 0 || this.#running !== running) return;
    this.#running = null;
    this.#end(running).catch((error: unknown) => {
      this.#options.logger.warn(`The snapshot worker did not end well: ${messageOf(error)}`);
    });
  }

  #start(): Running {
    this.#running ??= this.#spawn();
    return this.#running;
  }

  #spawn(): Running {
    const { file, folder, logger, tiredBytes, patience = PATIENCE } = this.#options;
    const data: WorkerData = {
      folder,
      ...(this.#careful ? { parseLimitMs: patience.parseMs } : {}),
      ...(tiredBytes === undefined ? {} : { tiredBytes }),
    };
    const worker = new Worker(file, { workerData: data, resourceLimits: MEMORY });
    const ended = Promise.withResolvers<never>();
    const host: HostFunctions = {
      log: (level, message) => logger[level](message),
      tired: (why) => {
        logger.info(`The snapshot worker is replaced by a new one: ${why}.`);
        running.tired = true;
        this.#replaceIfTired(running);
      },
    };
    const rpc = createBirpc<WorkerFunctions, HostFunctions>(host, {
      post: (message) => worker.postMessage(message),
      on: (listener) => worker.on('message', listener),
      timeout: -1,
    });
    const running: Running = {
      worker,
      call: (method, args) => rpc.call(method, args),
      crashed: ended.promise,
      calls: 0,
      tired: false,
    };
    const crash = (why: string) => {
      if (this.#running === running) this.#running = null;
      ended.reject(new Crash(why));
    };
    worker.on('error', (error) => crash(messageOf(error)));
    worker.on('exit', (code) => crash(`exit code ${code}`));
    this.#watch(worker, () => rpc.ping(), crash);
    ended.promise.catch((error: unknown) => {
      if (!this.#disposed && !running.tired) logger.warn(`The snapshot worker ended: ${messageOf(error)}`);
    });
    this.#configureNew(running);
    return running;
  }

  /** Ends a thread that does not answer any more. */
  #watch(worker: Worker, ping: () => Promise<void>, crash: (why: string) => void): void {
    const { pingMs, stuckMs } = this.#options.patience ?? PATIENCE;
    // Counted in turns, not by the clock: neither thread runs while the machine sleeps.
    let turns: number | null = null;
    const timer = setInterval(() => {
      if (turns === null) {
        turns = 0;
        ping().then(
          () => {
            turns = null;
          },
          () => undefined,
        );
        return;
      }
      turns += 1;
      if (turns * pingMs < stuckMs) return;
      clearInterval(timer);
      this.#careful = true;
      crash(`it did not answer for ${Math.round((turns * pingMs) / 1000)} s`);
      void worker.terminate();
    }, pingMs).unref();
    worker.on('exit', () => clearInterval(timer));
  }

  /** Messages keep their order, so whatever is asked next finds the settings in place. */
  #configureNew(running: Running): void {
    if (this.#settings === null) return;
    running
      .call('configure', [this.#settings])
      .then(valueOfOutcome)
      .catch((error: unknown) => this.#options.logger.error(`Settings were not taken: ${messageOf(error)}`));
  }
}
