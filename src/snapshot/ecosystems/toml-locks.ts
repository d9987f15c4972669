import { isTable, parseToml, tableAt, textAt } from './text.ts';
import type { Locked } from './types.ts';

/**
 * Reads lock files that are a list of packages in TOML: those of cargo, poetry, uv, pdm and Python's own `pylock.toml`.
 * @param fold makes one name of the spellings of a name
 * @param shared whether the file counts for packages in folders below that it does not name
 */
export async function readPackageList(
  text: string,
  fold: (name: string) => string,
  shared: boolean,
): Promise<Locked | null> {
  const lock = await parseToml(text);
  if (lock === null) return null;
  const versions = new Map<string, string[]>();
  const places = new Set<string>();
  const lists = [lock['package'], lock['packages']].filter((each) => Array.isArray(each));
  for (const entry of lists.flat()) {
    const name = isTable(entry) ? textAt(entry, 'name') : undefined;
    const version = isTable(entry) ? textAt(entry, 'version') : undefined;
    // uv writes where the packages of the workspace are.
    const source = isTable(entry) ? tableAt(entry, 'source') : {};
    const place = textAt(source, 'editable') ?? textAt(source, 'virtual') ?? textAt(source, 'directory');
    if (place !== undefined) places.add(place);
    if (name === undefined || version === undefined) continue;
    versions.set(fold(name), [...(versions.get(fold(name)) ?? []), version]);
  }
  return (folder, name, range) => {
    // A package that is not one of the workspace has versions of its own.
    if (folder !== '' && !shared && !places.has(folder)) return undefined;
    const found = versions.get(fold(name)) ?? [];
    return found.length < 2 ? found[0] : closest(found, range);
  };
}

/** The version that a range names the beginning of; several versions of one package differ in their first numbers. */
function closest(versions: readonly string[], range: string): string | undefined {
  const wanted = /\d+(?:\.\d+)*/.exec(range)?.[0].split('.') ?? [];
  for (let count = wanted.length; count > 0; count--) {
    const start = wanted.slice(0, count).join('.');
    const found = versions.filter((each) => each === start || each.startsWith(`${start}.`));
    if (found.length > 0) return found.at(-1);
  }
  return versions.at(-1);
}
