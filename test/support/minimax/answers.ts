/** What a test can make the MiniMax stand-in answer: replies of the model, and every fault that is documented or reported. */

/** The kinds of sensitive content, by the vendor's numbers. */
export const SENSITIVE = { severe: 1, porn: 2, ads: 3, prohibited: 4, abuse: 5, violence: 6, other: 7 } as const;
export type SensitiveKind = (typeof SENSITIVE)[keyof typeof SENSITIVE];

/** The vendor's error codes that a client must tell apart. */
export const CODE = {
  unknown: 1000,
  timeout: 1001,
  rateLimit: 1002,
  authentication: 1004,
  noBalance: 1008,
  internal: 1024,
  inputFlagged: 1026,
  outputFlagged: 1027,
  tokenLimit: 1039,
  badParameters: 2013,
  invalidKey: 2049,
  planExhausted: 2056,
  notOnPlan: 2061,
} as const;

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON as text, as the model writes it. */
  readonly arguments: string;
}

export interface Reply {
  readonly kind: 'reply';
  readonly text: string;
  /** What the model thinks when the request lets it. */
  readonly thinking: string;
  /** `text` is the whole content, sent as it stands whatever the request says of thinking: for tags and markers that leak. */
  readonly verbatim: boolean;
  readonly toolCalls: readonly ToolCall[];
  /** Characters per streamed piece; for verbatim content the pieces themselves are possible. */
  readonly pieces: number | readonly string[];
  /** Bytes per write to the socket; undefined = one write per event. */
  readonly bytesPerWrite: number | undefined;
  /** Nothing is answered before this settles. */
  readonly after: Promise<unknown> | undefined;
  /** The stream stops after its first piece until this settles. */
  readonly pauseUntil: Promise<unknown> | undefined;
  /** Whether the stream closes with `[DONE]`; it is known to be missing at times. */
  readonly done: boolean;
  /** Ends the stream with one whole `chat.completion` that repeats the message, as M3 does at times. */
  readonly repeatsWhole: boolean;
  /** Gives pieces after the first an empty role, as some M2.x answers do. */
  readonly emptyRole: boolean;
  readonly inputSensitive: SensitiveKind | undefined;
  readonly outputSensitive: SensitiveKind | undefined;
}

/** An HTTP error with the vendor's body. */
export interface HttpError {
  readonly kind: 'error';
  readonly status: number;
  readonly code: number;
  readonly message: string;
}

export type Answer =
  | Reply
  | HttpError
  /** HTTP 200 with `base_resp`: as the whole JSON answer, or as a chunk of a stream after some text. */
  | {
      readonly kind: 'base_resp';
      readonly code: number;
      readonly message: string;
      readonly as: 'json' | 'chunk';
      readonly textBefore: string;
    }
  /** Any bytes at all. */
  | { readonly kind: 'raw'; readonly status: number; readonly contentType: string; readonly body: string }
  /** A stream whose connection breaks after so many bytes of it. */
  | { readonly kind: 'cut'; readonly text: string; readonly afterBytes: number }
  /** The request is taken and never answered. */
  | { readonly kind: 'silence' };

const DEFAULT_PIECE = 12;

export function reply(text: string, options: Partial<Omit<Reply, 'kind' | 'text'>> = {}): Answer {
  return {
    kind: 'reply',
    text,
    thinking: 'The user wants a short and correct answer.',
    verbatim: false,
    toolCalls: [],
    pieces: DEFAULT_PIECE,
    bytesPerWrite: undefined,
    after: undefined,
    pauseUntil: undefined,
    done: true,
    repeatsWhole: false,
    emptyRole: false,
    inputSensitive: undefined,
    outputSensitive: undefined,
    ...options,
  };
}

/**
 * Content exactly as given: `<think>`, `<mm:think>`, a stray `</think>` or `]<]minimax[>[` go out as they stand.
 * A list gives the streamed pieces, so that a tag can be split anywhere.
 */
export function leak(content: string | readonly string[], options: Partial<Omit<Reply, 'kind' | 'text'>> = {}): Answer {
  if (typeof content === 'string') return reply(content, { ...options, verbatim: true });
  return reply(content.join(''), { ...options, verbatim: true, pieces: content });
}

export function httpError(status: number, code: number, message: string): HttpError {
  return { kind: 'error', status, code, message };
}

export const unauthorized = (): Answer => httpError(401, CODE.invalidKey, 'invalid api key');
export const tooManyRequests = (): Answer => httpError(429, CODE.rateLimit, 'rate limit exceeded');
export const planExhausted = (): Answer =>
  httpError(429, CODE.planExhausted, 'usage limit exceeded, 5-hour usage limit reached (0/0 used)');
export const serverError = (): Answer => httpError(500, CODE.unknown, 'unknown error, 999');
export const overloaded = (): Answer => httpError(529, CODE.internal, 'the server cluster is under high load');

export function baseRespError(code: number, message: string, as: 'json' | 'chunk' = 'json', textBefore = ''): Answer {
  return { kind: 'base_resp', code, message, as, textBefore };
}

/** A proxy's page or half a JSON document in place of an answer, with HTTP 200 unless said otherwise. */
export function garbage(
  body = '<html><body>502 Bad Gateway</body></html>',
  contentType = 'text/html',
  status = 200,
): Answer {
  return { kind: 'raw', status, contentType, body };
}

export function cut(text: string, afterBytes: number): Answer {
  return { kind: 'cut', text, afterBytes };
}

export function silence(): Answer {
  return { kind: 'silence' };
}
