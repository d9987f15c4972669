import { encodePath, type ImportFact, type OutlineItem, symbolName } from '../../snapshot/index.ts';
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
  const wanted = new Set(outline.items.filter((item) => isImported(item, names)).map(({ name }) => name));
  return outline.items
    .filter((item) => (item.of === undefined ? isImported(item, names) : wanted.has(item.of)))
    .map((item) => {
      const name = symbolName(item);
      const member = item.of !== undefined;
      return {
        kind: 'import',
        ref: `${encodePath(path)}#sym:${encodePath(name)}`,
        why: member ? `member of ${item.of}, imported on line ${line}` : `imported on line ${line}`,
        text: `    ${member ? `${oneLine(item.of ?? '')}: ` : ''}${codeText(item)}`,
        group: `  from ${oneLine(encodePath(path))}:`,
        inSight: item.signature !== undefined && open.has(item.signature),
        rank: member ? Rank.members : Rank.imports,
        core: !member,
        paths: [path],
      };
    });
}

function isImported(item: OutlineItem, names: readonly string[]): boolean {
  if (item.of !== undefined) return false;
  if (names.includes(item.name)) return true;
  if (!item.exported) return false;
  const isDefault = /^export\s+default\b/.test(item.signature ?? '');
  return names.includes('*') || (isDefault && names.includes('default'));
}
