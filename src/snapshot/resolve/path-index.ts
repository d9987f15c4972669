import { folderOf, nameOf } from './paths.ts';
import type { PathIndex } from './types.ts';

/** Files that are looked up by how their path ends, or by their folder. */
const LOOKED_UP = /\.(?:pyi?|go|java|kts?|scala|groovy|[ch]|cc|cpp|cxx|c\+\+|hpp|hh|hxx|h\+\+|ipp|inc|rb|php|m|mm)$/i;

interface Maps {
  readonly byName: ReadonlyMap<string, readonly string[]>;
  readonly byTail: ReadonlyMap<string, readonly string[]>;
  readonly byFolder: ReadonlyMap<string, readonly string[]>;
  readonly foldersByName: ReadonlyMap<string, readonly string[]>;
}

/**
 * Lookups over the paths of a project. Nothing is built before it is first asked, and then once: one call must not look at
 * all paths.
 */
export function createPathIndex(paths: () => Iterable<string>): PathIndex {
  let built: Maps | null = null;
  const maps = () => {
    built ??= build(paths());
    return built;
  };
  const named = (name: string) => maps().byName.get(name) ?? [];
  return {
    named,
    endingWith(path) {
      const tail = tailOf(path);
      if (tail === null) return named(path);
      const found = maps().byTail.get(tail) ?? [];
      return tail === path ? found : found.filter((each) => endsWithPath(each, path));
    },
    inFolder: (folder) => maps().byFolder.get(folder) ?? [],
    foldersEndingWith(path) {
      const found = maps().foldersByName.get(nameOf(path)) ?? [];
      return found.filter((each) => endsWithPath(each, path));
    },
  };
}

function build(paths: Iterable<string>): Maps {
  const byName = new Map<string, string[]>();
  const byTail = new Map<string, string[]>();
  const byFolder = new Map<string, string[]>();
  for (const path of paths) {
    if (!LOOKED_UP.test(path)) continue;
    add(byName, nameOf(path), path);
    add(byFolder, folderOf(path), path);
    const tail = tailOf(path);
    if (tail !== null) add(byTail, tail, path);
  }
  const foldersByName = new Map<string, string[]>();
  for (const folder of byFolder.keys()) add(foldersByName, nameOf(folder), folder);
  return { byName, byTail, byFolder, foldersByName };
}

function add(map: Map<string, string[]>, key: string, path: string): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [path]);
  else known.push(path);
}

/** The last two segments, by which files are kept: names alone repeat too often. Null for a single one. */
function tailOf(path: string): string | null {
  const last = path.lastIndexOf('/');
  return last < 0 ? null : path.slice(path.lastIndexOf('/', last - 1) + 1);
}

function endsWithPath(path: string, end: string): boolean {
  return path === end || (path.endsWith(end) && path[path.length - end.length - 1] === '/');
}
