import { isTable, tableAt, textAt } from '../ecosystems/text.ts';
import { candidatePaths } from '../imports.ts';
import type { Package } from './packages.ts';
import { joined } from './paths.ts';
import { patternMatch } from './pattern.ts';

/** Targets of one entry that are looked at; hand-written ones have fewer conditions. */
const MAX_TARGETS = 50;
/** Folders that builds write to, whose files stand for those of `src`. */
const BUILT = /^(?:dist|lib|build|out|output|es|esm|cjs|umd|types|typings|\.?dist-types)$/;
/** Folders of one format inside of them. */
const FORMAT = /^(?:esm?|cjs|umd|mjs|js|node|browser|types|typings|esm-node|src)$/;
/** What a compiler writes, for the file that it writes it from. */
const WRITTEN = /(?:\.d)?\.[cm]?[jt]sx?$/;
const SOURCES = ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs', '.vue', '.svelte'] as const;

/**
 * The files that a package gives away under a path, as groups of candidates, likeliest first. Where a manifest names what
 * the build writes, the sources of it are meant: the same path with `src` (or nothing) in place of `dist`, `lib`, `build`
 * or `out` and of a format's folder in it, and with the extension that the source has.
 * @param subpath behind the package's name, without a slash; empty for the package itself
 */
export function* exportedFiles(home: Package, subpath: string): Generator<readonly string[]> {
  const { manifest, folder } = home;
  const { exports } = manifest;
  if (exports !== undefined && exports !== null) {
    const key = subpath === '' ? '.' : `./${subpath}`;
    for (const target of mappedTargets(isSugar(exports) ? { '.': exports } : exports, key)) {
      if (target.startsWith('./')) yield sourcesOf(folder, target);
    }
    if (subpath === '') yield mainSources(folder);
    return;
  }
  if (subpath !== '') {
    yield sourcesOf(folder, subpath);
    const inSource = joined(folder, `src/${subpath}`);
    if (inSource !== null) yield candidates(inSource);
    return;
  }
  for (const field of ['source', 'types', 'typings', 'module', 'main']) {
    const entry = textAt(manifest, field);
    if (entry !== undefined) yield sourcesOf(folder, entry);
  }
  yield mainSources(folder);
}

/** What a `#name` means in a package: paths in it, or other modules. */
export function internalTargets({ manifest }: Package, module: string): readonly string[] {
  return mappedTargets(tableAt(manifest, 'imports'), module);
}

/** The same file, and the sources that it may be written from. */
export function sourcesOf(folder: string, target: string): readonly string[] {
  const path = joined(folder, target);
  if (path === null) return [];
  const inside = folder === '' ? path : path.slice(folder.length + 1);
  return [...candidates(path), ...builtFrom(inside).flatMap((each) => candidates(joined(folder, each) ?? ''))];
}

function mainSources(folder: string): readonly string[] {
  return ['src/index', 'index', 'src/main'].flatMap((each) => candidates(joined(folder, each) ?? ''));
}

/** A file and what may stand in its place: another extension, or the index of a folder. */
function candidates(path: string): readonly string[] {
  if (path === '') return [];
  const stem = path.replace(WRITTEN, '');
  const others = stem === path ? [] : SOURCES.map((extension) => stem + extension);
  return [...candidatePaths('', `./${path}`), ...others];
}

/** Where the sources of what a build writes may be. */
function builtFrom(inside: string): readonly string[] {
  const [first = '', ...rest] = inside.split('/');
  if (!BUILT.test(first) || rest.length === 0) return [];
  const bare = rest.length > 1 && FORMAT.test(rest[0] ?? '') ? rest.slice(1) : rest;
  const places = bare === rest ? [rest] : [bare, rest];
  return places.flatMap((place) => [`src/${place.join('/')}`, place.join('/')]);
}

/** Whether `exports` is the one entry of the package itself, without keys that begin with a dot. */
function isSugar(exports: unknown): boolean {
  return !isTable(exports) || !Object.keys(exports).some((key) => key.startsWith('.'));
}

function mappedTargets(map: unknown, key: string): readonly string[] {
  if (!isTable(map)) return [];
  const match = patternMatch(Object.keys(map), key);
  if (match === null) return [];
  const targets: string[] = [];
  collect(map[match.key], targets);
  return match.star === '' ? targets : targets.map((target) => target.replaceAll('*', () => match.star));
}

/** Every target, in order: which conditions hold is known only when the code runs. */
function collect(entry: unknown, targets: string[]): void {
  if (targets.length >= MAX_TARGETS) return;
  if (typeof entry === 'string') targets.push(entry);
  else if (Array.isArray(entry)) for (const each of entry) collect(each, targets);
  else if (isTable(entry)) for (const each of Object.values(entry)) collect(each, targets);
}
