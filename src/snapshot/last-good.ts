import type { Outline, OutlineItem } from './types.ts';

/**
 * What is told of a text in the middle of an edit: what a tolerant parser made of it, and of the last good outline those
 * items that it lost although the text still seems to declare them, on the lines where it does. Marked `stale`.
 */
export function withLastGood(now: Outline, last: Outline | undefined, text: string): Outline {
  const known = new Set(now.items.map(keyOf));
  const lost = last?.items.filter((item) => !known.has(keyOf(item))) ?? [];
  if (lost.length === 0) return { ...now, stale: true };
  const lines = text.split(/\r\n|\r|\n/);
  const found = lost.flatMap((item) => relocated(item, lines) ?? []);
  const names = new Set([...now.items, ...found].map(({ of, name }) => (of === undefined ? name : `${of}.${name}`)));
  const kept = found.filter(({ of }) => of === undefined || names.has(of));
  const items = [...now.items, ...kept].sort((a, b) => a.start - b.start);
  return { ...now, items, stale: true };
}

/** Overloads are one. */
function keyOf({ kind, name, of = '' }: OutlineItem): string {
  return JSON.stringify([kind, name, of]);
}

/** Words that stand before a name where it is used, not declared. */
const USES: ReadonlySet<string> = new Set([
  'return',
  'await',
  'throw',
  'new',
  'else',
  'case',
  'typeof',
  'yield',
  'import',
  'in',
  'of',
  'not',
]);

/** On the line nearest to where it was that still declares it; null when none does. */
function relocated(item: OutlineItem, lines: readonly string[]): OutlineItem | null {
  const at = item.start - 1;
  for (let distance = 0; distance < lines.length; distance++) {
    for (const index of distance === 0 ? [at] : [at - distance, at + distance]) {
      const line = lines[index];
      if (line === undefined || !declares(line, item)) continue;
      const end = Math.min(lines.length, index + 1 + item.end - item.start);
      return { ...item, start: index + 1, end };
    }
  }
  return null;
}

/** Only words may stand before the name, and at least one outside of a class: else it is a call, or an assignment. */
function declares(line: string, { name, of }: OutlineItem): boolean {
  const found = line.indexOf(name);
  if (found < 0) return false;
  const before = line.slice(0, found);
  const behind = line.slice(found + name.length);
  if (/[\w$]$/.test(before) || /^[\w$]/.test(behind) || !/^\s*(?:[\w@]+\s+)*(?:\([^)]*\)\s*)?[*#&]*$/.test(before)) {
    return false;
  }
  const words = before.match(/[\w@]+/g) ?? [];
  return (of !== undefined || words.length > 0) && !words.some((word) => USES.has(word));
}
