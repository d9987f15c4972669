import { type Clock, codeOf, hash, type Logger, ProjectAnchorError } from '../base/index.ts';
import { Backoff } from './backoff.ts';
import { endpoint, under } from './endpoint.ts';
import { type Fetch, networkReason, readCapped, TooLargeError } from './network.ts';
import { clampBytes, preparedText, queryText } from './prepared-context.ts';
import { failureOfStatus } from './recall-outcome.ts';
import type { Recall, RecalledText } from './types.ts';

/** `projectAnchor.powercontext.*` and the secret, asked for at every request. */
export interface PowerContextSettings {
  /** Empty: no memory server, nothing is contacted. */
  readonly url: string;
  readonly scopeId: string;
  /** One request with its body. */
  readonly requestTimeoutMs: number;
  /** Value of the Authorization header, or a bare token; undefined for none. */
  readonly authorization: string | undefined;
}

/** Most that is read of one answer, as every known client of this server does (contract page §9). */
const ANSWER_BYTES = 1024 * 1024;
/** An error says what it has to say in less. */
const ERROR_BYTES = 16 * 1024;
/** An endpoint that failed is left alone for this long. */
const BACKOFF_MS = 30_000;

/**
 * A server loads a dictionary for a second or more at the first Chinese text of its life. Until it has answered once, such a
 * question is asked again after a timeout: the second try finds the dictionary loaded.
 */
const CHINESE = /\p{Script=Han}/u;

interface Asked {
  readonly status: string;
  readonly content: string;
}

interface Question {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { readonly scope_id: string; readonly query: string; readonly max_bytes: number };
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

const none = (status: string): Asked => ({ status, content: '' });

/** Memory kept by a PowerContext server, asked through `context/prepare`. Failing memory is an outcome, never an error. */
export class PowerContextRecall implements Recall {
  readonly #settings: () => PowerContextSettings;
  readonly #fetch: Fetch;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #backoff: Backoff;
  /** Endpoints that have answered well since the start. */
  readonly #answered = new Set<string>();

  /** @param fetch the network gate's. */
  constructor(settings: () => PowerContextSettings, fetch: Fetch, clock: Clock, logger: Logger) {
    this.#settings = settings;
    this.#fetch = fetch;
    this.#clock = clock;
    this.#logger = logger;
    this.#backoff = new Backoff(clock, BACKOFF_MS);
  }

  async prepare(query: string, maxBytes: number, signal: AbortSignal): Promise<RecalledText> {
    const started = this.#clock.monotonic();
    const { status, content } = await this.#prepare(query, clampBytes(maxBytes), signal);
    const outcome = {
      status,
      ms: Math.round(this.#clock.monotonic() - started),
      bytes: Buffer.byteLength(content, 'utf8'),
    };
    return { content, outcome };
  }

  async #prepare(question: string, maxBytes: number, signal: AbortSignal): Promise<Asked> {
    const settings = this.#settings();
    if (settings.url.trim() === '') return none('off');
    const query = queryText(question);
    if (query === null) return none('not_needed');
    if (settings.scopeId.trim() === '') return none('failed:no_scope');
    if (signal.aborted) return none('failed:cancelled');
    const url = this.#address(settings.url);
    if (url === null) return none('failed:bad_url');
    const authorization = authorizationHeader(settings.authorization);
    if (authorization === null) return none('failed:bad_authorization');
    return this.#askUnlessFailing({
      url,
      headers: { 'content-type': 'application/json', accept: 'application/json', ...authorization },
      body: { scope_id: settings.scopeId, query, max_bytes: maxBytes },
      timeoutMs: settings.requestTimeoutMs,
      signal,
    });
  }

  async #askUnlessFailing(question: Question): Promise<Asked> {
    // Other credentials or another scope are another question: what failed for the old ones says nothing about them.
    const key = hash([question.url.href, question.body.scope_id, question.headers]);
    if (this.#backoff.remaining(key) > 0) return none('backoff');
    let asked = await this.#ask(question);
    if (asked.status === 'failed:timeout' && !this.#answered.has(key) && CHINESE.test(question.body.query)) {
      asked = await this.#ask(question);
    }
    if (asked.status === 'failed:cancelled') return asked;
    if (asked.status.startsWith('failed:')) {
      this.#backoff.failed(key);
    } else {
      this.#backoff.succeeded(key);
      this.#answered.add(key);
    }
    return asked;
  }

  async #ask({ url, headers, body, timeoutMs, signal }: Question): Promise<Asked> {
    const late = new AbortController();
    const timer = this.#clock.timeout(timeoutMs, () => late.abort());
    try {
      const response = await this.#fetch(url, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
        signal: AbortSignal.any([signal, late.signal]),
      });
      this.#logger.debug(`PowerContext answered ${response.status}${requestId(response)}.`);
      if (response.status !== 200) {
        return none(failureOfStatus(response.status, await errorText(response)));
      }
      const content = preparedText(await readCapped(response, ANSWER_BYTES), body.max_bytes);
      if (content === undefined) return none('failed:invalid_answer');
      return content === null ? none('empty') : { status: 'ready', content };
    } catch (error) {
      const status = failureOf(error, signal, late.signal);
      if (status === 'failed:network') this.#logger.warn(`PowerContext could not be reached: ${networkReason(error)}`);
      return none(status);
    } finally {
      timer.dispose();
    }
  }

  #address(text: string): URL | null {
    try {
      return under(endpoint(text, 'projectAnchor.powercontext.url'), 'v1/context/prepare');
    } catch (error) {
      if (!(error instanceof ProjectAnchorError)) throw error;
      this.#logger.warn(error.message);
      return null;
    }
  }
}

/** What an error says, as far as it is short enough to be one. */
async function errorText(response: Response): Promise<string> {
  try {
    return await readCapped(response, ERROR_BYTES);
  } catch (error) {
    if (error instanceof TooLargeError) return '';
    throw error;
  }
}

/** The header, none at all, or null for a value that no header may have. A bare token is sent as a bearer token. */
function authorizationHeader(value: string | undefined): Readonly<Record<string, string>> | null {
  const text = value?.trim() ?? '';
  if (text === '') return {};
  if (!/^[\x20-\x7e]+$/.test(text)) return null;
  return { authorization: text.includes(' ') ? text : `Bearer ${text}` };
}

function failureOf(error: unknown, cancelled: AbortSignal, late: AbortSignal): string {
  if (cancelled.aborted) return 'failed:cancelled';
  if (late.aborted) return 'failed:timeout';
  if (error instanceof TooLargeError) return 'failed:oversize';
  const code = codeOf(error);
  if (code === 'network_redirect') return 'failed:redirect';
  if (code === 'network_refused') return 'failed:refused';
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return 'failed:invalid_answer';
  return 'failed:network';
}

/** The server's own id of a request, for its operator; anything else is not repeated. */
function requestId(response: Response): string {
  const id = response.headers.get('x-powercontext-request-id') ?? '';
  return /^[A-Za-z0-9_.:-]{1,128}$/.test(id) ? ` (request ${id})` : '';
}
