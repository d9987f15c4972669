import { randomUUID } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import {
  type Clock,
  codeOf,
  type Logger,
  messageOf,
  ProjectAnchorError,
  silentLogger,
  systemClock,
} from '../base/index.ts';
import { type Author, createLogService, hubUrlRefusal, type LogService } from '../delta/index.ts';
import { createSnapshotService, type ProjectIdentity, type SnapshotService, thinDaily } from '../snapshot/index.ts';
import { agentTag, type Cache, dataFolder, machineId, openCache, openStore, type Store } from '../store/index.ts';
import { authorOf } from './author.ts';
import { type Configuration, loadConfiguration } from './config.ts';
import { openProjectSession } from './project-session.ts';
import type { ProjectSession } from './session-types.ts';

/** What a command needs of the process it runs in. */
export interface RuntimeHost {
  readonly env: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
  readonly homedir: string;
  /** The folder that a relative `--cwd` starts from. */
  readonly cwd: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * How a command hangs together with the hub of this machine: `notify` only tells it of appends, `follow` stays connected
 * while there is one, `serve` runs it.
 */
export type HubUse =
  | { readonly kind: 'notify' | 'follow' }
  | { readonly kind: 'serve'; readonly host?: string; readonly port: number };

const NOTIFY: HubUse = { kind: 'notify' };
/** Rounds of automatic tags that one command makes: a quarter of a minute or so; the next one goes on. */
const MAX_ROUNDS = 10;

/** The product's parts in one process, each made when it is first asked for. Disposed by whoever opened it. */
export class CommandRuntime {
  readonly cwd: string;
  readonly dataFolder: string;
  readonly configuration: Configuration;
  readonly #host: RuntimeHost;
  #store: Promise<Store> | null = null;
  #cache: Promise<Cache | null> | null = null;
  #snapshots: Promise<SnapshotService> | null = null;
  #log: Promise<LogService> | null = null;
  #session: Promise<ProjectSession> | null = null;
  #author: Author | null = null;

  constructor(host: RuntimeHost, cwd: string, folder: string, configuration: Configuration) {
    this.#host = host;
    this.cwd = cwd;
    this.dataFolder = folder;
    this.configuration = configuration;
  }

  get settings() {
    return this.configuration.settings;
  }

  get secrets() {
    return this.configuration.secrets;
  }

  get logger(): Logger {
    return this.#host.logger;
  }

  get author(): Author {
    this.#author ??= authorOf('cli', agentTag(this.dataFolder), randomUUID());
    return this.#author;
  }

  /** Which project the folder belongs to. */
  async identity(): Promise<ProjectIdentity> {
    return (await this.snapshots()).identify(this.cwd);
  }

  /**
   * Makes the folder's project the one with this anchor, when it has no log of its own yet and no remote could tell that
   * the two are different projects: a repository without remote gets a new identity on every machine.
   * Returns whether the folder's project is that one now.
   */
  async adopt(anchorId: string): Promise<boolean> {
    const here = (await this.identity()).anchor;
    if (here.id === anchorId) return true;
    const store = await this.#openStore();
    const other = store.anchors.byId(anchorId);
    if (other === undefined || !isPlace(here.repository) || !isPlace(other.repository)) return false;
    if (store.deltas.head(here.id) !== undefined) return false;
    store.anchors.replace(here.id, other);
    return true;
  }

  snapshots(): Promise<SnapshotService> {
    this.#snapshots ??= this.#openSnapshots();
    return this.#snapshots;
  }

  /** The first use decides about the hub. @throws ProjectAnchorError `hub_foreign` before anything is opened. */
  log(use: HubUse = NOTIFY): Promise<LogService> {
    this.#log ??= this.#openLog(use);
    return this.#log;
  }

  /** Thins old snapshots out unless that was done within a day: for commands that nobody waits for. */
  async thinDaily(): Promise<void> {
    const { clock, logger } = this.#host;
    await thinDaily({ store: await this.#openStore(), clock, logger });
  }

  /**
   * Brings the tags that follow from code and history up to date: for commands that nobody waits for. What is left when it
   * is stopped, or after so many rounds, the next one takes up. A failure is logged: it waits for the next time.
   */
  async noteAutoTags(stopping: AbortSignal): Promise<void> {
    try {
      const session = await this.session();
      for (let round = 0; round < MAX_ROUNDS && !stopping.aborted; round++) if (await session.autoTagRound()) return;
    } catch (error) {
      this.logger.warn(`Automatic tags were not brought up to date: ${messageOf(error)}`);
    }
  }

  session(use: HubUse = NOTIFY): Promise<ProjectSession> {
    this.#session ??= this.#openSession(use);
    return this.#session;
  }

  /** Lets everything go, after all that waits is written. Every part is let go, also when another one fails. */
  async dispose(): Promise<void> {
    const errors: unknown[] = [];
    const end = async <T>(opening: Promise<T> | null, close: (part: T) => unknown) => {
      // What failed to open was told when it was asked for.
      const part = await opening?.catch(() => undefined);
      if (part === undefined) return;
      try {
        await close(part);
      } catch (error) {
        errors.push(error);
      }
    };
    await end(this.#session, (session) => session.flushReceipts());
    await end(this.#session, (session) => session.dispose());
    await end(this.#log, (log) => log.dispose());
    await end(this.#snapshots, (snapshots) => snapshots.dispose());
    await end(this.#cache, (cache) => cache?.close());
    await end(this.#store, (store) => store.close());
    if (errors.length > 0) throw errors[0];
  }

  #openStore(): Promise<Store> {
    this.#store ??= openStore({ folder: this.dataFolder, logger: this.#host.logger });
    return this.#store;
  }

  async #openSnapshots(): Promise<SnapshotService> {
    const { clock, logger, env } = this.#host;
    const store = await this.#openStore();
    this.#cache ??= openCache({ folder: this.dataFolder, clock, logger });
    const cache = await this.#cache;
    const snapshots = createSnapshotService({
      store,
      machine: machineId(this.dataFolder),
      clock,
      logger,
      env,
      ...(cache === null ? {} : { cache }),
    });
    const { settings } = this;
    await snapshots.configure({
      mainBranch: settings['snapshot.mainBranch'],
      exclude: settings['snapshot.exclude'],
      signatures: settings['context.signatures'],
      dictionary: settings['tags.dictionary'],
    });
    return snapshots;
  }

  async #openLog(use: HubUse): Promise<LogService> {
    const { clock, logger } = this.#host;
    const hubUrl = this.settings['hub.url'];
    const refusal = hubUrl === '' ? null : hubUrlRefusal(hubUrl);
    if (refusal !== null) throw new ProjectAnchorError('hub_foreign', refusal);
    const serve =
      use.kind === 'serve' ? { hubPort: use.port, ...(use.host === undefined ? {} : { hubHost: use.host }) } : {};
    return createLogService({
      folder: this.dataFolder,
      store: await this.#openStore(),
      who: this.author,
      hub: ({ notify: 'poke', follow: 'client', serve: 'compete' } as const)[use.kind],
      // Who runs the hub does not look for another one.
      ...(use.kind === 'serve' ? {} : { hubUrl }),
      ...serve,
      onUnusable: 'throw',
      clock,
      logger,
    });
  }

  async #openSession(use: HubUse): Promise<ProjectSession> {
    const { clock, logger } = this.#host;
    const { settings } = this;
    // First, so that a hub that is refused is told before a project is attached.
    const log = await this.log(use);
    return openProjectSession(this.cwd, {
      snapshots: await this.snapshots(),
      log,
      clock,
      logger,
      author: this.author,
      settings: () => ({
        completionTokens: settings['context.completionTokens'],
        explainTokens: settings['context.explainTokens'],
        halfLifeDays: settings['tags.halfLifeDays'],
        complexityThreshold: settings['tags.complexityThreshold'],
        dictionary: settings['tags.dictionary'],
        exclude: settings['snapshot.exclude'],
      }),
    });
  }
}

/**
 * The composition root of a command: settings are read, nothing is opened yet.
 * @param folder `--cwd`
 * @throws ProjectAnchorError `no_folder`, `config`, or what is wrong with the data folder's place.
 */
export function openCommandRuntime(host: RuntimeHost, folder: string | undefined): CommandRuntime {
  const cwd = resolve(host.cwd, folder ?? '.');
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new ProjectAnchorError('no_folder', `There is no folder ${cwd}.`, 'Give --cwd a folder that exists.');
  }
  const data = dataFolder(host.env, host.platform, host.homedir);
  const path = join(data, 'config.json');
  const configuration = loadConfiguration({ env: host.env, text: textIfThere(path), path });
  return new CommandRuntime(host, cwd, data, configuration);
}

/** Whether a repository is named after a place on one machine (protocol §2), not after a remote. */
function isPlace(repository: string): boolean {
  return repository.startsWith('local:') || repository.startsWith('folder:');
}

/** A project opened in this process, for programs that build on the core. */
export interface OpenProject {
  readonly session: ProjectSession;
  /** Writes what waits and lets everything go. */
  dispose(): Promise<void>;
}

/**
 * Opens the project of a folder with a data folder of the caller's choice, without any hub.
 * @throws ProjectAnchorError as `openProjectSession`, and the storage codes.
 */
export async function openProject(folder: string, data: string): Promise<OpenProject> {
  const env = { ...process.env, PROJECT_ANCHOR_HOME: data };
  const clock = systemClock();
  const host = {
    env,
    platform: process.platform,
    homedir: homedir(),
    cwd: process.cwd(),
    clock,
    logger: silentLogger(),
  };
  const runtime = openCommandRuntime(host, folder);
  try {
    return { session: await runtime.session(), dispose: () => runtime.dispose() };
  } catch (error) {
    await runtime.dispose();
    throw error;
  }
}

function textIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = codeOf(error);
    // What is wrong with the folder itself is told by whoever opens it.
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw new ProjectAnchorError(
      'config',
      `${path} cannot be read (${code ?? 'unknown reason'}).`,
      'Give yourself read permission, or remove it.',
    );
  }
}
