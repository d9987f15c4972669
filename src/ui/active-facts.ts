import { type Clock, type Disposable, type Logger, messageOf } from '../base/index.ts';
import { Timer } from './timer.ts';

/** Pause in typing before the outline is worked out again; parsing happens in the worker. */
export const FACTS_DEBOUNCE_MS = 400;

/** One file as the person sees it. */
export interface OpenFile {
  /** Identifies the document. */
  readonly file: string;
  /** Unsaved text, or null when the disk has the same; asked for only when the facts are worked out. */
  text(): string | null;
}

/**
 * Keeps the facts of the file that a person works on in step with its text, off the typing path: only after a pause,
 * only the newest, one at a time.
 */
export class ActiveFacts implements Disposable {
  readonly #refresh: (file: string, text: string | null) => Promise<void>;
  readonly #logger: Logger;
  readonly #timer: Timer;
  #next: OpenFile | null = null;
  #running = false;

  constructor(refresh: (file: string, text: string | null) => Promise<void>, clock: Clock, logger: Logger) {
    this.#refresh = refresh;
    this.#logger = logger;
    this.#timer = new Timer(clock);
  }

  /** The person came to this file: its facts are wanted now. */
  opened(file: OpenFile): void {
    this.#timer.cancel();
    this.#want(file);
  }

  /** The text changed: its facts are wanted after a pause. */
  changed(file: OpenFile): void {
    this.#timer.start(FACTS_DEBOUNCE_MS, () => this.#want(file));
  }

  dispose(): void {
    this.#timer.dispose();
    this.#next = null;
  }

  #want(file: OpenFile): void {
    this.#next = file;
    if (!this.#running) void this.#run();
  }

  async #run(): Promise<void> {
    this.#running = true;
    for (let next = this.#next; next !== null; next = this.#next) {
      this.#next = null;
      try {
        await this.#refresh(next.file, next.text());
      } catch (error) {
        this.#logger.warn(`The outline of the active file could not be read: ${messageOf(error)}`);
      }
    }
    this.#running = false;
  }
}
