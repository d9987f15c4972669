import { type Clock, type Disposable, disposable } from '../base/index.ts';
import { GOT_EVERY_MS } from './hub-limits.ts';

/** Tells the hub what is held of each anchor: at once, then at most every 10 ms (protocol §7). */
export class GotSender implements Disposable {
  readonly #clock: Clock;
  readonly #send: (anchor: string, seq: number) => void;
  readonly #due = new Map<string, number | undefined>();
  readonly #timers = new Set<Disposable>();

  constructor(clock: Clock, send: (anchor: string, seq: number) => void) {
    this.#clock = clock;
    this.#send = send;
  }

  /** Everything up to `seq` is held. Also to be called for duplicates: the hub may not have heard of them. */
  got(anchor: string, seq: number): void {
    if (this.#due.has(anchor)) {
      this.#due.set(anchor, seq);
      return;
    }
    this.#send(anchor, seq);
    this.#pause(anchor);
  }

  dispose(): void {
    for (const timer of this.#timers) timer.dispose();
    this.#timers.clear();
  }

  #pause(anchor: string): void {
    this.#due.set(anchor, undefined);
    const timer = this.#clock.timeout(GOT_EVERY_MS, () => {
      this.#timers.delete(timer);
      const seq = this.#due.get(anchor);
      this.#due.delete(anchor);
      if (seq === undefined) return;
      this.#send(anchor, seq);
      this.#pause(anchor);
    });
    this.#timers.add(disposable(() => timer.dispose()));
  }
}
