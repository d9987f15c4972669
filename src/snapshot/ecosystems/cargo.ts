import { folderOf, foldersAbove, under } from '../resolve/paths.ts';
import { firstFolded } from './lookup.ts';
import { isTable, parseToml, type Table, tableAt, textAt } from './text.ts';
import { readPackageList } from './toml-locks.ts';
import type { Declared, Ecosystem, Related } from './types.ts';

const FIELDS = ['build-dependencies', 'dev-dependencies', 'dependencies'] as const;

/** In code a crate's name has underscores. */
const fold = (name: string) => name.replaceAll('-', '_');

/** Rust's crates. */
export const CARGO: Ecosystem = {
  languages: ['rs'],
  isManifest: (name) => name === 'Cargo.toml',
  read: readCargoToml,
  locks: ['Cargo.lock'],
  sharesLock: () => true,
  readLock: (_, text) => readPackageList(text, (name) => name, true),
  named: (module, names) => firstFolded([module.split('::', 1)[0] ?? ''], names, fold),
};

async function readCargoToml(path: string, text: string, related: Related): Promise<Declared | null> {
  const manifest = await parseToml(text);
  if (manifest === null) return null;
  const direct = new Map<string, string>();
  const platforms = Object.values(tableAt(manifest, 'target')).filter(isTable);
  for (const place of [tableAt(manifest, 'workspace'), ...platforms, manifest]) {
    for (const field of FIELDS) {
      for (const [name, wanted] of Object.entries(tableAt(place, field))) direct.set(name, rangeOf(wanted));
    }
  }
  if ([...direct.values()].includes(INHERITED)) await inherit(direct, folderOf(path), related);
  return { manager: 'cargo', direct };
}

/** The range of a crate that the workspace decides about, until it is known. */
const INHERITED = 'workspace';

function rangeOf(wanted: unknown): string {
  if (typeof wanted === 'string') return wanted;
  if (!isTable(wanted)) return '';
  if (wanted['workspace'] === true) return INHERITED;
  return textAt(wanted, 'version') ?? textAt(wanted, 'git') ?? textAt(wanted, 'path') ?? '';
}

/** Takes ranges from the workspace's own manifest, in a folder above. */
async function inherit(direct: Map<string, string>, folder: string, related: Related): Promise<void> {
  for (const above of foldersAbove(folder)) {
    const text = await related(under(above, 'Cargo.toml'));
    const workspace: Table | null = text === null ? null : await parseToml(text);
    if (workspace === null || !isTable(workspace['workspace'])) continue;
    const shared = tableAt(workspace, 'workspace', 'dependencies');
    for (const [name, range] of direct) {
      if (range === INHERITED && Object.hasOwn(shared, name)) direct.set(name, rangeOf(shared[name]));
    }
    return;
  }
}
