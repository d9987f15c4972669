import { folderOf, foldersAbove, nameOf } from './paths.ts';
import type { PathIndex } from './types.ts';

/** Files whose imports other files, or which other files import, by something less than their whole path. */
const LOOKED_UP =
  /\.(?:[cm]?[jt]sx?|json|pyi?|go|java|kts?|scala|groovy|[ch]|cc|cpp|cxx|c\+\+|hpp|hh|hxx|h\+\+|ipp|inc|rb|php|m|mm|cs|csproj)$/i;
/** Those that are looked up by their name or the end of their path. */
const BY_END = /\.(?:pyi?|java|kts?|scala|groovy|[ch]|cc|cpp|cxx|c\+\+|hpp|hh|hxx|h\+\+|ipp|inc|rb|php|m|mm|csproj)$/i;
/** Those whose folders mean something. */
const BY_FOLDER = /\.(?:pyi?|go|java|kts?|scala|groovy|cs)$/;

type Lists = Map<string, string[]>;

/**
 * Lookups over the paths of a project. Nothing is built before it is first asked, and then once: one call must not look at
 * all paths. Files that are gone stay in; whoever asks looks whether what is found is there.
 */
export function createPathIndex(paths: () => Iterable<string>): PathIndex {
  let built: Maps | null = null;
  let version = 0;
  const maps = () => {
    built ??= new Maps(paths());
    return built;
  };
  const named = (name: string) => maps().byName.get(name) ?? [];
  return {
    get version() {
      return version;
    },
    add(path) {
      version++;
      built?.add(path);
    },
    named,
    withStem: (stem) => maps().byStem.get(stem) ?? [],
    endingWith(path) {
      const tail = tailOf(path);
      if (tail === null) return named(path);
      const found = maps().byTail.get(tail) ?? [];
      return tail === path ? found : found.filter((each) => endsWithPath(each, path));
    },
    inFolder: (folder) => maps().byFolder.get(folder) ?? [],
    holds: (folder) => maps().folders.has(folder),
    foldersEndingWith(path) {
      const found = maps().foldersByName.get(nameOf(path)) ?? [];
      return found.filter((each) => endsWithPath(each, path));
    },
  };
}

class Maps {
  readonly byStem: Lists = new Map();
  readonly byName: Lists = new Map();
  readonly byTail: Lists = new Map();
  readonly byFolder: Lists = new Map();
  /** Folders with such files in them or below. */
  readonly folders = new Set<string>();
  readonly foldersByName: Lists = new Map();

  constructor(paths: Iterable<string>) {
    for (const path of paths) this.add(path);
  }

  add(path: string): void {
    if (!LOOKED_UP.test(path)) return;
    const stem = stemOf(path);
    if (this.byStem.get(stem)?.includes(path) === true) return;
    put(this.byStem, stem, path);
    if (BY_END.test(path)) {
      put(this.byName, nameOf(path), path);
      const tail = tailOf(path);
      if (tail !== null) put(this.byTail, tail, path);
    }
    if (BY_FOLDER.test(path)) this.#addToFolder(path);
  }

  #addToFolder(path: string): void {
    const folder = folderOf(path);
    if (!this.byFolder.has(folder)) {
      put(this.foldersByName, nameOf(folder), folder);
      for (const above of foldersAbove(folder)) {
        if (this.folders.has(above)) break;
        this.folders.add(above);
      }
    }
    put(this.byFolder, folder, path);
  }
}

function put(map: Lists, key: string, path: string): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [path]);
  else known.push(path);
}

/** A path without its extension; declaration files have two. */
export function stemOf(path: string): string {
  return withoutD(path.slice(0, path.lastIndexOf('.')));
}

/** `a` for the `a.d` of `a.d.ts`. */
export function withoutD(stem: string): string {
  return stem.endsWith('.d') ? stem.replace(/(?:\.d)+$/, '') : stem;
}

/** The last two segments, by which files are kept: names alone repeat too often. Null for a single one. */
function tailOf(path: string): string | null {
  const last = path.lastIndexOf('/');
  return last < 0 ? null : path.slice(path.lastIndexOf('/', last - 1) + 1);
}

function endsWithPath(path: string, end: string): boolean {
  return path === end || (path.endsWith(end) && path[path.length - end.length - 1] === '/');
}
