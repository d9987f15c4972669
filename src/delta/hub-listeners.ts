import { type Disposable, disposable } from '../base/index.ts';

/** A subscription as the hub's pushes see it. */
export interface Listener {
  /** There may be new deltas. */
  wake(): void;
  /** Somebody came or went. */
  presence(): void;
}

/** Who listens to which anchor. */
export class Listeners {
  readonly #byAnchor = new Map<string, Set<Listener>>();
  readonly #changed: (anchor: string, listening: boolean) => void;

  /** `changed` is called when an anchor gets its first listener and when it loses its last. */
  constructor(changed: (anchor: string, listening: boolean) => void) {
    this.#changed = changed;
  }

  /** Whether anybody listens to anything. */
  get any(): boolean {
    return this.#byAnchor.size > 0;
  }

  has(anchor: string): boolean {
    return this.#byAnchor.has(anchor);
  }

  of(anchor: string): Iterable<Listener> {
    return [...(this.#byAnchor.get(anchor) ?? [])];
  }

  add(anchor: string, listener: Listener): Disposable {
    const listeners = this.#byAnchor.get(anchor) ?? new Set<Listener>();
    this.#byAnchor.set(anchor, listeners);
    listeners.add(listener);
    if (listeners.size === 1) this.#changed(anchor, true);
    return disposable(() => {
      listeners.delete(listener);
      if (listeners.size > 0) return;
      this.#byAnchor.delete(anchor);
      this.#changed(anchor, false);
    });
  }
}
