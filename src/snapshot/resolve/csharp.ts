import { folderOf, joined } from './paths.ts';
import type { PathIndex, Resolve, Sources } from './types.ts';

/**
 * The resolver of C#. A namespace is what files declare, but those of a project begin with its name and go on with its
 * folders: `Shop.Core.Model` is the folder `Model` beside `Shop.Core.csproj`, and so all files in it.
 */
export function createCSharpResolver({ index }: Sources): Resolve {
  return (_importer, { module }) => namespaceFiles(index, module);
}

function namespaceFiles(index: PathIndex, module: string): readonly string[] {
  const parts = module.replace(/^global::/, '').split('.');
  // The longest name first: `Shop.Core` before `Shop`.
  for (let length = parts.length; length > 0; length--) {
    const rest = parts.slice(length).join('/');
    for (const project of index.named(`${parts.slice(0, length).join('.')}.csproj`)) {
      const place = joined(folderOf(project), rest);
      if (place === null) continue;
      const files = index.inFolder(place).filter((path) => path.endsWith('.cs'));
      // `using static` names a type, whose file has its name.
      const found = files.length > 0 ? files : index.withStem(place).filter((path) => path.endsWith('.cs'));
      if (found.length > 0) return found;
    }
  }
  return [];
}
