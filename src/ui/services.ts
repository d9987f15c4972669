import { randomUUID } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { authorOf, type SessionServices, type Settings } from '../agents/index.ts';
import { type Clock, type Logger, messageOf } from '../base/index.ts';
import { connectLogWorker } from '../delta/index.ts';
import { connectSnapshotWorker, type SnapshotService } from '../snapshot/index.ts';
import { agentTag, dataFolder } from '../store/index.ts';

/** What every project of this window shares. */
export type SharedServices = Omit<SessionServices, 'settings'>;

/**
 * The two workers of this window: one for snapshots, one for the log and the hub. Nothing of them exists before the
 * first project opens. Owns them.
 */
export class Services {
  readonly #bundles: string;
  readonly #settings: () => Settings;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #shared: SharedServices | null = null;
  /** The hub's settings that the log worker was started with. */
  #hub = '';

  /** @param bundles folder of the worker files */
  constructor(bundles: string, settings: () => Settings, clock: Clock, logger: Logger) {
    this.#bundles = bundles;
    this.#settings = settings;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** The services, started by the first call. */
  get(): SharedServices {
    this.#shared ??= this.#start();
    return this.#shared;
  }

  /** Passes changed settings on to what already runs. */
  settingsChanged(): void {
    if (this.#shared !== null) this.#configure(this.#shared.snapshots);
  }

  /** What a person has to do for changed settings to count; null for nothing. */
  get remedy(): string | null {
    const { 'hub.url': url, 'hub.port': port } = this.#settings();
    if (this.#shared === null || this.#hub === `${url} ${port}`) return null;
    return 'The settings of the hub have changed: run "Developer: Reload Window" to use them.';
  }

  /** Resolves when both workers have ended in their own time. */
  async close(): Promise<void> {
    const shared = this.#shared;
    this.#shared = null;
    if (shared !== null) await Promise.allSettled([shared.snapshots.dispose(), shared.log.dispose()]);
  }

  #start(): SharedServices {
    const folder = dataFolder(process.env, process.platform, homedir());
    const { 'hub.url': hubUrl, 'hub.port': hubPort } = this.#settings();
    this.#hub = `${hubUrl} ${hubPort}`;
    const author = authorOf('vscode', agentTag(folder), randomUUID());
    const snapshots = connectSnapshotWorker({
      file: join(this.#bundles, 'snapshot-worker.js'),
      folder,
      logger: this.#logger,
    });
    this.#configure(snapshots);
    const log = connectLogWorker({
      file: join(this.#bundles, 'log-worker.js'),
      folder,
      who: author,
      hub: 'compete',
      hubUrl,
      hubPort,
      logger: this.#logger,
    });
    return { snapshots, log, clock: this.#clock, logger: this.#logger, author };
  }

  #configure(snapshots: SnapshotService): void {
    const settings = this.#settings();
    snapshots
      .configure({
        mainBranch: settings['snapshot.mainBranch'],
        exclude: settings['snapshot.exclude'],
        signatures: settings['context.signatures'],
        dictionary: settings['tags.dictionary'],
      })
      .catch((error: unknown) => this.#logger.error(`Settings could not be passed on: ${messageOf(error)}`));
  }
}
