import { ProjectAnchorError } from '../base/index.ts';
import type { Imported } from './import.ts';
import type { LogService } from './service.ts';
import { batchesOf, type Calls } from './worker-protocol.ts';

type StreamCalls = Pick<
  Calls,
  'exportStart' | 'exportNext' | 'exportEnd' | 'importStart' | 'importPush' | 'importFinish' | 'importAbort'
>;

interface Import {
  readonly lines: LineQueue;
  readonly result: Promise<Imported>;
}

/** The worker's side of exports and imports: each is a number that batches of lines are asked from, or given to. */
export class WorkerStreams implements StreamCalls {
  readonly #service: () => Promise<LogService>;
  readonly #exports = new Map<number, AsyncIterator<readonly string[]>>();
  readonly #imports = new Map<number, Import>();
  #next = 1;

  constructor(service: () => Promise<LogService>) {
    this.#service = service;
  }

  async exportStart(anchor: string): Promise<number> {
    const service = await this.#service();
    const id = this.#next++;
    this.#exports.set(id, batchesOf(service.exportLines(anchor))[Symbol.asyncIterator]());
    return id;
  }

  async exportNext(id: number): Promise<readonly string[]> {
    const lines = this.#exports.get(id);
    if (lines === undefined) throw unknownStream();
    const { value, done } = await lines.next();
    return done === true ? [] : (value as readonly string[]);
  }

  async exportEnd(id: number): Promise<void> {
    const lines = this.#exports.get(id);
    this.#exports.delete(id);
    await lines?.return?.();
  }

  async importStart(): Promise<number> {
    const service = await this.#service();
    const id = this.#next++;
    const lines = new LineQueue();
    const result = service.importLines(lines);
    // Whoever pushes or finishes hears of it; until then nobody is listening.
    result.catch(() => undefined);
    this.#imports.set(id, { lines, result });
    return id;
  }

  async importPush(id: number, batch: readonly string[]): Promise<void> {
    const { lines, result } = this.#import(id);
    // An import that has failed takes no more lines; its error is the answer.
    await Promise.race([lines.push(batch), result]);
  }

  async importFinish(id: number): Promise<Imported> {
    const { lines, result } = this.#import(id);
    lines.end();
    try {
      return await result;
    } finally {
      this.#imports.delete(id);
    }
  }

  async importAbort(id: number): Promise<void> {
    this.#imports
      .get(id)
      ?.lines.fail(new ProjectAnchorError('invalid', 'The import was given up; nothing was imported.'));
    this.#imports.delete(id);
  }

  #import(id: number): Import {
    const found = this.#imports.get(id);
    if (found === undefined) throw unknownStream();
    return found;
  }
}

function unknownStream(): ProjectAnchorError {
  return new ProjectAnchorError(
    'worker_crashed',
    'The log worker ended meanwhile.',
    'Begin again; nothing was imported.',
  );
}

/** Lines that one side gives in batches and the other reads one by one; giving waits until all has been read. */
class LineQueue implements AsyncIterable<string> {
  #batch: readonly string[] = [];
  #taken: (() => void) | undefined;
  #wake: (() => void) | undefined;
  #ended = false;
  #error: Error | undefined;

  push(batch: readonly string[]): Promise<void> {
    return new Promise((resolve) => {
      this.#batch = batch;
      this.#taken = resolve;
      this.#wake?.();
    });
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  fail(error: Error): void {
    this.#error = error;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    for (;;) {
      const batch = this.#batch;
      this.#batch = [];
      yield* batch;
      this.#taken?.();
      this.#taken = undefined;
      if (this.#error !== undefined) throw this.#error;
      if (this.#batch.length > 0) continue;
      if (this.#ended) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
