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
 * Asks which project a folder is, takes a snapshot and reads it back, from its root, from below and through a symbolic
 * link to it. Expects that all say the same, for reading and for writing: one anchor, one workspace, one stored snapshot.
 * @param below a folder or file in it
 */
export async function askedEverywhere(bench: SnapshotBench, root: string, below: string): Promise<Asked> {
  const link = join(tempDir(), 'link');
  symlinkSync(root, link);
  const { service } = bench;
  const { snapshot } = await bench.take(root);
  const identity = await service.identify(root);
  expect(await service.identify(join(link, below))).toEqual(identity);
  for (const path of [join(root, below), join(link, below)]) {
    expect((await bench.take(path)).snapshot.id, path).toBe(snapshot.id);
    expect((await service.show(path, 'latest')).id, path).toBe(snapshot.id);
  }
  expect(snapshot).toMatchObject({ anchor: identity.anchor.id, workspace: identity.workspace });
  return { identity, snapshot };
}
