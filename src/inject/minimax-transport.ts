import * as z from 'zod/mini';
import { ProjectAnchorError } from '../base/index.ts';
import { announcedError, garbled } from './minimax-errors.ts';
import { type Fetch, readCapped } from './network.ts';

/** Answers that are not streams are short; anything longer is not one of MiniMax's. */
const WHOLE_ANSWER_BYTES = 1024 * 1024;

/** Only these headers leave: the library would add the machine's system, architecture and runtime, and headers from the environment. */
const HEADERS = ['authorization', 'content-type', 'accept'] as const;

const Whole = z.looseObject({
  choices: z.array(
    z.looseObject({
      message: z.looseObject({ content: z.nullable(z.string()) }),
      finish_reason: z.optional(z.nullable(z.string())),
    }),
  ),
});

function ownHeaders(given: RequestInit['headers']): Headers {
  const all = new Headers(given);
  const own = new Headers({ 'user-agent': 'ProjectAnchor' });
  for (const name of HEADERS) {
    const value = all.get(name);
    if (value !== null) own.set(name, value);
  }
  return own;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

async function wholeText(response: Response): Promise<string> {
  try {
    return await readCapped(response, WHOLE_ANSWER_BYTES);
  } catch (error) {
    throw garbled(error);
  }
}

/** A whole answer, as some gateways give to a request for a stream, told as a stream of one piece. */
function asStream(body: unknown): Response {
  const whole = Whole.safeParse(body);
  if (!whole.success) throw garbled(whole.error);
  const { choices, ...rest } = whole.data;
  const piece = {
    ...rest,
    choices: choices.map(({ message, finish_reason }) => ({ delta: { content: message.content }, finish_reason })),
  };
  return new Response(`data: ${JSON.stringify(piece)}\n\ndata: [DONE]\n\n`, {
    headers: { 'content-type': 'text/event-stream' },
  });
}

/**
 * MiniMax's side of HTTP for the `openai` package: what comes back is an event stream or an error with a sentence.
 * Errors that MiniMax announces inside HTTP 200 are errors here too.
 */
export function minimaxFetch(fetch: Fetch): Fetch {
  return async (url, init = {}) => {
    const response = await fetch(url, { ...init, headers: ownHeaders(init.headers) });
    const streaming = /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '');
    if (response.ok && streaming) return response;
    const text = await wholeText(response);
    const body = parsed(text);
    const error = announcedError(body ?? { error: text }, response.ok ? undefined : response.status);
    if (response.ok && body === undefined) throw garbled();
    if (error !== null) throw error;
    return asStream(body);
  };
}

/** The error of this room inside one that the library wrapped around it. */
export function unwrapped(error: unknown): ProjectAnchorError | null {
  for (let inner = error; inner instanceof Error; inner = inner.cause) {
    if (inner instanceof ProjectAnchorError) return inner;
  }
  return null;
}
