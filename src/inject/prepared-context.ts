import * as z from 'zod/mini';

/** What a server may be asked for (contract page §2). */
export const MAX_BYTES = { least: 512, most: 32_768 } as const;
/** Longest query in characters. */
export const MAX_QUERY = 8_192;

const SCHEMA = 'powercontext.prepared-context.v1';

/** Exactly these four fields: a server that says more or less speaks another version. */
const Prepared = z.discriminatedUnion('status', [
  z.strictObject({
    schema: z.literal(SCHEMA),
    status: z.literal('ready'),
    content: z.string(),
    content_bytes: z.int(),
  }),
  z.strictObject({
    schema: z.literal(SCHEMA),
    status: z.literal('empty'),
    content: z.null(),
    content_bytes: z.literal(0),
  }),
]);

/**
 * The text of an answer to `context/prepare`: null when the server remembers nothing that fits, `undefined` when the answer is
 * not valid in every point: fields, status, a ready text that is not blank, its stated and its greatest size in UTF-8 bytes.
 */
export function preparedText(answer: string, maxBytes: number): string | null | undefined {
  const read = Prepared.safeParse(jsonOrUndefined(answer));
  if (!read.success) return undefined;
  const { content, content_bytes: stated } = read.data;
  if (content === null) return null;
  const bytes = Buffer.byteLength(content, 'utf8');
  const valid = bytes === stated && bytes <= maxBytes && content.trim() !== '' && content.isWellFormed();
  return valid ? content : undefined;
}

function jsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The last part of a long query: people put what they want to know at the end. Null when there is nothing to ask. */
export function queryText(question: string): string | null {
  const query = [...question.toWellFormed()].slice(-MAX_QUERY).join('').trim();
  return query === '' ? null : query;
}

/** A setting's size within what the server accepts. */
export function clampBytes(bytes: number): number {
  return Math.min(MAX_BYTES.most, Math.max(MAX_BYTES.least, Math.trunc(bytes)));
}
