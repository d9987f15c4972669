import * as z from 'zod/mini';
import { ProjectAnchorError } from '../base/index.ts';
import { oneLine } from './fence.ts';

/** What an answer of MiniMax that is not the wished one means to a person. */
type Failure = 'auth' | 'rate_limit' | 'quota' | 'filtered' | 'server' | 'rejected' | 'too_long';

/** Codes of `base_resp.status_code` and of Anthropic-style messages (contract page §2.3). */
const BY_CODE: Readonly<Record<number, Failure>> = {
  1000: 'server',
  1001: 'server',
  1002: 'rate_limit',
  1004: 'auth',
  1008: 'quota',
  1024: 'server',
  1026: 'filtered',
  1027: 'filtered',
  1033: 'server',
  1039: 'too_long',
  1041: 'rate_limit',
  1042: 'rejected',
  2013: 'rejected',
  2045: 'rate_limit',
  2049: 'auth',
  2056: 'quota',
  2061: 'quota',
};

const BY_TYPE: Readonly<Record<string, Failure>> = {
  authentication_error: 'auth',
  authorized_error: 'auth',
  permission_error: 'auth',
  insufficient_balance_error: 'quota',
  rate_limit_error: 'rate_limit',
  overloaded_error: 'server',
  api_error: 'server',
  invalid_request_error: 'rejected',
  bad_request_error: 'rejected',
};

const BY_STATUS: Readonly<Record<number, Failure>> = {
  401: 'auth',
  402: 'quota',
  403: 'auth',
  408: 'server',
  413: 'too_long',
  429: 'rate_limit',
};

const SENTENCES: Readonly<Record<Failure, readonly [code: string, what: string, remedy: string]>> = {
  auth: [
    'model_auth',
    'MiniMax refused the API key',
    'Set a valid one with "ProjectAnchor: Set MiniMax API Key"; a key works only in its own region, so check "projectAnchor.minimax.baseUrl" too.',
  ],
  rate_limit: [
    'model_rate_limit',
    'MiniMax got too many requests for this key',
    'Wait a minute, then try again; other windows and tools with the same key count too.',
  ],
  quota: [
    'model_quota',
    "The MiniMax account's balance or plan does not cover this request",
    'Top up or change the plan, wait for its next window, or choose another "projectAnchor.minimax.model".',
  ],
  filtered: ['model_filtered', "MiniMax's content filter stopped this request", 'Select or ask something else.'],
  server: ['model_server', 'MiniMax has a problem of its own', 'Try again in a moment.'],
  rejected: [
    'model_rejected',
    'MiniMax did not accept the request',
    'Check "projectAnchor.minimax.model" and "projectAnchor.minimax.baseUrl".',
  ],
  too_long: ['model_rejected', 'The request is too long for MiniMax', 'Select less text.'],
};

const Number_ = z.union([z.number(), z.pipe(z.string().check(z.regex(/^\d+$/)), z.transform(Number))]);
const Answer = z.looseObject({
  base_resp: z.optional(
    z.nullable(z.looseObject({ status_code: z.optional(Number_), status_msg: z.optional(z.string()) })),
  ),
  error: z.optional(
    z.nullable(z.union([z.string(), z.looseObject({ type: z.optional(z.string()), message: z.optional(z.string()) })])),
  ),
});

/** The vendor's own words are shown up to this length: enough for a reset time, too short for an echoed prompt. */
const WORDS = 160;

function words(text: string | undefined): string {
  const line = oneLine(text ?? '');
  if (line === '' || line.startsWith('<')) return '';
  return [...line].length > WORDS ? `${[...line].slice(0, WORDS).join('')}…` : line;
}

interface Told {
  readonly code?: number;
  readonly type?: string;
  readonly message: string;
}

function told(body: unknown): Told | null {
  const answer = Answer.safeParse(body);
  if (!answer.success) return null;
  const { base_resp: base, error } = answer.data;
  if (base?.status_code) return { code: base.status_code, message: words(base.status_msg) };
  if (error === undefined || error === null) return null;
  const { type, message } = typeof error === 'string' ? { type: undefined, message: error } : error;
  // Anthropic-style messages end in the code: "... (2056)".
  const code = /\((\d{4})\)/.exec(message ?? '')?.[1];
  return {
    ...(code === undefined ? {} : { code: Number(code) }),
    ...(type === undefined ? {} : { type }),
    message: words(message),
  };
}

function failureOf(status: number | undefined, what: Told | null): Failure {
  const known =
    (what?.code === undefined ? undefined : BY_CODE[what.code]) ??
    (what?.type === undefined ? undefined : BY_TYPE[what.type]);
  if (known !== undefined) return known;
  if (status === undefined) return 'server';
  return BY_STATUS[status] ?? (status >= 500 ? 'server' : 'rejected');
}

/**
 * The error that a body announces, or null when it announces none. MiniMax answers some errors with HTTP 200.
 * @param status HTTP status when it was not 2xx.
 */
export function announcedError(body: unknown, status?: number): ProjectAnchorError | null {
  const what = told(body);
  if (what === null && status === undefined) return null;
  const [code, sentence, remedy] = SENTENCES[failureOf(status, what)];
  const detail = [
    ...(status === undefined ? [] : [`HTTP ${status}`]),
    ...(what?.code === undefined ? [] : [`code ${what.code}`]),
    ...(what === null || what.message === '' ? [] : [what.message]),
  ].join(', ');
  return new ProjectAnchorError(code, `${sentence}${detail === '' ? '' : ` (${detail})`}.`, remedy);
}

/** An answer that is not MiniMax's protocol. */
export function garbled(cause?: unknown): ProjectAnchorError {
  return new ProjectAnchorError(
    'model_garbled',
    'The answer is not what MiniMax sends.',
    'Check "projectAnchor.minimax.baseUrl" and whether a proxy stands in between.',
    { cause },
  );
}

/** An answer that ended in the middle. */
export function cut(cause?: unknown): ProjectAnchorError {
  return new ProjectAnchorError('model_cut', "MiniMax's answer ended before it was complete.", 'Try again.', { cause });
}

/** A filter that says so in the middle of an answer. */
export function filtered(): ProjectAnchorError {
  const [code, sentence, remedy] = SENTENCES.filtered;
  return new ProjectAnchorError(code, `${sentence}.`, remedy);
}

/** Nobody answered, or not in time. */
export function unreachable(host: string, reason: string, cause?: unknown): ProjectAnchorError {
  return new ProjectAnchorError(
    'model_network',
    `MiniMax could not be reached at ${host} (${reason}).`,
    'Check the connection, the proxy settings and "projectAnchor.minimax.baseUrl".',
    { cause },
  );
}
