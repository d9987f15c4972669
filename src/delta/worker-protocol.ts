import { codeOf, type Logger, messageOf, ProjectAnchorError } from '../base/index.ts';
import type { SessionName } from './hub-presence.ts';
import type { Imported } from './import.ts';
import type { DeltaBatch, HubStatus, LogService } from './service.ts';

/** What the thread is told when it starts. */
export interface WorkerData {
  readonly folder: string;
  readonly who: SessionName;
  readonly hub: 'compete' | 'client' | 'poke' | 'none';
  readonly hubUrl: string;
  readonly hubPort: number;
}

/** The calls of LogService that go through as they are. */
type Plain = Pick<
  LogService,
  | 'open'
  | 'author'
  | 'publishSnapshot'
  | 'state'
  | 'deltas'
  | 'verify'
  | 'appendReceipt'
  | 'receipts'
  | 'hubStatus'
  | 'dispose'
>;

/** Streams do not go through a port: they are asked for, and given, in batches under a number. */
export interface Calls extends Plain {
  exportStart(anchor: string): Promise<number>;
  /** The next lines; none means the end. */
  exportNext(id: number): Promise<readonly string[]>;
  exportEnd(id: number): Promise<void>;
  importStart(): Promise<number>;
  /** Resolves when the lines have been read, so that a file is never held in memory twice. */
  importPush(id: number, lines: readonly string[]): Promise<void>;
  importFinish(id: number): Promise<Imported>;
  importAbort(id: number): Promise<void>;
}

export type Method = keyof Calls;

/** What a call came to; an error class does not survive the way between threads, its code and words do. */
export type Outcome =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly code?: string; readonly message: string; readonly remedy?: string };

export interface WorkerFunctions {
  call(method: Method, args: readonly unknown[]): Promise<Outcome>;
}

export interface HostFunctions {
  log(level: keyof Logger, message: string): void;
  deltas(batch: DeltaBatch): void;
  status(status: HubStatus): void;
}

/** Runs a call in the worker and puts what comes of it into a form that a port carries. */
export async function outcomeOf(work: () => Promise<unknown>): Promise<Outcome> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    const code = codeOf(error);
    const remedy = error instanceof ProjectAnchorError ? error.remedy : undefined;
    const message = messageOf(error);
    return { ok: false, message, ...(code !== undefined && { code }), ...(remedy !== undefined && { remedy }) };
  }
}

/** The value of an outcome, or its error, with the code and the words that it had. */
export function valueOfOutcome(outcome: Outcome): unknown {
  if (outcome.ok) return outcome.value;
  const { code, message, remedy } = outcome;
  if (code === undefined) throw new Error(message);
  const what = remedy !== undefined && message.endsWith(` ${remedy}`) ? message.slice(0, -remedy.length - 1) : message;
  throw new ProjectAnchorError(code, what, remedy);
}

/** How much goes through the port at once, in lines and in characters. */
const BATCH_LINES = 500;
const BATCH_CHARACTERS = 256 * 1024;

/** Lines in batches worth a message. */
export async function* batchesOf(lines: AsyncIterable<string>): AsyncGenerator<readonly string[]> {
  let batch: string[] = [];
  let size = 0;
  for await (const line of lines) {
    batch.push(line);
    size += line.length;
    if (batch.length < BATCH_LINES && size < BATCH_CHARACTERS) continue;
    yield batch;
    batch = [];
    size = 0;
  }
  if (batch.length > 0) yield batch;
}
