import { lstat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf } from '../base/index.ts';
import { loadGate } from '../snapshot/index.ts';
import { isSamePath, pathInProject } from './paths.ts';

/** Finds repositories on the disk, without git. */
export interface RepositoryFinder {
  /**
   * The folder that speaks for a file or folder: the innermost repository around it, unless a repository or folder
   * further out refuses what lies there (protocol §9), which then speaks for it, and refuses it.
   * @param top a folder of the window that contains it, which speaks for what is in no inner repository; null looks for
   * the repository around it, whichever that is
   */
  ownerOf(path: string, top: string | null): Promise<Owner>;
}

/** `root` is null for what nobody speaks for; `passed` are the folders on the way to the repository, the path itself first. */
export interface Owner {
  readonly root: string | null;
  readonly passed: readonly string[];
}

/** @param exclude `projectAnchor.snapshot.exclude` of a folder of the window. */
export function repositoryFinder(exclude: (folder: string) => readonly string[]): RepositoryFinder {
  return {
    async ownerOf(path, top) {
      const { repository, passed } = await climb(path, top);
      if (repository === null || top === null) return { root: repository ?? top, passed };
      return { root: await speakerFor(repository, top, exclude(top)), passed };
    },
  };
}

/** A repository inside of a folder, or who refuses it. */
async function speakerFor(repository: string, top: string, exclude: readonly string[]): Promise<string> {
  for (let at = dirname(repository); ; ) {
    const inner = (await climb(at, top)).repository;
    const outer = inner ?? (await climb(top, null)).repository ?? top;
    if (await refuses(outer, repository, exclude)) {
      return inner === null ? top : speakerFor(inner, top, exclude);
    }
    if (inner === null) return repository;
    at = dirname(inner);
  }
}

async function refuses(outer: string, repository: string, exclude: readonly string[]): Promise<boolean> {
  const path = pathInProject({ folder: outer, realFolder: outer, toplevel: outer }, repository);
  const gate = await loadGate(outer, exclude);
  // `lib/` is a rule about the folder, `lib/**` one about what is in it.
  return path === null || !gate.path(`${path}/`).ok || !gate.path(`${path}/x`).ok;
}

/** Whether a folder holds a repository of its own: `.git` is a folder, or a file in linked working trees and submodules. */
async function holdsRepository(folder: string): Promise<boolean> {
  try {
    await lstat(join(folder, '.git'));
    return true;
  } catch (error) {
    // Nothing there, not a folder, or not to be reached: git would find nothing either.
    if (codeOf(error) === undefined) throw error;
    return false;
  }
}

/** The nearest folder with a repository, and the folders on the way to it, the path itself first. */
interface Ascent {
  readonly repository: string | null;
  readonly passed: readonly string[];
}

/**
 * Climbs from a file or folder to the nearest repository.
 * @param top a folder above it, or itself, where the climb ends without a look; null climbs to the root of the disk
 */
async function climb(path: string, top: string | null): Promise<Ascent> {
  const passed: string[] = [];
  for (let at = path; top === null || !isSamePath(top, at); at = dirname(at)) {
    passed.push(at);
    if (await holdsRepository(at)) return { repository: at, passed };
    if (at === dirname(at)) break;
  }
  return { repository: null, passed };
}
