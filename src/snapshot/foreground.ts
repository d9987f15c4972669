/** Work that somebody waits for, so that work in the background can stand back. */
export class Foreground {
  #count = 0;
  #idle: PromiseWithResolvers<void> | null = null;

  /** Runs what somebody waits for. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    this.#count += 1;
    try {
      return await work();
    } finally {
      this.#count -= 1;
      if (this.#count === 0) {
        this.#idle?.resolve();
        this.#idle = null;
      }
    }
  }

  /** Resolves when nobody waits for anything; at once when nobody does. */
  readonly idle = (): Promise<void> => {
    if (this.#count === 0) return Promise.resolve();
    this.#idle ??= Promise.withResolvers<void>();
    return this.#idle.promise;
  };
}
