import type { Gate } from './gate.ts';
import type { TrackedFile } from './git-port.ts';
import { pathToBytes } from './targets.ts';

/** A path whose entry in the index differs from before; null when it is gone. */
export interface IndexChange {
  readonly path: string;
  readonly now: TrackedFile | null;
}

/** What git's index holds of the files that the gate lets out, and what that changes against an earlier index. */
export class TrackedFiles {
  readonly stamp: string | null;
  /** In git's byte order of paths. */
  readonly files: readonly TrackedFile[];
  /** Against `before`; everything when there is none. */
  readonly changes: readonly IndexChange[];
  readonly submodules: readonly TrackedFile[];
  /** Paths that a sparse checkout leaves out of the working tree. */
  readonly sparse: readonly string[];
  readonly #gate: Gate;

  /**
   * @param stamp of the index, taken before it was read
   * @param listed all of it, in byte order of paths
   * @param before an index under the same gate
   */
  constructor(stamp: string | null, gate: Gate, listed: readonly TrackedFile[], before: TrackedFiles | null) {
    const { files, changes } = merged(listed, before?.files ?? [], (path) => gate.path(path).ok);
    this.stamp = stamp;
    this.#gate = gate;
    this.files = files;
    this.changes = changes;
    this.submodules = files.filter(({ kind }) => kind === 'submodule');
    this.sparse = files.flatMap(({ path, sparse }) => (sparse === true ? [path] : []));
  }

  /** Whether it is what the index with that stamp holds, under that gate. */
  isOf(stamp: string | null, gate: Gate): boolean {
    return this.stamp === stamp && this.judgedBy(gate);
  }

  judgedBy(gate: Gate): boolean {
    return this.#gate === gate;
  }

  find(path: string): TrackedFile | null {
    let low = 0;
    let high = this.files.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const order = compare(this.files[middle]?.path ?? '', path);
      if (order === 0) return this.files[middle] ?? null;
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    return null;
  }
}

interface Merged {
  readonly files: readonly TrackedFile[];
  readonly changes: readonly IndexChange[];
}

/** Goes along both lists at once; what is the same as before is not judged again. */
function merged(
  listed: readonly TrackedFile[],
  before: readonly TrackedFile[],
  allows: (path: string) => boolean,
): Merged {
  const files: TrackedFile[] = [];
  const changes: IndexChange[] = [];
  let at = 0;
  for (const now of listed) {
    let was = before[at];
    while (was !== undefined && was.path !== now.path && compare(was.path, now.path) < 0) {
      changes.push({ path: was.path, now: null });
      was = before[++at];
    }
    if (was?.path === now.path) {
      at++;
      // The objects of before, so that what they were cut out of is let go.
      files.push(isSame(was, now) ? was : now);
      if (!isSame(was, now)) changes.push({ path: now.path, now });
    } else if (allows(now.path)) {
      files.push(now);
      changes.push({ path: now.path, now });
    }
  }
  for (const { path } of before.slice(at)) changes.push({ path, now: null });
  return { files, changes };
}

function isSame(a: TrackedFile, b: TrackedFile): boolean {
  return a.oid === b.oid && a.kind === b.kind && a.sparse === b.sparse;
}

/** Git's order, that of the bytes on disk: names need not be UTF-8. */
function compare(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(pathToBytes(a), pathToBytes(b));
}
