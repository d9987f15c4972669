import * as z from 'zod/mini';
import { count, dict, hex64, time } from './facts-schema.ts';

/**
 * An export is JSON lines: `header`, `anchor`, then objects and snapshots, deltas in order, receipts in order, `end`.
 * A line that is cut off anywhere, or a file that is, shows.
 */
export const EXPORT_SCHEMA = 'projectanchor.export.v1';

const text = z.string();
const place = z.object({ seq: count, hash: hex64 });

export const exportLine = z.discriminatedUnion('t', [
  z.object({ t: z.literal('header'), schema: text, base: place, head: place }),
  z.object({
    t: z.literal('anchor'),
    id: text.check(z.minLength(1)),
    repository: text,
    mainBranch: text,
    attachedAt: time,
    aliases: z.array(text),
  }),
  z.object({ t: z.literal('object'), hash: hex64, kind: text, value: z.unknown() }),
  z.object({
    t: z.literal('snapshot'),
    /** As it is stored: its larger parts are the hashes of objects that came before. */
    value: z.looseObject({ id: hex64, outlines: dict(hex64), dependencies: hex64, marks: hex64 }),
  }),
  z.object({ t: z.literal('delta'), delta: z.unknown() }),
  z.object({
    t: z.literal('receipt'),
    receipt: z.looseObject({ id: text.check(z.minLength(1)), anchor: text, head: place, prev: hex64, hash: hex64 }),
  }),
  z.object({ t: z.literal('end'), objects: count, snapshots: count, deltas: count, receipts: count }),
]);

export type ExportLine = z.infer<typeof exportLine>;
