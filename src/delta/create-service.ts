import { type Clock, type Logger, ProjectAnchorError } from '../base/index.ts';
import type { Gate } from '../snapshot/index.ts';
import { openStore, type Store } from '../store/index.ts';
import { HubClient } from './client.ts';
import { gateDeltas, machineGate } from './delta-gate.ts';
import { checkHubHost, Hub } from './hub.ts';
import { hubUrlRefusal, localHubDoor, onlyHub } from './hub-door.ts';
import { HubKeeper } from './hub-keeper.ts';
import { HubLease } from './hub-lease.ts';
import { HubLink } from './hub-link.ts';
import { Poker } from './hub-poker.ts';
import type { SessionName } from './hub-presence.ts';
import type { LogBackend } from './log-backend.ts';
import { LocalLogService } from './log-service.ts';
import { memoryBackend } from './memory-backend.ts';
import { thisProcess } from './process-identity.ts';
import type { LogService } from './service.ts';
import { storeBackend } from './store-backend.ts';

const LOOPBACK = '127.0.0.1';

export interface LogServiceOptions {
  /** The data folder of this machine. */
  readonly folder: string;
  /** A store that is open already; its owner closes it after the service. Otherwise the one of the folder is opened. */
  readonly store?: Store;
  /** Who this process is at the hub. */
  readonly who: SessionName;
  /**
   * `compete`: runs the hub of this machine when nobody else does, else is its client (editor windows, `hub`).
   * `client`: connects to it while there is one (`watch`). `poke`: only tells it of appends (other commands). `none`.
   */
  readonly hub: 'compete' | 'client' | 'poke' | 'none';
  /** `projectAnchor.hub.url`; empty or absent for the hub of the data folder, the only one there can be so far. */
  readonly hubUrl?: string;
  /** Where the hub listens when it runs here; loopback only. */
  readonly hubHost?: string;
  /** `projectAnchor.hub.port`; 0 for any free one. */
  readonly hubPort?: number;
  /** Values of `Origin` that may connect besides programs, which send none. */
  readonly origins?: readonly string[];
  /** Decides what may be stored; by default the machine's own gate. */
  readonly gate?: Gate;
  /** What happens when there is no usable database: an editor goes on in memory and says so, a command fails. */
  readonly onUnusable: 'memory' | 'throw';
  readonly clock: Clock;
  readonly logger: Logger;
  /** Uniform in [0, 1); for the jitter of reconnection. */
  readonly random?: () => number;
}

/**
 * Opens the log of this machine for one process. The caller disposes the service, which first writes what waits.
 * @throws ProjectAnchorError `hub_host` for an address off this machine and, with `onUnusable: 'throw'`, the storage
 *   codes of `openStore`.
 */
export async function createLogService(options: LogServiceOptions): Promise<LogService> {
  const { clock, logger, gate = machineGate() } = options;
  checkHubHost(options.hubHost ?? LOOPBACK);
  const opened = await openBackend(options, gate);
  const { backend, memoryReason } = opened;
  if (memoryReason !== undefined) {
    const link = new HubLink({ who: options.who, logger, clock });
    return new LocalLogService({ backend, link, clock, logger, gate, holdsReceipts: false, memoryReason });
  }
  const holdsReceipts = options.hub === 'compete';
  return new LocalLogService({ backend, link: linkOf(options, opened), clock, logger, gate, holdsReceipts });
}

interface Opened {
  readonly backend: LogBackend;
  readonly store?: Store;
  readonly memoryReason?: string;
}

async function openBackend(options: LogServiceOptions, gate: Gate): Promise<Opened> {
  const { folder, clock, logger } = options;
  const deny = gateDeltas(gate);
  try {
    const store = options.store ?? (await openStore({ folder, logger }));
    const closed = () => {
      if (options.store === undefined) store.close();
    };
    return { backend: storeBackend({ store, clock, logger, gate: deny, closed }), store };
  } catch (error) {
    if (options.onUnusable === 'throw' || !(error instanceof ProjectAnchorError)) throw error;
    const memoryReason = `${error.message} Until then marks last only as long as this window.`;
    logger.error(memoryReason);
    return { backend: memoryBackend(logger, deny), memoryReason };
  }
}

/** How this process hangs together with the hub of its machine. */
function linkOf(options: LogServiceOptions, { backend, store }: Opened): HubLink {
  const { folder, who, clock, logger, hub, hubUrl = '', random = Math.random } = options;
  const door = localHubDoor(folder, clock, logger);
  if (hub === 'none' || store === undefined) return new HubLink({ who, logger, clock });
  const refusal = hubUrl === '' ? null : hubUrlRefusal(hubUrl);
  if (refusal !== null) return new HubLink({ who, logger, clock, refusal });
  const poker = new Poker(door, logger);
  if (hub === 'poke') return new HubLink({ who, logger, clock, poker });
  const client = () =>
    new HubClient({ door: hubUrl === '' ? door : onlyHub(door, hubUrl), who, clock, logger, random });
  const lease = new HubLease({ lease: store.lease, clock, logger, self: thisProcess() });
  // Who was sent to a certain hub waits for that one instead of running its own.
  if (hub === 'client' || hubUrl !== '') {
    return new HubLink({ who, logger, clock, poker, client, hubUrl: () => lease.holder()?.url });
  }
  return new HubLink({ who, logger, clock, poker, client, keeper: keeperOf(options, backend, lease) });
}

function keeperOf(options: LogServiceOptions, backend: LogBackend, lease: HubLease): HubKeeper {
  const { folder, clock, logger, hubHost: host = LOOPBACK, hubPort: port = 0, origins = [] } = options;
  const { log, anchors, look } = backend;
  return new HubKeeper({
    folder,
    lease,
    clock,
    logger,
    start: (token) => Hub.start({ host, port, token, origins, log, look, anchors, clock, logger }),
  });
}
