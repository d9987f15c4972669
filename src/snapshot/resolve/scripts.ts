import { candidatePaths, packageName } from '../imports.ts';
import { exportedFiles, internalTargets, sourcesOf } from './exports.ts';
import { type Packages, readPackages } from './packages.ts';
import { folderOf, joined, under } from './paths.ts';
import { readTsConfigs, type TsConfigs } from './tsconfig.ts';
import type { ResolvableSite, Resolve, Sources } from './types.ts';

/** Above what projects of a million lines import by name. */
const MAX_KNOWN = 100_000;

/** The resolver of TypeScript, JavaScript and the files that hold blocks of them. */
export async function createScriptResolver(sources: Sources): Promise<Resolve> {
  const resolver = new Scripts(sources, await readTsConfigs(sources), await readPackages(sources));
  return (importer, site) => resolver.resolve(importer, site);
}

class Scripts {
  readonly #sources: Sources;
  readonly #configs: TsConfigs;
  readonly #packages: Packages;
  /** Names that are not relative are imported again and again from the same folders. */
  readonly #known = new Map<string, string | null>();

  constructor(sources: Sources, configs: TsConfigs, packages: Packages) {
    this.#sources = sources;
    this.#configs = configs;
    this.#packages = packages;
  }

  *resolve(importer: string, { module }: ResolvableSite): Generator<string> {
    const folder = folderOf(importer);
    if (/^\.\.?(?:\/|$)/.test(module)) {
      const found = this.#first(this.#relative(importer, folder, module));
      if (found !== null) yield found;
      return;
    }
    if (module.startsWith('node:')) return;
    const key = `${folder}\n${module}`;
    let found = this.#known.get(key);
    if (found === undefined || (found !== null && !this.#sources.files.has(found))) {
      found = this.#first(this.#named(folder, module));
      if (this.#known.size >= MAX_KNOWN) this.#known.clear();
      this.#known.set(key, found);
    }
    if (found !== null) yield found;
  }

  #first(places: Iterable<readonly string[]>): string | null {
    for (const candidates of places) {
      const found = candidates.find((path) => this.#sources.files.has(path));
      if (found !== undefined) return found;
    }
    return null;
  }

  *#relative(importer: string, folder: string, module: string): Generator<readonly string[]> {
    yield candidatePaths(importer, module);
    const path = joined(folder, module);
    const home = path === null ? null : this.#packages.at(path);
    if (home !== null) {
      // A folder is what its `main` says, whatever it exports to those that name it.
      yield* exportedFiles({ ...home, manifest: { ...home.manifest, exports: undefined } }, '');
      yield* exportedFiles(home, '');
    }
    for (const other of this.#configs.elsewhere(folder, module)) yield at(other);
  }

  /** The places a module may be, each with the files it may be there. */
  *#named(folder: string, module: string): Generator<readonly string[]> {
    for (const path of this.#configs.mapped(folder, module)) yield at(path);
    const home = this.#packages.of(folder);
    if (module.startsWith('#') && home !== null) {
      for (const target of internalTargets(home, module)) {
        if (target.startsWith('./')) yield sourcesOf(home.folder, target);
        else yield* this.#package(folder, target);
      }
      return;
    }
    yield* this.#package(folder, module);
    // What bundlers are told in code: these two are what nearly all of them are told.
    const rest = /^[@~]\/(.+)$/.exec(module)?.[1];
    if (rest === undefined) return;
    const root = home?.folder ?? '';
    yield at(under(root, `src/${rest}`));
    yield at(under(root, rest));
  }

  *#package(folder: string, module: string): Generator<readonly string[]> {
    const name = packageName(module);
    const home = name === null ? null : this.#packages.named(name, folder);
    if (name !== null && home !== null) yield* exportedFiles(home, module.slice(name.length + 1));
  }
}

/** The files that a path without its extension may mean. */
function at(path: string): readonly string[] {
  return path === '' ? [] : candidatePaths('', `./${path}`);
}
