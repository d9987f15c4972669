/** Anything whose lifetime somebody owns. Disposing twice does nothing the second time. */
export interface Disposable {
  dispose(): void;
}

/** Wraps a function so that it runs at most once. */
export function disposable(release: () => void): Disposable {
  let released = false;
  return {
    dispose() {
      if (released) return;
      released = true;
      release();
    },
  };
}

/**
 * Owns a set of lifetimes and ends them together, last added first.
 * What is added after the end is disposed at once, so a late arrival cannot leak.
 */
export class DisposableStore implements Disposable {
  readonly #items: Disposable[] = [];
  #disposed = false;

  get disposed(): boolean {
    return this.#disposed;
  }

  add<T extends Disposable>(item: T): T {
    if (this.#disposed) item.dispose();
    else this.#items.push(item);
    return item;
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    const errors: unknown[] = [];
    for (let item = this.#items.pop(); item !== undefined; item = this.#items.pop()) {
      try {
        item.dispose();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw new AggregateError(errors, 'some resources could not be released');
  }
}
