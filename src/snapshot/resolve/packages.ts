import { isTable, parseJson, parseYaml, type Table, tableAt, textAt, textsOf } from '../ecosystems/text.ts';
import { folderOf, foldersAbove, isWithin, joined, nameOf } from './paths.ts';
import { memberTest } from './pattern.ts';
import type { Sources } from './types.ts';

/** One package of the project, by its `package.json`. */
export interface Package {
  readonly folder: string;
  readonly name: string | undefined;
  readonly manifest: Table;
}

/** A folder whose packages know each other by name. */
interface Workspaces {
  readonly folder: string;
  readonly byName: ReadonlyMap<string, Package>;
}

/** Lists of dependencies, in which a folder of the disk may be named. */
const LISTS = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'] as const;

/** The packages of a project, and which of them a file knows by name. */
export class Packages {
  readonly #byFolder: ReadonlyMap<string, Package>;
  readonly #workspaces: readonly Workspaces[];
  readonly #homes = new Map<string, Package | null>();

  /** @param workspaces deepest folder first */
  constructor(byFolder: ReadonlyMap<string, Package>, workspaces: readonly Workspaces[]) {
    this.#byFolder = byFolder;
    this.#workspaces = workspaces;
  }

  /** The package that a folder belongs to. */
  of(folder: string): Package | null {
    let home = this.#homes.get(folder);
    if (home === undefined) {
      const above = foldersAbove(folder).find((each) => this.#byFolder.has(each));
      home = above === undefined ? null : (this.#byFolder.get(above) ?? null);
      this.#homes.set(folder, home);
    }
    return home;
  }

  /** The package in exactly this folder. */
  at(folder: string): Package | null {
    return this.#byFolder.get(folder) ?? null;
  }

  /**
   * The project's package that a name means in a folder: the folder's own, one of the same workspace, or one whose folder
   * its package names. A package that only happens to have that name is not it: test data often has such.
   */
  named(name: string, folder: string): Package | null {
    const own = this.of(folder);
    if (own?.name === name) return own;
    for (const { folder: root, byName } of this.#workspaces) {
      const found = isWithin(folder, root) ? byName.get(name) : undefined;
      if (found !== undefined) return found;
    }
    return own === null ? null : this.#linked(own, name);
  }

  #linked(own: Package, name: string): Package | null {
    for (const list of LISTS) {
      const range = textAt(tableAt(own.manifest, list), name);
      const place = range === undefined ? undefined : /^(?:file|link|portal):(.+)$/.exec(range)?.[1];
      const folder = place === undefined ? null : joined(own.folder, place);
      if (folder !== null) return this.at(folder);
    }
    return null;
  }
}

/** Reads every `package.json` and what says which of them are one workspace. */
export async function readPackages(sources: Sources): Promise<Packages> {
  const byFolder = new Map<string, Package>();
  for (const path of sources.configs) {
    if (nameOf(path) !== 'package.json') continue;
    const text = await sources.text(path);
    const manifest = text === null ? null : parseJson(text);
    // A manifest that is malformed is told where dependencies are read.
    if (manifest === null) continue;
    const folder = folderOf(path);
    byFolder.set(folder, { folder, name: textAt(manifest, 'name'), manifest });
  }
  const workspaces: Workspaces[] = [];
  for (const [folder, patterns] of await workspacePatterns(sources, byFolder)) {
    const byName = new Map<string, Package>();
    const isMember = memberTest(patterns);
    for (const member of byFolder.values()) {
      if (member.name === undefined || !isWithin(member.folder, folder)) continue;
      const inside = folder === '' ? member.folder : member.folder.slice(folder.length + 1);
      if ((inside === '' || isMember(inside)) && !byName.has(member.name)) byName.set(member.name, member);
    }
    workspaces.push({ folder, byName });
  }
  return new Packages(
    byFolder,
    workspaces.sort((a, b) => b.folder.length - a.folder.length),
  );
}

/** Root folders of workspaces with the patterns of their members' folders. */
async function workspacePatterns(
  sources: Sources,
  byFolder: ReadonlyMap<string, Package>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  for (const { folder, manifest } of byFolder.values()) {
    const { workspaces } = manifest;
    const patterns = textsOf(isTable(workspaces) ? workspaces['packages'] : workspaces);
    if (patterns.length > 0) found.set(folder, patterns);
  }
  for (const path of sources.configs) {
    if (nameOf(path) !== 'pnpm-workspace.yaml') continue;
    const text = await sources.text(path);
    const table = text === null ? null : await parseYaml(text);
    if (text !== null && table === null) sources.report('malformed', path);
    const patterns = textsOf(table?.['packages']);
    if (patterns.length > 0) found.set(folderOf(path), patterns);
  }
  return found;
}
