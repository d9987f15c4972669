/** Numbers of the hub's protocol. Unless said otherwise each stands in protocol §7; times are in milliseconds. */

/** Sub-protocol name, and the only entry of `hello.protocols` this version understands. */
export const PROTOCOL = 'projectanchor.v1';
export const HUB_PATH = '/v1';
export const ID_PATH = '/v1/id';
export const POKE_PATH = '/v1/poke';

/** One frame, in UTF-8 bytes, either way. */
export const MAX_FRAME_BYTES = 256 * 1024;
/** Deltas in one `deltas` frame. */
export const MAX_ITEMS = 64;
/** Room in a `deltas` frame for everything but its items (our choice, generous). */
export const FRAME_OVERHEAD_BYTES = 16 * 1024;
/** Deltas that one `fetch` may ask for. */
export const MAX_FETCH = 500;

export const HELLO_WITHIN_MS = 2_000;
export const PING_EVERY_MS = 15_000;
/** A peer that left this many pings unanswered is dead. */
export const DEAD_AFTER_PINGS = 2;

export const REQUESTS_PER_SECOND = 100;
export const REQUEST_BURST = 1_000;
/** `too_fast` answers in a row after which the session is closed with 4429. */
export const TOO_FAST_IN_A_ROW = 10;
export const MAX_SOCKETS_PER_SESSION = 4;

/** Unsent bytes after which a reader is disconnected; it resumes by `fetch`. */
export const MAX_BACKLOG_BYTES = 8 * 1024 * 1024;
/**
 * Bytes on their way to a subscriber that is still catching up with the log (our choice): a healthy reader far behind
 * is paced by its `got` instead of running into the backlog limit.
 */
export const CATCH_UP_WINDOW_BYTES = 1024 * 1024;

/** Resend of what is not got or not acked: max(50 ms, 2 × smoothed round trip), doubling to 2 s. */
export const RESEND_MIN_MS = 50;
export const RESEND_MAX_MS = 2_000;
/** `got` is cumulative and sent at most this often. */
export const GOT_EVERY_MS = 10;

export const RECONNECT_MIN_MS = 250;
export const RECONNECT_MAX_MS = 30_000;
/** What a draining hub tells its clients to wait (our choice): long enough for a successor to take the lease. */
export const BYE_RETRY_AFTER_MS = 500;

export const LEASE_MS = 1_500;
export const LEASE_RENEW_MS = 500;
/** How often the hub looks at `PRAGMA data_version` while it has subscribers. */
export const WATCH_MS = 25;
/** The same look in a process that follows its own log because no hub pushes to it. */
export const ALONE_WATCH_MS = 250;

/** Close codes. 1000 to 1015 are WebSocket's own (RFC 6455 §7.4). */
export const CLOSE = {
  normal: 1000,
  goingAway: 1001,
  /** Never sent: what a side sees when no close frame came. */
  abnormal: 1006,
  tooBig: 1009,
  internal: 1011,
  restart: 1012,
  protocol: 4400,
  token: 4401,
  origin: 4403,
  version: 4409,
  tooFast: 4429,
} as const;
