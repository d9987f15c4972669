import type { Outline, OutlineItem } from './types.ts';

/** Protocol §3. */
const MAX_ITEMS = 400;
const MAX_BYTES = 32 * 1024;
/** What everything but the items takes, generously. */
const ENVELOPE_BYTES = 200;

/** Lower is kept longer: a reader misses properties least, then other members, then what is not exported. */
export function rankOf(item: OutlineItem): number {
  if (item.of === undefined) return item.exported === true ? 0 : 1;
  return item.kind === 'property' ? 3 : 2;
}

/** Whether an outline is within its limits: most are, and need no closer look. */
function isSmall({ items }: Outline): boolean {
  return items.length <= MAX_ITEMS && ENVELOPE_BYTES + Buffer.byteLength(JSON.stringify(items)) < MAX_BYTES;
}

/** Keeps an outline within 400 items and 32 KiB of JSON; `more` counts what was left out. */
export function limitOutline(outline: Outline): Outline {
  if (isSmall(outline)) return outline;
  let bytes = ENVELOPE_BYTES;
  const kept = new Set<OutlineItem>();
  for (const item of outline.items.toSorted((a, b) => rankOf(a) - rankOf(b))) {
    const size = Buffer.byteLength(JSON.stringify(item)) + 1;
    if (kept.size >= MAX_ITEMS || bytes + size > MAX_BYTES) break;
    bytes += size;
    kept.add(item);
  }
  if (kept.size === outline.items.length) return outline;
  const more = (outline.more ?? 0) + outline.items.length - kept.size;
  return { ...outline, items: outline.items.filter((item) => kept.has(item)), more };
}
