import { encodePath, type ImportFact, type Outline, type OutlineItem, symbolName } from '../../snapshot/index.ts';
import { oneLine } from '../fence.ts';
import type { OpenText } from '../window.ts';
import { codeText } from './code-text.ts';
import { type Item, Rank, type Scene, type Section } from './section.ts';

/** Signatures of the project's own symbols that the file imports, with the members of imported types. */
export function importsSection({ view, open }: Scene): Section {
  const found = new Map<string, Item>();
  for (const fact of view.facts?.imports ?? []) {
    for (const item of importedItems(fact, open)) if (!found.has(item.ref)) found.set(item.ref, item);
  }
  // Grouped by file for the reader, each file where it is first imported.
  const groups = Map.groupBy(found.values(), ({ group }) => group);
  return { heading: 'Imported from this project:', items: [...groups.values()].flat() };
}

function importedItems({ path, outline, names, line }: ImportFact, open: OpenText): Item[] {
  if (path === undefined || !outline) return [];
  const imported = importedFrom(outline, path, names);
  const types = new Set(Array.from(imported, ({ name }) => name));
  return outline.items
    .filter((item) => (item.of === undefined ? imported.has(item) : types.has(item.of)))
    .map((item) => {
      const name = symbolName(item);
      const member = item.of !== undefined;
      return {
        kind: 'import',
        ref: `${encodePath(path)}#sym:${encodePath(name)}`,
        why: member ? `member of ${item.of}, imported on line ${line}` : `imported on line ${line}`,
        text: `    ${member ? `${oneLine(item.of ?? '')}: ` : ''}${codeText(item)}`,
        group: `  from ${oneLine(encodePath(path))}:`,
        inSight: () => item.signature !== undefined && open.has(item.signature),
        rank: member ? Rank.members : Rank.imports,
        core: !member,
        paths: [path],
      };
    });
}

/** The items of another file that an import names. */
function importedFrom({ items }: Outline, path: string, names: readonly string[]): ReadonlySet<OutlineItem> {
  const top = items.filter(({ of }) => of === undefined);
  const exported = top.filter((item) => item.exported === true);
  if (names.includes('*')) return new Set(exported);
  const found = new Set(top.filter(({ name }) => names.includes(name)));
  if (!names.includes('default') || top.some(({ name }) => name === 'default')) return found;
  // An outline does not say which named symbol is the default one: the only one, or the one that the file is named after.
  const named = exported.length === 1 ? exported : exported.filter(({ name }) => folded(name) === folded(stem(path)));
  return new Set([...found, ...named.slice(0, 1)]);
}

function stem(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\..*$/s, '');
}

/** `use-cart`, `useCart` and `UseCart` are one name. */
function folded(name: string): string {
  return name.replace(/[-_]/g, '').toLowerCase();
}
