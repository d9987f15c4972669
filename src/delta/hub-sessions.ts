import { type Clock, type Disposable, disposable } from '../base/index.ts';
import { MAX_SOCKETS_PER_SESSION, REQUEST_BURST, REQUESTS_PER_SECOND, TOO_FAST_IN_A_ROW } from './hub-limits.ts';
import { type SessionName, sessionKey } from './hub-presence.ts';
import { RateLimit } from './rate-limit.ts';

/** Request numbers remembered per session, to tell a resend from a new request. */
const REMEMBERED = 2_048;

export type Admission =
  | { readonly kind: 'ok' }
  /** Refused; `last` when it was one too many in a row. */
  | { readonly kind: 'too_fast'; readonly retryAfter: number; readonly last: boolean };

/** What belongs to a session whatever socket it uses: its limits and how often it ran into them. */
export class Session {
  readonly #requests: RateLimit;
  /** Resends are not counted as requests, but not unlimited either. */
  readonly #resends: RateLimit;
  readonly #seen = new Set<string>();
  readonly #sockets = new Set<{ readonly end: () => void }>();
  #tooFast = 0;

  constructor(clock: Clock) {
    this.#requests = new RateLimit(clock, REQUESTS_PER_SECOND, REQUEST_BURST);
    this.#resends = new RateLimit(clock, REQUESTS_PER_SECOND, REQUEST_BURST);
  }

  /** Asks for leave to handle a request. `key` names it, so that sending it again is not a second one. */
  admit(key: string): Admission {
    const again = this.#seen.has(key);
    const retryAfter = (again ? this.#resends : this.#requests).take();
    if (retryAfter > 0) {
      this.#tooFast++;
      return { kind: 'too_fast', retryAfter, last: this.#tooFast >= TOO_FAST_IN_A_ROW };
    }
    this.#tooFast = 0;
    this.#remember(key);
    return { kind: 'ok' };
  }

  get size(): number {
    return this.#sockets.size;
  }

  /** A socket of this session opened. One too many ends the oldest: it is most likely dead and not noticed yet. */
  open(end: () => void): Disposable {
    const socket = { end };
    this.#sockets.add(socket);
    const [oldest] = this.#sockets;
    if (this.#sockets.size > MAX_SOCKETS_PER_SESSION && oldest !== undefined) oldest.end();
    return disposable(() => this.#sockets.delete(socket));
  }

  #remember(key: string): void {
    this.#seen.add(key);
    if (this.#seen.size <= REMEMBERED) return;
    const [oldest] = this.#seen;
    if (oldest !== undefined) this.#seen.delete(oldest);
  }
}

/** The sessions that have a socket open, by agent and session. */
export class Sessions {
  readonly #clock: Clock;
  readonly #open = new Map<string, Session>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Joins a socket to its session until `leave`. `end` is called when the session has too many sockets. */
  join(who: SessionName, end: () => void): { readonly session: Session; readonly leave: () => void } {
    const key = sessionKey(who);
    const session = this.#open.get(key) ?? new Session(this.#clock);
    this.#open.set(key, session);
    const socket = session.open(end);
    const leave = () => {
      socket.dispose();
      if (session.size === 0) this.#open.delete(key);
    };
    return { session, leave };
  }
}
