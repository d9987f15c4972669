import { lstatSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** In the data folder: Node's compiled form of this program, per version of it. It may be deleted at any time. */
const FOLDER = 'compile-cache';

/** What the decision depends on. */
export interface CompileCacheHost {
  readonly env: NodeJS.ProcessEnv;
  /** The data folder; it may throw. */
  readonly folder: () => string;
  /** The user's number; undefined where there are none. */
  readonly uid: number | undefined;
  /** Version of this program. */
  readonly version: string;
  /** `module.enableCompileCache` of Node, which reports a failure in its result. */
  readonly enable: (folder: string) => unknown;
}

/**
 * Lets Node keep its compiled form of what this thread loads from now on, so that a command, and a parser, starts sooner.
 * What is loaded from there is code: it lies in the data folder, for its owner alone, and is used only if it is his.
 * Nothing is made where there is no data folder yet, and a failure of any kind just means the slower start.
 * @returns whether there is a folder for it, and Node was told
 */
export function useCompileCache(host: CompileCacheHost): boolean {
  const { env, version, enable } = host;
  // Somebody has decided already.
  if ((env['NODE_COMPILE_CACHE'] ?? '') !== '' || env['NODE_DISABLE_COMPILE_CACHE'] !== undefined) return false;
  try {
    const data = host.folder();
    if (statSync(data, { throwIfNoEntry: false })?.isDirectory() !== true) return false;
    const folder = join(data, FOLDER);
    mkdirIfMissing(folder);
    if (!isPrivate(folder, host.uid)) return false;
    const own = join(folder, version);
    // Node adds a folder per version of itself in here, so those of other versions of this program are all that grows.
    if (mkdirIfMissing(own)) removeOthers(folder, version);
    enable(own);
    return true;
  } catch {
    // The command itself tells what is wrong with the data folder, if it needs it.
    return false;
  }
}

/** Whether it was missing. */
function mkdirIfMissing(folder: string): boolean {
  return mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined;
}

/** A folder itself, not a link to one, that nobody else owns or may write. */
function isPrivate(folder: string, uid: number | undefined): boolean {
  const { mode, uid: owner } = lstatSync(folder);
  return uid === undefined || (owner === uid && (mode & 0o777) === 0o700);
}

function removeOthers(folder: string, kept: string): void {
  for (const name of readdirSync(folder)) {
    if (name !== kept) rmSync(join(folder, name), { recursive: true, force: true });
  }
}
