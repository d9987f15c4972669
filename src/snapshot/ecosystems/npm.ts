import { packageName } from '../imports.ts';
import { folderOf, foldersAbove, under } from '../resolve/paths.ts';
import { firstOf } from './lookup.ts';
import { readNpmLock } from './npm-locks.ts';
import { parseJson, parseYaml, tableAt, textAt } from './text.ts';
import type { Declared, Ecosystem, Related } from './types.ts';

/** The range in `dependencies` counts most, so it comes last. */
const FIELDS = ['optionalDependencies', 'peerDependencies', 'devDependencies', 'dependencies'] as const;

/** JavaScript's packages: npm, yarn, pnpm and bun share one manifest and differ in their lock files. */
export const NPM: Ecosystem = {
  languages: ['ts', 'tsx', 'js', 'jsx', 'vue', 'svelte', 'astro'],
  isManifest: (name) => name === 'package.json',
  read: readPackageJson,
  locks: ['npm-shrinkwrap.json', 'package-lock.json', 'pnpm-lock.yaml', 'yarn.lock', 'bun.lock'],
  sharesLock: () => true,
  readLock: async (name, text) => readNpmLock(name, text),
  named(module, names) {
    const name = packageName(module);
    return name === null ? undefined : firstOf([name], names);
  },
};

async function readPackageJson(path: string, text: string, related: Related): Promise<Declared | null> {
  const manifest = parseJson(text);
  if (manifest === null) return null;
  const direct = new Map<string, string>();
  for (const field of FIELDS) {
    for (const [name, range] of Object.entries(tableAt(manifest, field))) {
      if (typeof range === 'string') direct.set(name, range);
    }
  }
  if ([...direct.values()].some((range) => range.startsWith('catalog:'))) {
    await fillFromCatalogs(direct, folderOf(path), related);
  }
  return { manager: 'npm', direct };
}

/** `catalog:` and `catalog:name` stand for the range that pnpm-workspace.yaml has. */
async function fillFromCatalogs(direct: Map<string, string>, folder: string, related: Related): Promise<void> {
  for (const above of foldersAbove(folder)) {
    const text = await related(under(above, 'pnpm-workspace.yaml'));
    if (text === null) continue;
    const workspace = await parseYaml(text);
    for (const [name, range] of direct) {
      const catalog = /^catalog:(.*)$/.exec(range)?.[1];
      if (catalog === undefined) continue;
      const isDefault = catalog === '' || catalog === 'default';
      const found =
        textAt(tableAt(workspace, 'catalogs', catalog), name) ??
        (isDefault ? textAt(tableAt(workspace, 'catalog'), name) : undefined);
      if (found !== undefined) direct.set(name, found);
    }
    return;
  }
}
