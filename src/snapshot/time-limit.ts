import { type Context, createContext, Script } from 'node:vm';
import { codeOf, ProjectAnchorError } from '../base/index.ts';

/**
 * How long one file may take to parse, in ms. The largest file the gate lets in (1 MiB) takes TypeScript and
 * tree-sitter well under a second on a slow machine; a parser that is still at work after this will not come back.
 */
export const PARSE_LIMIT_MS = 5_000;

/** What runs inside of the limit, and what came of it. */
interface Slot {
  work: () => void;
}

/**
 * Ends work that does not end by itself: a loop in a parser or a regular expression, also one in WebAssembly, would hold
 * its thread for ever. V8 stops it from a thread that it starts for each call, so that many small pieces of work are best
 * run as one. What was stopped in the middle may be in any state: the caller throws it away.
 */
export class TimeLimit {
  readonly #slot: Slot = { work: () => undefined };
  #context: Context | null = null;
  #script: Script | null = null;

  /**
   * Runs `work` in this thread; it may throw as it likes.
   * @param ms at least 1; null runs it without a limit, where somebody else sees to it that it ends
   * @throws ProjectAnchorError `parse_timeout`
   */
  run<T>(ms: number | null, work: () => T): T {
    if (ms === null) return work();
    this.#context ??= createContext(this.#slot);
    this.#script ??= new Script('work()');
    let result: { readonly value: T } | null = null;
    const before = this.#slot.work;
    this.#slot.work = () => {
      result = { value: work() };
    };
    try {
      this.#script.runInContext(this.#context, { timeout: ms });
    } catch (error) {
      if (codeOf(error) !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
      throw new ProjectAnchorError('parse_timeout', `Reading it took longer than ${ms} ms, so it was stopped.`);
    } finally {
      this.#slot.work = before;
    }
    const { value } = result as unknown as { readonly value: T };
    return value;
  }
}
