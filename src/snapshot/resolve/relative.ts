import { folderOf, joined } from './paths.ts';

/** The one file that a path relative to the importing file names, in languages that write it in full. */
export function besides(importer: string, module: string): readonly string[] {
  if (!/^\.\.?\//.test(module)) return [];
  const path = joined(folderOf(importer), module);
  return path === null || path === '' ? [] : [path];
}
