import { type Allow, shown } from './dependencies.ts';
import { DependencyScope, type ManifestInScope } from './dependency-scope.ts';
import { ecosystemOf } from './ecosystems/index.ts';
import type { Gate } from './gate.ts';
import { type Lock, ManifestFiles, malformed } from './manifest-files.ts';
import { folderOf, nameOf } from './resolve/paths.ts';
import type { SourceReader } from './source-reader.ts';
import { jsonPath } from './targets.ts';
import type { Dependencies, ManifestFacts } from './types.ts';

export interface FoundManifest {
  readonly path: string;
  readonly dependencies: Dependencies;
}

/** As many manifests as are told of a project. */
const MAX_MANIFESTS = 2_000;

/** Who may be asked about dependencies: every ecosystem of a working tree behind one door. */
export class Manifests {
  readonly #files: ManifestFiles;
  readonly #allow: Allow;

  constructor(source: SourceReader, gate: Gate) {
    this.#allow = (text) => gate.text(text).ok;
    this.#files = new ManifestFiles(source, this.#allow);
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
    const folders = new Set(paths.map(folderOf));
    const seen = new Map<string, readonly string[]>();
    for (const path of new Set([...folders].flatMap((folder) => this.#files.above(folder, seen)))) {
      if (found.length >= limit) break;
      if (!isListed(path)) continue;
      const manifest = await this.#files.manifest(path);
      if (manifest?.dependencies != null) found.push({ path, dependencies: manifest.dependencies });
      if (manifest?.degraded != null) degraded.push(manifest.degraded);
    }
    return { found, degraded };
  }

  /** What the manifests above a file declare, nearest first, whatever their ecosystem. */
  async scope(importer: string): Promise<DependencyScope> {
    const found: ManifestInScope[] = [];
    for (const path of this.#files.above(folderOf(importer))) {
      const manifest = await this.#files.manifest(path);
      const direct = manifest?.dependencies?.direct;
      if (manifest === null || direct === undefined) continue;
      const { ecosystem } = manifest;
      const locked = lookup(path, await this.#files.lock(path, ecosystem), this.#allow);
      found.push({ path, ecosystem, direct, locked: (name) => locked(name, direct[name] ?? '') });
    }
    return new DependencyScope(found);
  }

  /**
   * Every manifest of the project, in byte order of paths, at most 2,000.
   * @param paths of all files of the project
   */
  async all(isListed: (path: string) => boolean, paths: Iterable<string>): Promise<readonly ManifestFacts[]> {
    const manifests: string[] = [];
    for (const path of paths) if (ecosystemOf(nameOf(path)) !== undefined && isListed(path)) manifests.push(path);
    const facts: ManifestFacts[] = [];
    for (const path of manifests.sort().slice(0, MAX_MANIFESTS)) {
      const manifest = await this.#files.manifest(path);
      if (manifest === null) continue;
      const { dependencies, ecosystem, degraded } = manifest;
      const lock = dependencies === null ? null : await this.#files.lock(path, ecosystem);
      const find = lookup(path, lock, this.#allow);
      const versions = Object.entries(dependencies?.direct ?? {}).flatMap(([name, range]) => {
        const version = find(name, range);
        return version === undefined ? [] : [[name, version] as const];
      });
      const broken = lock?.locked === null ? malformed(lock.path) : degraded;
      // One above that has nothing of this manifest is somebody else's.
      const counts = lock?.locked != null && (folderOf(lock.path) === folderOf(path) || versions.length > 0);
      facts.push({
        path: jsonPath(path),
        dependencies,
        locked: Object.fromEntries(versions),
        ...(counts ? { lockFile: jsonPath(lock.path) } : {}),
        ...(broken === null ? {} : { degraded: broken }),
      });
    }
    return facts;
  }
}

/** Looks versions up in a lock file, for the manifest at a path. */
function lookup(path: string, lock: Lock | null, allow: Allow): (name: string, range: string) => string | undefined {
  if (lock === null || lock.locked === null) return () => undefined;
  const { locked } = lock;
  const home = folderOf(lock.path);
  const folder = home === '' ? folderOf(path) : folderOf(path).slice(home.length + 1);
  return (name, range) => {
    const version = locked(folder, name, range);
    return version === undefined ? undefined : shown(version, allow);
  };
}
