import { lstat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf } from '../base/index.ts';
import { isSamePath } from './paths.ts';

/** Whether a folder holds a repository of its own: `.git` is a folder, or a file in linked working trees and submodules. */
export type HoldsRepository = (folder: string) => Promise<boolean>;

/** Looks at the disk; starts no process. */
export const holdsRepository: HoldsRepository = async (folder) => {
  try {
    await lstat(join(folder, '.git'));
    return true;
  } catch (error) {
    // Nothing there, not a folder, or not to be reached: git would find nothing either.
    if (codeOf(error) === undefined) throw error;
    return false;
  }
};

/** The nearest folder with a repository, and the folders on the way to it, the path itself first. */
export interface Ascent {
  readonly repository: string | null;
  readonly passed: readonly string[];
}

/**
 * Climbs from a file or folder to the nearest repository.
 * @param top a folder above it, or itself, where the climb ends without a look; null climbs to the root of the disk
 */
export async function climb(path: string, top: string | null, holds: HoldsRepository): Promise<Ascent> {
  const passed: string[] = [];
  for (let at = path; top === null || !isSamePath(top, at); at = dirname(at)) {
    passed.push(at);
    if (await holds(at)) return { repository: at, passed };
    if (at === dirname(at)) break;
  }
  return { repository: null, passed };
}
