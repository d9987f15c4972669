import { folderOf, joined, nearestFirst } from './paths.ts';
import type { ResolvableSite, Resolve, Sources } from './types.ts';

/** Folders that compilers are told to look in. */
const INCLUDED = /(?:^|\/)(?:include|includes|inc|src|source|lib)\/$/;
/** As many places as a header of that name is worth looking for. */
const MAX_FOUND = 8;

/**
 * The resolver of C and its relatives. A header in quotes is first looked for beside the file, as compilers do. Which
 * folders they search besides is said in build scripts only, so it is guessed from the path: a header's own path ends with
 * what is written.
 */
export function createCResolver({ files, index }: Sources): Resolve {
  return function* resolve(importer: string, { module }: ResolvableSite) {
    const quoted = module.startsWith('./');
    const written = quoted ? module.slice(2) : module;
    const beside = quoted ? joined(folderOf(importer), written) : null;
    if (beside !== null && files.has(beside)) {
      yield beside;
      return;
    }
    const plain = written.replace(/^(?:\.\.?\/)+/, '');
    if (plain === '' || plain.startsWith('/') || plain.includes('..')) return;
    const found = nearestFirst(index.endingWith(plain), importer);
    // A plain name in angle brackets is the system's, unless the project has it where headers for others are.
    const ours = quoted || plain.includes('/') ? found : found.filter((path) => isIncluded(path, plain));
    yield* ours.slice(0, MAX_FOUND);
  };
}

function isIncluded(path: string, written: string): boolean {
  return INCLUDED.test(path.slice(0, path.length - written.length));
}
