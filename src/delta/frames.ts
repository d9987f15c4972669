import * as z from 'zod/mini';
import { ProjectAnchorError } from '../base/index.ts';
import type { Anchor } from '../snapshot/index.ts';
import { FRAME_OVERHEAD_BYTES, MAX_FETCH, MAX_FRAME_BYTES, MAX_ITEMS } from './hub-limits.ts';
import type { Delta, DeltaDraft, Head } from './types.ts';

/**
 * The frames of protocol §7 as schemas, and their text form. What is inside a delta is checked where deltas are
 * appended and applied; here it only has to have the fields that the transport itself reads.
 */

const MAX_ANCHOR_ID = 2_048;
const MAX_NAME = 128;
const MAX_TEXT = 4_096;
const MAX_TOKEN = 256;
const MAX_LIST = 64;

const count = z.int().check(z.minimum(0));
const hex64 = z.string().check(z.regex(/^[0-9a-f]{64}$/));
const text = (max: number) => z.string().check(z.maxLength(max));
const name = z.string().check(z.minLength(1), z.maxLength(MAX_NAME));
const anchorId = z.string().check(z.minLength(1), z.maxLength(MAX_ANCHOR_ID));
const head = z.object({ seq: count, hash: hex64 });

/** Every request may carry a number; `re` of the answer repeats it. */
const asks = { n: z.exactOptional(count) };
const answers = { re: z.exactOptional(count) };

const hello = z.object({
  t: z.literal('hello'),
  ...asks,
  protocols: z.array(text(MAX_NAME)).check(z.maxLength(MAX_LIST)),
  token: text(MAX_TOKEN),
  agent: name,
  session: name,
  /** Anchors whose heads `welcome` is to tell. */
  anchors: z.exactOptional(z.array(anchorId).check(z.maxLength(MAX_LIST))),
});

const attach = z.object({
  t: z.literal('attach'),
  ...asks,
  repository: anchorId,
  mainBranch: text(MAX_ANCHOR_ID),
  attachedAt: text(MAX_NAME),
  aliases: z.exactOptional(z.array(anchorId).check(z.maxLength(MAX_LIST))),
});

const subscribe = z.object({ t: z.literal('subscribe'), ...asks, anchor: anchorId, after: head });
const unsubscribe = z.object({ t: z.literal('unsubscribe'), ...asks, anchor: anchorId });
const got = z.object({ t: z.literal('got'), ...asks, anchor: anchorId, seq: count });
const publish = z.object({ t: z.literal('publish'), ...asks, delta: z.looseObject({}) });
const fetch = z.object({
  t: z.literal('fetch'),
  ...asks,
  anchor: anchorId,
  after: count,
  limit: z.int().check(z.minimum(1), z.maximum(MAX_FETCH)),
});

const welcome = z.object({
  t: z.literal('welcome'),
  ...answers,
  protocol: z.string(),
  heads: z.record(z.string(), head),
});
const attached = z.object({
  t: z.literal('attached'),
  ...answers,
  anchor: z.object({ id: anchorId, repository: z.string(), mainBranch: z.string(), attachedAt: z.string() }),
  head,
  fork: z.exactOptional(z.literal(true)),
});
const subscribed = z.object({
  t: z.literal('subscribed'),
  ...answers,
  anchor: anchorId,
  head,
  /** The place asked for is not in the hub's chain. */
  fork: z.exactOptional(z.literal(true)),
});
const deltas = z.object({
  t: z.literal('deltas'),
  ...answers,
  anchor: anchorId,
  /** 1 to 64; none only in the answer to a `fetch` that has nothing to tell. */
  items: z
    .array(z.looseObject({ seq: z.int().check(z.minimum(1)), prev: hex64, hash: hex64, id: z.string() }))
    .check(z.maxLength(MAX_ITEMS)),
  head,
});
const ack = z.object({ t: z.literal('ack'), ...answers, id: z.string(), seq: count, hash: hex64 });
const nack = z.object({
  t: z.literal('nack'),
  ...answers,
  /** Absent when what is refused is not a publish. */
  id: z.exactOptional(z.string()),
  code: text(MAX_NAME),
  message: text(MAX_TEXT),
  /** Milliseconds. */
  retryAfter: z.exactOptional(z.number().check(z.minimum(0))),
  /** With `moved`: where the project is now. */
  anchor: z.exactOptional(anchorId),
});
const snapshotRequired = z.object({
  t: z.literal('snapshot_required'),
  ...answers,
  anchor: anchorId,
  base: z.object({ seq: count, hash: hex64, stateHash: z.exactOptional(hex64) }),
});
const presence = z.object({
  t: z.literal('presence'),
  anchor: anchorId,
  agents: z.array(z.object({ agent: z.string(), session: z.string(), since: z.string() })),
});
/** `retryAfter` in milliseconds. */
const bye = z.object({ t: z.literal('bye'), retryAfter: z.number().check(z.minimum(0)) });

export type Hello = z.infer<typeof hello>;
export type Attach = z.infer<typeof attach>;
export type Subscribe = z.infer<typeof subscribe>;
export type Unsubscribe = z.infer<typeof unsubscribe>;
export type Got = z.infer<typeof got>;
export interface Publish extends z.infer<typeof publish> {
  delta: DeltaDraft & Record<string, unknown>;
}
export type Fetch = z.infer<typeof fetch>;
export type ToHub = Hello | Attach | Subscribe | Unsubscribe | Got | Publish | Fetch;

export type Welcome = z.infer<typeof welcome>;
export interface Attached extends z.infer<typeof attached> {
  anchor: Anchor;
}
export type Subscribed = z.infer<typeof subscribed>;
export interface Deltas extends Omit<z.infer<typeof deltas>, 'items'> {
  items: readonly Delta[];
}
export type AckFrame = z.infer<typeof ack>;
export type Nack = z.infer<typeof nack>;
export type SnapshotRequired = z.infer<typeof snapshotRequired>;
export type Presence = z.infer<typeof presence>;
export type PresentAgent = Presence['agents'][number];
export type Bye = z.infer<typeof bye>;
export type FromHub = Welcome | Attached | Subscribed | Deltas | AckFrame | Nack | SnapshotRequired | Presence | Bye;
export type Frame = ToHub | FromHub;

/** Codes after which the same publish is never sent again (protocol §7). */
const FINAL_CODES: ReadonlySet<string> = new Set(['invalid', 'too_large', 'forbidden', 'denied', 'unsupported_op']);

/** Whether a refusal holds for good; codes this version does not know are worth another try. */
export function isFinal(code: string): boolean {
  return FINAL_CODES.has(code);
}

/** What a received text turned out to be. `reason` is for the close frame and the log, never the content itself. */
export type Decoded<T> =
  | { readonly kind: 'frame'; readonly frame: T }
  /** A well-formed frame of a type this version does not know. */
  | { readonly kind: 'unknown'; readonly type: string }
  | { readonly kind: 'bad'; readonly reason: string };

interface Schema {
  safeParse(value: unknown): { success: true; data: unknown } | { success: false; error: z.core.$ZodError };
}

const TO_HUB: ReadonlyMap<string, Schema> = new Map<string, Schema>([
  ['hello', hello],
  ['attach', attach],
  ['subscribe', subscribe],
  ['unsubscribe', unsubscribe],
  ['got', got],
  ['publish', publish],
  ['fetch', fetch],
]);

const FROM_HUB: ReadonlyMap<string, Schema> = new Map<string, Schema>([
  ['welcome', welcome],
  ['attached', attached],
  ['subscribed', subscribed],
  ['deltas', deltas],
  ['ack', ack],
  ['nack', nack],
  ['snapshot_required', snapshotRequired],
  ['presence', presence],
  ['bye', bye],
]);

/** Reads a frame that a client sent. */
export function decodeToHub(received: string): Decoded<ToHub> {
  return decode<ToHub>(received, TO_HUB);
}

/** Reads a frame that a hub sent. */
export function decodeFromHub(received: string): Decoded<FromHub> {
  return decode<FromHub>(received, FROM_HUB);
}

function decode<T>(received: string, schemas: ReadonlyMap<string, Schema>): Decoded<T> {
  let value: unknown;
  try {
    value = JSON.parse(received);
  } catch {
    return { kind: 'bad', reason: 'a frame is not JSON' };
  }
  if (typeof value !== 'object' || value === null || !('t' in value) || typeof value.t !== 'string') {
    return { kind: 'bad', reason: 'a frame is not an object with a type "t"' };
  }
  const schema = schemas.get(value.t);
  if (schema === undefined) return { kind: 'unknown', type: value.t.slice(0, MAX_NAME) };
  const result = schema.safeParse(value);
  if (result.success) return { kind: 'frame', frame: result.data as T };
  const issue = result.error.issues[0];
  const where = issue === undefined ? '' : ` at "${issue.path.join('.').slice(0, MAX_NAME)}"`;
  return { kind: 'bad', reason: `a ${value.t} frame is not valid${where}` };
}

/**
 * The text of a frame.
 * @throws ProjectAnchorError `too_large` when it is longer than a frame may be.
 */
export function encode(frame: Frame): string {
  return checked(JSON.stringify(frame), frame.t);
}

/** A delta with its JSON text, so that many subscribers cost one serialisation. */
export interface EncodedDelta {
  readonly seq: number;
  readonly hash: string;
  readonly json: string;
  readonly bytes: number;
}

/** Serialises a delta once for all who are to have it. */
export function encodeDelta(delta: Delta): EncodedDelta {
  const json = JSON.stringify(delta);
  return { seq: delta.seq, hash: delta.hash, json, bytes: Buffer.byteLength(json) };
}

/** Cuts a list into what fits into one `deltas` frame each: at most 64 items and 256 KiB. */
export function pages(items: readonly EncodedDelta[]): EncodedDelta[][] {
  const result: EncodedDelta[][] = [];
  let page: EncodedDelta[] = [];
  let bytes = 0;
  for (const item of items) {
    if (page.length === MAX_ITEMS || (page.length > 0 && bytes + item.bytes > MAX_FRAME_BYTES - FRAME_OVERHEAD_BYTES)) {
      result.push(page);
      page = [];
      bytes = 0;
    }
    page.push(item);
    bytes += item.bytes + 1;
  }
  if (page.length > 0) result.push(page);
  return result;
}

/** The text of a `deltas` frame; `re` is absent in a push. */
export function encodeDeltas(anchor: string, items: readonly EncodedDelta[], at: Head, re?: number): string {
  const answer = re === undefined ? '' : `"re":${re},`;
  const list = items.map((item) => item.json).join(',');
  const place = JSON.stringify({ seq: at.seq, hash: at.hash });
  return checked(
    `{"t":"deltas",${answer}"anchor":${JSON.stringify(anchor)},"items":[${list}],"head":${place}}`,
    'deltas',
  );
}

function checked(encoded: string, type: string): string {
  if (Buffer.byteLength(encoded) > MAX_FRAME_BYTES) {
    throw new ProjectAnchorError(
      'too_large',
      `A ${type} frame would have more than ${MAX_FRAME_BYTES / 1024} KiB.`,
      'Publish fewer operations at once.',
    );
  }
  return encoded;
}
