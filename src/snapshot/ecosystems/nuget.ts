import { folderOf, foldersAbove, under } from '../resolve/paths.ts';
import { longestPrefix } from './lookup.ts';
import { isTable, parseJson, tableAt, textAt } from './text.ts';
import type { Declared, Ecosystem, Locked, Related } from './types.ts';
import { childText, type Element, elementsNamed, parseXml } from './xml.ts';

/** The packages of .NET. */
export const NUGET: Ecosystem = {
  languages: ['cs', 'fs', 'vb'],
  isManifest: (name) => /\.(?:cs|fs|vb)proj$/.test(name),
  read: readProject,
  locks: ['packages.lock.json'],
  sharesLock: () => false,
  readLock: async (_, text) => readLock(text),
  named(module, names) {
    const lower = new Map(names.map((name) => [name.toLowerCase(), name]));
    return lower.get(longestPrefix(module.toLowerCase(), [...lower.keys()], '.') ?? '');
  },
};

async function readProject(path: string, text: string, related: Related): Promise<Declared | null> {
  const project = await parseXml(text, 'Project');
  if (project === null) return null;
  const direct = new Map<string, string>();
  for (const each of elementsNamed(project, 'PackageReference')) {
    const name = attribute(each, 'Include');
    if (name !== undefined) direct.set(name, attribute(each, 'VersionOverride') ?? versionOf(each) ?? '');
  }
  if ([...direct.values()].includes('')) await fillCentrally(direct, folderOf(path), related);
  return { manager: 'nuget', direct };
}

/** Versions may stand in one file for many projects. */
async function fillCentrally(direct: Map<string, string>, folder: string, related: Related): Promise<void> {
  for (const above of foldersAbove(folder)) {
    const text = await related(under(above, 'Directory.Packages.props'));
    const central = text === null ? null : await parseXml(text, 'Project');
    if (central === null) continue;
    for (const each of elementsNamed(central, 'PackageVersion')) {
      const name = attribute(each, 'Include');
      if (name !== undefined && direct.get(name) === '') direct.set(name, versionOf(each) ?? '');
    }
    return;
  }
}

function versionOf(element: Element): string | undefined {
  return attribute(element, 'Version') ?? childText(element, 'Version');
}

function attribute({ attributes }: Element, name: string): string | undefined {
  return Object.hasOwn(attributes, name) ? attributes[name] : undefined;
}

function readLock(text: string): Locked | null {
  const lock = parseJson(text);
  if (lock === null) return null;
  const versions = new Map<string, string>();
  for (const framework of Object.values(tableAt(lock, 'dependencies'))) {
    for (const [name, entry] of Object.entries(isTable(framework) ? framework : {})) {
      const version = isTable(entry) ? textAt(entry, 'resolved') : undefined;
      if (version !== undefined) versions.set(name.toLowerCase(), version);
    }
  }
  return (_, name) => versions.get(name.toLowerCase());
}
