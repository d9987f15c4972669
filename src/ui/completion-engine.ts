import type { ProjectSession } from '../agents/index.ts';
import { type Clock, codeOf, type Disposable, messageOf } from '../base/index.ts';
import {
  type CodeCompletionRequest,
  complete,
  isRefusal,
  LatestWins,
  type ModelClient,
  type RecallService,
} from '../inject/index.ts';

/** Pause in typing before a model is asked; the editor itself does not wait, and 200 requests a minute are allowed. */
export const COMPLETION_DEBOUNCE_MS = 150;

/** A place in a document where somebody types; `file` is an absolute path, or `untitled:` and a name. */
export interface CompletionQuery extends Omit<CodeCompletionRequest, 'type' | 'context'> {
  /** Asked for by hand: nothing that pauses suggestions counts. */
  readonly explicit: boolean;
}

/** The project that speaks for a document. */
export interface SpeakingProject {
  readonly session: ProjectSession;
  readonly recall: RecallService;
  /** The document's path in the project; null when it lies outside or on no disk. */
  readonly path: string | null;
}

export interface CompletionPorts {
  /** From memory; null when no project is open. */
  project(file: string): SpeakingProject | null;
  /** Null while nothing may be sent: no key, a wrong setting, no trust. */
  model(): Promise<ModelClient | null>;
  /** What went wrong, for people; null when completions work (again). */
  report(sentence: string | null): void;
  /** Why nothing of this file may be sent; null when something may. */
  refused(sentence: string | null): void;
  /** For the test log: what became of a request. */
  observe(outcome: CompletionOutcome): void;
}

export type CompletionOutcome = 'asked' | 'offered' | 'nothing' | `failed:${string}`;

/** How long suggestions rest after a failure, by its code; a failure that stays needs a person. */
const PAUSE_MS: Readonly<Record<string, number>> = {
  model_auth: Number.POSITIVE_INFINITY,
  model_quota: Number.POSITIVE_INFINITY,
  model_rejected: Number.POSITIVE_INFINITY,
  model_rate_limit: 30_000,
};
const PAUSE_OTHERWISE_MS = 5_000;

/**
 * Turns a place in a document into the text to suggest there. On the typing path everything comes from memory; the
 * newest question wins, and a cancelled one ends its request.
 */
export class CompletionEngine implements Disposable {
  readonly #ports: CompletionPorts;
  readonly #clock: Clock;
  readonly #latest: LatestWins;
  /** Monotonic time before which nothing is asked. */
  #pausedUntil = 0;

  constructor(ports: CompletionPorts, clock: Clock) {
    this.#ports = ports;
    this.#clock = clock;
    this.#latest = new LatestWins(clock, COMPLETION_DEBOUNCE_MS);
  }

  /** The text to suggest, or null. Never rejects: what went wrong is reported. */
  async complete(query: CompletionQuery, signal: AbortSignal): Promise<string | null> {
    if (!query.explicit && this.#clock.monotonic() < this.#pausedUntil) return null;
    const text = await this.#latest.run((running) => this.#ask(query, running), signal);
    return text ?? null;
  }

  /** What made suggestions rest is over: a request worked, or a key or a setting changed. */
  resume(): void {
    this.#pausedUntil = 0;
    this.#ports.report(null);
  }

  /** The person went to another file: why the last one was refused is no news there. */
  moved(): void {
    this.#ports.refused(null);
  }

  dispose(): void {
    this.#latest.dispose();
  }

  async #ask({ explicit: _, ...place }: CompletionQuery, signal: AbortSignal): Promise<string | null> {
    try {
      const model = await this.#ports.model();
      const project = this.#ports.project(place.file);
      if (model === null || project === null || signal.aborted) return null;
      const { session, recall, path } = project;
      // The facts say whether git ignores a file: before they are known, which is a moment, nothing of it may be sent.
      if (path !== null && session.facts(path) === null) return null;
      const request: CodeCompletionRequest = { type: 'completion', ...place, file: path ?? place.file };
      const injected = session.inject(request, recall.ahead(request, session.view(path)));
      this.#ports.observe('asked');
      const text = await complete(model, injected.request, signal);
      if (signal.aborted) return null;
      this.resume();
      this.#ports.refused(null);
      this.#ports.observe(text === null ? 'nothing' : 'offered');
      return text;
    } catch (error) {
      if (!signal.aborted) this.#failed(error);
      return null;
    }
  }

  #failed(error: unknown): void {
    const code = codeOf(error) ?? 'unknown';
    this.#ports.observe(`failed:${code}`);
    if (isRefusal(error)) {
      this.#ports.refused(messageOf(error));
      return;
    }
    this.#pausedUntil = this.#clock.monotonic() + (PAUSE_MS[code] ?? PAUSE_OTHERWISE_MS);
    this.#ports.report(messageOf(error));
  }
}
