import { candidatePaths, type ImportSite } from './imports.ts';
import { languageOf } from './languages.ts';
import type { Workspace } from './workspace.ts';

/** Files that only pass on names lead to files that only pass on names; this far they are followed. */
const MAX_HOPS = 5;
/** A package of one import may be many files; so many are told. */
const MAX_FILES = 20;

/** Where something is declared. */
export interface Home {
  readonly path: string;
  /** Its name there; `*` for all of the file. */
  readonly name: string;
}

/**
 * The files that an import means and the names it takes from each, as they are declared there: an index file that only
 * passes names on says nothing about them. Empty when it is none of the project's.
 */
export async function homesOf(
  workspace: Workspace,
  importer: string,
  { module, names }: Pick<ImportSite, 'module' | 'names'>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const targets = await targetsOf(workspace, importer, { module, names });
  const homes = new Map<string, string[]>();
  const add = ({ path, name }: Home) => homes.set(path, [...(homes.get(path) ?? []), name]);
  for (const name of names) {
    if (name === '*') for (const path of targets.slice(0, MAX_FILES)) add({ path, name });
    else {
      const home = await homeAmong(workspace, targets, name);
      if (home !== null) add(home);
    }
  }
  const [first] = targets;
  return homes.size === 0 && first !== undefined ? new Map([[first, []]]) : homes;
}

/** The file of several that declares a name, or is what it names; else the likeliest one. */
async function homeAmong(workspace: Workspace, targets: readonly string[], name: string): Promise<Home | null> {
  for (const path of targets) {
    const home = await homeOf(workspace, path, name, MAX_HOPS);
    if (home !== null) return home;
  }
  const module = targets.find((path) => stemOf(path) === name);
  if (module !== undefined) return { path: module, name: '*' };
  const [first] = targets;
  return first === undefined ? null : { path: first, name };
}

/** `c` of `a/b/c.py` and of `a/c/__init__.py`. */
function stemOf(path: string): string {
  const stem = path.replace(/(?:\/__init__)?\.[^./]*$/, '');
  return stem.slice(stem.lastIndexOf('/') + 1);
}

/** Where a name that a file exports is declared; null when it is not found. */
export async function homeOf(workspace: Workspace, path: string, name: string, hops = MAX_HOPS): Promise<Home | null> {
  const { outline, imports } = await workspace.outlines.ofFile(path);
  const declares = outline?.items.some((item) => item.of === undefined && item.exported === true && item.name === name);
  if (declares === true) return { path, name };
  if (hops === 0) return null;
  const named = imports.find(({ passedOn }) => passedOn?.has(name));
  const there = named?.passedOn?.get(name) ?? name;
  const all = name === 'default' ? [] : imports.filter(({ passedOn }) => passedOn?.get('*') === '*');
  for (const site of named === undefined ? all : [named]) {
    for (const next of await targetsOf(workspace, path, site)) {
      const home = there === '*' ? { path: next, name: '*' } : await homeOf(workspace, next, there, hops - 1);
      if (home !== null) return home;
    }
  }
  return null;
}

/** Project files that an import means, likeliest first. What is listed is known without looking at the disk. */
async function targetsOf(
  workspace: Workspace,
  importer: string,
  site: Pick<ImportSite, 'module' | 'names'>,
): Promise<readonly string[]> {
  const { outlines, index } = workspace;
  const resolver = await index.resolver();
  const listed = resolver.resolve(importer, languageOf(importer) ?? 'text', site);
  const found = listed.filter((path) => outlines.source.locate(path).ok);
  if (found.length > 0) return found;
  // A file that came since the last listing.
  for (const path of candidatePaths(importer, site.module)) {
    if (outlines.source.locate(path).ok && (await workspace.mayRead(path))) return [path];
  }
  return [];
}
