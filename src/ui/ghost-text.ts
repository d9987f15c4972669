import type { Disposable } from '../base/index.ts';

/** How VS Code takes a request back. */
export interface Withdrawal {
  readonly withdrawn: boolean;
  onWithdrawn(callback: () => void): Disposable;
}

export interface GhostPorts<Q> {
  /** The text for a place, or null. Never rejects. */
  ask(query: Q, signal: AbortSignal): Promise<string | null>;
  /** Whether the cursor still stands at a place, in the same version of its document. */
  stillAt(place: string): boolean;
  /** Makes the editor ask again for where the cursor is. */
  askAgain(): void;
}

interface Running {
  readonly place: string;
  readonly abort: AbortController;
  readonly text: Promise<string | null>;
}

/**
 * Text to suggest where the cursor is, also when it comes late. VS Code 1.139 takes a request for ghost text back after
 * 750 ms to make room for its list of suggestions, and does not ask again; models often need a second or two. So a
 * request that is taken back while the cursor stays where it is goes on, and its answer is offered when the editor is
 * made to ask again. A request that the person has typed or moved away from is ended at once.
 */
export class GhostText<Q> implements Disposable {
  readonly #ports: GhostPorts<Q>;
  #running: Running | null = null;
  #late: { readonly place: string; readonly text: string } | null = null;

  constructor(ports: GhostPorts<Q>) {
    this.#ports = ports;
  }

  /** The text for a place, null when there is none or the editor no longer wants it. */
  async at(place: string, query: Q, { withdrawn, onWithdrawn }: Withdrawal): Promise<string | null> {
    if (withdrawn) return null;
    if (this.#late?.place === place) return this.#late.text;
    const running = this.#runningAt(place, query);
    let wanted = true;
    const withdrawal = onWithdrawn(() => {
      wanted = false;
      this.moved();
    });
    try {
      const text = await running.text;
      if (wanted) return text;
      if (text !== null && this.#ports.stillAt(place)) this.#offerLate(place, text);
      return null;
    } finally {
      withdrawal.dispose();
    }
  }

  /** The person typed or moved the cursor: what was asked for another place is wanted no longer. */
  moved(): void {
    if (this.#running !== null && !this.#ports.stillAt(this.#running.place)) this.#running.abort.abort();
    if (this.#late !== null && !this.#ports.stillAt(this.#late.place)) this.#late = null;
  }

  dispose(): void {
    this.#running?.abort.abort();
    this.#late = null;
  }

  /** A place that is asked for again while its answer is on the way is one request. */
  #runningAt(place: string, query: Q): Running {
    if (this.#running?.place === place && !this.#running.abort.signal.aborted) return this.#running;
    this.#running?.abort.abort();
    const abort = new AbortController();
    const text = this.#ports.ask(query, abort.signal).finally(() => {
      if (this.#running === running) this.#running = null;
    });
    const running: Running = { place, abort, text };
    this.#running = running;
    return running;
  }

  #offerLate(place: string, text: string): void {
    if (this.#late?.place === place) return;
    this.#late = { place, text };
    this.#ports.askAgain();
  }
}
