import { LRUCache } from 'lru-cache';
import { manifestsAbove, readManifest } from './dependencies.ts';
import type { Gate } from './gate.ts';
import { packageName } from './imports.ts';
import type { SourceReader } from './source-reader.ts';
import { degradedCode } from './source-reader.ts';
import { jsonPath } from './targets.ts';
import type { Dependencies, ImportFact } from './types.ts';

/** A manifest as it stands: null when it cannot be read, with the code that says so. */
interface Kept {
  readonly stamp: string;
  readonly dependencies: Dependencies | null;
  readonly degraded: string | null;
}

export interface FoundManifest {
  readonly path: string;
  readonly dependencies: Dependencies;
}

/** Manifests of one working tree, read again only when their file has changed. */
export class Manifests {
  readonly #source: SourceReader;
  readonly #gate: Gate;
  readonly #kept = new LRUCache<string, Kept>({ max: 200 });

  constructor(source: SourceReader, gate: Gate) {
    this.#source = source;
    this.#gate = gate;
  }

  /**
   * The manifests that apply to any of the files, nearest first for each, with the codes of those that are broken.
   * @param isListed whether a path is a file of the project; others are not looked at
   */
  async above(
    paths: readonly string[],
    limit: number,
    isListed: (path: string) => boolean,
  ): Promise<{ readonly found: readonly FoundManifest[]; readonly degraded: readonly string[] }> {
    const found: FoundManifest[] = [];
    const degraded: string[] = [];
    for (const path of new Set(paths.flatMap(manifestsAbove))) {
      if (found.length >= limit) break;
      if (!isListed(path)) continue;
      const kept = await this.#read(path);
      if (kept?.dependencies != null) found.push({ path, dependencies: kept.dependencies });
      if (kept?.degraded != null) degraded.push(kept.degraded);
    }
    return { found, degraded };
  }

  /** The dependency that a module specifier names in the nearest manifest that has it. */
  async dependency(importer: string, module: string): Promise<ImportFact['dependency']> {
    const name = packageName(module);
    if (name === null) return undefined;
    for (const manifest of manifestsAbove(importer)) {
      const direct = (await this.#read(manifest))?.dependencies?.direct;
      if (direct !== undefined && Object.hasOwn(direct, name)) return { name, version: direct[name] ?? '', manifest };
    }
    return undefined;
  }

  async #read(path: string): Promise<Kept | null> {
    const located = this.#source.locate(path);
    if (!located.ok) {
      if (located.code === 'missing' || located.code === 'denied') return null;
      return { stamp: '', dependencies: null, degraded: degradedCode(located, path) };
    }
    const before = this.#kept.get(path);
    if (before?.stamp === located.stamp) return before;
    const source = await this.#source.readLocated(path, located);
    const dependencies = source.ok ? readManifest(source.text, (range) => this.#gate.text(range).ok) : null;
    const degraded = source.ok ? `malformed:${jsonPath(path)}` : degradedCode(source, path);
    const kept = { stamp: located.stamp, dependencies, degraded: dependencies === null ? degraded : null };
    this.#kept.set(path, kept);
    return kept;
  }
}
