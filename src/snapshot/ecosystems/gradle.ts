import { folderOf, foldersAbove, under } from '../resolve/paths.ts';
import { artifactOf } from './java-names.ts';
import { isTable, parseToml, type Table, tableAt, textAt } from './text.ts';
import type { Declared, Ecosystem, Locked, Related } from './types.ts';

/** What Gradle builds with. Its files are programs: what they compute is not known, what they write down is. */
export const GRADLE: Ecosystem = {
  languages: ['java', 'kt', 'scala', 'groovy'],
  isManifest: (name) => name === 'build.gradle' || name === 'build.gradle.kts',
  read: readGradle,
  locks: ['gradle.lockfile'],
  sharesLock: () => false,
  readLock: async (_, text) => readLockfile(text),
  named: artifactOf,
};

/** `implementation 'g:a:v'`, `testImplementation(platform("g:a:v"))`, `classpath group: 'g', name: 'a', version: 'v'`. */
const STRING_FORM =
  /\b[a-z]\w*[ \t]*\(?[ \t]*(?:(?:platform|enforcedPlatform|kapt|testFixtures)[ \t]*\([ \t]*)?(["'])([\w.-]+):([\w.-]+)(?::([^"'@:]+))?[^"'\n]*\1/g;
const MAP_FORM =
  /\bgroup[ \t]*[:=][ \t]*["']([\w.-]+)["'][\s,]*name[ \t]*[:=][ \t]*["']([\w.-]+)["'](?:[\s,]*version[ \t]*[:=][ \t]*["']([^"']+)["'])?/g;
const KOTLIN = /\b[a-z]\w*[ \t]*\([ \t]*kotlin\([ \t]*"([\w-]+)"(?:[ \t]*,[ \t]*"([^"]+)")?/g;
/** `libs.okhttp.core`, also behind `platform(`. */
const CATALOGUE = /\b(?:[a-z]\w*[ \t(]+|platform\()[ \t]*libs\.((?!versions\b|plugins\b)[\w.]{1,200})/g;
const VARIABLE =
  /\b(?:def|val|var|ext\.|extra\[")?[ \t]*([A-Za-z_][\w.]{0,100})(?:"\])?(?:[ \t]*:[ \t]*String)?[ \t]*=[ \t]*["']([^"'$\n]+)["']/g;

async function readGradle(path: string, text: string, related: Related): Promise<Declared | null> {
  // A comment that does not end goes to the end: looking for one again and again would take very long.
  const code = text
    .replace(/[ \t]+/g, ' ')
    .replace(
      /("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|\/\*[\s\S]*?(?:\*\/|$)|\/\/[^\n]*/g,
      (_, literal) => literal ?? ' ',
    );
  const folder = folderOf(path);
  const variables = await variablesOf(code, folder, related);
  const direct = new Map<string, string>();
  const note = (group = '', artifact = '', version = '') =>
    direct.set(
      `${group}:${artifact}`,
      version.replace(/\$\{?([\w.]+)\}?/g, (whole, name) => variables.get(name) ?? whole),
    );
  for (const [, , group, artifact, version] of code.matchAll(STRING_FORM)) note(group, artifact, version);
  for (const [, group, artifact, version] of code.matchAll(MAP_FORM)) note(group, artifact, version);
  for (const [, module, version] of code.matchAll(KOTLIN)) note('org.jetbrains.kotlin', `kotlin-${module}`, version);
  const used = [...code.matchAll(CATALOGUE)].map(([, name = '']) => name);
  if (used.length > 0) {
    const catalogue = await catalogueAbove(folder, related);
    for (const [name, version] of used.flatMap((each) => catalogue.get(each.replace(/\.get$/, '')) ?? []))
      direct.set(name, version);
  }
  return { manager: 'gradle', direct };
}

/** Versions that are written once: in the file itself, and in gradle.properties above. */
async function variablesOf(code: string, folder: string, related: Related): Promise<ReadonlyMap<string, string>> {
  const variables = new Map<string, string>();
  for (const above of foldersAbove(folder).toReversed()) {
    const properties = (await related(under(above, 'gradle.properties'))) ?? '';
    for (const [, name = '', value = ''] of properties.matchAll(/^[ \t]*([\w.]+)[ \t]*[=:][ \t]*(.*?)[ \t]*$/gm))
      variables.set(name, value);
  }
  for (const [, name = '', value = ''] of code.matchAll(VARIABLE)) variables.set(name.replace(/^ext\./, ''), value);
  return variables;
}

/** Accessor of a version catalogue (`okhttp.core` for `okhttp-core`) → the libraries it stands for. */
type Catalogue = ReadonlyMap<string, readonly (readonly [name: string, version: string])[]>;

async function catalogueAbove(folder: string, related: Related): Promise<Catalogue> {
  for (const above of foldersAbove(folder)) {
    const text = await related(under(above, 'gradle/libs.versions.toml'));
    const toml = text === null ? null : await parseToml(text);
    if (toml !== null) return catalogueOf(toml);
  }
  return new Map();
}

function catalogueOf(toml: Table): Catalogue {
  const found = new Map<string, (readonly [string, string])[]>();
  const versions = tableAt(toml, 'versions');
  for (const [alias, library] of Object.entries(tableAt(toml, 'libraries'))) {
    const entry = libraryOf(library, versions);
    if (entry !== null) found.set(accessor(alias), [entry]);
  }
  for (const [alias, members] of Object.entries(tableAt(toml, 'bundles'))) {
    const libraries = (Array.isArray(members) ? members : []).flatMap(
      (each) => found.get(accessor(String(each))) ?? [],
    );
    found.set(`bundles.${accessor(alias)}`, libraries);
  }
  return found;
}

function accessor(alias: string): string {
  return alias.replace(/[-_]/g, '.');
}

function libraryOf(library: unknown, versions: Table): readonly [string, string] | null {
  if (typeof library === 'string') {
    const [group = '', artifact = '', version = ''] = library.split(':');
    return [`${group}:${artifact}`, version];
  }
  if (!isTable(library)) return null;
  const module = textAt(library, 'module') ?? `${textAt(library, 'group')}:${textAt(library, 'name')}`;
  return [module, versionOf(library['version'], versions)];
}

function versionOf(version: unknown, versions: Table): string {
  if (typeof version === 'string') return version;
  if (!isTable(version)) return '';
  const ref = textAt(version, 'ref');
  if (ref !== undefined) return versionOf(Object.hasOwn(versions, ref) ? versions[ref] : '', {});
  return textAt(version, 'strictly') ?? textAt(version, 'require') ?? textAt(version, 'prefer') ?? '';
}

function readLockfile(text: string): Locked {
  const versions = new Map<string, string>();
  for (const [, name = '', version = ''] of text.matchAll(/^([\w.-]+:[\w.-]+):([^=\s]+)=/gm))
    versions.set(name, version);
  return (_, name) => versions.get(name);
}
