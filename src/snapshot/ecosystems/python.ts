import { folderOf, joined } from '../resolve/paths.ts';
import { firstFolded } from './lookup.ts';
import { distributionsOf, foldedDistribution } from './python-names.ts';
import { isTable, parseJson, parseToml, type Table, tableAt, textAt, textsOf } from './text.ts';
import { readPackageList } from './toml-locks.ts';
import type { Declared, Ecosystem, Locked, Related } from './types.ts';

/** Requirement files that lead to each other are followed this far. */
const MAX_FILES = 20;

/** Python's distributions. */
export const PYTHON: Ecosystem = {
  languages: ['py'],
  isManifest: (name) =>
    name === 'pyproject.toml' ||
    name === 'Pipfile' ||
    /^(?:[\w.-]+[-_])?requirements(?:[-_.][\w.-]+)?\.(?:txt|in)$/.test(name),
  read(path, text, related) {
    if (path.endsWith('.toml')) return readPyproject(text);
    return path.endsWith('Pipfile') ? readPipfile(text) : readRequirements(path, text, related);
  },
  locks: ['uv.lock', 'poetry.lock', 'pdm.lock', 'pylock.toml', 'Pipfile.lock'],
  sharesLock: (name) => name === 'pyproject.toml',
  readLock: async (name, text) =>
    name === 'Pipfile.lock' ? readPipfileLock(text) : readPackageList(text, foldedDistribution, false),
  named: (module, names) =>
    module.startsWith('.') ? undefined : firstFolded(distributionsOf(module), names, foldedDistribution),
};

async function readPyproject(text: string): Promise<Declared | null> {
  const manifest = await parseToml(text);
  if (manifest === null) return null;
  const direct = new Map<string, string>();
  const tool = tableAt(manifest, 'tool');
  const poetry = tableAt(tool, 'poetry');
  const groups = Object.values(tableAt(poetry, 'group')).map((group) => tableAt(group, 'dependencies'));
  for (const table of [...groups, tableAt(poetry, 'dev-dependencies'), tableAt(poetry, 'dependencies')]) {
    for (const [name, wanted] of Object.entries(table)) direct.set(name, poetryRange(wanted));
  }
  const project = tableAt(manifest, 'project');
  const lists = [
    ...Object.values(tableAt(manifest, 'dependency-groups')),
    ...Object.values(tableAt(tool, 'pdm', 'dev-dependencies')),
    tableAt(tool, 'uv')['dev-dependencies'],
    ...Object.values(tableAt(project, 'optional-dependencies')),
    project['dependencies'],
  ];
  for (const line of lists.flatMap(textsOf)) add(direct, line);
  return { manager: managerOf(tool), direct };
}

function managerOf(tool: Table): string {
  return ['poetry', 'pdm', 'uv'].find((name) => isTable(tool[name])) ?? 'pip';
}

/** `python` itself is not a package, but its version is worth knowing as much. */
function poetryRange(wanted: unknown): string {
  if (typeof wanted === 'string') return wanted;
  const [table] = Array.isArray(wanted) ? wanted : [wanted];
  if (!isTable(table)) return '';
  return textAt(table, 'version') ?? textAt(table, 'git') ?? textAt(table, 'url') ?? textAt(table, 'path') ?? '';
}

async function readPipfile(text: string): Promise<Declared | null> {
  const manifest = await parseToml(text);
  if (manifest === null) return null;
  const direct = new Map<string, string>();
  for (const field of ['dev-packages', 'packages']) {
    for (const [name, wanted] of Object.entries(tableAt(manifest, field))) direct.set(name, poetryRange(wanted));
  }
  return { manager: 'pipenv', direct };
}

/** With the files that it includes: what those ask for is asked for here. Constraints ask for nothing. */
async function readRequirements(path: string, text: string, related: Related): Promise<Declared> {
  const direct = new Map<string, string>();
  const seen = new Set([path]);
  const queue = [{ path, text }];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    // A line goes on behind a backslash.
    for (const line of next.text
      .replace(/^\uFEFF/, '')
      .replace(/\\\r?\n/g, ' ')
      .split(/\r?\n/)) {
      const included = /^\s*(?:-r|--requirement)[\s=]+["']?([^\s"'#]+)/.exec(line)?.[1];
      if (included === undefined) {
        add(direct, line);
        continue;
      }
      const other = joined(folderOf(next.path), included);
      if (other === null || seen.has(other) || seen.size >= MAX_FILES) continue;
      seen.add(other);
      const found = await related(other);
      if (found !== null) queue.push({ path: other, text: found });
    }
  }
  return { manager: 'pip', direct };
}

/** `name[extra] >=1,<2 ; marker`, `name @ url`, or an address with the name behind `#egg=` (PEP 508 and pip's own). */
function add(direct: Map<string, string>, written: string): void {
  const line = written.replace(/\s+/g, ' ').trim();
  const egg = /[#&]egg=([\w.-]+)/.exec(line)?.[1];
  const [address = ''] = line.replace(/^(?:-e|--editable)[ =]/, '').split('#', 1);
  if (egg !== undefined && !address.includes(' ')) {
    direct.set(egg, address);
    return;
  }
  const plain = line
    .replace(/(?:^| )#.*$/, '')
    .replace(/ --(?:hash|config-settings|global-option)\b.*$/, '')
    .trim();
  const [, name, rest = ''] = /^([A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?\s*(.*)$/s.exec(plain) ?? [];
  if (name === undefined) return;
  const [range = ''] = rest.startsWith('@') ? [rest.slice(1)] : rest.split(';', 1);
  if (rest.startsWith('@') || /^(?:$|[(=<>!~;])/.test(rest)) direct.set(name, bare(range));
}

function bare(range: string): string {
  return range
    .trim()
    .replace(/^\((.*)\)$/s, '$1')
    .replace(/\s+;.*$/s, '')
    .trim();
}

function readPipfileLock(text: string): Locked | null {
  const lock = parseJson(text);
  if (lock === null) return null;
  const versions = new Map<string, string>();
  for (const field of ['develop', 'default']) {
    for (const [name, entry] of Object.entries(tableAt(lock, field))) {
      const version = isTable(entry) ? textAt(entry, 'version') : undefined;
      if (version !== undefined) versions.set(foldedDistribution(name), version.replace(/^==/, ''));
    }
  }
  return (_, name) => versions.get(foldedDistribution(name));
}
