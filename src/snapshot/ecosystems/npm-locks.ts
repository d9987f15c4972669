import { foldersAbove, under } from '../resolve/paths.ts';
import { isTable, parseJson, parseJsonWithComments, type Table, tableAt, textAt } from './text.ts';
import type { Locked } from './types.ts';

/** Reads a lock file of npm, pnpm, yarn or bun. @returns null when it is malformed */
export function readNpmLock(name: string, text: string): Locked | null {
  switch (name) {
    case 'pnpm-lock.yaml':
      return readPnpmLock(text);
    case 'yarn.lock':
      return readYarnLock(text);
    case 'bun.lock':
      return readBunLock(text);
    default:
      return readPackageLock(text);
  }
}

/** Versions 2 and 3 list packages by their place on the disk, version 1 by name. */
function readPackageLock(text: string): Locked | null {
  const lock = parseJson(text);
  if (lock === null) return null;
  const places = new Map<string, string>();
  for (const [place, entry] of Object.entries(tableAt(lock, 'packages'))) {
    const version = isTable(entry) ? textAt(entry, 'version') : undefined;
    // What another package has for itself is nobody's direct dependency.
    if (version !== undefined && place.indexOf('node_modules/') === place.lastIndexOf('node_modules/')) {
      places.set(place, version);
    }
  }
  const first = versionsOf(tableAt(lock, 'dependencies'));
  const members = new Set(Object.keys(tableAt(lock, 'packages')));
  return (folder, name) => {
    // A package that is not one of the workspace has versions of its own.
    if (folder !== '' && !members.has(folder)) return undefined;
    for (const above of foldersAbove(folder)) {
      const version = places.get(under(above, `node_modules/${name}`));
      if (version !== undefined) return version;
    }
    return first.get(name);
  };
}

function versionsOf(entries: Table): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [name, entry] of Object.entries(entries)) {
    const version = isTable(entry) ? textAt(entry, 'version') : undefined;
    if (version !== undefined) found.set(name, version);
  }
  return found;
}

/**
 * Line by line: a YAML reader takes seconds for the lock file of a large project, and the file is only ever written by a
 * program, in one form. The packages of a workspace stand under `importers`, those of a single one at the top.
 */
function readPnpmLock(text: string): Locked | null {
  if (!/^lockfileVersion:/m.test(text)) return null;
  const versions = new Map<string, string>();
  let section = '';
  let importer = '.';
  let name = '';
  for (const line of text.split(/\r?\n/)) {
    const [, indent = '', key = '', value = ''] =
      /^( *)(?:'([^']+)'|"[^"]+"|[^\s:'"][^:]*):(?: (.*))?$/.exec(line) ?? [];
    const field = key === '' ? line.trim().replace(/:.*$/, '') : key;
    if (line.trim() === '') continue;
    if (indent === '' && !line.startsWith(' ')) {
      section = field;
      importer = '.';
      // Packages of others follow, which are nobody's direct ones.
      if (section === 'packages' || section === 'snapshots') break;
      continue;
    }
    const depth = indent.length - (section === 'importers' ? 2 : 0);
    if (section === 'importers' && indent.length === 2) importer = field;
    else if (section !== 'importers' && !/ependencies$/.test(section)) continue;
    else if (depth === (section === 'importers' ? 4 : 2)) {
      name = field;
      if (value !== '') note(versions, importer, name, value);
    } else if (field === 'version' && value !== '') note(versions, importer, name, value);
  }
  return (folder, wanted) => versions.get(`${folder === '' ? '.' : folder}\n${wanted}`);
}

function note(versions: Map<string, string>, importer: string, name: string, value: string): void {
  // Peers are named behind the version.
  const version = value.replace(/^['"]|['"]$/g, '').replace(/[(_].*$/, '');
  if (/^\d/.test(version)) versions.set(`${importer}\n${name}`, version);
}

/** Classic: `name@range, name@range:` and below it `version "1.2.3"`; berry writes `name@npm:range` and `version: 1.2.3`. */
function readYarnLock(text: string): Locked | null {
  if (text.trim() !== '' && !/^(?:# yarn lockfile|__metadata:)/m.test(text)) return null;
  const byRange = new Map<string, string>();
  const byName = new Map<string, Set<string>>();
  let keys: readonly string[] = [];
  for (const line of text.split(/\r?\n/)) {
    if (/^[^\s#].*:$/.test(line)) {
      keys = line.slice(0, -1).replaceAll('"', '').split(/, */);
      continue;
    }
    const version = /^ {2}version:? "?([^"\s]+)"?$/.exec(line)?.[1];
    // A package of the workspace has no version there.
    if (version === undefined || version === '0.0.0-use.local') continue;
    for (const key of keys) {
      byRange.set(key.replace('@npm:', '@'), version);
      const name = key.slice(0, key.indexOf('@', 1));
      byName.set(name, (byName.get(name) ?? new Set()).add(version));
    }
    keys = [];
  }
  return (_, name, range) => {
    const exact = byRange.get(`${name}@${range.replace(/^npm:/, '')}`);
    if (exact !== undefined) return exact;
    const [only, another] = byName.get(name) ?? [];
    return another === undefined ? only : undefined;
  };
}

function readBunLock(text: string): Locked | null {
  const lock = parseJsonWithComments(text);
  if (lock === null) return null;
  const packages = tableAt(lock, 'packages');
  const names = new Map<string, string>();
  for (const [folder, workspace] of Object.entries(tableAt(lock, 'workspaces'))) {
    const name = isTable(workspace) ? textAt(workspace, 'name') : undefined;
    if (name !== undefined) names.set(folder, name);
  }
  return (folder, name) => {
    for (const key of [`${names.get(folder) ?? ''}/${name}`, name]) {
      const entry = Object.hasOwn(packages, key) ? packages[key] : undefined;
      const [id] = Array.isArray(entry) ? entry : [];
      const version = typeof id === 'string' ? id.slice(id.indexOf('@', 1) + 1) : '';
      if (/^\d/.test(version)) return version;
    }
    return undefined;
  };
}
