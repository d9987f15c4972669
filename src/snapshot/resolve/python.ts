import { isTable, parseToml, type Table, tableAt, textAt, textsOf } from '../ecosystems/text.ts';
import { folderOf, foldersAbove, isWithin, joined, nameOf, nearestFirst, under } from './paths.ts';
import { Remembered } from './remembered.ts';
import type { PathIndex, ResolvableSite, Resolve, Sources } from './types.ts';

/** Folders below a project that commonly are where imports start, also without any configuration. */
const GUESSED = ['src', 'lib', 'python'] as const;

/** The resolver of Python: modules, packages with and without `__init__.py`, submodules among the names, stubs. */
export async function createPythonResolver(sources: Sources): Promise<Resolve> {
  const resolver = new Python(sources, await declaredRoots(sources));
  return (importer, site) => resolver.resolve(importer, site);
}

class Python {
  readonly #has: (path: string) => boolean;
  readonly #index: PathIndex;
  readonly #declared: readonly string[];
  readonly #roots: Remembered<readonly string[]>;
  /** The roots of a folder that have anything of the name before the first dot. */
  readonly #rootsWith: Remembered<readonly string[]>;

  /** @param declared folders that configuration names as those where imports start */
  constructor({ files, index }: Sources, declared: readonly string[]) {
    this.#has = (path) => files.has(path);
    this.#index = index;
    this.#declared = declared;
    this.#roots = new Remembered(index);
    this.#rootsWith = new Remembered(index);
  }

  *resolve(importer: string, { module, names }: ResolvableSite): Generator<string> {
    const [, dots = '', rest = ''] = /^(\.*)(.*)$/s.exec(module) ?? [];
    const inside = rest.replaceAll('.', '/');
    if (dots !== '') {
      const folder = joined(folderOf(importer), '../'.repeat(dots.length - 1));
      if (folder !== null) yield* this.#at(under(folder, inside), names);
      return;
    }
    if (inside === '' || inside.includes('//')) return;
    for (const root of this.#rootsOf(folderOf(importer), inside)) {
      const found = [...this.#at(under(root, inside), names)];
      if (found.length === 0) continue;
      yield* found;
      return;
    }
    // A single name fits too much by accident: `json` is hardly a file of that name somewhere else.
    if (inside.includes('/')) yield* this.#anywhere(importer, inside, names);
  }

  /** What a module is, with its names: its own file, then the submodules that are among the names. */
  *#at(path: string, names: readonly string[]): Generator<string> {
    const own = this.#module(path);
    const submodules = names.map((name) => (/^[^\W\d]\w*$/u.test(name) ? this.#module(under(path, name)) : null));
    const isPackage = own === null || /(?:^|\/)__init__\.pyi?$/.test(own);
    const found = isPackage ? submodules.filter((each) => each !== null) : [];
    if (own !== null && (found.length < names.length || names.length === 0)) yield own;
    yield* found;
  }

  /** The file of a module: code before what only describes it. */
  #module(path: string): string | null {
    const own = this.#index.withStem(path);
    const inner = this.#index.withStem(under(path, '__init__'));
    if (own.length === 0 && inner.length === 0) return null;
    const found = [`${path}.py`, under(path, '__init__.py'), `${path}.pyi`, under(path, '__init__.pyi')];
    return found.find((each) => (own.includes(each) || inner.includes(each)) && this.#has(each)) ?? null;
  }

  /** Nearly every import is of a package that is not here, so the folders of a name are remembered. */
  #rootsOf(folder: string, inside: string): readonly string[] {
    const first = inside.split('/', 1)[0] ?? '';
    const key = `${folder}\n${first}`;
    return this.#rootsWith.get(key, () =>
      this.#rootsFor(folder).filter((root) => {
        const path = under(root, first);
        return this.#index.holds(path) || this.#index.withStem(path).length > 0;
      }),
    );
  }

  *#anywhere(importer: string, inside: string, names: readonly string[]): Generator<string> {
    const ends = [`${inside}.py`, `${inside}/__init__.py`, ...names.map((name) => `${inside}/${name}.py`)];
    for (const end of ends) {
      const [found] = nearestFirst(this.#index.endingWith(end), importer);
      if (found === undefined) continue;
      yield* this.#at(under(found.slice(0, found.length - end.length).replace(/\/$/, ''), inside), names);
      return;
    }
  }

  /**
   * Folders that absolute imports of a file start from: the one above its package, its own where it belongs to none, those
   * that configuration names, and the usual ones of every folder above.
   */
  #rootsFor(folder: string): readonly string[] {
    return this.#roots.get(folder, () => {
      const above = foldersAbove(folder);
      const outside = above.find((each) => !this.#has(under(each, '__init__.py'))) ?? '';
      const declared = this.#declared.filter((root) => isWithin(folder, root));
      const others = this.#declared.filter((root) => !isWithin(folder, root));
      const usual = above
        .slice(above.indexOf(outside))
        .flatMap((each) => [each, ...GUESSED.map((name) => under(each, name))]);
      return [...new Set([outside, ...declared, ...usual, ...others, 'typings', 'stubs'])];
    });
  }
}

/** Folders that `pyproject.toml` and `setup.cfg` name, deepest first. */
async function declaredRoots(sources: Sources): Promise<readonly string[]> {
  const roots = new Set<string>();
  for (const path of sources.configs) {
    const name = nameOf(path);
    if (name !== 'pyproject.toml' && name !== 'setup.cfg') continue;
    const text = await sources.text(path);
    if (text === null) continue;
    const named = name === 'setup.cfg' ? setupRoots(text) : projectRoots(await parseToml(text));
    for (const each of named) {
      const root = joined(folderOf(path), each);
      if (root !== null) roots.add(root);
    }
  }
  return [...roots].sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
}

/** A malformed `pyproject.toml` is told where dependencies are read. */
function projectRoots(project: Table | null): readonly string[] {
  const tool = tableAt(project, 'tool');
  const setuptools = tableAt(tool, 'setuptools');
  const poetry = tableAt(tool, 'poetry')['packages'];
  const wheel = tableAt(tool, 'hatch', 'build', 'targets', 'wheel');
  return [
    ...Object.values(tableAt(setuptools, 'package-dir')).flatMap(textsOf).slice(0, 1),
    ...textsOf(tableAt(setuptools, 'packages', 'find')['where']),
    ...(Array.isArray(poetry) ? poetry : []).flatMap((each) => (isTable(each) ? (textAt(each, 'from') ?? []) : [])),
    ...textsOf(wheel['packages']).map(folderOf),
    ...textsOf(wheel['sources']),
    ...textsOf(tableAt(tool, 'pytest', 'ini_options')['pythonpath']),
    ...textsOf(tableAt(tool, 'pyright')['extraPaths']),
    ...textsOf(tableAt(tool, 'pdm', 'build')['package-dir']),
  ];
}

function setupRoots(text: string): readonly string[] {
  const packageDir = /^package_dir[ \t]*=\s*=[ \t]*([\w./-]+)[ \t]*$/m.exec(text)?.[1];
  const where = /^\[options\.packages\.find\][^[]*?^where\s*=\s*([\w./-]+)\s*$/m.exec(text)?.[1];
  return [packageDir, where].filter((each) => each !== undefined);
}
