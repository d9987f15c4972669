import { type Disposable, Emitter, type Event } from '../base/index.ts';

/**
 * What a notice is about; each source has at most one, and takes it back when things work again. `refused` is about a
 * file that stays on this machine, which is nothing that went wrong.
 */
export type NoticeSource = 'completions' | 'refused' | 'snapshot' | 'settings';

export interface Notice {
  readonly source: NoticeSource;
  readonly sentence: string;
}

/** What a person should know right now, for the status bar and the context view. */
export class Notices implements Disposable {
  readonly #changed: Emitter<void>;
  /** In order of arrival. */
  readonly #sentences = new Map<NoticeSource, string>();

  constructor(onError: (error: unknown) => void) {
    this.#changed = new Emitter(onError);
  }

  get onDidChange(): Event<void> {
    return this.#changed.event;
  }

  /** The newest, or null when all is well. */
  get current(): Notice | null {
    const last = [...this.#sentences].at(-1);
    return last === undefined ? null : { source: last[0], sentence: last[1] };
  }

  set(source: NoticeSource, sentence: string | null): void {
    if ((this.#sentences.get(source) ?? null) === sentence) return;
    this.#sentences.delete(source);
    if (sentence !== null) this.#sentences.set(source, sentence);
    this.#changed.fire();
  }

  dispose(): void {
    this.#changed.dispose();
  }
}
