import { nearestFirst } from './paths.ts';
import type { ResolvableSite, Resolve, Sources } from './types.ts';

/** Languages of the Java machine, whose classes import each other. */
const EXTENSIONS = ['.java', '.kt', '.scala', '.groovy'] as const;
const SOURCE = /\.(?:java|kts?|scala|groovy)$/;

/** The resolver of Java and its relatives: a package is the end of a folder's path, under any source root. */
export function createJavaResolver({ index }: Sources): Resolve {
  const classFiles = (path: string) => EXTENSIONS.flatMap((extension) => index.endingWith(path + extension));
  return function* resolve(importer: string, { module, names }: ResolvableSite) {
    const folder = module.replaceAll('.', '/');
    for (const name of names) {
      if (name !== '*') yield* nearestFirst(classFiles(`${folder}/${name}`), importer);
    }
    // A member of a class, or a class in a class: the file has the name of the outermost one.
    for (let path = folder; /(?:^|\/)\p{Lu}[^/]*$/u.test(path); path = path.slice(0, path.lastIndexOf('/'))) {
      yield* nearestFirst(classFiles(path), importer);
      if (!path.includes('/')) break;
    }
    if (!names.includes('*')) return;
    for (const place of nearestFirst(index.foldersEndingWith(folder), importer)) {
      yield* index.inFolder(place).filter((path) => SOURCE.test(path));
    }
  };
}
