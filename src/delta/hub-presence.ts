import { type Clock, type Disposable, disposable, timestamp } from '../base/index.ts';
import type { PresentAgent } from './frames.ts';

/** Who an agent is, once for all its sockets. */
export interface SessionName {
  readonly agent: string;
  readonly session: string;
}

/** Changes within this time make one `presence` frame (our choice): ten windows that start together are one change. */
const SETTLE_MS = 50;
/** The list is cut here, so that it always fits into a frame. */
const MAX_LISTED = 500;

interface Here extends SessionName {
  readonly since: string;
  sockets: number;
}

/** Which sessions are at which anchor. */
export class PresenceBoard implements Disposable {
  readonly #clock: Clock;
  readonly #changed: (anchor: string) => void;
  readonly #anchors = new Map<string, Map<string, Here>>();
  readonly #pending = new Map<string, Disposable>();

  /** `changed` is called a moment after somebody came or went. */
  constructor(clock: Clock, changed: (anchor: string) => void) {
    this.#clock = clock;
    this.#changed = changed;
  }

  /** Somebody is at an anchor until the result is disposed. Two sockets of one session are one agent. */
  enter(anchor: string, who: SessionName): Disposable {
    const key = sessionKey(who);
    const here = this.#anchors.get(anchor) ?? new Map<string, Here>();
    this.#anchors.set(anchor, here);
    const entry = here.get(key) ?? { ...who, since: timestamp(this.#clock.now()), sockets: 0 };
    here.set(key, entry);
    entry.sockets++;
    if (entry.sockets === 1) this.#announce(anchor);
    return disposable(() => {
      entry.sockets--;
      if (entry.sockets > 0) return;
      here.delete(key);
      if (here.size === 0) this.#anchors.delete(anchor);
      this.#announce(anchor);
    });
  }

  /** Oldest first. */
  list(anchor: string): PresentAgent[] {
    const here = [...(this.#anchors.get(anchor)?.values() ?? [])];
    return here.slice(0, MAX_LISTED).map(({ agent, session, since }) => ({ agent, session, since }));
  }

  dispose(): void {
    for (const timer of this.#pending.values()) timer.dispose();
    this.#pending.clear();
  }

  #announce(anchor: string): void {
    if (this.#pending.has(anchor)) return;
    const timer = this.#clock.timeout(SETTLE_MS, () => {
      this.#pending.delete(anchor);
      this.#changed(anchor);
    });
    this.#pending.set(anchor, timer);
  }
}

/** One text per session; names may contain anything but cannot run into each other. */
export function sessionKey(who: SessionName): string {
  return JSON.stringify([who.agent, who.session]);
}
