import { type Clock, type Disposable, disposable } from '../base/index.ts';
import type { FrameSocket } from './frame-socket.ts';
import { DEAD_AFTER_PINGS, PING_EVERY_MS } from './hub-limits.ts';
import { every } from './timers.ts';

export interface Heartbeat extends Disposable {
  /** Call for everything that arrives, pongs included: whoever speaks is alive. */
  heard(): void;
}

/**
 * Pings a peer every 15 s and calls `dead` once when two pings in a row had no sign of life.
 * A wall clock that moved much further than the timer means that the machine slept: that is a dead connection too.
 */
export function startHeartbeat(clock: Clock, socket: FrameSocket, dead: (why: string) => void): Heartbeat {
  let unanswered = 0;
  let wall = clock.now();
  const timer = every(clock, PING_EVERY_MS, () => {
    const slept = clock.now() - wall > DEAD_AFTER_PINGS * PING_EVERY_MS;
    wall = clock.now();
    if (slept || unanswered >= DEAD_AFTER_PINGS) {
      timer.dispose();
      dead(slept ? 'the machine was asleep' : `no answer to ${DEAD_AFTER_PINGS} pings`);
      return;
    }
    unanswered++;
    socket.ping();
  });
  return {
    heard: () => {
      unanswered = 0;
    },
    ...disposable(() => timer.dispose()),
  };
}
