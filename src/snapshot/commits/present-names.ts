/** What a commit did to names of files. */
export interface NameChanges {
  readonly changed: readonly string[];
  readonly deleted: readonly string[];
  readonly renamed: readonly (readonly [from: string, to: string])[];
}

/** The names that files of old commits have now; commits are passed from the newest backwards. */
export class PresentNames {
  readonly #names = new Map<string, string | null>();

  /** Files that a commit changed, under the names they have now; those that are gone since are left out. */
  past({ changed, deleted, renamed }: NameChanges): ReadonlySet<string> {
    const now = new Set(changed.map((path) => this.#nowOf(path)).filter((path) => path !== null));
    for (const [from, to] of renamed) this.#names.set(from, this.#nowOf(to));
    // What was made again since is there.
    for (const path of deleted) if (!this.#names.has(path)) this.#names.set(path, null);
    for (const path of now) if (!this.#names.has(path)) this.#names.set(path, path);
    return now;
  }

  #nowOf(path: string): string | null {
    return this.#names.get(path) ?? (this.#names.has(path) ? null : path);
  }
}
