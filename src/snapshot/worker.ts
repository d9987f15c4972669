/** The snapshot worker: serves SnapshotService to the thread that started it, over its own database connection. */
import { randomBytes } from 'node:crypto';
import module from 'node:module';
import { join } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import { parentPort, workerData } from 'node:worker_threads';
import { createBirpc } from 'birpc';
import { version } from '../../package.json';
import { type Disposable, type Logger, ProjectAnchorError, systemClock } from '../base/index.ts';
import { type Cache, MEMORY, machineId, openCache, openStore, type Store, useCompileCache } from '../store/index.ts';
import { createSnapshotService } from './create-service.ts';
import { createGit } from './git.ts';
import { GitProcess } from './git-process.ts';
import { runGit, TIMEOUT_MS } from './git-run.ts';
import { goBehindTheOtherThreads } from './priority.ts';
import type { SnapshotService } from './service.ts';
import { keepThin } from './thinning.ts';
import {
  type HostFunctions,
  type Method,
  outcomeOf,
  type WorkerData,
  type WorkerFunctions,
} from './worker-protocol.ts';

/**
 * A thread with more than this in its heap, in bytes, has gathered something: TypeScript, the index of a million lines and
 * what is kept of the files that a person works in take a third of it.
 */
const TIRED_BYTES = 640 * 1024 * 1024;

interface Opened {
  readonly service: SnapshotService;
  readonly store: Store;
  readonly git: GitProcess;
  readonly thinning: Disposable;
  readonly cache: Cache | null;
}

/** Opens the data folder; when it cannot be used, memory serves until the window closes, and the log says so. */
async function open({ folder, parseLimitMs }: WorkerData, logger: Logger): Promise<Opened> {
  const clock = systemClock();
  const { env } = process;
  const { store, machine } = await openPlace(folder, logger);
  const git = new GitProcess({
    file: join(import.meta.dirname, 'git-process.js'),
    env,
    logger,
    direct: (cwd, args, input) => runGit({ env, clock, logger, timeoutMs: TIMEOUT_MS }, cwd, args, input),
  });
  const cache = await openCache({ folder, clock, logger });
  const options = {
    store,
    machine,
    clock,
    logger,
    env,
    background: true,
    parseLimitMs: parseLimitMs ?? null,
    ...(cache === null ? {} : { cache }),
    git: createGit({ env, clock, logger, run: git.run, secret: machine }),
  };
  const thinning = keepThin({ store, clock, logger });
  return { store, git, thinning, cache, service: createSnapshotService(options) };
}

async function openPlace(folder: string, logger: Logger): Promise<{ store: Store; machine: string }> {
  try {
    const store = await openStore({ folder, logger });
    return { store, machine: machineId(folder) };
  } catch (error) {
    if (!(error instanceof ProjectAnchorError) || error.code === 'sqlite_missing') throw error;
    logger.warn(`Snapshots are kept in memory only: ${error.message}`);
    return { store: await openStore({ file: MEMORY, logger }), machine: randomBytes(16).toString('hex') };
  }
}

function serve(port: NonNullable<typeof parentPort>, data: WorkerData): void {
  const { folder, tiredBytes = TIRED_BYTES } = data;
  let opened: Promise<Opened> | null = null;
  const get = () => {
    opened ??= open(data, logger).catch((error: unknown) => {
      // The next call tries again: a person may have freed the disk meanwhile.
      opened = null;
      throw error;
    });
    return opened;
  };
  const call = async (method: Method, args: readonly unknown[]): Promise<unknown> => {
    if (method === 'dispose') return close(opened);
    const { service } = await get();
    try {
      return await (service[method] as (...values: readonly unknown[]) => Promise<unknown>)(...args);
    } finally {
      const { used_heap_size: used } = getHeapStatistics();
      if (used > tiredBytes) tired(`it has ${Math.round(used / 2 ** 20)} MiB of memory`);
    }
  };
  const functions: WorkerFunctions = {
    ping: async () => undefined,
    call: (method, args) => outcomeOf(() => call(method, args)),
  };
  const rpc = createBirpc<HostFunctions, WorkerFunctions>(functions, {
    post: (message) => port.postMessage(message),
    on: (listener) => port.on('message', listener),
    timeout: -1,
  });
  const tired = (why: string) => {
    rpc.tired.asEvent(why).catch(() => undefined);
  };
  const log = (level: keyof Logger) => (message: string) => {
    // A host that is gone reads nothing any more.
    rpc.log.asEvent(level, message).catch(() => undefined);
  };
  const logger: Logger = { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
  goBehindTheOtherThreads(logger);
  keepCompiled(folder);
}

/** What a thread has loaded when it has been at work for so long is worth keeping in its compiled form, in ms. */
const LOADED_MS = 3_000;

/** The parsers are large: the next thread gets them in their compiled form. */
function keepCompiled(folder: string): void {
  const { env, getuid } = process;
  const enable = (cache: string) => module.enableCompileCache(cache);
  const isKept = useCompileCache({ env, folder: () => folder, uid: getuid?.(), version, enable });
  // A thread that is ended has no moment to do it by itself.
  if (isKept) setTimeout(() => module.flushCompileCache(), LOADED_MS).unref();
}

async function close(opened: Promise<Opened> | null): Promise<void> {
  module.flushCompileCache();
  if (opened === null) return;
  const { service, store, git, thinning, cache } = await opened;
  thinning.dispose();
  await service.dispose();
  await git.dispose();
  cache?.close();
  store.close();
}

if (parentPort !== null) serve(parentPort, workerData as WorkerData);
