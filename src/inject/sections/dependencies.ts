import { oneLine } from '../fence.ts';
import { type Item, Rank, type Scene, type Section } from './section.ts';

/** Versions of the packages that the file imports, as this project declares them. */
export function dependenciesSection({ view }: Scene): Section {
  const found = new Map<string, Item>();
  for (const { dependency } of view.facts?.imports ?? []) {
    if (dependency === undefined) continue;
    const { name, version, manifest } = dependency;
    found.set(`${name}\n${manifest}`, {
      kind: 'dependencies',
      ref: name,
      why: `imported here, declared in ${manifest}`,
      text: `  ${oneLine(name)} ${oneLine(version)} (${oneLine(manifest)})`,
      rank: Rank.dependencies,
      core: true,
      paths: [manifest],
    });
  }
  const items = [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item);
  return { heading: 'Dependencies that this file imports:', items };
}
