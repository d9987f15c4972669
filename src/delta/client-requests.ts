import { type Clock, ProjectAnchorError } from '../base/index.ts';
import { backoff } from './backoff.ts';
import { type Answer, type Ask, type ClientConnection, ConnectionLost } from './client-connection.ts';
import { Pacer } from './client-pacer.ts';
import { isFinal, type Nack } from './frames.ts';
import { MAX_FETCH } from './hub-limits.ts';
import { sleep } from './timers.ts';
import type { Ack, Delta, DeltaDraft } from './types.ts';

/** Closed this often after the same frame, a client does not send it again (protocol §7). */
const STRIKES = 2;

/** What is asked of a hub until it is answered, over as many connections as that takes. */
export class ClientRequests {
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #stop = new AbortController();
  readonly #pacer: Pacer;
  readonly #publishing = new Map<string, Promise<Ack>>();
  /** How often a connection ended while a request was unanswered, by request. */
  readonly #strikes = new Map<string, number>();
  readonly #attached = new Map<string, ClientConnection>();
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(clock: Clock, random: () => number) {
    this.#clock = clock;
    this.#random = random;
    this.#pacer = new Pacer(clock);
  }

  /** Publishes that are not acknowledged yet. */
  get waiting(): number {
    return this.#publishing.size;
  }

  /** A connection has attached to an anchor: what waits for that is sent. */
  attached(anchor: string, connection: ClientConnection): void {
    this.#attached.set(anchor, connection);
    for (const go of this.#waiting.get(anchor) ?? []) go();
    this.#waiting.delete(anchor);
  }

  /** The connection ended: what is asked now waits for the next one. */
  lost(): void {
    this.#attached.clear();
  }

  /**
   * Sends a delta until it is acknowledged; the same id twice is one publish.
   * @throws ProjectAnchorError with the final code of a `nack`, `set_aside`, or `hub_closed` when the client ends first.
   */
  publish(draft: DeltaDraft): Promise<Ack> {
    const known = this.#publishing.get(draft.id);
    if (known !== undefined) return known;
    const published = this.#publish(draft).finally(() => this.#publishing.delete(draft.id));
    this.#publishing.set(draft.id, published);
    return published;
  }

  /** Deltas above `after` as the hub has them, at most `limit` and at most 500. */
  async fetch(anchor: string, after: number, limit: number): Promise<readonly Delta[]> {
    const request: Ask = { t: 'fetch', anchor, after, limit: Math.min(limit, MAX_FETCH) };
    const answer = await this.#untilDone(`fetch ${anchor} ${after}`, anchor, request, 'deltas');
    return answer.items;
  }

  /** Ends every wait with an error. */
  dispose(): void {
    this.#stop.abort();
    for (const waiting of this.#waiting.values()) for (const go of waiting) go();
    this.#waiting.clear();
  }

  async #publish(draft: DeltaDraft): Promise<Ack> {
    const request: Ask = { t: 'publish', delta: draft as DeltaDraft & Record<string, unknown> };
    const { id, seq, hash } = await this.#untilDone(`publish ${draft.id}`, draft.anchor, request, 'ack');
    return { id, seq, hash };
  }

  /** Asks again after lost connections and refusals that are not final. */
  async #untilDone<T extends Answer['t']>(
    key: string,
    anchor: string,
    request: Ask,
    wanted: T,
  ): Promise<Extract<Answer, { t: T }>> {
    for (let refusals = 0; ; refusals++) {
      const answer = await this.#once(key, anchor, request);
      if (answer === undefined) continue;
      if (answer.t === wanted) return answer as Extract<Answer, { t: T }>;
      if (answer.t !== 'nack')
        throw new ProjectAnchorError(answer.t, `The hub answered ${request.t} with ${answer.t}.`);
      if (isFinal(answer.code)) throw new ProjectAnchorError(answer.code, answer.message);
      await sleep(this.#clock, this.#patience(answer, refusals), this.#stop.signal);
    }
  }

  /** One try; undefined when the connection ended before the answer. */
  async #once(key: string, anchor: string, request: Ask): Promise<Answer | undefined> {
    const connection = await this.#connection(anchor);
    await this.#pacer.enter();
    try {
      const answer = await connection.ask(request);
      this.#acquit(key);
      return answer;
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
      if (error.suspicious) this.#strike(key);
      return undefined;
    } finally {
      this.#pacer.leave();
    }
  }

  /** The connection that has attached to an anchor, when there is one. */
  async #connection(anchor: string): Promise<ClientConnection> {
    for (;;) {
      if (this.#stop.signal.aborted) {
        throw new ProjectAnchorError('hub_closed', 'The connection to the hub was ended before it answered.');
      }
      const connection = this.#attached.get(anchor);
      if (connection !== undefined) return connection;
      await new Promise<void>((resolve) => {
        const waiting = this.#waiting.get(anchor) ?? new Set();
        this.#waiting.set(anchor, waiting);
        waiting.add(resolve);
      });
    }
  }

  /**
   * A connection ended while this request was unanswered. From now on requests go one at a time, so that the second
   * time it is certain which one it was.
   */
  #strike(key: string): void {
    const strikes = (this.#strikes.get(key) ?? 0) + 1;
    this.#strikes.set(key, strikes);
    this.#pacer.careful(true);
    if (strikes < STRIKES) return;
    this.#acquit(key);
    throw new ProjectAnchorError(
      'set_aside',
      `The hub ended the connection ${STRIKES} times after the same request (${key}); it is not sent again.`,
      'Restart the hub with the newest ProjectAnchor, then try again.',
    );
  }

  #acquit(key: string): void {
    this.#strikes.delete(key);
    this.#pacer.careful(this.#strikes.size > 0);
  }

  #patience(refusal: Nack, refusals: number): number {
    return Math.max(refusal.retryAfter ?? 0, backoff(refusals, this.#random));
  }
}
