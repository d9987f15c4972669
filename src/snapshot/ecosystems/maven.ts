import { folderOf, joined, nameOf, under } from '../resolve/paths.ts';
import { artifactOf } from './java-names.ts';
import type { Declared, Ecosystem, Related } from './types.ts';
import { childText, type Element, elementAt, parseXml } from './xml.ts';

/** Parents are followed this far. */
const MAX_PARENTS = 10;
/** Properties that mean other properties. */
const MAX_NESTED = 10;

/** What Maven manages. */
export const MAVEN: Ecosystem = {
  languages: ['java', 'kt', 'scala', 'groovy'],
  isManifest: (name) => name === 'pom.xml',
  read: readPom,
  locks: [],
  sharesLock: () => false,
  readLock: async () => null,
  named: artifactOf,
};

/** A project with its parents, the nearest first. */
type Family = readonly Element[];

async function readPom(path: string, text: string, related: Related): Promise<Declared | null> {
  const project = await parseXml(text, 'project');
  if (project === null) return null;
  const family = [project, ...(await parentsOf(path, project, related))];
  const managed = new Map<string, string>();
  for (const member of family) {
    for (const [name, version] of dependenciesOf(elementAt(member, 'dependencyManagement'), family)) {
      if (!managed.has(name) && version !== '') managed.set(name, version);
    }
  }
  const direct = new Map<string, string>();
  const profiles = elementAt(project, 'profiles')?.children ?? [];
  for (const place of [...profiles, project]) {
    for (const [name, version] of dependenciesOf(place, family)) {
      direct.set(name, version === '' ? (managed.get(name) ?? '') : version);
    }
  }
  return { manager: 'maven', direct };
}

async function parentsOf(path: string, project: Element, related: Related): Promise<Family> {
  const parents: Element[] = [];
  let at = path;
  for (let child = project; parents.length < MAX_PARENTS; ) {
    const parent = elementAt(child, 'parent');
    if (parent === undefined) break;
    const written = childText(parent, 'relativePath') ?? '../pom.xml';
    const place = written === '' ? null : joined(folderOf(at), written);
    if (place === null) break;
    at = nameOf(place).endsWith('.xml') ? place : under(place, 'pom.xml');
    const text = await related(at);
    const found = text === null ? null : await parseXml(text, 'project');
    // A file of another project may lie there; the parent is then one that is published.
    if (found === null || childText(found, 'artifactId') !== childText(parent, 'artifactId')) break;
    parents.push(found);
    child = found;
  }
  return parents;
}

function* dependenciesOf(place: Element | undefined, family: Family): Generator<readonly [string, string]> {
  for (const each of elementAt(place, 'dependencies')?.children ?? []) {
    const group = filled(childText(each, 'groupId') ?? '', family);
    const artifact = filled(childText(each, 'artifactId') ?? '', family);
    if (each.name !== 'dependency' || artifact === '') continue;
    yield [`${group}:${artifact}`, filled(childText(each, 'version') ?? '', family)];
  }
}

/** Puts the values of properties in; one that is not known stays as it is written. */
function filled(text: string, family: Family): string {
  let value = text;
  for (let round = 0; round < MAX_NESTED && value.includes('${'); round++) {
    const next = value.replace(/\$\{([^{}]+)\}/g, (whole, name: string) => propertyOf(name, family) ?? whole);
    if (next === value || next.length > 1_000) break;
    value = next;
  }
  return value;
}

function propertyOf(name: string, family: Family): string | undefined {
  const field = /^(?:project|pom)\.(parent\.)?(version|groupId|artifactId)$/.exec(name);
  for (const member of family) {
    const parent = elementAt(member, 'parent');
    if (field === null) {
      const value = childText(elementAt(member, 'properties'), name);
      if (value !== undefined) return value;
      continue;
    }
    const own = field[1] === undefined ? childText(member, field[2] ?? '') : undefined;
    return own ?? childText(parent, field[2] ?? '');
  }
  return undefined;
}
