import { type Allow, shown } from './dependencies.ts';
import { ecosystemOf } from './ecosystems/index.ts';
import type { Gate } from './gate.ts';
import { ManifestFiles, malformed } from './manifest-files.ts';
import { folderOf, nameOf } from './resolve/paths.ts';
import type { SourceReader } from './source-reader.ts';
import { jsonPath } from './targets.ts';
import type { Dependencies, DependencyInScope, ImportFact, ManifestFacts } from './types.ts';

export interface FoundManifest {
  readonly path: string;
  readonly dependencies: Dependencies;
}

/** As many dependencies as are told of one file. */
const MAX_IN_SCOPE = 400;
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
    for (const path of new Set([...folders].flatMap((folder) => this.#files.above(folder)))) {
      if (found.length >= limit) break;
      if (!isListed(path)) continue;
      const manifest = await this.#files.manifest(path);
      if (manifest?.dependencies != null) found.push({ path, dependencies: manifest.dependencies });
      if (manifest?.degraded != null) degraded.push(manifest.degraded);
    }
    return { found, degraded };
  }

  /** The dependency that a module names in the nearest manifest that has it, of those that the language's imports mean. */
  async dependency(importer: string, language: string, module: string): Promise<ImportFact['dependency']> {
    for (const path of this.#files.above(folderOf(importer))) {
      if (ecosystemOf(nameOf(path))?.languages.includes(language) !== true) continue;
      const manifest = await this.#files.manifest(path);
      const direct = manifest?.dependencies?.direct;
      if (manifest === null || direct === undefined) continue;
      const name = manifest.ecosystem.named(module, Object.keys(direct));
      if (name === undefined) continue;
      const range = direct[name] ?? '';
      const version = (await this.#locked(path, { [name]: range }))[name];
      const known = version === undefined ? { version: range } : { version, range };
      return { name, ...known, manifest: jsonPath(path) };
    }
    return undefined;
  }

  /** Every dependency that applies to a file, whatever its language, of the nearest manifests first; at most 400. */
  async inScope(importer: string): Promise<readonly DependencyInScope[]> {
    const found: DependencyInScope[] = [];
    for (const path of this.#files.above(folderOf(importer))) {
      const direct = (await this.#files.manifest(path))?.dependencies?.direct;
      if (direct === undefined) continue;
      const locked = await this.#locked(path, direct);
      for (const [name, range] of Object.entries(direct)) {
        if (found.length >= MAX_IN_SCOPE) return found;
        found.push({ name, version: own(locked, name) ?? range, manifest: jsonPath(path) });
      }
    }
    return found;
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
      const locked = dependencies === null ? {} : await this.#locked(path, dependencies.direct);
      const broken = lock?.locked === null ? malformed(lock.path) : degraded;
      // One above that has nothing of this manifest is somebody else's.
      const counts = lock?.locked != null && (folderOf(lock.path) === folderOf(path) || Object.keys(locked).length > 0);
      facts.push({
        path: jsonPath(path),
        dependencies,
        locked,
        ...(counts ? { lockFile: jsonPath(lock.path) } : {}),
        ...(broken === null ? {} : { degraded: broken }),
      });
    }
    return facts;
  }

  /** Versions that the lock file has for dependencies of a manifest, as far as it has any. */
  async #locked(path: string, direct: Readonly<Record<string, string>>): Promise<Readonly<Record<string, string>>> {
    const ecosystem = ecosystemOf(nameOf(path));
    const lock = ecosystem === undefined ? null : await this.#files.lock(path, ecosystem);
    if (lock?.locked == null) return {};
    const home = folderOf(lock.path);
    const folder = home === '' ? folderOf(path) : folderOf(path).slice(home.length + 1);
    const entries: [string, string][] = [];
    for (const [name, range] of Object.entries(direct)) {
      const version = lock.locked(folder, name, range);
      if (version !== undefined) entries.push([name, shown(version, this.#allow)]);
    }
    return Object.fromEntries(entries);
  }
}

function own(record: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
