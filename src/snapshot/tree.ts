import { createHash } from 'node:crypto';
import type { DirectoryEntry, DirectoryNode, FileView } from './types.ts';

/** What a directory node says about something that is not a directory. */
export interface FileEntry {
  readonly kind: 'file' | 'link' | 'submodule';
  /** Bytes. */
  readonly size: number;
  readonly language?: string;
  /** Git's blob id where git holds the file clean. */
  readonly oid?: string;
}

/** A directory node under its hash, as it is stored. */
export interface StoredNode {
  readonly hash: string;
  /** Canonical JSON of a DirectoryNode. */
  readonly json: string;
}

/** A node and the directory it is of, '' being the root. */
export interface PlacedNode extends StoredNode {
  readonly path: string;
  /** What `json` says. */
  node(): DirectoryNode;
}

/** A file with its entry's canonical form, which outlasts changes of its neighbours. */
interface Listed {
  readonly entry: FileEntry;
  readonly json: string;
}

interface Directory {
  readonly files: Map<string, Listed>;
  readonly directories: Map<string, Directory>;
  /** Null when something below has changed since. */
  sealed: Sealed | null;
}

interface Sealed extends StoredNode {
  /** Of all that is in it, in byte order. */
  readonly names: readonly string[];
  readonly count: number;
  readonly bytes: number;
  readonly byLanguage: ReadonlyMap<string, number>;
}

function emptyDirectory(): Directory {
  return { files: new Map(), directories: new Map(), sealed: null };
}

/** Order of names by their UTF-8 bytes, which is not the order of JavaScript strings above U+FFFF. */
export function compareBytes(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const left = a.charCodeAt(at);
    const right = b.charCodeAt(at);
    if (left === right) continue;
    // Surrogates sort behind the rest of the basic plane.
    const lift = (code: number) => (code >= 0xd800 && code <= 0xdfff ? code + 0x10000 : code);
    return lift(left) - lift(right);
  }
  return a.length - b.length;
}

/**
 * The files of a working tree as directory nodes (protocol §3). Changing one file makes new nodes only on its path; the
 * others keep their hash and are not written again.
 */
export class FileTree {
  readonly #root = emptyDirectory();
  /** The directory that was changed last, unsealed up to the root: files mostly come in the order of their folders. */
  #open: { readonly path: string; readonly directory: Directory } | null = null;

  /** Adds or replaces a file. Anything that stood in its way is gone. */
  set(path: string, entry: FileEntry): void {
    const slash = path.lastIndexOf('/');
    const name = path.slice(slash + 1);
    const directory = this.#directory(slash < 0 ? '' : path.slice(0, slash));
    // What was below it may be the directory that was changed last.
    if (directory.directories.delete(name)) this.#open = null;
    directory.files.set(name, { entry, json: memberJson(name, entry) });
  }

  #directory(path: string): Directory {
    if (this.#open?.path === path) return this.#open.directory;
    let directory = this.#root;
    directory.sealed = null;
    for (const segment of path === '' ? [] : path.split('/')) {
      directory.files.delete(segment);
      let next = directory.directories.get(segment);
      if (next === undefined) {
        next = emptyDirectory();
        directory.directories.set(segment, next);
      }
      directory = next;
      directory.sealed = null;
    }
    this.#open = { path, directory };
    return directory;
  }

  /** Removes a file, and the directories it leaves empty. */
  delete(path: string): void {
    this.#open = null;
    remove(this.#root, path.split('/'));
  }

  /** What a snapshot says about the files. */
  view(): Omit<FileView, 'truncated'> {
    this.#open = null;
    const { hash, count, bytes, byLanguage } = seal(this.#root);
    return { count, bytes, byLanguage: Object.fromEntries(byLanguage), tree: hash };
  }

  /** The nodes that `isStored` does not know, deepest first: a stored node has everything below it stored. */
  *unstored(isStored: (hash: string) => boolean): Generator<PlacedNode> {
    this.#open = null;
    yield* unstoredIn(this.#root, isStored, '');
  }
}

function remove(directory: Directory, [name = '', ...rest]: readonly string[]): void {
  directory.sealed = null;
  if (rest.length === 0) {
    directory.files.delete(name);
    return;
  }
  const next = directory.directories.get(name);
  if (next === undefined) return;
  remove(next, rest);
  if (next.files.size === 0 && next.directories.size === 0) directory.directories.delete(name);
}

function* unstoredIn(directory: Directory, isStored: (hash: string) => boolean, path: string): Generator<PlacedNode> {
  const { hash, json } = seal(directory);
  if (isStored(hash)) return;
  for (const [name, below] of directory.directories) {
    yield* unstoredIn(below, isStored, path === '' ? name : `${path}/${name}`);
  }
  yield { hash, json, path, node: () => nodeOf(directory) };
}

function seal(directory: Directory): Sealed {
  if (directory.sealed !== null) return directory.sealed;
  const members: Member[] = [];
  const byLanguage = new Map<string, number>();
  const add = (language: string, count: number) => byLanguage.set(language, (byLanguage.get(language) ?? 0) + count);
  let count = 0;
  let bytes = 0;
  for (const [name, { entry, json }] of directory.files) {
    count++;
    bytes += entry.size;
    if (entry.language !== undefined) add(entry.language, 1);
    members.push({ name, json });
  }
  for (const [name, below] of directory.directories) {
    const node = seal(below);
    count += node.count;
    bytes += node.bytes;
    for (const [language, files] of node.byLanguage) add(language, files);
    members.push({ name, json: memberJson(name, { kind: 'directory', size: 0, node: node.hash }) });
  }
  members.sort((a, b) => compareBytes(a.name, b.name));
  const json = `{"entries":[${members.map((member) => member.json).join(',')}]}`;
  const hash = createHash('sha256').update(json, 'utf8').digest('hex');
  const names = members.map(({ name }) => name);
  directory.sealed = { hash, json, names, count, bytes, byLanguage };
  return directory.sealed;
}

function nodeOf(directory: Directory): DirectoryNode {
  const entries = seal(directory).names.map((name): DirectoryEntry => {
    const file = directory.files.get(name);
    if (file !== undefined) return { name, ...file.entry };
    const below = directory.directories.get(name);
    return { name, kind: 'directory', size: 0, ...(below === undefined ? {} : { node: seal(below).hash }) };
  });
  return { entries };
}

/** An entry of a node in its canonical form. */
interface Member {
  readonly name: string;
  readonly json: string;
}

/**
 * The canonical form of an entry: its members in the order of RFC 8785. Put together by hand, because the first snapshot
 * of a large project has 100,000 of them.
 */
function memberJson(name: string, { kind, size, language, oid, node }: Omit<DirectoryEntry, 'name'>): string {
  const before = language === undefined ? '' : `,"language":${JSON.stringify(language)}`;
  const after = `${node === undefined ? '' : `,"node":"${node}"`}${oid === undefined ? '' : `,"oid":"${oid}"`}`;
  return `{"kind":"${kind}"${before},"name":${JSON.stringify(name)}${after},"size":${size}}`;
}

/** Gives the entries of a stored node, or null when it is not there. */
export type ReadNode = (hash: string) => DirectoryNode | null;

/** Every file below a stored node, in byte order, with its full path. Nodes that are missing are left out. */
export function* filesBelow(
  read: ReadNode,
  hash: string,
  prefix = '',
): Generator<[path: string, entry: DirectoryEntry]> {
  for (const entry of read(hash)?.entries ?? []) {
    if (entry.kind === 'directory') yield* filesBelow(read, entry.node ?? '', `${prefix}${entry.name}/`);
    else yield [prefix + entry.name, entry];
  }
}

/** Paths whose entries differ between two trees, in byte order. Equal nodes are not looked into. */
export function* changedPaths(read: ReadNode, before: string, after: string, prefix = ''): Generator<string> {
  if (before === after) return;
  const old = read(before)?.entries ?? [];
  const now = read(after)?.entries ?? [];
  for (let [m, n] = [0, 0]; m < old.length || n < now.length; ) {
    const order = compareEntries(old[m], now[n]);
    // Both lists are in byte order of names.
    const was = order <= 0 ? old[m++] : undefined;
    const is = order >= 0 ? now[n++] : undefined;
    if (was?.kind === 'directory' && is?.kind === 'directory') {
      yield* changedPaths(read, was.node ?? '', is.node ?? '', `${prefix}${was.name}/`);
    } else if (was === undefined || is === undefined || !sameEntry(was, is)) {
      yield* pathsOf(read, was, prefix);
      if (is?.kind === 'directory' || was?.kind === 'directory' || was === undefined) yield* pathsOf(read, is, prefix);
    }
  }
}

/** What is not there comes last. */
function compareEntries(a: DirectoryEntry | undefined, b: DirectoryEntry | undefined): number {
  if (a === undefined) return 1;
  return b === undefined ? -1 : compareBytes(a.name, b.name);
}

function sameEntry(a: DirectoryEntry, b: DirectoryEntry): boolean {
  return a.kind === b.kind && a.size === b.size && a.oid === b.oid;
}

function* pathsOf(read: ReadNode, entry: DirectoryEntry | undefined, prefix: string): Generator<string> {
  if (entry === undefined) return;
  if (entry.kind !== 'directory') yield prefix + entry.name;
  else for (const [path] of filesBelow(read, entry.node ?? '', `${prefix}${entry.name}/`)) yield path;
}

/** The entry of one path below a stored node, or null when there is none. */
export function entryAt(read: ReadNode, hash: string, path: string): DirectoryEntry | null {
  let found: DirectoryEntry | null = null;
  for (const name of path.split('/')) {
    const node: string | undefined = found === null ? hash : found.node;
    found = (node === undefined ? null : read(node))?.entries.find((entry) => entry.name === name) ?? null;
    if (found === null) return null;
  }
  return found;
}
