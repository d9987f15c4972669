import { createHash } from 'node:crypto';
import { canonical, hash, ProjectAnchorError } from '../base/index.ts';
import type { Dependencies, Marks, Outline, Snapshot } from './types.ts';

/** A part of a snapshot that is stored once under its hash. */
export interface PackedObject {
  readonly hash: string;
  readonly kind: 'outline' | 'dependencies' | 'marks';
  /** Canonical JSON. */
  readonly json: string;
}

export interface Packed {
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

function packed(kind: PackedObject['kind'], value: Outline | Marks | Snapshot['dependencies']): PackedObject {
  const json = canonical(value);
  return { kind, json, hash: createHash('sha256').update(json, 'utf8').digest('hex') };
}

/** Takes a snapshot apart for the store: outlines, dependencies and marks repeat from one snapshot to the next. */
export function packSnapshot(snapshot: Snapshot): Packed {
  const outlines = Object.entries(snapshot.outlines).map(
    ([path, outline]) => [path, packed('outline', outline)] as const,
  );
  const dependencies = packed('dependencies', snapshot.dependencies);
  const marks = packed('marks', snapshot.marks);
  const row: Row = {
    ...snapshot,
    outlines: Object.fromEntries(outlines.map(([path, object]) => [path, object.hash])),
    dependencies: dependencies.hash,
    marks: marks.hash,
  };
  return { json: canonical(row), objects: [...outlines.map(([, object]) => object), dependencies, marks] };
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

/** The snapshot with its id: the hash of all other fields (protocol §3). */
export function withId(body: Omit<Snapshot, 'id'>): Snapshot {
  return { ...body, id: hash(body) };
}

/**
 * What two snapshots are compared by: equal ones differ only in id, parent, takenAt, trigger and times (protocol §3).
 * The times of marks are times too: marking the same again changes no fact.
 */
export function contentHash(snapshot: Omit<Snapshot, 'id'> | Snapshot): string {
  const { id: _i, parent: _p, takenAt: _t, trigger: _r, ...content } = { id: '', ...snapshot };
  return hash({ ...content, marks: withoutTimes(content.marks) });
}

function withoutTimes(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutTimes);
  const isMark = 'by' in value && 'at' in value && typeof value.at === 'string';
  const entries = Object.entries(value).filter(([key]) => !(isMark && key === 'at'));
  return Object.fromEntries(entries.map(([key, member]) => [key, withoutTimes(member)]));
}
