import { LRUCache } from 'lru-cache';
import type { Clock, Disposable } from '../base/index.ts';
import { Timer } from './timer.ts';

/** A value that was asked for, or why there is none. */
export type Answer<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown };

export interface AnswersPorts<T> {
  /** Whether somebody looks; nothing is asked for otherwise. */
  isWanted(): boolean;
  /** An answer has come, or one is worth asking for again. */
  changed(): void;
  /** How long a value counts, in ms; for good by default. */
  lifeOf?(value: T): number;
}

/** A question is asked when no other one came for so long, in ms: a cursor on its way passes many symbols. */
export const ASK_DEBOUNCE_MS = 300;
/** What failed is asked again after this, in ms, if somebody still looks at it. */
export const RETRY_MS = 10_000;
/** Answers that are kept: a person moves between a few files and the symbols in them. */
const KEPT = 100;

interface Question<T> {
  readonly key: string;
  readonly ask: () => Promise<T>;
}

interface Kept<T> {
  readonly answer: Answer<T>;
  /** Monotonic ms. */
  readonly until: number;
}

/**
 * Answers that take a while, for somebody who draws what there is and is told when there is more. One question is under
 * way at a time; of those that come meanwhile only the newest is asked.
 */
export class Answers<T> implements Disposable {
  readonly #ports: AnswersPorts<T>;
  readonly #clock: Clock;
  readonly #kept = new LRUCache<string, Kept<T>>({ max: KEPT });
  readonly #pause: Timer;
  readonly #again: Timer;
  #asking: string | null = null;
  #next: Question<T> | null = null;
  #disposed = false;

  constructor(ports: AnswersPorts<T>, clock: Clock) {
    this.#ports = ports;
    this.#clock = clock;
    this.#pause = new Timer(clock);
    this.#again = new Timer(clock);
  }

  /**
   * What is known, without waiting; null before the answer. What is not known, or not any more, is asked for after a pause.
   * @param key names the question: the same key has the same answer
   */
  get(key: string, ask: () => Promise<T>): Answer<T> | null {
    const kept = this.#kept.get(key);
    const isKnown = kept !== undefined && this.#clock.monotonic() < kept.until;
    this.#next = null;
    if (isKnown || this.#asking === key) this.#pause.cancel();
    else this.#pause.start(ASK_DEBOUNCE_MS, () => this.#want({ key, ask }));
    return kept?.answer ?? null;
  }

  dispose(): void {
    this.#disposed = true;
    this.#next = null;
    this.#pause.dispose();
    this.#again.dispose();
  }

  #want(question: Question<T>): void {
    this.#next = question;
    if (this.#asking === null) void this.#run();
  }

  /** Never rejects: errors are answers. */
  async #run(): Promise<void> {
    for (let next = this.#next; next !== null && this.#ports.isWanted(); next = this.#next) {
      const { key, ask } = next;
      this.#next = null;
      this.#asking = key;
      const answer = await answerTo(ask);
      this.#asking = null;
      if (this.#disposed) return;
      this.#keep(key, answer);
      this.#ports.changed();
    }
    this.#next = null;
  }

  #keep(key: string, answer: Answer<T>): void {
    const life = answer.ok ? (this.#ports.lifeOf?.(answer.value) ?? Number.POSITIVE_INFINITY) : RETRY_MS;
    this.#kept.set(key, { answer, until: this.#clock.monotonic() + life });
    // A failure is only tried again when something happens anyway.
    if (answer.ok && life !== Number.POSITIVE_INFINITY) this.#again.start(life, () => this.#ports.changed());
  }
}

async function answerTo<T>(ask: () => Promise<T>): Promise<Answer<T>> {
  try {
    return { ok: true, value: await ask() };
  } catch (error) {
    return { ok: false, error };
  }
}
