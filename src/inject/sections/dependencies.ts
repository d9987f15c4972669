import type { DependencyInScope } from '../../snapshot/index.ts';
import { oneLine } from '../fence.ts';
import { type Item, Rank, type Scene, type Section } from './section.ts';

/** More that are only named are words that happen to be names of packages. */
const MAX_NAMED = 12;
/** Shorter names are words of the code more often than packages. */
const MIN_NAME = 3;

/**
 * Versions of the packages that the file imports, as this project locks or declares them; then of those that the open text
 * only names, whatever their ecosystem: a Python file that starts a JavaScript SDK is better written for its version.
 */
export function dependenciesSection({ view, open }: Scene): Section {
  const imported = new Map<string, Item>();
  for (const { dependency } of view.facts?.imports ?? []) {
    if (dependency === undefined) continue;
    const why = `imported here, declared in ${dependency.manifest}`;
    const item = { ...itemOf(dependency, why), rank: Rank.dependencies, core: true };
    imported.set(`${dependency.name}\n${dependency.manifest}`, item);
  }
  const named = new Map<string, Item>();
  const known = new Set([...imported.values()].map(({ ref }) => ref));
  for (const dependency of view.facts?.inScope ?? []) {
    const { name, manifest } = dependency;
    if (named.size >= MAX_NAMED) break;
    if (name.length < MIN_NAME || known.has(name) || !open.names(name)) continue;
    known.add(name);
    const why = `its name stands in the open text, declared in ${manifest}`;
    named.set(`${name}\n${manifest}`, { ...itemOf(dependency, why), rank: Rank.named, core: false });
  }
  const heading = `Dependencies that this file imports${named.size > 0 ? ' or names' : ''}:`;
  return { heading, items: [...inOrder(imported), ...inOrder(named)] };
}

function itemOf({ name, version, manifest }: DependencyInScope, why: string): Omit<Item, 'rank' | 'core'> {
  const words = [oneLine(name), oneLine(version), `(${oneLine(manifest)})`].filter((word) => word !== '');
  return { kind: 'dependencies', ref: name, why, text: `  ${words.join(' ')}`, paths: [manifest] };
}

function inOrder(items: ReadonlyMap<string, Item>): readonly Item[] {
  return [...items].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item);
}
