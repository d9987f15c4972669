import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, ProjectAnchorError } from '../base/index.ts';
import type { SnapshotRow, Store } from '../store/index.ts';
import { unpackSnapshot } from './pack.ts';
import type { FileRow } from './service.ts';
import { filesBelow, type ReadNode } from './tree.ts';
import type { DirectoryNode, Snapshot } from './types.ts';
import { gitCode, type Workspace } from './workspace.ts';

/** How far back from a revision a snapshot is looked for, in commits. */
const MAX_ANCESTORS = 2_000;
/** Fewer digits of an id name too many snapshots, and may be a revision of git's. */
const MIN_PREFIX = 8;

/**
 * A stored snapshot of a workspace by `latest`, `latest~N`, an id (or 8 digits and more of it), or a git revision: its
 * snapshot, else the nearest one before it.
 * @throws ProjectAnchorError `not_found`
 */
export async function findSnapshot(store: Store, workspace: Workspace, ref: string): Promise<Snapshot> {
  const row = await findRow(store, workspace, ref);
  return unpackSnapshot(row.json, (key) => store.objects.get(key)?.json);
}

async function findRow(store: Store, workspace: Workspace, ref: string): Promise<SnapshotRow> {
  const { anchor, workspace: id } = workspace.identity;
  const back = /^latest(?:~(\d{1,9}))?$/.exec(ref);
  if (back !== null) return latest(store, id, Number(back[1] ?? 0));
  if (/^[0-9a-f]{64}$/.test(ref)) {
    const row = store.snapshots.byId(ref);
    if (row?.anchor === anchor.id) return row;
  } else if (/^[0-9a-f]+$/.test(ref) && ref.length >= MIN_PREFIX) {
    const [row, second] = store.snapshots.byIdPrefix(anchor.id, ref, 2);
    if (row !== undefined && second === undefined) return row;
    if (second !== undefined) throw notFound(`Several snapshots begin with ${ref}.`, 'Give more of its digits.');
  }
  return byRevision(store, workspace, ref);
}

function latest(store: Store, workspace: string, back: number): SnapshotRow {
  const row = store.snapshots.latest(workspace, back);
  if (row !== undefined) return row;
  if (back > 0 && store.snapshots.latest(workspace) !== undefined) {
    throw notFound(`There are no ${back} snapshots before the latest one here.`, 'Ask for one less far back.');
  }
  throw notFound('No snapshot was taken here yet.', 'Take one with: project-anchor snapshot');
}

async function byRevision(store: Store, workspace: Workspace, ref: string): Promise<SnapshotRow> {
  const remedy = 'Give latest, latest~N, a snapshot id or a git revision.';
  const { repository } = workspace;
  if (repository === null) throw notFound(`${JSON.stringify(ref)} is no snapshot of this folder.`, remedy);
  try {
    const commit = await repository.resolve(ref);
    if (commit === null)
      throw notFound(`${JSON.stringify(ref)} is neither a snapshot nor a git revision here.`, remedy);
    for (const each of await repository.log(commit, MAX_ANCESTORS)) {
      const row = store.snapshots.byCommit(workspace.identity.workspace, each.commit);
      if (row !== undefined) return row;
    }
    throw notFound(
      `No snapshot was taken at ${ref} or before it.`,
      'See what there is with: project-anchor show latest',
    );
  } catch (error) {
    if (gitCode(error) === undefined) throw error;
    throw new ProjectAnchorError('not_found', `Git could not look up ${JSON.stringify(ref)}.`, remedy, {
      cause: error,
    });
  }
}

function notFound(what: string, remedy: string): ProjectAnchorError {
  return new ProjectAnchorError('not_found', what, remedy);
}

/**
 * The file table of a stored snapshot. Times of modification are not stored: one is given where the file on disk still
 * has the size it had.
 */
export async function fileRows(store: Store, workspace: Workspace, snapshot: Snapshot): Promise<readonly FileRow[]> {
  const read: ReadNode = (key) => {
    const object = store.objects.get(key);
    return object === undefined ? null : (JSON.parse(object.json) as DirectoryNode);
  };
  const rows: FileRow[] = [];
  for (const [path, { size, language }] of filesBelow(read, snapshot.files.tree)) {
    const mtime = await modifiedAt(join(workspace.identity.toplevel, path), size);
    rows.push({ path, size, mtime, language: language ?? null });
  }
  return rows;
}

async function modifiedAt(path: string, size: number): Promise<string | null> {
  try {
    const facts = await lstat(path);
    return facts.size === size ? facts.mtime.toISOString() : null;
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return null;
  }
}
