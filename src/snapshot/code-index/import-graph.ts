import type { ImportSite } from '../imports.ts';
import type { ImporterFact } from '../types.ts';

/** Which files import which, both ways. */
export class ImportGraph {
  readonly #sitesOf: (path: string) => readonly ImportSite[];
  /** File → for each of its imports the files that it means. */
  readonly #targets = new Map<string, readonly (readonly string[])[]>();
  /** File → files that import it. */
  readonly #importers = new Map<string, Set<string>>();

  /** @param sitesOf imports of a file as it is now, in the order that `set` has their targets */
  constructor(sitesOf: (path: string) => readonly ImportSite[]) {
    this.#sitesOf = sitesOf;
  }

  /** @param targets for each import of the file, the files that it means */
  set(path: string, targets: readonly (readonly string[])[]): void {
    this.delete(path);
    if (targets.every(({ length }) => length === 0)) return;
    this.#targets.set(path, targets);
    for (const target of targets.flat()) {
      const importers = this.#importers.get(target);
      if (importers === undefined) this.#importers.set(target, new Set([path]));
      else importers.add(path);
    }
  }

  delete(path: string): void {
    for (const target of this.#targets.get(path)?.flat() ?? []) {
      const importers = this.#importers.get(target);
      importers?.delete(path);
      if (importers?.size === 0) this.#importers.delete(target);
    }
    this.#targets.delete(path);
  }

  /** In byte order of their paths, then by line. */
  importers(path: string): readonly ImporterFact[] {
    const found: ImporterFact[] = [];
    for (const importer of [...(this.#importers.get(path) ?? [])].sort()) {
      const targets = this.#targets.get(importer) ?? [];
      for (const [index, { line, names }] of this.#sitesOf(importer).entries()) {
        if (targets[index]?.includes(path) === true) found.push({ path: importer, line, names });
      }
    }
    return found;
  }
}
