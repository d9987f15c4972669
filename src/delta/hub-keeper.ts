import { type Clock, codeOf, Emitter, type Event, type Logger, messageOf } from '../base/index.ts';
import type { Hub } from './hub.ts';
import { newToken } from './hub-access.ts';
import { removeHubFile, writeHubFile } from './hub-file.ts';
import type { HubLease } from './hub-lease.ts';
import { LEASE_RENEW_MS } from './hub-limits.ts';
import { sleep } from './timers.ts';

export interface HubKeeperOptions {
  /** The data folder, for the file that tells others where the hub is. */
  readonly folder: string;
  readonly lease: HubLease;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Starts a hub that takes this token. */
  readonly start: (token: string) => Promise<Hub>;
}

/**
 * What this process is to the hub of its machine: a candidate, with the url of the hub that another process runs as
 * far as it is known, or the holder.
 */
export type HubRole =
  | { readonly kind: 'candidate'; readonly url?: string; readonly problem?: string }
  | { readonly kind: 'holder'; readonly hub: Hub };

/** How long a process that could not start its hub leaves the turn to others, in ms. */
const PAUSE_AFTER_FAILURE_MS = 5_000;

/** Competes for the right to run this machine's hub and runs it while it has that right. */
export class HubKeeper {
  readonly #options: HubKeeperOptions;
  readonly #stop = new AbortController();
  readonly #roles: Emitter<HubRole>;
  #role: HubRole = { kind: 'candidate' };
  #running: Promise<void> = Promise.resolve();

  constructor(options: HubKeeperOptions) {
    this.#options = options;
    this.#roles = new Emitter((error) => options.logger.error(`a listener failed: ${messageOf(error)}`));
  }

  get role(): HubRole {
    return this.#role;
  }

  get onRole(): Event<HubRole> {
    return this.#roles.event;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Stops the hub, if it runs here, in good order: others may take over at once. */
  async dispose(): Promise<void> {
    this.#stop.abort();
    await this.#running;
    this.#roles.dispose();
  }

  async #run(): Promise<void> {
    const { clock } = this.#options;
    while (!this.#stop.signal.aborted) {
      const started = this.#take() ? await this.#hold() : true;
      await sleep(clock, started ? LEASE_RENEW_MS : PAUSE_AFTER_FAILURE_MS, this.#stop.signal);
    }
  }

  #take(): boolean {
    const { lease, logger } = this.#options;
    try {
      if (lease.tryTake()) return true;
      const url = lease.holder()?.url ?? '';
      if (url !== '' && (this.#role.kind === 'holder' || this.#role.url !== url))
        this.#become({ kind: 'candidate', url });
    } catch (error) {
      logger.debug(`the hub's lease could not be read: ${messageOf(error)}`);
    }
    return false;
  }

  /** Runs the hub until the lease is lost or this process ends; false when it could not even start. */
  async #hold(): Promise<boolean> {
    const { folder, lease, logger, start } = this.#options;
    const token = newToken();
    let hub: Hub | undefined;
    try {
      hub = await start(token);
      if (lease.announce(hub.url)) {
        await writeHubFile(folder, { url: hub.url, token });
        logger.info(`this process runs the hub of this machine at ${hub.url}`);
        this.#become({ kind: 'holder', hub });
        await this.#renew();
      }
      return true;
    } catch (error) {
      logger.error(`the hub could not be run: ${messageOf(error)}`);
      this.#become({ kind: 'candidate', problem: messageOf(error) });
      return false;
    } finally {
      // Others first: whoever is told `bye` finds the next hub sooner.
      lease.release();
      await removeHubFile(folder, token).catch((error: unknown) => {
        logger.debug(`the hub's file stays behind (${codeOf(error) ?? ''}): ${messageOf(error)}`);
      });
      await hub?.drain();
      if (this.#role.kind === 'holder') this.#become({ kind: 'candidate' });
    }
  }

  async #renew(): Promise<void> {
    const { lease, clock, logger } = this.#options;
    while (!this.#stop.signal.aborted) {
      await sleep(clock, LEASE_RENEW_MS, this.#stop.signal);
      if (this.#stop.signal.aborted || lease.renew()) continue;
      logger.warn('another process has taken over the hub of this machine');
      return;
    }
  }

  #become(role: HubRole): void {
    this.#role = role;
    this.#roles.fire(role);
  }
}
