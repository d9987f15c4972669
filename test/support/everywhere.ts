import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { ProjectIdentity, Snapshot } from '../../src/snapshot/index.ts';
import type { SnapshotBench } from './snapshot-service.ts';
import { tempDir } from './temp.ts';

export interface Asked {
  readonly identity: ProjectIdentity;
  readonly snapshot: Snapshot;
}

/**
 * Asks which project a folder is, and takes a snapshot, from its root, from below and through symbolic links to both.
 * Expects that all say the same, for reading and for writing: one anchor, one workspace, one stored snapshot.
 * @param below a folder or file in it
 */
export async function askedEverywhere(bench: SnapshotBench, root: string, below: string): Promise<Asked> {
  const links = tempDir();
  symlinkSync(root, join(links, 'root'));
  symlinkSync(join(root, below), join(links, 'below'));
  const { snapshot } = await bench.take(root);
  const identity = await bench.service.identify(root);
  for (const path of [join(root, below), join(links, 'root'), join(links, 'below')]) {
    expect(await bench.service.identify(path), path).toEqual(identity);
    expect((await bench.take(path)).snapshot.id, path).toBe(snapshot.id);
  }
  expect(snapshot).toMatchObject({ anchor: identity.anchor.id, workspace: identity.workspace });
  return { identity, snapshot };
}
