import type { OutlineItem } from '../../src/snapshot/index.ts';

/** A text that somebody is in the middle of changing, and where it differs from the whole one. */
export interface BrokenText {
  readonly text: string;
  /** What was done, for messages. */
  readonly how: string;
  /** Where the change is in the whole text, and how many characters it took away there and put in. */
  readonly at: number;
  readonly removed: number;
  readonly added: string;
}

/** Numbers from 0 to 1 that are the same at every run (mulberry32). */
export function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** What people leave behind while they type. */
const TYPED = ['x = ', 'foo(', 'foo.', 'if (', '{', '(', '[', 'if x == ', 'return', ', ', '}', ')', '"', '= new ', '@'];

function changed(whole: string, how: string, at: number, removed: number, added: string): BrokenText {
  return { text: whole.slice(0, at) + added + whole.slice(at + removed), how, at, removed, added };
}

/** One change somewhere: characters gone, a bracket gone, all gone from there on, or the start of something new. */
export function brokenText(whole: string, random: () => number): BrokenText {
  const pick = (below: number) => Math.floor(random() * below);
  const kind = pick(10);
  if (kind === 0) {
    const at = pick(whole.length);
    return changed(whole, 'torn off', at, whole.length - at, '');
  }
  if (kind <= 3) return changed(whole, 'cut', pick(whole.length), 1 + pick(30), '');
  if (kind <= 6) {
    const brackets = [...whole.matchAll(/[(){}[\]:;]|\bend\b/g)];
    const bracket = brackets[pick(brackets.length)];
    if (bracket !== undefined) return changed(whole, `without ${bracket[0]}`, bracket.index, bracket[0].length, '');
  }
  const ends = [...whole.matchAll(/[^\n]\n/g)];
  const end = ends[pick(ends.length)];
  const typed = TYPED[pick(TYPED.length)] ?? '';
  const indent = kind === 9 ? '' : (/(?:^|\n)([ \t]*)[^\n]*$/.exec(whole.slice(0, (end?.index ?? 0) + 1))?.[1] ?? '');
  return changed(whole, `with ${typed}`, (end?.index ?? 0) + 1, 0, `\n${indent}${typed}`);
}

/** The declarations that the change does not touch, with the lines they have after it. */
export function intactItems(items: readonly OutlineItem[], whole: string, broken: BrokenText): readonly OutlineItem[] {
  const lineOf = (at: number) => whole.slice(0, at).split('\n').length;
  const first = lineOf(broken.at);
  const last = lineOf(broken.at + broken.removed);
  const shift = broken.text.split('\n').length - whole.split('\n').length;
  return items
    .filter(({ start, end }) => end < first || start > last)
    .map((item) => (item.end < first ? item : { ...item, start: item.start + shift, end: item.end + shift }));
}

/** How many of `wanted` are among `found`, by name and lines. */
export function foundAgain(wanted: readonly OutlineItem[], found: readonly OutlineItem[]): number {
  const keys = new Set(found.map(keyOf));
  return wanted.filter((item) => keys.has(keyOf(item))).length;
}

function keyOf({ name, start, end }: OutlineItem): string {
  return `${start} ${end} ${name}`;
}
