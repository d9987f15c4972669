/**
 * The cache that holds what the tests need and npm does not install: the editor and the PowerContext Server.
 * One folder per content key, written once; a stamp, written last, says that a folder is whole.
 */
import { spawn } from 'node:child_process';
import { access, constants, mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';

/** How long a second set-up waits for the first one (milliseconds). */
const LOCK_TIMEOUT_MS = 15 * 60_000;
/** A command that says nothing for good is ended after this long (milliseconds). */
const COMMAND_TIMEOUT_MS = 10 * 60_000;
const STAMP = '.complete';

/** Something this machine lacks: the suites that need it are left out and `message` says why, in one line. */
export class MissingPiece extends Error {}

/** @returns {string} `$PROJECT_ANCHOR_TEST_CACHE`, else a folder in the person's own cache */
export function cacheRoot() {
  return resolve(process.env['PROJECT_ANCHOR_TEST_CACHE'] || join(homedir(), '.cache', 'project-anchor-test'));
}

/** @param {string} path @returns {Promise<boolean>} */
export async function exists(path) {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/**
 * The first of the given commands that can be run: absolute paths as they are, names along the PATH.
 *
 * @param {readonly (string | undefined)[]} candidates
 * @returns {Promise<string | undefined>} an absolute path
 */
export async function findExecutable(candidates) {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean);
  for (const candidate of candidates) {
    if (!candidate) continue;
    const paths = candidate.includes('/') ? [resolve(candidate)] : folders.map((folder) => join(folder, candidate));
    for (const path of paths) {
      const runnable = await access(path, constants.X_OK).then(
        () => true,
        () => false,
      );
      if (runnable) return path;
    }
  }
  return undefined;
}

/**
 * Makes `<cache>/<name>` with `install` unless it is already whole, and returns it.
 * Two at once: the second waits, and finds it done. One that was killed leaves no stamp and is started afresh.
 *
 * @param {string} name holds every version that matters, so that a change of one makes another folder
 * @param {(folder: string) => Promise<void>} install
 * @returns {Promise<string>}
 */
export async function installOnce(name, install) {
  const root = cacheRoot();
  const folder = join(root, name);
  const stamp = join(folder, STAMP);
  if (await exists(stamp)) return folder;
  await mkdir(root, { recursive: true });
  return withLock(join(root, `${name}.lock`), async () => {
    if (await exists(stamp)) return folder;
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    await install(folder);
    await writeFile(stamp, `${new Date().toISOString()}\n`);
    return folder;
  });
}

/**
 * Runs `action` while no other process on this machine runs one under the same lock.
 * An open SQLite transaction is the lock: the system drops it when its holder dies, however it dies.
 *
 * @template T
 * @param {string} path
 * @param {() => Promise<T>} action
 * @returns {Promise<T>}
 */
async function withLock(path, action) {
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(path, { timeout: LOCK_TIMEOUT_MS });
  try {
    database.exec('BEGIN EXCLUSIVE');
    return await action();
  } finally {
    database.close();
  }
}

/**
 * Runs a command to its end.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} [options]
 * @returns {Promise<{ code: number, output: string }>} what it printed on both streams
 */
export async function run(command, args, options = {}) {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'], timeout: COMMAND_TIMEOUT_MS });
  /** @type {Buffer[]} */
  const chunks = [];
  child.stdout.on('data', (chunk) => chunks.push(chunk));
  child.stderr.on('data', (chunk) => chunks.push(chunk));
  return new Promise((done, failed) => {
    child.once('error', failed);
    child.once('close', (code) => done({ code: code ?? 1, output: Buffer.concat(chunks).toString('utf8') }));
  });
}

/**
 * Like `run`, for a step of an installation: a failure is a missing piece, named by the step and its last words.
 *
 * @param {string} step what was being done, for the reader
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} [options]
 * @returns {Promise<string>} what it printed
 */
export async function runStep(step, command, args, options) {
  const { code, output } = await run(command, args, options);
  if (code === 0) return output;
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  throw new MissingPiece(`${step} failed: ${lines.slice(-3).join(' | ') || `${command} ended with code ${code}`}`);
}

/**
 * Runs a set-up script: prints one line and sets the exit code. 0 ready, 3 something is missing, 1 anything else.
 * With `--json` the line is one JSON object for programs: `{ready: true, ...paths}` or `{ready: false, reason}`.
 *
 * @param {string} what the name of what is set up
 * @param {() => Promise<Record<string, string>>} setUp its result: `folder` and other paths
 */
export async function setUpScript(what, setUp) {
  const json = process.argv.includes('--json');
  try {
    const paths = await setUp();
    console.log(json ? JSON.stringify({ ready: true, ...paths }) : `${what} ready: ${paths['folder']}`);
  } catch (error) {
    const reason = (error instanceof Error ? error.message : String(error)).replace(/\s*\n\s*/g, ' ');
    console.log(json ? JSON.stringify({ ready: false, reason }) : `${what} not available: ${reason}`);
    process.exitCode = error instanceof MissingPiece ? 3 : 1;
  }
}
