import type { Clock, Logger } from '../base/index.ts';
import type { Anchor } from '../snapshot/index.ts';
import type { Attach } from './frames.ts';
import type { DeltaFeed } from './hub-feed.ts';
import type { Listeners } from './hub-listeners.ts';
import type { PresenceBoard } from './hub-presence.ts';
import type { Sessions } from './hub-sessions.ts';
import type { DeltaLog } from './log-port.ts';

/** Which anchors a hub has, and which one an attaching client gets. */
export interface AnchorDirectory {
  /** The first attach for a repository, or for an alias of it, wins for good (protocol §2). */
  attach(wish: Pick<Attach, 'repository' | 'mainBranch' | 'attachedAt' | 'aliases'>): Anchor;
  /** The anchor with this id or alias. */
  byId(id: string): Anchor | undefined;
}

/** What every connection of one hub shares. */
export interface HubServices {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly log: DeltaLog;
  readonly anchors: AnchorDirectory;
  readonly knowsToken: (token: string) => boolean;
  readonly feed: DeltaFeed;
  readonly listeners: Listeners;
  readonly sessions: Sessions;
  readonly presence: PresenceBoard;
}
