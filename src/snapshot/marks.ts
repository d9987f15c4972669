import { hash } from '../base/index.ts';
import { encodePath, parseTarget } from './targets.ts';
import type { Focus, Marks, Outline, TagSlot, TagValue } from './types.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A tag as it counts for one file, folder or the project. */
export interface TagInForce extends TagValue {
  readonly key: string;
  /** Where it was set: the path itself, a folder above it, or `.`. */
  readonly target: string;
  readonly inherited: boolean;
  /** Faded weight in thousandths, 0..1000. */
  readonly weight: number;
}

export interface FocusInForce {
  readonly target: string;
  readonly focus: Focus;
  /** Set on a folder above or on the project. */
  readonly inherited: boolean;
  /** Faded weight in thousandths, 0..1000. */
  readonly weight: number;
}

/** Lines of a file, 1-based and inclusive. */
export interface LineRange {
  readonly start: number;
  readonly end: number;
}

/**
 * How much a mark made at `at` counts, in thousandths (protocol §4): half after every half-life, 1000 when pinned.
 * @param at time of the mark, protocol form
 * @param asOfMs wall time in ms, cut to the hour here
 */
export function weight(at: string, asOfMs: number, halfLifeDays: number, pinned: boolean): number {
  if (pinned) return 1000;
  const asOf = Math.floor(asOfMs / HOUR_MS) * HOUR_MS;
  const age = Math.max(0, asOf - Date.parse(at)) / DAY_MS;
  if (age === 0) return 1000;
  return halfLifeDays > 0 && Number.isFinite(age) ? Math.round(1000 * 0.5 ** (age / halfLifeDays)) : 0;
}

/**
 * The targets whose marks count for a path, nearest first: itself, the folders above it, the project.
 * @param path relative path as on disk; a folder ends with `/`; null for the project
 */
export function targetsAbove(path: string | null): readonly string[] {
  if (path === null || path === '' || path === '.') return ['.'];
  const targets = [encodePath(path)];
  for (let at = path.lastIndexOf('/', path.length - 2); at > 0; at = path.lastIndexOf('/', at - 1)) {
    targets.push(encodePath(path.slice(0, at + 1)));
  }
  return [...targets, '.'];
}

function own<T>(map: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}

/**
 * The tags in force for a path, by key (protocol §4). A value that somebody set wins over automatic ones, wherever in
 * the chain of folders it was set; among set ones, and among automatic ones, the nearest wins.
 */
export function tagsInForce(
  marks: Marks,
  path: string | null,
  asOfMs: number,
  halfLifeDays: number,
): readonly TagInForce[] {
  const found = new Map<string, TagInForce>();
  const targets = targetsAbove(path);
  for (const side of ['set', 'auto'] satisfies (keyof TagSlot)[]) {
    targets.forEach((target, depth) => {
      for (const [key, slot] of Object.entries(own(marks.tags, target) ?? {})) {
        const value = slot[side];
        if (value === undefined || found.has(key)) continue;
        found.set(key, { ...value, ...place(key, target, depth, weightOf(value, asOfMs, halfLifeDays)) });
      }
    });
  }
  return [...found.values()].sort((a, b) => compare(a.key, b.key));
}

function place(key: string, target: string, depth: number, faded: number) {
  return { key, target, inherited: depth > 0, weight: faded };
}

function weightOf(mark: { readonly at: string; readonly pinned?: true }, asOfMs: number, halfLifeDays: number): number {
  return weight(mark.at, asOfMs, halfLifeDays, mark.pinned === true);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * The focus marks that count for a path: on itself, on lines and symbols in it, on folders above it, on the project.
 * Heaviest first, then by target.
 */
export function focusFor(
  marks: Marks,
  path: string | null,
  asOfMs: number,
  halfLifeDays: number,
): readonly FocusInForce[] {
  const inForce: FocusInForce[] = [];
  const add = (target: string, inherited: boolean) => {
    const focus = own(marks.focus, target);
    if (focus !== undefined) inForce.push({ target, focus, inherited, weight: weightOf(focus, asOfMs, halfLifeDays) });
  };
  targetsAbove(path).forEach((target, depth) => {
    add(target, depth > 0);
  });
  for (const target of Object.keys(marks.focus)) if (isWithin(target, path)) add(target, false);
  return inForce.sort((a, b) => b.weight - a.weight || compare(a.target, b.target));
}

function isWithin(target: string, path: string | null): boolean {
  return path !== null && path !== '' && path !== '.' && target.startsWith(`${encodePath(path)}#`);
}

/** Targets on lines and symbols of a file that have a focus or tags, in order. */
export function targetsWithin(marks: Marks, path: string): readonly string[] {
  const all = new Set([...Object.keys(marks.focus), ...Object.keys(marks.tags)]);
  return [...all].filter((target) => isWithin(target, path)).sort(compare);
}

function linesOf(text: string): string[] {
  return text.split(/\r\n|\r|\n/).map((line) => line.trimEnd());
}

function hashLines(lines: readonly string[], start: number, end: number): string {
  return hash(lines.slice(start - 1, end).map((line) => line.toWellFormed()));
}

/** `Focus.linesHash` of lines of a text: the hash of the list of lines without line ends and trailing blanks. */
export function linesHash(text: string, range: LineRange): string {
  return hashLines(linesOf(text), range.start, range.end);
}

/**
 * Where marked lines are now, or null when they are `lost` (protocol §4): at their numbers if their hash still fits
 * there, else inside the symbol that enclosed them, else the one other place with the same lines, else the symbol as a
 * whole. A mark without a hash and symbol is taken by its numbers as long as the file has them.
 * @param target a target on lines
 * @param text the file as it is now
 * @param outline its outline, or null when there is none
 */
export function locateLines(target: string, focus: Focus, text: string, outline: Outline | null): LineRange | null {
  const parsed = parseTarget(target);
  if (parsed.kind !== 'lines') return null;
  const lines = linesOf(text);
  const range = { start: parsed.start, end: parsed.end };
  const symbol = focus.symbol === undefined ? null : symbolRange(outline, focus.symbol);
  const wanted = focus.linesHash;
  if (wanted === undefined) {
    const fits = range.end <= lines.length && (symbol === null || holds(symbol, range));
    return fits ? range : symbol;
  }
  if (range.end <= lines.length && hashLines(lines, range.start, range.end) === wanted) return range;
  const length = range.end - range.start + 1;
  const inSymbol = symbol === null ? [] : placesOf(lines, wanted, length, symbol);
  const places = inSymbol.length > 0 ? inSymbol : placesOf(lines, wanted, length, { start: 1, end: lines.length });
  return places.length === 1 ? (places[0] ?? null) : symbol;
}

function holds(outer: LineRange, inner: LineRange): boolean {
  return outer.start <= inner.start && inner.end <= outer.end;
}

/** The first two places with these lines: one is enough to find, two are enough to doubt. */
function placesOf(lines: readonly string[], wanted: string, length: number, within: LineRange): readonly LineRange[] {
  const places: LineRange[] = [];
  for (let start = within.start; start + length - 1 <= within.end && places.length < 2; start++) {
    if (hashLines(lines, start, start + length - 1) === wanted) places.push({ start, end: start + length - 1 });
  }
  return places;
}

/** Dotted name of an outline item, as targets and `Focus.symbol` have it. */
export function symbolName(item: { readonly name: string; readonly of?: string }): string {
  return item.of === undefined ? item.name : `${item.of}.${item.name}`;
}

function symbolRange(outline: Outline | null, symbol: string): LineRange | null {
  const item = outline?.items.find((each) => symbolName(each) === symbol);
  return item === undefined ? null : { start: item.start, end: item.end };
}
