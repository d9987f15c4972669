import { messageOf, ProjectAnchorError } from '../base/index.ts';
import { endpoint } from './endpoint.ts';

/** The part of `fetch` that this room uses. */
export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * The one door through which this room reaches the network. Only servers that the person configured are contacted,
 * over HTTPS unless they are this machine, and an answer that points elsewhere is never followed.
 */
export class NetworkGate {
  readonly #configured: () => readonly string[];
  readonly #fetch: Fetch;

  /**
   * @param configured addresses from the settings as they are now; empty ones and those that break the address rules allow nothing.
   * @param fetch the transport, the runtime's own by default (an editor may have put its proxy there).
   */
  constructor(configured: () => readonly string[], fetch: Fetch = (url, init) => globalThis.fetch(url, init)) {
    this.#configured = configured;
    this.#fetch = fetch;
  }

  /**
   * Like `fetch`, for configured servers only.
   * @throws ProjectAnchorError `network_refused` before anything is sent, `network_redirect` when the answer is a redirect.
   */
  readonly fetch: Fetch = async (url, init = {}) => {
    const target = new URL(url);
    if (!this.#origins().has(target.origin)) {
      throw new ProjectAnchorError(
        'network_refused',
        `A request to ${target.origin} was stopped, because no setting names that server.`,
        'Set its address in the ProjectAnchor settings if it should be contacted.',
      );
    }
    const response = await this.#fetch(target, { ...init, redirect: 'manual' });
    if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)) {
      await discard(response);
      throw new ProjectAnchorError(
        'network_redirect',
        `${target.origin} answered with a redirect, which is not followed.`,
        'Set the final address in the settings.',
      );
    }
    return response;
  };

  #origins(): ReadonlySet<string> {
    const origins = this.#configured().flatMap((address) => {
      if (address.trim() === '') return [];
      try {
        return [endpoint(address, 'address').origin];
      } catch (error) {
        if (error instanceof ProjectAnchorError) return [];
        throw error;
      }
    });
    return new Set(origins);
  }
}

/** Gives an answer's connection back without reading the rest of it. */
export async function discard(response: Response): Promise<void> {
  // A body that already broke has nothing left to give back.
  await response.body?.cancel().catch(() => undefined);
}

/** Thrown by `readCapped` for an answer over its limit. */
export class TooLargeError extends Error {
  constructor(limit: number) {
    super(`the answer has more than ${limit} bytes`);
    this.name = 'TooLargeError';
  }
}

/**
 * Reads a whole answer as UTF-8, never holding more than `limit` bytes and stopping as soon as one more arrives.
 * @throws TooLargeError; TypeError when the bytes are not UTF-8 or the connection breaks.
 */
export async function readCapped(response: Response, limit: number): Promise<string> {
  if (Number(response.headers.get('content-length') ?? 0) > limit) {
    await discard(response);
    throw new TooLargeError(limit);
  }
  if (response.body === null) return '';
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    // Leaving the loop cancels the rest of the body.
    if (bytes > limit) throw new TooLargeError(limit);
    chunks.push(chunk);
  }
  return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
}

/** What went wrong below HTTP, in one short line: the innermost cause, which `fetch` and libraries hide behind "fetch failed". */
export function networkReason(error: unknown): string {
  const inner = error instanceof AggregateError ? error.errors[0] : error instanceof Error ? error.cause : undefined;
  return inner instanceof Error ? networkReason(inner) : messageOf(error);
}
