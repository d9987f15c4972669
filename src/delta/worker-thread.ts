import { Worker } from 'node:worker_threads';
import { createBirpc } from 'birpc';
import { messageOf } from '../base/index.ts';
import {
  type Calls,
  type HostFunctions,
  type Method,
  valueOfOutcome,
  type WorkerData,
  type WorkerFunctions,
} from './worker-protocol.ts';

/** The thread ended by itself before it answered. */
export class WorkerEnded extends Error {}

/** A worker that is busy longer than this when it is to end is ended without its consent, in ms. */
const CLOSE_MS = 5_000;

/** One run of the worker's script, from its start to its end. */
export class WorkerThread {
  readonly #worker: Worker;
  readonly #call: WorkerFunctions['call'];
  #ended: WorkerEnded | undefined;

  /** @param ended called once if the thread ends by itself, with why */
  constructor(file: string, data: WorkerData, host: HostFunctions, ended: (why: string) => void) {
    const worker = new Worker(file, { workerData: data });
    const rpc = createBirpc<WorkerFunctions, HostFunctions>(host, {
      post: (message) => worker.postMessage(message),
      on: (listener) => worker.on('message', listener),
      timeout: -1,
    });
    const end = (why: string) => {
      if (this.#ended !== undefined) return;
      this.#ended = new WorkerEnded(why);
      rpc.$close(this.#ended);
      ended(why);
    };
    this.#worker = worker;
    this.#call = (method, args) => rpc.call(method, args);
    worker.on('error', (error) => end(messageOf(error)));
    worker.on('exit', (code) => end(`exit code ${code}`));
  }

  /** @throws WorkerEnded when the thread ends before it answers, else what the call throws in there. */
  async call<M extends Method>(method: M, ...args: Parameters<Calls[M]>): Promise<Awaited<ReturnType<Calls[M]>>> {
    if (this.#ended !== undefined) throw this.#ended;
    return valueOfOutcome(await this.#call(method, args)) as Awaited<ReturnType<Calls[M]>>;
  }

  /** Has everything written and closed in there, then ends the thread. */
  async close(): Promise<void> {
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, CLOSE_MS);
    try {
      await Promise.race([this.call('dispose'), late.promise]);
    } finally {
      clearTimeout(timer);
      await this.#worker.terminate();
    }
  }
}
