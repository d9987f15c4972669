import { parseToml, tableAt, textAt } from '../ecosystems/text.ts';
import { folderOf, foldersAbove, joined, nameOf, under } from './paths.ts';
import type { ResolvableSite, Resolve, Sources } from './types.ts';

/** Folders beside `src` in which every file is a program of its own. */
const PROGRAMS = /(?:^|\/)(?:tests|examples|benches|src\/bin)$/;

/** The resolver of Rust: `crate::`, `self::`, `super::`, modules of the same file's folder, and other crates of the project. */
export async function createRustResolver(sources: Sources): Promise<Resolve> {
  const crates = await readCrates(sources);
  const has = (path: string) => sources.files.has(path);
  const resolver = new Rust(has, crates);
  return (importer, site) => resolver.resolve(importer, site);
}

interface Crates {
  /** Folders that have a Cargo.toml. */
  readonly folders: ReadonlySet<string>;
  /** Root file of the library by the name it is used by. */
  readonly libraries: ReadonlyMap<string, string>;
}

class Rust {
  readonly #has: (path: string) => boolean;
  readonly #crates: Crates;

  constructor(has: (path: string) => boolean, crates: Crates) {
    this.#has = has;
    this.#crates = crates;
  }

  *resolve(importer: string, { module, names }: ResolvableSite): Generator<string> {
    const [first = '', ...rest] = module.split('::').map((segment) => segment.trim().replace(/^r#/, ''));
    const own = this.#ownFolder(importer);
    switch (first) {
      case 'crate': {
        yield* this.#within(this.#root(importer), rest, names);
        return;
      }
      case 'self': {
        yield* this.#within({ folder: own, file: importer }, rest, names);
        return;
      }
      case 'super': {
        let folder: string = own;
        let path = ['super', ...rest];
        for (; path[0] === 'super' && folder !== ''; path = path.slice(1)) folder = folderOf(folder);
        yield* this.#within({ folder, file: this.#fileOf(folder) }, path, names);
        return;
      }
      default:
        yield* this.#byName(importer, own, first, rest, names);
    }
  }

  *#byName(
    importer: string,
    own: string,
    first: string,
    rest: readonly string[],
    names: readonly string[],
  ): Generator<string> {
    const library = this.#crates.libraries.get(first);
    if (library !== undefined) {
      yield* this.#within({ folder: folderOf(library), file: library }, rest, names);
      return;
    }
    // A path may start with a module beside the code that uses it.
    if (this.#child(own, first) !== null) yield* this.#within({ folder: own, file: importer }, [first, ...rest], names);
  }

  /**
   * The files that names of a module mean: a module of that name, else the file of the deepest module on the way, because
   * the rest is declared in it.
   */
  *#within(from: Place, path: readonly string[], names: readonly string[]): Generator<string> {
    let { folder, file }: Place = from;
    for (const segment of path) {
      // What is no file of its own is written out in the one before; its own modules are in a folder all the same.
      file = this.#child(folder, segment) ?? file;
      folder = under(folder, segment);
    }
    const modules = names.map((name) => this.#child(folder, name.replace(/^r#/, '')));
    yield* modules.filter((each) => each !== null);
    if (file !== null && (names.length === 0 || modules.includes(null))) yield file;
  }

  #child(folder: string, name: string): string | null {
    const path = under(folder, name);
    return [`${path}.rs`, `${path}/mod.rs`].find(this.#has) ?? null;
  }

  /** The folder of a file's own modules. */
  #ownFolder(file: string): string {
    const folder = folderOf(file);
    return this.#isRoot(file) || nameOf(file) === 'mod.rs' ? folder : file.replace(/\.rs$/, '');
  }

  #isRoot(file: string): boolean {
    const folder = folderOf(file);
    const name = nameOf(file);
    if (PROGRAMS.test(folder)) return this.#crates.folders.has(folder.replace(PROGRAMS, ''));
    return name === 'lib.rs' || name === 'main.rs' || name === 'build.rs';
  }

  #root(importer: string): Place {
    const folder = folderOf(importer);
    if (this.#isRoot(importer)) return { folder, file: importer };
    const home = foldersAbove(folder).find((each) => this.#crates.folders.has(each));
    const src = home === undefined ? (/^(.*?(?:^|\/)src)(?:\/|$)/.exec(folder)?.[1] ?? folder) : under(home, 'src');
    const inside = folder === src || folder.startsWith(`${src}/`);
    // Modules shared by tests and examples belong to those.
    return inside ? { folder: src, file: this.#rootFile(src) } : { folder, file: null };
  }

  #rootFile(folder: string): string | null {
    return ['lib.rs', 'main.rs'].map((name) => under(folder, name)).find(this.#has) ?? null;
  }

  /** The file of the module whose own modules are in a folder. */
  #fileOf(folder: string): string | null {
    return [`${folder}.rs`, under(folder, 'mod.rs')].find(this.#has) ?? this.#rootFile(folder);
  }
}

/** A module: where its own modules are, and its file. */
interface Place {
  readonly folder: string;
  readonly file: string | null;
}

async function readCrates(sources: Sources): Promise<Crates> {
  const folders = new Set<string>();
  const libraries = new Map<string, string>();
  for (const path of sources.configs) {
    if (nameOf(path) !== 'Cargo.toml') continue;
    const folder = folderOf(path);
    const text = await sources.text(path);
    const manifest = text === null ? null : await parseToml(text);
    if (manifest === null) continue;
    const crate = textAt(tableAt(manifest, 'package'), 'name');
    if (crate === undefined) continue;
    folders.add(folder);
    const library = tableAt(manifest, 'lib');
    const name = (textAt(library, 'name') ?? crate).replaceAll('-', '_');
    const file = joined(folder, textAt(library, 'path') ?? 'src/lib.rs');
    if (file !== null && sources.files.has(file) && !libraries.has(name)) libraries.set(name, file);
  }
  return { folders, libraries };
}
