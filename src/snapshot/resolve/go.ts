import { folderOf, isWithin, joined, nameOf } from './paths.ts';
import type { PathIndex, ResolvableSite, Resolve, Sources } from './types.ts';

/** A module of the project, or what a `replace` puts in the place of another one. */
interface GoModule {
  /** Import path. */
  readonly path: string;
  readonly folder: string;
  /** Folder of the go.mod or go.work that says so: it counts for the files in it. Null when it counts for all. */
  readonly for: string | null;
}

/** The resolver of Go: an import is the folder of a package, and so all its files that are no tests. */
export async function createGoResolver(sources: Sources): Promise<Resolve> {
  const modules: GoModule[] = [];
  for (const path of sources.configs) {
    const name = nameOf(path);
    if (name !== 'go.mod' && name !== 'go.work') continue;
    const text = await sources.text(path);
    if (text !== null) modules.push(...modulesOf(folderOf(path), text));
  }
  // The longest path first, then what is said for some files before what is said for all.
  modules.sort((a, b) => b.path.length - a.path.length || (b.for?.length ?? -1) - (a.for?.length ?? -1));
  return (importer, site) => packageFiles(modules, sources.index, importer, site);
}

function* packageFiles(
  modules: readonly GoModule[],
  index: PathIndex,
  importer: string,
  { module }: ResolvableSite,
): Generator<string> {
  const folder = /^\.\.?(?:\/|$)/.test(module)
    ? joined(folderOf(importer), module)
    : folderOfImport(modules, index, importer, module);
  if (folder === null) return;
  yield* sourceFiles(index, folder);
}

function folderOfImport(
  modules: readonly GoModule[],
  index: PathIndex,
  importer: string,
  module: string,
): string | null {
  const fitting = modules.filter(
    (each) => isWithin(module, each.path) && (each.for === null || isWithin(importer, each.for)),
  );
  // Two modules may have the same path, as copies in test data have: the importer's own comes first.
  const nearness = ({ folder }: GoModule) => (isWithin(importer, folder) ? folder.length : -1);
  fitting.sort((a, b) => b.path.length - a.path.length || nearness(b) - nearness(a));
  for (const { path, folder } of fitting) {
    const place = joined(folder, module.slice(path.length + 1));
    if (place !== null && sourceFiles(index, place).length > 0) return place;
  }
  return null;
}

function sourceFiles(index: PathIndex, folder: string): readonly string[] {
  return index.inFolder(folder).filter((path) => path.endsWith('.go') && !path.endsWith('_test.go'));
}

/** The module that a go.mod is, and the folders that `replace` lines name; those of other places on the disk are not ours. */
function modulesOf(folder: string, text: string): readonly GoModule[] {
  const found: GoModule[] = [];
  const own = /^[^\S\n]*module\s+(?:\(\s*)?["`]?([^\s"`)]+)/m.exec(text)?.[1];
  if (own !== undefined) found.push({ path: own, folder, for: null });
  for (const [, path, place] of text.matchAll(REPLACED)) {
    const target = place === undefined ? null : joined(folder, place);
    if (path !== undefined && target !== null) found.push({ path, folder: target, for: folder });
  }
  return found;
}

/** `[replace] example.com/a [v1.2.3] => ../a`, in a line of its own or in a block. */
const REPLACED =
  /^[^\S\n]*(?:replace[^\S\n]+)?"?([^\s"(]+)"?(?:[^\S\n]+v[^\s]+)?[^\S\n]+=>[^\S\n]+"?(\.{1,2}\/[^\s"]*)/gm;
