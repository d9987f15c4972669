import OpenAI from 'openai';
import * as z from 'zod/mini';
import { type Clock, ProjectAnchorError } from '../base/index.ts';
import { endpoint } from './endpoint.ts';
import { announcedError, cut, filtered, garbled, unreachable } from './minimax-errors.ts';
import { minimaxFetch, unwrapped } from './minimax-transport.ts';
import { type Fetch, networkReason } from './network.ts';
import { ThinkStripper } from './think-stripper.ts';
import type { ModelClient, ModelMessage, ModelRequest, ModelUsage } from './types.ts';

/** What a client of MiniMax needs; values that settings may change are asked for at every request. */
export interface MiniMaxOptions {
  /** `projectAnchor.minimax.baseUrl` and `.model`. */
  readonly target: () => { readonly baseUrl: string; readonly model: string };
  /** The key from secret storage, or undefined when none is set. */
  readonly apiKey: () => Promise<string | undefined>;
  /** The network gate's `fetch`. */
  readonly fetch: Fetch;
  readonly clock: Clock;
  /** How long a connection may stay silent; 60 s by default, M3 without thinking answers within two. */
  readonly silenceMs?: number;
}

const SILENCE_MS = 60_000;
/** After the last piece only the token counts are awaited; some servers never close. */
const AFTER_FINISH_MS = 1_000;

/** The range that every MiniMax model accepts (contract page §1.3). */
const TEMPERATURE = { least: 0.01, most: 1 } as const;

const count = z.optional(z.nullable(z.number()));
const Piece = z.looseObject({
  choices: z.optional(
    z.nullable(
      z.array(
        z.looseObject({
          delta: z.optional(z.nullable(z.looseObject({ content: z.optional(z.nullable(z.string())) }))),
          finish_reason: z.optional(z.nullable(z.string())),
        }),
      ),
    ),
  ),
  usage: z.optional(
    z.nullable(
      z.looseObject({
        prompt_tokens: count,
        completion_tokens: count,
        prompt_tokens_details: z.optional(z.nullable(z.looseObject({ cached_tokens: count }))),
      }),
    ),
  ),
  input_sensitive: z.optional(z.nullable(z.boolean())),
  output_sensitive: z.optional(z.nullable(z.boolean())),
});

/** A model client for MiniMax's OpenAI layer. One request per call, never repeated by itself. */
export function createMiniMaxClient(options: MiniMaxOptions): ModelClient {
  return { stream: (request, signal) => stream(options, request, signal) };
}

/** Flash models of the 3.1 line refuse to switch thinking off, every other one accepts it (contract page §1.3). */
function thinking(model: string): { thinking?: { type: 'disabled' } } {
  return /^MiniMax-M3\.\d/i.test(model) ? {} : { thinking: { type: 'disabled' } };
}

async function checkedKey(apiKey: MiniMaxOptions['apiKey']): Promise<string> {
  const key = (await apiKey())?.trim();
  const remedy = 'Set one with "ProjectAnchor: Set MiniMax API Key", or PROJECT_ANCHOR_MINIMAX_API_KEY.';
  if (key === undefined || key === '')
    throw new ProjectAnchorError('model_no_key', 'No MiniMax API key is set.', remedy);
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new ProjectAnchorError('model_auth', 'The MiniMax API key has characters that no key has.', remedy);
  }
  return key;
}

function library(baseURL: string, apiKey: string, fetch: Fetch): OpenAI {
  return new OpenAI({
    apiKey,
    baseURL,
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0,
    // Its own log, which the environment can switch on, would hold prompts.
    logLevel: 'off',
    fetch: (url, init) => fetch(url instanceof Request ? url.url : url, init as RequestInit | undefined),
  });
}

function body(model: string, { messages, maxTokens, temperature }: ModelRequest) {
  return {
    model,
    messages: messages.map(({ role, content }: ModelMessage) => ({ role, content })),
    stream: true as const,
    stream_options: { include_usage: true },
    max_completion_tokens: maxTokens,
    temperature: Math.min(TEMPERATURE.most, Math.max(TEMPERATURE.least, temperature)),
    ...thinking(model),
  };
}

interface Progress {
  pieces: number;
  finish: string | null;
  usage: ModelUsage;
}

/** Takes one piece in and gives its text; throws what it announces. */
function take(piece: unknown, progress: Progress): string {
  const error = announcedError(piece);
  if (error !== null) throw error;
  const read = Piece.safeParse(piece);
  if (!read.success) throw garbled(read.error);
  progress.pieces++;
  const { choices, usage, input_sensitive, output_sensitive } = read.data;
  const choice = choices?.[0];
  if (input_sensitive || output_sensitive || choice?.finish_reason === 'content_filter') throw filtered();
  if (choice?.finish_reason) progress.finish = choice.finish_reason;
  if (usage) progress.usage = counts(usage);
  return choice?.delta?.content ?? '';
}

function counts(usage: NonNullable<z.infer<typeof Piece>['usage']>): ModelUsage {
  const cached = usage.prompt_tokens_details?.cached_tokens;
  return {
    ...(typeof usage.prompt_tokens === 'number' ? { promptTokens: usage.prompt_tokens } : {}),
    ...(typeof usage.completion_tokens === 'number' ? { completionTokens: usage.completion_tokens } : {}),
    ...(typeof cached === 'number' ? { cachedTokens: cached } : {}),
  };
}

async function* stream(
  options: MiniMaxOptions,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<string, ModelUsage, void> {
  const { baseUrl, model } = options.target();
  const url = endpoint(baseUrl, 'projectAnchor.minimax.baseUrl');
  const key = await checkedKey(options.apiKey);
  const progress: Progress = { pieces: 0, finish: null, usage: {} };
  if (signal.aborted) return progress.usage;

  const silence = new Silence(options.clock, options.silenceMs ?? SILENCE_MS);
  const stripper = new ThinkStripper();
  try {
    const client = library(url.href, key, minimaxFetch(options.fetch));
    const pieces = await client.chat.completions.create(body(model, request), {
      signal: AbortSignal.any([signal, silence.signal]),
    });
    for await (const piece of pieces) {
      const visible = stripper.push(take(piece, progress));
      silence.heard(progress.finish === null ? undefined : AFTER_FINISH_MS);
      if (visible !== '') yield visible;
    }
    if (signal.aborted) return progress.usage;
    if (progress.finish === null && !silence.signal.aborted) throw progress.pieces === 0 ? garbled() : cut();
    if (progress.finish === null) throw unreachable(url.host, silence.reason);
    const rest = stripper.end();
    if (rest !== '') yield rest;
    return finished(progress);
  } catch (error) {
    if (signal.aborted) return progress.usage;
    if (progress.finish !== null && unwrapped(error) === null) {
      const rest = stripper.end();
      if (rest !== '') yield rest;
      return finished(progress);
    }
    throw explained(error, progress, silence, url.host, key);
  } finally {
    silence.dispose();
  }
}

function finished({ usage, finish }: Progress): ModelUsage {
  return finish === null ? usage : { ...usage, finishReason: finish };
}

/** Whatever was thrown on the way as an error with a sentence, without the key in it. */
function explained(
  error: unknown,
  progress: Progress,
  silence: Silence,
  host: string,
  key: string,
): ProjectAnchorError {
  const own = unwrapped(error);
  if (own !== null) return withoutKey(own, key);
  if (silence.signal.aborted) return unreachable(host, silence.reason, error);
  if (error instanceof SyntaxError) return garbled(error);
  if (error instanceof OpenAI.APIError && error.error !== undefined && error.error !== null) {
    return withoutKey(announcedError({ error: error.error }) ?? garbled(error), key);
  }
  return progress.pieces > 0 ? cut(error) : unreachable(host, networkReason(error), error);
}

/** A server may quote the key that it refuses. */
function withoutKey(error: ProjectAnchorError, key: string): ProjectAnchorError {
  if (!error.message.includes(key)) return error;
  return new ProjectAnchorError(error.code, error.message.replaceAll(key, '[key]'));
}

/** Ends a connection on which nothing was heard for too long. */
class Silence {
  readonly #clock: Clock;
  readonly #ms: number;
  readonly #ended = new AbortController();
  #timer: { dispose(): void };

  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
    this.#timer = this.#start(ms);
  }

  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  get reason(): string {
    return `nothing was heard for ${Math.round(this.#ms / 1000)} s`;
  }

  heard(ms: number = this.#ms): void {
    this.#timer.dispose();
    this.#timer = this.#start(ms);
  }

  dispose(): void {
    this.#timer.dispose();
  }

  #start(ms: number): { dispose(): void } {
    return this.#clock.timeout(ms, () => this.#ended.abort());
  }
}
