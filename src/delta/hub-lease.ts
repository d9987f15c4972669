import { randomUUID } from 'node:crypto';
import { type Clock, type Logger, messageOf } from '../base/index.ts';
import type { Lease, LeaseRow } from '../store/index.ts';
import { LEASE_MS } from './hub-limits.ts';
import { mayBeAlive } from './process-identity.ts';
import type { ProcessIdentity } from './receipts.ts';

/** One per protocol version, like the hub itself. */
const LEASE_NAME = 'hub-v1';

export interface HubLeaseOptions {
  readonly lease: Pick<Lease, 'read' | 'tryAcquire' | 'renew' | 'release'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly self: ProcessIdentity;
  /** Whether the holder's process may still run. */
  readonly mayBeAlive?: (holder: ProcessIdentity) => boolean;
}

/**
 * The right to run this machine's hub, as one process sees it. Nobody is ever asked to give it up: it is free when its
 * holder let it expire, has ended, or has not renewed it for as long as it lasts. The last is measured on this
 * process's own clock, so that a wall clock that was set back does not keep a dead holder in place.
 */
export class HubLease {
  readonly #options: HubLeaseOptions;
  readonly #owner = randomUUID();
  #seen: { readonly owner: string; readonly expires: number; readonly since: number } | undefined;
  #renewedAt = 0;

  constructor(options: HubLeaseOptions) {
    this.#options = options;
  }

  /** Who holds it, dead or alive. */
  holder(): LeaseRow | undefined {
    return this.#options.lease.read(LEASE_NAME);
  }

  /** Takes it if it is free. @throws ProjectAnchorError with the storage codes. */
  tryTake(): boolean {
    const holder = this.holder();
    if (holder !== undefined && !this.#isFree(holder)) return false;
    return this.#write('');
  }

  /** Says where the hub is, once it listens; false when somebody else has the lease by now. */
  announce(url: string): boolean {
    return this.#write(url);
  }

  /** Keeps it for another 1.5 s; false when it is lost. While the database cannot be asked it is held as long as it lasts. */
  renew(): boolean {
    const { lease, clock, logger } = this.#options;
    try {
      const renewed = lease.renew(LEASE_NAME, this.#owner, clock.now() + LEASE_MS);
      if (renewed) this.#renewedAt = clock.monotonic();
      return renewed;
    } catch (error) {
      logger.warn(`the hub's lease could not be renewed: ${messageOf(error)}`);
      return clock.monotonic() - this.#renewedAt < LEASE_MS;
    }
  }

  /** Gives it back, if it is still held. */
  release(): void {
    try {
      this.#options.lease.release(LEASE_NAME, this.#owner);
    } catch (error) {
      // It expires by itself.
      this.#options.logger.debug(`the hub's lease was not given back: ${messageOf(error)}`);
    }
  }

  #write(url: string): boolean {
    const { lease, clock, self } = this.#options;
    const wish: LeaseRow = { owner: this.#owner, ...self, url, expires: clock.now() + LEASE_MS };
    const holder = lease.tryAcquire(LEASE_NAME, wish, clock.now(), (other) => this.#isFree(other));
    if (holder.owner !== this.#owner) return false;
    this.#renewedAt = clock.monotonic();
    return true;
  }

  #isFree(holder: LeaseRow): boolean {
    const { clock, mayBeAlive: alive = mayBeAlive } = this.#options;
    if (holder.owner === this.#owner || holder.expires <= clock.now() || !alive(holder)) return true;
    const now = clock.monotonic();
    if (this.#seen?.owner !== holder.owner || this.#seen.expires !== holder.expires) {
      this.#seen = { owner: holder.owner, expires: holder.expires, since: now };
    }
    return now - this.#seen.since > LEASE_MS;
  }
}
