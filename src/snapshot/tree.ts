import { hash as digest } from 'node:crypto';
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
  readonly node: DirectoryNode;
}

interface Directory {
  readonly files: Map<string, DirectoryEntry>;
  readonly directories: Map<string, Directory>;
  /** Null when something below has changed since. */
  sealed: Sealed | null;
}

interface Sealed extends StoredNode {
  readonly node: DirectoryNode;
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
    directory.files.set(name, entryNamed(name, entry));
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
  const { hash, json, node } = seal(directory);
  if (isStored(hash)) return;
  for (const [name, below] of directory.directories) {
    yield* unstoredIn(below, isStored, path === '' ? name : `${path}/${name}`);
  }
  yield { hash, json, path, node };
}

function seal(directory: Directory): Sealed {
  if (directory.sealed !== null) return directory.sealed;
  const entries: DirectoryEntry[] = [];
  const byLanguage = new Map<string, number>();
  const add = (language: string, count: number) => byLanguage.set(language, (byLanguage.get(language) ?? 0) + count);
  let count = 0;
  let bytes = 0;
  for (const entry of directory.files.values()) {
    count++;
    bytes += entry.size;
    if (entry.language !== undefined) add(entry.language, 1);
    entries.push(entry);
  }
  for (const [name, below] of directory.directories) {
    const { hash: node, ...sums } = seal(below);
    count += sums.count;
    bytes += sums.bytes;
    for (const [language, files] of sums.byLanguage) add(language, files);
    entries.push({ kind: 'directory', name, node, size: 0 });
  }
  const json = sortedJson(entries);
  directory.sealed = { hash: digest('sha256', json, 'hex'), json, node: { entries }, count, bytes, byLanguage };
  return directory.sealed;
}

/** An entry with its members in the order of their canonical form, so that it need not be sorted later. */
function entryNamed(name: string, { kind, language, oid, size }: FileEntry): DirectoryEntry {
  if (language === undefined) return oid === undefined ? { kind, name, size } : { kind, name, oid, size };
  return oid === undefined ? { kind, language, name, size } : { kind, language, name, oid, size };
}

/** Characters from where on the order of strings and that of their UTF-8 bytes part. */
const FROM_SURROGATES = /[\ud800-\uffff]/;

/**
 * Sorts the entries of a node by the bytes of their names, and gives the node's canonical form: that is what
 * `JSON.stringify` makes of members in the right order, at a small part of the cost.
 */
function sortedJson(entries: DirectoryEntry[]): string {
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  const json = JSON.stringify({ entries });
  if (!FROM_SURROGATES.test(json)) return json;
  entries.sort((a, b) => compareBytes(a.name, b.name));
  return JSON.stringify({ entries });
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
