import { type Disposable, disposable } from './disposable.ts';

/** Subscribes a listener; disposing the result ends the subscription. */
export type Event<T> = (listener: (value: T) => void) => Disposable;

/**
 * Tells any number of listeners of a value, in order of subscription.
 * A listener that throws does not keep the others from hearing; its error goes to `onError`.
 */
export class Emitter<T> implements Disposable {
  readonly #listeners = new Set<(value: T) => void>();
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  readonly event: Event<T> = (listener) => {
    // A wrapper per subscription: the same function subscribed twice is two subscriptions.
    const entry = (value: T) => listener(value);
    this.#listeners.add(entry);
    return disposable(() => this.#listeners.delete(entry));
  };

  get listening(): boolean {
    return this.#listeners.size > 0;
  }

  fire(value: T): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(value);
      } catch (error) {
        this.#onError(error);
      }
    }
  }

  dispose(): void {
    this.#listeners.clear();
  }
}
