import { parseJson, type Table, tableAt, textsOf } from '../ecosystems/text.ts';
import { folderOf, joined, nameOf, nearestFirst } from './paths.ts';
import type { ResolvableSite, Resolve, Sources } from './types.ts';

/** A prefix of class names and a folder where its classes are. */
interface Prefix {
  /** Ends with a backslash, or is empty. */
  readonly prefix: string;
  readonly folder: string;
  /** Whether the prefix is part of the path too (PSR-0). */
  readonly kept: boolean;
}

/** The resolver of PHP: classes by the autoload rules of composer.json, files by a literal `require`. */
export async function createPhpResolver(sources: Sources): Promise<Resolve> {
  const prefixes: Prefix[] = [];
  for (const path of sources.configs) {
    if (nameOf(path) !== 'composer.json') continue;
    const text = await sources.text(path);
    const manifest = text === null ? null : parseJson(text);
    if (manifest !== null) prefixes.push(...prefixesOf(folderOf(path), manifest));
  }
  prefixes.sort((a, b) => b.prefix.length - a.prefix.length);
  return (importer, site) => phpFiles(sources, prefixes, importer, site);
}

function* phpFiles(
  { files, index }: Sources,
  prefixes: readonly Prefix[],
  importer: string,
  { module, names }: ResolvableSite,
): Generator<string> {
  if (/^\.\.?\//.test(module)) {
    const path = joined(folderOf(importer), module);
    if (path !== null && files.has(path)) yield path;
    // Where the program is started is the other place that it looks in.
    else yield module.replace(/^(?:\.\.?\/)+/, '');
    return;
  }
  for (const name of names) {
    const full = [module, ...(name === '*' ? [] : [name])].join('\\').replace(/^\\+/, '');
    const found = prefixes.map((prefix) => under(prefix, full)).find((path) => path !== null && files.has(path));
    if (found != null) {
      yield found;
      continue;
    }
    const path = `${full.replaceAll('\\', '/')}.php`;
    const tail = path.split('/').slice(-2).join('/');
    // Without rules: the only file of that class and namespace.
    const [only, another] = path.includes('/') ? nearestFirst(index.endingWith(tail), importer) : [];
    if (only !== undefined && another === undefined) yield only;
  }
}

/** The file that a class of a prefix is in, or null when it has another prefix. */
function under({ prefix, folder, kept }: Prefix, name: string): string | null {
  if (!name.startsWith(prefix)) return null;
  return joined(folder, `${(kept ? name : name.slice(prefix.length)).replaceAll('\\', '/')}.php`);
}

function prefixesOf(folder: string, manifest: Table): readonly Prefix[] {
  return ['autoload', 'autoload-dev'].flatMap((field) =>
    ['psr-4', 'psr-0'].flatMap((kind) =>
      Object.entries(tableAt(manifest, field, kind)).flatMap(([prefix, folders]) =>
        textsOf(folders).flatMap((each) => {
          const place = joined(folder, each);
          return place === null ? [] : [{ prefix, folder: place, kept: kind === 'psr-0' }];
        }),
      ),
    ),
  );
}
