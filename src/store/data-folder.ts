import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join, posix, win32 } from 'node:path';
import { codeOf, ProjectAnchorError } from '../base/index.ts';

/** The database's name in the data folder. */
export const DATABASE_NAME = 'project-anchor.db';
const MACHINE_NAME = 'machine';
const AGENT_TAG_NAME = 'agent-tag';

/**
 * Where everything of this machine is kept: `$PROJECT_ANCHOR_HOME`, else the platform's user data folder.
 * @param env the process's environment
 * @param platform as `process.platform`
 * @param homedir as `os.homedir()`
 * @throws ProjectAnchorError `invalid` when `PROJECT_ANCHOR_HOME` is not an absolute path.
 */
export function dataFolder(env: NodeJS.ProcessEnv, platform: NodeJS.Platform, homedir: string): string {
  const path = platform === 'win32' ? win32 : posix;
  const own = env['PROJECT_ANCHOR_HOME'];
  if (own !== undefined && own !== '') {
    if (path.isAbsolute(own)) return path.normalize(own);
    throw new ProjectAnchorError(
      'invalid',
      `PROJECT_ANCHOR_HOME is ${JSON.stringify(own)}, which is not an absolute path.`,
      'Set it to a full path, or leave it out.',
    );
  }
  switch (platform) {
    case 'win32':
      return path.join(env['LOCALAPPDATA'] || path.join(homedir, 'AppData', 'Local'), 'ProjectAnchor');
    case 'darwin':
      return path.join(homedir, 'Library', 'Application Support', 'ProjectAnchor');
    default: {
      // The XDG rules say that a relative path in this variable is to be ignored.
      const xdg = env['XDG_DATA_HOME'] ?? '';
      return path.join(path.isAbsolute(xdg) ? xdg : path.join(homedir, '.local', 'share'), 'project-anchor');
    }
  }
}

/**
 * Makes the data folder for its owner alone (0700). A folder that was there is tightened only if it is plainly
 * ours, that is empty or holding our files: `PROJECT_ANCHOR_HOME=/tmp` must not lock everybody else out of /tmp.
 * @throws ProjectAnchorError `read_only`, `disk_full` or `data_folder`.
 */
export function ensureDataFolder(folder: string): void {
  try {
    if (makeFolder(folder) || process.platform === 'win32') return;
    const loose = (statSync(folder).mode & 0o077) !== 0;
    if (!loose) return;
    const names = readdirSync(folder);
    if (names.length === 0 || names.includes(MACHINE_NAME) || names.includes(DATABASE_NAME)) chmodSync(folder, 0o700);
  } catch (error) {
    throw folderError(folder, error);
  }
}

/**
 * Makes a folder with those above it that are missing, one by one: where none can be made, as in /proc, Node's own way of
 * making all of them at once tries for ever.
 * @returns whether it was missing
 */
function makeFolder(folder: string): boolean {
  const status = statSync(folder, { throwIfNoEntry: false });
  if (status?.isDirectory() === true) return false;
  const above = dirname(folder);
  if (status === undefined && above !== folder) makeFolder(above);
  try {
    mkdirSync(folder, { mode: 0o700 });
    return true;
  } catch (error) {
    // Another process was quicker.
    if (codeOf(error) === 'EEXIST' && statSync(folder).isDirectory()) return false;
    throw error;
  }
}

/**
 * 128 random bits as 32 hex digits, made once for this data folder and never sent (protocol §2).
 * Safe when several processes ask for the first time at once: all get the same.
 * @throws ProjectAnchorError `machine_damaged` when the file holds something else.
 */
export function machineId(folder: string): string {
  return secretOf(folder, MACHINE_NAME, 16);
}

/** Four random hex digits of this machine, made once, for names of agents such as `vscode-3fa0` (protocol §4). */
export function agentTag(folder: string): string {
  return secretOf(folder, AGENT_TAG_NAME, 2);
}

function secretOf(folder: string, name: string, bytes: number): string {
  const file = join(folder, name);
  const value = (readIfThere(file) ?? createOnce(file, `${randomBytes(bytes).toString('hex')}\n`)).trim();
  if (new RegExp(`^[0-9a-f]{${bytes * 2}}$`).test(value)) return value;
  throw new ProjectAnchorError(
    'machine_damaged',
    `The file ${file} does not hold ${bytes * 2} hex digits.`,
    'Restore it from a copy; or delete it to get a new one, then projects without a remote count as new.',
  );
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw folderError(file, error);
  }
}

/**
 * Makes a file (0600) that appears with its whole content or not at all; where somebody else was first, theirs stays.
 * Returns what the file holds.
 */
export function createOnce(file: string, content: string): string {
  ensureDataFolder(join(file, '..'));
  const draft = `${file}.${process.pid}-${randomBytes(6).toString('hex')}.tmp`;
  try {
    writeDurably(draft, content);
    try {
      linkSync(draft, file);
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return readFileSync(file, 'utf8');
      if (!LINKLESS.has(codeOf(error) ?? '')) throw error;
      return createWithoutLink(file, content);
    }
    return content;
  } catch (error) {
    throw folderError(file, error);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** What file systems without hard links answer. */
const LINKLESS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EINVAL', 'EISDIR']);

function createWithoutLink(file: string, content: string): string {
  try {
    writeDurably(file, content);
    return content;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return readFileSync(file, 'utf8');
    throw error;
  }
}

function writeDurably(file: string, content: string): void {
  const handle = openSync(file, 'wx', 0o600);
  try {
    writeSync(handle, content);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function folderError(path: string, error: unknown): unknown {
  if (error instanceof ProjectAnchorError) return error;
  switch (codeOf(error)) {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new ProjectAnchorError(
        'read_only',
        `${path} cannot be written.`,
        'Give your user write permission on it, or point PROJECT_ANCHOR_HOME at a folder you can write.',
        { cause: error },
      );
    case 'ENOSPC':
    case 'EDQUOT':
      return new ProjectAnchorError('disk_full', `There is no room left to write ${path}.`, 'Free some disk space.', {
        cause: error,
      });
    case 'ENOENT':
      return new ProjectAnchorError(
        'data_folder',
        `${path} cannot be made: nothing can be made there.`,
        'Point PROJECT_ANCHOR_HOME at another folder.',
        { cause: error },
      );
    case 'ENOTDIR':
    case 'EEXIST':
      return new ProjectAnchorError(
        'data_folder',
        `${path} cannot be made: a file is in the way.`,
        'Move that file, or point PROJECT_ANCHOR_HOME at another folder.',
        { cause: error },
      );
    default:
      return error;
  }
}
