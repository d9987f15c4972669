import { candidatePaths } from '../imports.ts';
import { folderOf, joined } from './paths.ts';
import { readTsConfigs, type TsConfigs } from './tsconfig.ts';
import type { ResolvableSite, Resolve, Sources } from './types.ts';

/** The resolver of TypeScript, JavaScript and the files that hold blocks of them. */
export async function createScriptResolver(sources: Sources): Promise<Resolve> {
  const resolver = new Scripts(sources, await readTsConfigs(sources));
  return (importer, site) => resolver.resolve(importer, site);
}

class Scripts {
  readonly #sources: Sources;
  readonly #configs: TsConfigs;

  constructor(sources: Sources, configs: TsConfigs) {
    this.#sources = sources;
    this.#configs = configs;
  }

  *resolve(importer: string, { module }: ResolvableSite): Generator<string> {
    for (const candidates of this.#candidates(importer, module)) {
      const found = candidates.find((path) => this.#sources.files.has(path));
      if (found === undefined) continue;
      yield found;
      return;
    }
  }

  /** The places a module may be, each with the files it may be there. */
  *#candidates(importer: string, module: string): Generator<readonly string[]> {
    const folder = folderOf(importer);
    if (/^\.\.?(?:\/|$)/.test(module)) {
      yield candidatePaths(importer, module);
      for (const path of this.#configs.elsewhere(folder, module)) yield at(path);
      return;
    }
    for (const path of this.#configs.mapped(folder, module)) yield at(path);
  }
}

/** The files that a path without its extension may mean. */
function at(path: string): readonly string[] {
  return joined('', path) === null ? [] : candidatePaths('', `./${path}`);
}
