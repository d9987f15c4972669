import type { Ecosystem } from './ecosystems/index.ts';
import { jsonPath } from './targets.ts';
import type { DependencyInScope, ImportFact } from './types.ts';

/** As many dependencies as are told of one file. */
const MAX_IN_SCOPE = 400;

/** A manifest above a file. */
export interface ManifestInScope {
  readonly path: string;
  readonly ecosystem: Ecosystem;
  /** Name → range. */
  readonly direct: Readonly<Record<string, string>>;
  /** The locked version of a dependency, where one is known. */
  locked(name: string): string | undefined;
}

/** What the manifests above a file declare, looked up once for all that is asked of the file. */
export class DependencyScope {
  readonly #manifests: readonly ManifestInScope[];

  /** @param manifests nearest first */
  constructor(manifests: readonly ManifestInScope[]) {
    this.#manifests = manifests;
  }

  /** The dependency that a module names in the nearest manifest that has it, of those that the language's imports mean. */
  dependency(language: string, module: string): ImportFact['dependency'] {
    for (const { path, ecosystem, direct, locked } of this.#manifests) {
      if (!ecosystem.languages.includes(language)) continue;
      const name = ecosystem.named(module, Object.keys(direct));
      if (name === undefined) continue;
      const range = direct[name] ?? '';
      const version = locked(name);
      const known = version === undefined ? { version: range } : { version, range };
      return { name, ...known, manifest: jsonPath(path) };
    }
    return undefined;
  }

  /** Every dependency, whatever its language, of the nearest manifests first; at most 400. */
  all(): readonly DependencyInScope[] {
    const found: DependencyInScope[] = [];
    for (const { path, direct, locked } of this.#manifests) {
      for (const [name, range] of Object.entries(direct)) {
        if (found.length >= MAX_IN_SCOPE) return found;
        found.push({ name, version: locked(name) ?? range, manifest: jsonPath(path) });
      }
    }
    return found;
  }
}
