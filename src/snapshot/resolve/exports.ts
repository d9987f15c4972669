import { isTable, tableAt, textAt } from '../ecosystems/text.ts';
import type { Package } from './packages.ts';
import { joined, under } from './paths.ts';
import { patternMatch } from './pattern.ts';

/** Targets of one entry that are looked at; hand-written ones have fewer conditions. */
const MAX_TARGETS = 50;
/** Folders that builds write to, whose files stand for those of `src`. */
const BUILT = /^(?:dist|lib|build|out|output|es|esm|cjs|umd|types|typings|\.?dist-types)$/;
/** Folders of one format inside of them. */
const FORMAT = /^(?:esm?|cjs|umd|mjs|js|node|browser|types|typings|esm-node|src)$/;

/** Where a file may be. */
export interface Place {
  /** Complete, or without its extension. */
  readonly path: string;
  /** Whether a build may have written it, so that its source may have any extension. */
  readonly built?: true;
}

/**
 * The places of what a package gives away under a path, likeliest first. Where a manifest names what
 * the build writes, the sources of it are meant: the same path with `src` (or nothing) in place of `dist`, `lib`, `build`
 * or `out` and of a format's folder in it, and with the extension that the source has.
 * @param subpath behind the package's name, without a slash; empty for the package itself
 */
export function* exportedPaths(home: Package, subpath: string): Generator<Place> {
  const { manifest, folder } = home;
  const { exports } = manifest;
  if (exports !== undefined && exports !== null) {
    const key = subpath === '' ? '.' : `./${subpath}`;
    for (const target of mappedTargets(isSugar(exports) ? { '.': exports } : exports, key)) {
      if (target.startsWith('./')) yield* placesOf(folder, target);
    }
    if (subpath === '') yield* mainPlaces(folder);
    return;
  }
  if (subpath !== '') {
    yield* placesOf(folder, subpath);
    yield* placesOf(folder, `src/${subpath}`);
    return;
  }
  for (const field of ['source', 'types', 'typings', 'module', 'main']) {
    const entry = textAt(manifest, field);
    if (entry !== undefined) yield* placesOf(folder, entry);
  }
  yield* mainPlaces(folder);
}

/** What a `#name` means in a package: paths in it, or other modules. */
export function internalTargets({ manifest }: Package, module: string): readonly string[] {
  return mappedTargets(tableAt(manifest, 'imports'), module);
}

/** The same file, and those that it may be written from. */
export function* placesOf(folder: string, target: string): Generator<Place> {
  const path = joined(folder, target);
  if (path === null) return;
  yield { path, built: true };
  const inside = folder === '' ? path : path.slice(folder.length + 1);
  for (const each of builtFrom(inside)) yield { path: under(folder, each), built: true };
}

function mainPlaces(folder: string): readonly Place[] {
  return ['src/index', 'index', 'src/main'].map((each) => ({ path: under(folder, each) }));
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
