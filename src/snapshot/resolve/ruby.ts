import { folderOf, foldersAbove, joined, nearestFirst, under } from './paths.ts';
import type { ResolvableSite, Resolve, Sources } from './types.ts';

/** Folders that `require` starts from in gems and applications, tests included. */
const LOADED = ['lib', 'spec', 'test', 'app'] as const;

/** The resolver of Ruby: `require_relative`, and `require` from the load path of the gem that a file belongs to. */
export function createRubyResolver({ files, index }: Sources): Resolve {
  return function* resolve(importer: string, { module }: ResolvableSite) {
    const folder = folderOf(importer);
    const file = module.endsWith('.rb') ? module : `${module}.rb`;
    if (/^\.\.?\//.test(module)) {
      const path = joined(folder, file);
      if (path !== null) yield path;
      return;
    }
    for (const above of foldersAbove(folder)) {
      for (const place of LOADED) {
        const path = joined(under(above, place), file);
        if (path === null || !files.has(path)) continue;
        yield path;
        return;
      }
    }
    // Another gem of the same repository.
    const [other] = nearestFirst(index.endingWith(`lib/${file}`), importer);
    if (other !== undefined) yield other;
  };
}
