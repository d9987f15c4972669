import { codeOf, type Logger, messageOf, ProjectAnchorError } from '../base/index.ts';
import type { SnapshotService } from './service.ts';

/** What is passed between the window's thread and the snapshot worker. Errors keep their code and remedy. */

export type Method = keyof SnapshotService;

export type Outcome =
  | { readonly ok: true; readonly value: unknown }
  | {
      readonly ok: false;
      readonly code: string;
      readonly message: string;
      readonly remedy: string | undefined;
      readonly stack: string | undefined;
    };

export interface WorkerFunctions {
  /** Answers as soon as the thread can. */
  ping(): Promise<void>;
  call(method: Method, args: readonly unknown[]): Promise<Outcome>;
}

export interface HostFunctions {
  log(level: keyof Logger, message: string): void;
  /** The thread is better replaced by a new one as soon as nobody waits for it; `why` is for the log. */
  tired(why: string): void;
}

export interface WorkerData {
  /** The data folder. */
  readonly folder: string;
  /**
   * How long one text may take to parse, in ms, when an earlier thread did not answer any more. Without it there is no
   * limit: to have one takes time itself.
   */
  readonly parseLimitMs?: number;
  /** Memory, in bytes, with which the thread says that it is tired. */
  readonly tiredBytes?: number;
}

/** Runs a call and puts what comes of it into words that a thread boundary keeps. */
export async function outcomeOf(work: () => Promise<unknown>): Promise<Outcome> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    const remedy = error instanceof ProjectAnchorError ? error.remedy : undefined;
    const stack = error instanceof Error ? error.stack : undefined;
    return { ok: false, code: codeOf(error) ?? 'internal', message: messageOf(error), remedy, stack };
  }
}

/** The value of an outcome, or its error thrown on this side. */
export function valueOfOutcome(outcome: Outcome): unknown {
  if (outcome.ok) return outcome.value;
  const { code, message, remedy, stack } = outcome;
  const ending = remedy === undefined ? '' : ` ${remedy}`;
  const what = message.endsWith(ending) ? message.slice(0, message.length - ending.length) : message;
  throw new ProjectAnchorError(code, what, remedy, { cause: stack });
}
