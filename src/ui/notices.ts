import { type Disposable, Emitter, type Event } from '../base/index.ts';

/** What a notice is about; each source has at most one, and takes it back when things work again. */
export type NoticeSource = 'completions' | 'snapshot' | 'facts' | 'settings';

/** Sentences about what does not work right now, for the status bar and the context view. */
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

  /** The newest sentence, or null when all is well. */
  get current(): string | null {
    return [...this.#sentences.values()].at(-1) ?? null;
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
