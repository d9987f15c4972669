import { codeOf, messageOf } from '../base/index.ts';
import { isFinal } from './frames.ts';

/** Why a request is not done, in the words of a `nack`. `retryAfter` in milliseconds. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly retryAfter?: number;
}

/** What a client waits before it tries again where the log is busy or cannot be written (our choice). */
const BUSY_RETRY_MS = 1_000;

/** Longer messages are cut: they are for a person's eyes. */
const MAX_MESSAGE = 1_000;

/** What a client is told of an error. A final code of the log stays what it is, everything else is worth a retry. */
export function refusalOf(error: unknown): Refusal {
  const code = codeOf(error);
  const message = messageOf(error).slice(0, MAX_MESSAGE);
  if (code !== undefined && isFinal(code)) return { code, message };
  return { code: 'busy', message, retryAfter: BUSY_RETRY_MS };
}
