import { isTable, parseJsonWithComments, type Table, tableAt, textsOf } from '../ecosystems/text.ts';
import { packageName } from '../imports.ts';
import { folderOf, foldersAbove, isWithin, joined, nameOf, under } from './paths.ts';
import { patternMatch } from './pattern.ts';
import type { Sources } from './types.ts';

/** What of a configuration says where modules are; all paths are the project's. */
export interface Mapping {
  /** Folder of the configuration. */
  readonly folder: string;
  readonly baseUrl: string | null;
  /** Pattern with at most one `*`, and where it may lead, in order. */
  readonly paths: ReadonlyMap<string, readonly string[]>;
  /** Those of its keys that have a `*`. */
  readonly patterns: readonly string[];
  /** Folders that count as one. */
  readonly rootDirs: readonly string[];
}

/** A setting with the folder that relative paths in it start from. */
interface Written<T> {
  readonly value: T;
  readonly folder: string;
}

interface Options {
  readonly baseUrl?: Written<string>;
  readonly paths?: Written<Table>;
  readonly rootDirs?: Written<readonly string[]>;
}

interface Config {
  readonly options: Options;
  readonly references: readonly string[];
}

/** Chains and references are followed this far; nobody keeps longer ones. */
const MAX_DEPTH = 30;

/** The configurations of a project, one for each folder that has one. */
export class TsConfigs {
  readonly #byFolder: ReadonlyMap<string, readonly Mapping[]>;
  readonly #nearest = new Map<string, readonly Mapping[]>();

  constructor(byFolder: ReadonlyMap<string, readonly Mapping[]>) {
    this.#byFolder = byFolder;
  }

  /** Where a non-relative import may lead: paths without their extension, likeliest first. */
  *mapped(folder: string, module: string): Generator<string> {
    for (const mapping of this.#above(folder)) {
      yield* throughPaths(mapping, module);
      const plain = mapping.baseUrl === null ? null : joined(mapping.baseUrl, module);
      if (plain !== null) yield plain;
    }
  }

  /** The same place in the other folders that count as one with the importer's (`rootDirs`). */
  *elsewhere(folder: string, module: string): Generator<string> {
    const path = joined(folder, module);
    if (path === null) return;
    for (const { rootDirs } of this.#above(folder)) {
      const own = rootDirs.find((root) => isWithin(path, root));
      if (own === undefined) continue;
      const rest = own === '' ? path : path.slice(own.length + 1);
      for (const root of rootDirs) if (root !== own) yield under(root, rest);
    }
  }

  /**
   * The configuration nearest above a folder, then those it refers to, of which the nearest to the folder first: a file may
   * belong to any of them.
   */
  #above(folder: string): readonly Mapping[] {
    const known = this.#nearest.get(folder);
    if (known !== undefined) return known;
    const home = foldersAbove(folder).find((each) => this.#byFolder.has(each));
    const [own, ...others] = (home === undefined ? undefined : this.#byFolder.get(home)) ?? [];
    const near = others
      .filter((each) => isWithin(folder, each.folder))
      .sort((a, b) => b.folder.length - a.folder.length);
    const mappings = own === undefined ? [] : [own, ...near];
    this.#nearest.set(folder, mappings);
    return mappings;
  }
}

/** Reads every `tsconfig.json` and `jsconfig.json` with what it extends and refers to. */
export async function readTsConfigs(sources: Sources): Promise<TsConfigs> {
  const reader = new Reader(sources);
  const byFolder = new Map<string, readonly Mapping[]>();
  for (const name of ['tsconfig.json', 'jsconfig.json']) {
    for (const path of sources.configs) {
      const folder = folderOf(path);
      if (nameOf(path) === name && !byFolder.has(folder)) byFolder.set(folder, await reader.mappings(path));
    }
  }
  return new TsConfigs(byFolder);
}

class Reader {
  readonly #sources: Sources;
  readonly #configs = new Map<string, Config>();

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  /** The mapping of a configuration, then those of all it refers to. */
  async mappings(path: string): Promise<readonly Mapping[]> {
    const found: Mapping[] = [];
    const seen = new Set<string>();
    const queue = [path];
    for (let next = queue.shift(); next !== undefined && seen.size < MAX_DEPTH; next = queue.shift()) {
      if (seen.has(next)) continue;
      seen.add(next);
      const config = await this.#read(next, []);
      if (config === null) continue;
      found.push(mappingOf(folderOf(next), config.options));
      queue.push(...config.references);
    }
    return found;
  }

  /** @param chain the configurations that extend this one */
  async #read(path: string, chain: readonly string[]): Promise<Config | null> {
    const known = this.#configs.get(path);
    if (known !== undefined) return known;
    if (chain.includes(path)) {
      const [first = path] = chain.slice(chain.indexOf(path)).sort();
      this.#sources.report('cycle', first);
      return null;
    }
    const text = chain.length < MAX_DEPTH ? await this.#sources.text(path) : null;
    if (text === null) return null;
    const table = text.trim() === '' ? {} : parseJsonWithComments(text);
    if (table === null) {
      this.#sources.report('malformed', path);
      return null;
    }
    let options: Options = {};
    for (const base of textsOf(table['extends'])) {
      const extended = await this.#extended(path, base, [...chain, path]);
      if (extended !== null) options = { ...options, ...extended.options };
    }
    const config = {
      options: { ...options, ...ownOptions(folderOf(path), table) },
      references: references(path, table),
    };
    this.#configs.set(path, config);
    return config;
  }

  /** What a configuration extends, or null where it is not to be read, as packages that are installed are not. */
  async #extended(path: string, base: string, chain: readonly string[]): Promise<Config | null> {
    for (const candidate of this.#candidates(folderOf(path), base)) {
      const file = await this.#sources.text(candidate);
      if (file !== null) return this.#read(candidate, chain);
    }
    return null;
  }

  #candidates(folder: string, base: string): readonly string[] {
    if (/^\.\.?(?:\/|$)/.test(base)) {
      const file = joined(folder, base);
      return file === null || file === '' ? [] : withJson(file);
    }
    if (packageName(base) === null) return [];
    return foldersAbove(folder).flatMap((each) => withJson(under(each, `node_modules/${base}`)));
  }
}

function withJson(file: string): readonly string[] {
  return file.endsWith('.json') ? [file] : [`${file}.json`, `${file}/tsconfig.json`];
}

function ownOptions(folder: string, table: Table): Options {
  const { baseUrl, paths, rootDirs } = tableAt(table, 'compilerOptions');
  return {
    ...(typeof baseUrl === 'string' ? { baseUrl: { value: baseUrl, folder } } : {}),
    ...(isTable(paths) ? { paths: { value: paths, folder } } : {}),
    ...(Array.isArray(rootDirs) ? { rootDirs: { value: textsOf(rootDirs), folder } } : {}),
  };
}

function references(path: string, table: Table): readonly string[] {
  const list = Array.isArray(table['references']) ? table['references'] : [];
  return list.flatMap((each) => {
    const to = isTable(each) && typeof each['path'] === 'string' ? joined(folderOf(path), each['path']) : null;
    if (to === null) return [];
    return to.endsWith('.json') ? [to] : [under(to, 'tsconfig.json')];
  });
}

/** @param folder of the configuration itself, for `${configDir}` in what it extends */
function mappingOf(folder: string, { baseUrl, paths, rootDirs }: Options): Mapping {
  const place = ({ value, folder: from }: Written<string>) => {
    const rest = /^\$\{configDir\}\/?/i.exec(value);
    return rest === null ? joined(from, value) : joined(folder, value.slice(rest[0].length));
  };
  const base = baseUrl === undefined ? null : place(baseUrl);
  const from = base ?? paths?.folder ?? folder;
  const entries = Object.entries(paths?.value ?? {}).map(([pattern, targets]): [string, readonly string[]] => [
    pattern,
    textsOf(targets).flatMap((value) => place({ value, folder: from }) ?? []),
  ]);
  const roots = (rootDirs?.value ?? []).flatMap((value) => place({ value, folder: rootDirs?.folder ?? folder }) ?? []);
  const patterns = entries.flatMap(([pattern]) => (pattern.includes('*') ? [pattern] : []));
  return { folder, baseUrl: base, paths: new Map(entries), patterns, rootDirs: roots };
}

function* throughPaths({ paths, patterns }: Mapping, module: string): Generator<string> {
  const match = paths.has(module) ? { key: module, star: '' } : patternMatch(patterns, module);
  if (match === null) return;
  for (const target of paths.get(match.key) ?? []) yield target.replaceAll('*', () => match.star);
}
