import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { codeOf, ProjectAnchorError } from '../../base/index.ts';
import { HOOK_NAMES, type HookName, type HookPlan, hookScript, KEPT_SUFFIX, readHook } from './script.ts';

/**
 * What stands at the place of a hook: nothing, another program's hook, ours, ours as an older installation wrote it, or
 * ours with somebody's changes.
 */
export type HookState = 'absent' | 'foreign' | 'installed' | 'outdated' | 'changed';

export interface HookStatus {
  readonly name: HookName;
  readonly state: HookState;
  /** Where the hook that was there before is kept, when one is. */
  readonly kept?: string;
  /** Whether git would run that one: it runs only files that may be executed. */
  readonly runs?: boolean;
}

export type Launch = Pick<HookPlan, 'launcher' | 'data'>;

/** What each hook in a folder is, in the order of their names. */
export function hookStatuses(folder: string, launch: Launch): readonly HookStatus[] {
  return HOOK_NAMES.map((name) => statusOf(folder, name, launch));
}

function statusOf(folder: string, name: HookName, launch: Launch): HookStatus {
  const kept = keptFile(folder, name);
  const facts = lookAt(kept);
  const before = facts === undefined ? {} : { kept, runs: mayRun(kept) };
  return { name, state: stateOf(join(folder, name), name, launch), ...before };
}

function stateOf(file: string, name: HookName, launch: Launch): HookState {
  const facts = lookAt(file);
  if (facts === undefined) return 'absent';
  if (!facts.isFile()) return 'foreign';
  const text = readFileSync(file, 'utf8');
  const found = readHook(text);
  if (found.kind !== 'ours') return found.kind;
  const current = text === hookScript({ ...launch, name, made: found.made }) && mayRun(file);
  return current ? 'installed' : 'outdated';
}

/**
 * Puts our hooks in a folder, which is made when it is missing. What is there is moved aside and run by ours; installing
 * again changes nothing. A hook of ours that somebody has edited is left as it is.
 * @throws ProjectAnchorError `hooks_folder` when the folder cannot be written or something is in the way.
 */
export function installHooks(folder: string, launch: Launch): void {
  explained(folder, () => {
    const made = Math.max(makeFolder(folder), ...HOOK_NAMES.map((name) => madeBy(join(folder, name))));
    for (const name of HOOK_NAMES) {
      const file = join(folder, name);
      const state = stateOf(file, name, launch);
      if (state === 'installed' || state === 'changed') continue;
      if (lookAt(file)?.isDirectory() === true) throw inTheWay(file);
      const moved = state === 'foreign' && setAside(file, keptFile(folder, name));
      try {
        writeHook(file, hookScript({ ...launch, name, made }));
      } catch (error) {
        if (moved) renameSync(keptFile(folder, name), file);
        throw error;
      }
    }
  });
}

/** Takes our hooks out and puts back what was there before. What somebody has changed or replaced since stays. */
export function removeHooks(folder: string): void {
  explained(folder, () => {
    let made = 0;
    for (const name of HOOK_NAMES) {
      const file = join(folder, name);
      const found = lookAt(file);
      const text = found?.isFile() === true ? readHook(readFileSync(file, 'utf8')) : null;
      if (found !== undefined && text?.kind !== 'ours') continue;
      if (text?.kind === 'ours') {
        made = Math.max(made, text.made);
        rmSync(file);
      }
      const kept = keptFile(folder, name);
      if (lookAt(kept) !== undefined) renameSync(kept, file);
    }
    removeFolders(folder, made);
  });
}

function keptFile(folder: string, name: HookName): string {
  return join(folder, `${name}${KEPT_SUFFIX}`);
}

/** Moves a hook aside; an older one that was kept already gets a number, so that nothing is overwritten. */
function setAside(file: string, kept: string): boolean {
  if (lookAt(kept) !== undefined && !isSame(file, kept)) {
    let number = 1;
    while (lookAt(`${kept}-${number}`) !== undefined) number++;
    renameSync(kept, `${kept}-${number}`);
  }
  renameSync(file, kept);
  return true;
}

function isSame(a: string, b: string): boolean {
  const [first, second] = [lstatSync(a), lstatSync(b)];
  if (first.isSymbolicLink() && second.isSymbolicLink()) return readlinkSync(a) === readlinkSync(b);
  if (!first.isFile() || !second.isFile() || first.mode !== second.mode) return false;
  return readFileSync(a).equals(readFileSync(b));
}

/** By rename, so that git never finds half a hook. */
function writeHook(file: string, text: string): void {
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(draft, text, { flag: 'wx', mode: 0o755 });
    // Whatever the umask was: a hook that git may not run would do nothing.
    chmodSync(draft, 0o755);
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Returns how many folders it made. */
function makeFolder(folder: string): number {
  const first = mkdirSync(folder, { recursive: true });
  return first === undefined ? 0 : relative(dirname(first), folder).split(sep).length;
}

function madeBy(file: string): number {
  if (lookAt(file)?.isFile() !== true) return 0;
  const found = readHook(readFileSync(file, 'utf8'));
  return found.kind === 'ours' ? found.made : 0;
}

/** Removes up to `made` folders, from the inside out, while they are empty. */
function removeFolders(folder: string, made: number): void {
  try {
    for (let at = folder, left = made; left > 0; at = dirname(at), left--) rmdirSync(at);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(codeOf(error) ?? '')) throw error;
  }
}

function mayRun(file: string): boolean {
  // Where files have no such bit, git for Windows goes by what they begin with.
  if (process.platform === 'win32') return true;
  const facts = statSync(file, { throwIfNoEntry: false });
  return facts?.isFile() === true && (facts.mode & 0o111) !== 0;
}

function lookAt(file: string): Stats | undefined {
  return lstatSync(file, { throwIfNoEntry: false });
}

function inTheWay(file: string): ProjectAnchorError {
  return new ProjectAnchorError('hooks_folder', `${file} is a folder.`, 'Move it away, then install the hooks again.');
}

function explained(folder: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    const code = codeOf(error);
    if (error instanceof ProjectAnchorError || code === undefined) throw error;
    const why = code === 'ENOTDIR' || code === 'EEXIST' ? 'a file is in the way' : code;
    throw new ProjectAnchorError(
      'hooks_folder',
      `The hooks in ${folder} cannot be changed (${why}).`,
      'Give your user write permission on that folder, or set core.hooksPath to one that you can write.',
      { cause: error },
    );
  }
}
