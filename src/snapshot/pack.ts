import { createHash } from 'node:crypto';
import { canonical, hash, ProjectAnchorError } from '../base/index.ts';
import { entryAt, type ReadNode } from './tree.ts';
import type { Dependencies, DirectoryNode, Marks, Outline, Snapshot } from './types.ts';

/** A part of a snapshot that is stored once under its hash. */
export interface PackedObject {
  readonly hash: string;
  readonly kind: 'outline' | 'dependencies' | 'marks';
  /** Canonical JSON. */
  readonly json: string;
  /** Of an outline: its file. */
  readonly path?: string;
}

/** A snapshot in its parts, each written once: nothing is put into canonical form twice. */
export interface Parts {
  /** Everything but id, parent and the parts below. */
  readonly rest: Omit<Snapshot, 'id' | 'parent' | 'outlines' | 'dependencies' | 'marks'>;
  readonly outlines: readonly (readonly [path: string, object: PackedObject])[];
  readonly dependencies: PackedObject;
  readonly marks: PackedObject;
  /** What two snapshots are compared by: see `contentHash`. */
  readonly content: string;
}

export interface Packed {
  readonly snapshot: Snapshot;
  /** The snapshot with its larger parts replaced by their hashes, canonical JSON. */
  readonly json: string;
  readonly objects: readonly PackedObject[];
}

/** How a snapshot stands in its row. */
type Row = Omit<Snapshot, 'outlines' | 'dependencies' | 'marks'> & {
  readonly outlines: Readonly<Record<string, string>>;
  readonly dependencies: string;
  readonly marks: string;
};

function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

function packed(kind: PackedObject['kind'], value: Outline | Marks | Snapshot['dependencies']): PackedObject {
  const json = canonical(value);
  return { kind, json, hash: sha256(json) };
}

/** Outlines that were packed before; they are kept for as long as somebody holds them. */
export type PackedOutlines = WeakMap<Outline, PackedObject>;

/** Takes a snapshot apart for hashing and for the store: its larger parts repeat from one snapshot to the next. */
export function partsOf(body: Omit<Snapshot, 'id' | 'parent'>, known: PackedOutlines): Parts {
  const { outlines, dependencies, marks, ...rest } = body;
  const pack = (outline: Outline): PackedObject => {
    const object = known.get(outline) ?? packed('outline', outline);
    known.set(outline, object);
    return object;
  };
  const parts = {
    rest,
    outlines: Object.entries(outlines).map(([path, outline]) => [path, pack(outline)] as const),
    dependencies: packed('dependencies', dependencies),
    marks: packed('marks', marks),
  };
  return { ...parts, content: contentOf(rowOf(parts), marks) };
}

function rowOf({ rest, outlines, dependencies, marks }: Omit<Parts, 'content'>): Omit<Row, 'id' | 'parent'> {
  return {
    ...rest,
    outlines: Object.fromEntries(outlines.map(([path, { hash: key }]) => [path, key])),
    dependencies: dependencies.hash,
    marks: marks.hash,
  };
}

/**
 * The finished snapshot; its id is the hash of all other fields (protocol §3). The canonical form is put together from
 * the forms of its parts.
 */
export function packSnapshot(body: Omit<Snapshot, 'id' | 'parent'>, parts: Parts, parent: string | null): Packed {
  const outlines = joined(parts.outlines.map(([path, { json }]) => [path, json]));
  const rest = Object.entries({ ...parts.rest, parent }).map(([key, value]): [string, string] => [
    key,
    canonical(value),
  ]);
  const large: [string, string][] = [
    ['outlines', outlines],
    ['dependencies', parts.dependencies.json],
    ['marks', parts.marks.json],
  ];
  const id = sha256(joined([...rest, ...large]));
  const outlined = parts.outlines.map(([path, object]) => ({ ...object, path }));
  const objects = [...outlined, parts.dependencies, parts.marks];
  return { snapshot: { ...body, id, parent }, json: canonical({ ...rowOf(parts), id, parent }), objects };
}

/** The canonical form of an object from those of its members: sorted by UTF-16 code units, as RFC 8785 says. */
function joined(members: readonly (readonly [key: string, json: string])[]): string {
  const sorted = members.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([key, json]) => `${JSON.stringify(key)}:${json}`).join(',')}}`;
}

/**
 * Puts a stored snapshot together again.
 * @param read the JSON of an object by its hash
 * @throws ProjectAnchorError `database_corrupt` when a part is missing
 */
export function unpackSnapshot(json: string, read: (hash: string) => string | undefined): Snapshot {
  const row = JSON.parse(json) as Row;
  const part = <T>(key: string): T => {
    const found = read(key);
    if (found !== undefined) return JSON.parse(found) as T;
    throw new ProjectAnchorError(
      'database_corrupt',
      `A part of the snapshot ${row.id.slice(0, 12)} is missing from the database.`,
      'Take a new snapshot; older ones with that part cannot be shown.',
    );
  };
  const outlines = Object.entries(row.outlines).map(([path, key]) => [path, part<Outline>(key)] as const);
  return {
    ...row,
    outlines: Object.fromEntries(outlines),
    dependencies: part<Readonly<Record<string, Dependencies>>>(row.dependencies),
    marks: part<Marks>(row.marks),
  };
}

/** Where the parts of a stored snapshot are, for a later one whose parts are stored as what changed in them. */
export interface EarlierParts {
  /** Hash of the same part, or undefined. */
  part(kind: PackedObject['kind'], path: string | undefined): string | undefined;
  /** Hash of the node of a directory, '' being the root. */
  node(path: string): string | undefined;
}

/** @param json a stored snapshot */
export function earlierParts(json: string, read: ReadNode): EarlierParts {
  const { outlines, dependencies, marks, files } = JSON.parse(json) as Row;
  return {
    part(kind, path) {
      if (kind === 'outline') return path !== undefined && Object.hasOwn(outlines, path) ? outlines[path] : undefined;
      return kind === 'marks' ? marks : dependencies;
    },
    node: (path) => (path === '' ? files.tree : entryAt(read, files.tree, path)?.node),
  };
}

/** Every object that a stored snapshot refers to itself: its larger parts and the root of its files. */
export function objectsOf(json: string): readonly string[] {
  const { outlines, dependencies, marks, files } = JSON.parse(json) as Row;
  return [...Object.values(outlines), dependencies, marks, files.tree];
}

/** The directory nodes that a stored directory node leads to. */
export function nodesIn(json: string): readonly string[] {
  return (JSON.parse(json) as DirectoryNode).entries.flatMap(({ node }) => node ?? []);
}

/**
 * What two snapshots are compared by: equal ones differ only in id, parent, takenAt, trigger and times (protocol §3).
 * The times of marks are times too: marking the same again changes no fact.
 * @param json a stored snapshot
 * @param marks its marks
 */
export function contentHash(json: string, marks: Marks): string {
  return contentOf(JSON.parse(json) as Row, marks);
}

function contentOf(row: Omit<Row, 'id' | 'parent'>, marks: Marks): string {
  const { id: _i, parent: _p, takenAt: _t, trigger: _r, ...content } = { id: '', parent: '', ...row };
  return hash({ ...content, marks: withoutTimes(marks) });
}

function withoutTimes(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutTimes);
  const isMark = 'by' in value && 'at' in value && typeof value.at === 'string';
  const entries = Object.entries(value).filter(([key]) => !(isMark && key === 'at'));
  return Object.fromEntries(entries.map(([key, member]) => [key, withoutTimes(member)]));
}
