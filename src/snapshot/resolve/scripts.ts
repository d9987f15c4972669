import { packageName } from '../imports.ts';
import { exportedPaths, internalTargets, type Place, placesOf } from './exports.ts';
import { type Packages, readPackages } from './packages.ts';
import { folderOf, joined, under } from './paths.ts';
import { Remembered } from './remembered.ts';
import { ScriptFiles } from './script-files.ts';
import { readTsConfigs, type TsConfigs } from './tsconfig.ts';
import type { Resolve, Sources } from './types.ts';

/** The resolver of TypeScript, JavaScript and the files that hold blocks of them. */
export async function createScriptResolver(sources: Sources): Promise<Resolve> {
  const resolver = new Scripts(sources, await readTsConfigs(sources), await readPackages(sources));
  return (importer, { module }) => resolver.resolve(importer, module);
}

class Scripts {
  readonly #has: (path: string) => boolean;
  readonly #files: ScriptFiles;
  readonly #configs: TsConfigs;
  readonly #packages: Packages;
  /** What modules that are not relative are in a folder: the path, or empty. */
  readonly #known: Remembered<string>;

  constructor({ files, index }: Sources, configs: TsConfigs, packages: Packages) {
    this.#has = (path) => files.has(path);
    this.#files = new ScriptFiles(this.#has, index);
    this.#configs = configs;
    this.#packages = packages;
    this.#known = new Remembered(index);
  }

  resolve(importer: string, module: string): readonly string[] {
    const folder = folderOf(importer);
    const found = /^\.\.?(?:\/|$)/.test(module)
      ? this.#relative(folder, module)
      : this.#known.get(
          `${folder}\n${module}`,
          () => this.#first(this.#named(folder, module)) ?? '',
          (path) => path === '' || this.#has(path),
        );
    return found === null || found === '' ? [] : [found];
  }

  #relative(folder: string, module: string): string | null {
    // Bundlers take instructions behind these.
    const bare = module.replace(/[?#].*$/s, '');
    const path = joined(folder, bare);
    if (path === null) return null;
    const found = this.#files.at(path, /(?:^|\/)(?:\.\.?)?$/.test(bare));
    return found ?? this.#first(this.#relativeOtherwise(folder, bare, path));
  }

  *#relativeOtherwise(folder: string, module: string, path: string): Generator<Place> {
    const home = this.#packages.at(path);
    if (home !== null) {
      // A folder is what its `main` says, whatever it exports to those that name it.
      yield* exportedPaths({ ...home, manifest: { ...home.manifest, exports: undefined } }, '');
      yield* exportedPaths(home, '');
    }
    for (const other of this.#configs.elsewhere(folder, module)) yield { path: other };
  }

  #first(places: Iterable<Place>): string | null {
    for (const { path, built } of places) {
      const found = built === true ? this.#files.ofBuilt(path) : this.#files.at(path);
      if (found !== null) return found;
    }
    return null;
  }

  /** The places a module that is not relative may be. */
  *#named(folder: string, module: string): Generator<Place> {
    if (module.startsWith('node:')) return;
    for (const path of this.#configs.mapped(folder, module)) yield { path };
    const home = this.#packages.of(folder);
    if (module.startsWith('#') && home !== null) {
      for (const target of internalTargets(home, module)) {
        if (target.startsWith('./')) yield* placesOf(home.folder, target);
        else yield* this.#package(folder, target);
      }
      return;
    }
    yield* this.#package(folder, module);
    // What bundlers are told in code: these are what nearly all of them are told.
    const [, alias, rest] = /^([@~]|\$lib)\/(.+)$/.exec(module) ?? [];
    if (rest === undefined) return;
    const root = home?.folder ?? '';
    if (alias === '$lib') {
      yield { path: under(root, `src/lib/${rest}`) };
      return;
    }
    yield { path: under(root, `src/${rest}`) };
    yield { path: under(root, rest) };
  }

  *#package(folder: string, module: string): Generator<Place> {
    const name = packageName(module);
    const home = name === null ? null : this.#packages.named(name, folder);
    if (name !== null && home !== null) yield* exportedPaths(home, module.slice(name.length + 1));
  }
}
