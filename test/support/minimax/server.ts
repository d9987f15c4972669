import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { waitFor } from '../wait.ts';
import { type Answer, CODE, type HttpError, httpError, type Reply, reply } from './answers.ts';
import { Completion, tokensOf } from './completion.ts';
import { type ChatRequest, type Message, MODELS, refusal } from './rules.ts';

export * from './answers.ts';

/** Larger bodies are refused with 413. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;
/** A prefix shorter than this is not cached (tokens). */
const MIN_CACHED_TOKENS = 512;
const DEFAULT_WAIT_MS = 10_000;

/** One request as it arrived, and what became of it. */
export interface RecordedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** The parsed body, or the text when it is no JSON. */
  readonly body: unknown;
  /** All the text of its messages, in order, each after a line with its role. */
  readonly prompt: string;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  /** When the connection of the answer closed; undefined while it is open. */
  readonly closedAt: number | undefined;
  /** The client went away before the answer was complete. */
  readonly aborted: boolean;
  /** The status that was answered; undefined while nothing was. */
  readonly status: number | undefined;
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };
type Responder = (request: RecordedRequest) => Answer;

/**
 * Stands for MiniMax's paid service: its OpenAI layer, field by field and with its faults, on a random port of 127.0.0.1.
 * Answers come from a queue, in order; when it is empty, from `otherwise`. What the real service would refuse is refused
 * whatever the queue holds, and takes nothing from it.
 */
export class MiniMaxStandIn {
  /** The one key that is let in. */
  readonly apiKey = 'sk-stand-in-0123456789abcdef';
  readonly #server: Server;
  readonly #requests: Mutable<RecordedRequest>[] = [];
  readonly #queue: Answer[] = [];
  readonly #seen: string[] = [];
  #otherwise: Responder = () => reply('The stand-in has no answer prepared.');
  #port = 0;

  private constructor() {
    this.#server = createServer((incoming, response) => {
      this.#serve(incoming, response).catch((error: unknown) => response.destroy(error as Error));
    });
  }

  static async start(): Promise<MiniMaxStandIn> {
    const standIn = new MiniMaxStandIn();
    standIn.#server.listen(0, '127.0.0.1');
    await once(standIn.#server, 'listening');
    const address = standIn.#server.address();
    if (address !== null && typeof address !== 'string') standIn.#port = address.port;
    return standIn;
  }

  /** What a client takes for `https://api.minimax.io/v1`. */
  get baseUrl(): string {
    return `http://127.0.0.1:${this.#port}/v1`;
  }

  /** Every request since the start or the last `reset`, in order of arrival. */
  get requests(): readonly RecordedRequest[] {
    return this.#requests;
  }

  /** Requests for a completion only. */
  get completions(): readonly RecordedRequest[] {
    return this.#requests.filter(({ url }) => url === '/v1/chat/completions');
  }

  /** Adds answers to the queue. */
  answer(...answers: readonly Answer[]): void {
    this.#queue.push(...answers);
  }

  /** What is answered while the queue is empty. */
  otherwise(responder: Answer | Responder): void {
    this.#otherwise = typeof responder === 'function' ? responder : () => responder;
  }

  /** Forgets requests, queue and cache; connections stay. */
  reset(): void {
    this.#requests.length = 0;
    this.#queue.length = 0;
    this.#seen.length = 0;
  }

  /** Waits for a request for a completion that satisfies `matches`, the first one otherwise. */
  waitForCompletion(
    matches: (request: RecordedRequest) => boolean = () => true,
    timeoutMs = DEFAULT_WAIT_MS,
  ): Promise<RecordedRequest> {
    return waitFor(() => this.completions.find(matches), {
      timeoutMs,
      what: () => `a matching request to MiniMax; ${this.completions.length} came`,
    });
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await bodyOf(incoming);
    const record = this.#record(incoming, text ?? '');
    const outgoing = new Outgoing(response, record);
    response.once('close', () => {
      record.closedAt = Date.now();
      record.aborted = !response.writableFinished && !outgoing.cutHere;
    });
    if (text === undefined) return outgoing.error(413, CODE.badParameters, 'request body over 64 MB');
    const answer = this.#refusalOf(record);
    if (answer !== undefined) return outgoing.error(answer.status, answer.code, answer.message);
    if (record.url === '/v1/models') return outgoing.json(200, modelList());
    await this.#complete(record.body as ChatRequest, this.#queue.shift() ?? this.#otherwise(record), outgoing);
  }

  #record(incoming: IncomingMessage, text: string): Mutable<RecordedRequest> {
    const body = parseJson(text);
    const record: Mutable<RecordedRequest> = {
      method: incoming.method ?? '',
      url: incoming.url ?? '',
      headers: incoming.headers,
      body,
      prompt: promptOf(body),
      receivedAt: Date.now(),
      closedAt: undefined,
      aborted: false,
      status: undefined,
    };
    this.#requests.push(record);
    return record;
  }

  #refusalOf(record: RecordedRequest): HttpError | undefined {
    const { authorization } = record.headers;
    if (authorization === undefined) {
      return httpError(401, CODE.authentication, "login fail: the 'Authorization' header carries no key");
    }
    if (authorization !== `Bearer ${this.apiKey}`) return httpError(401, CODE.invalidKey, 'invalid api key');
    const route = `${record.method} ${record.url}`;
    if (route === 'GET /v1/models') return undefined;
    if (route === 'POST /v1/chat/completions') return refusal(record.body);
    return httpError(404, CODE.unknown, 'no such path');
  }

  async #complete(request: ChatRequest, answer: Answer, outgoing: Outgoing): Promise<void> {
    if (answer.kind === 'silence') return;
    if (answer.kind === 'error') return outgoing.error(answer.status, answer.code, answer.message);
    if (answer.kind === 'raw') return outgoing.raw(answer.status, answer.contentType, answer.body);

    const text =
      answer.kind === 'reply' ? answer : (reply(answer.kind === 'cut' ? answer.text : answer.textBefore) as Reply);
    const completion = new Completion(requestId(), request, text, this.#promptTokens(request));
    if (answer.kind === 'base_resp') {
      if (answer.as === 'json')
        return outgoing.json(200, completion.baseResp(answer.code, answer.message, 'chat.completion'));
      const before = answer.textBefore === '' ? [] : completion.chunks();
      const refused = completion.baseResp(answer.code, answer.message, 'chat.completion.chunk');
      return outgoing.stream([...before, refused].map(event));
    }
    if (answer.kind === 'cut') return outgoing.cutStream(completion.chunks().map(event).join(''), answer.afterBytes);
    await answer.after;
    if (request.stream !== true) return outgoing.json(200, completion.whole());
    const events = completion.chunks().map(event);
    if (request.stream_options?.include_usage === true) events.push(event(completion.usageChunk()));
    if (answer.done) events.push('data: [DONE]\n\n');
    return outgoing.stream(events, answer);
  }

  /** Tokens of the prompt, and how many of them a byte-equal beginning of an earlier prompt saves. */
  #promptTokens(request: ChatRequest): { tokens: number; cached: number } {
    const prompt = JSON.stringify([request.tools ?? null, request.messages]);
    const shared = Math.max(0, ...this.#seen.map((earlier) => commonPrefix(earlier, prompt)));
    const cached = tokensOf(prompt.slice(0, shared));
    this.#seen.push(prompt);
    return { tokens: tokensOf(prompt), cached: cached < MIN_CACHED_TOKENS ? 0 : cached };
  }
}

/** Writes one answer and remembers its status. */
class Outgoing {
  /** The stand-in itself broke the connection. */
  cutHere = false;
  readonly #response: ServerResponse;
  readonly #record: Mutable<RecordedRequest>;

  constructor(response: ServerResponse, record: Mutable<RecordedRequest>) {
    this.#response = response;
    this.#record = record;
  }

  json(status: number, body: object): void {
    this.raw(status, 'application/json; charset=utf-8', JSON.stringify(body));
  }

  error(status: number, code: number, message: string): void {
    const error = { type: errorType(status), message: `${message} (${code})`, http_code: String(status) };
    this.json(status, { type: 'error', error, request_id: requestId() });
  }

  raw(status: number, contentType: string, body: string): void {
    this.#head(status, contentType);
    this.#response.end(body);
  }

  async stream(events: readonly string[], options?: Pick<Reply, 'bytesPerWrite' | 'pauseUntil'>): Promise<void> {
    this.#head(200, 'text/event-stream');
    for (const [index, text] of events.entries()) {
      if (index === 1) await options?.pauseUntil;
      for (const bytes of slices(Buffer.from(text), options?.bytesPerWrite)) {
        if (this.#response.destroyed) return;
        this.#response.write(bytes);
        // Let the bytes leave before the next ones are written, so that they arrive apart.
        await nextTurn();
      }
    }
    this.#response.end();
  }

  async cutStream(text: string, afterBytes: number): Promise<void> {
    this.#head(200, 'text/event-stream');
    await new Promise<void>((written) => {
      this.#response.write(Buffer.from(text).subarray(0, afterBytes), () => written());
    });
    await nextTurn();
    this.cutHere = true;
    this.#response.destroy();
  }

  #head(status: number, contentType: string): void {
    this.#record.status = status;
    this.#response.writeHead(status, { 'content-type': contentType, 'trace-id': requestId() });
  }
}

function event(chunk: object): string {
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

function* slices(bytes: Buffer, size = bytes.length): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** The body as text, or undefined when it is too large. */
async function bodyOf(incoming: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  return size > MAX_BODY_BYTES ? undefined : Buffer.concat(chunks).toString('utf8');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function promptOf(body: unknown): string {
  const messages = (body as { messages?: readonly Message[] } | null)?.messages;
  if (!Array.isArray(messages)) return '';
  return messages.map(({ role, content }) => `[${role}]\n${textOf(content)}`).join('\n');
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part: { text?: string }) => part.text ?? '').join('');
}

function modelList(): object {
  const data = [...MODELS.keys()].map((id) => ({ id, object: 'model', created: 1_780_000_000, owned_by: 'minimax' }));
  return { object: 'list', data };
}

function errorType(status: number): string {
  const types: Readonly<Record<number, string>> = {
    400: 'bad_request_error',
    401: 'authorized_error',
    402: 'insufficient_balance_error',
    429: 'rate_limit_error',
    529: 'overloaded_error',
  };
  return types[status] ?? 'api_error';
}

function requestId(): string {
  return crypto.randomUUID().replaceAll('-', '');
}

function commonPrefix(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  for (let at = 0; at < end; at += 1) if (a[at] !== b[at]) return at;
  return end;
}
