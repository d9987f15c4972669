import { createHash } from 'node:crypto';
import { symbolName } from '../marks.ts';
import type { Outline, OutlineItem, OutlineKind } from '../types.ts';

/** What a commit did to a symbol. */
export interface SymbolChange {
  /** Full name, `Outer.Inner`. */
  readonly symbol: string;
  readonly kind: OutlineKind;
  readonly change: 'added' | 'changed' | 'removed';
  /** What it was called before, where it was only renamed: then `change` is `changed`. */
  readonly was?: string;
}

/** One version of a file. */
export interface Version {
  readonly text: string;
  readonly outline: Outline;
}

/** Everything of one name in one version: overloads, accessors and merged declarations together. */
interface Held {
  readonly kind: OutlineKind;
  /** Hashes of what is their own, sorted. */
  readonly hashes: readonly string[];
  /** The same with the name left out, to find it under another one. */
  readonly nameless: string;
}

/**
 * Symbols that differ between two versions of a file, in the order of the later one, removed ones last. A symbol is
 * changed when lines of its own differ: those within its range that belong to no item inside of it. Indentation, blank
 * lines and the place in the file do not count.
 * @param before null when the file was not there
 * @param after null when it is not there any more
 */
export function symbolChanges(before: Version | null, after: Version | null): readonly SymbolChange[] {
  const old = symbolsOf(before);
  const now = symbolsOf(after);
  const renamed = renames(
    [...old].filter(([name]) => !now.has(name)),
    [...now].filter(([name]) => !old.has(name)),
  );
  const changes: SymbolChange[] = [];
  for (const [symbol, { kind, hashes }] of now) {
    const previous = old.get(symbol);
    const was = renamed.get(symbol);
    if (was !== undefined) changes.push({ symbol, kind, change: 'changed', was });
    else if (previous === undefined) changes.push({ symbol, kind, change: 'added' });
    else if (previous.hashes.join() !== hashes.join()) changes.push({ symbol, kind, change: 'changed' });
  }
  const elsewhere = new Set(renamed.values());
  for (const [symbol, { kind }] of old) {
    if (!now.has(symbol) && !elsewhere.has(symbol)) changes.push({ symbol, kind, change: 'removed' });
  }
  return changes;
}

type Named = readonly [name: string, held: Held];

/**
 * Symbols that only got another name, by the new one. Of several that are alike those that are still called the same
 * belong together, as the members of a class that was renamed; of the others only one and one do.
 */
function renames(gone: readonly Named[], came: readonly Named[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const candidates = Map.groupBy(gone, likeness);
  for (const [key, fresh] of Map.groupBy(came, likeness)) {
    const left = [...(candidates.get(key) ?? [])];
    const unnamed = fresh.filter(([name]) => {
      const at = left.findIndex(([other]) => lastPart(other) === lastPart(name));
      const [same] = at < 0 ? [] : left.splice(at, 1);
      if (same !== undefined) found.set(name, same[0]);
      return same === undefined;
    });
    const [one] = unnamed;
    const [other] = left;
    if (unnamed.length === 1 && left.length === 1 && one && other) found.set(one[0], other[0]);
  }
  return found;
}

function likeness([, { kind, nameless }]: Named): string {
  return `${kind} ${nameless}`;
}

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

function symbolsOf(version: Version | null): ReadonlyMap<string, Held> {
  if (version === null) return new Map();
  const held = new Map<string, { kind: OutlineKind; hashes: string[]; nameless: string[] }>();
  const lines = version.text.split(/\r\n|\r|\n/);
  const owner = ownersOf(version.outline.items, lines);
  for (const item of version.outline.items) {
    const own = ownLines(lines, owner, item);
    const name = symbolName(item);
    const known = held.get(name) ?? { kind: item.kind, hashes: [], nameless: [] };
    known.hashes.push(hashOf(own));
    known.nameless.push(hashOf(withoutName(own, item.name)));
    held.set(name, known);
  }
  return new Map(
    Array.from(held, ([name, { kind, hashes, nameless }]) => [
      name,
      { kind, hashes: hashes.sort(), nameless: nameless.sort().join() },
    ]),
  );
}

/** Lines from a first to a last one; names that one declaration makes have the same. */
type Range = Pick<OutlineItem, 'start' | 'end'>;

/**
 * For every line the item that it belongs to: the innermost one around it. A comment right above an item inside of
 * another one is about that item, and so no line of the outer one's own.
 */
function ownersOf(items: readonly OutlineItem[], lines: readonly string[]): readonly (Range | null)[] {
  const owner = new Array<Range | null>(lines.length).fill(null);
  // Outer ones first: inner ones are written over them.
  for (const item of items.toSorted((a, b) => b.end - b.start - (a.end - a.start))) {
    const outer = owner[item.start - 1] ?? null;
    owner.fill(item, item.start - 1, item.end);
    if (outer === null) continue;
    for (let line = item.start - 1; line > outer.start && isSame(owner[line - 1], outer); line--) {
      if (!isComment(lines[line - 1] ?? '')) break;
      owner[line - 1] = null;
    }
  }
  return owner;
}

function isSame(one: Range | null | undefined, other: Range): boolean {
  return one?.start === other.start && one.end === other.end;
}

/** Begins with `#`, and is for a preprocessor or an attribute. */
const NO_COMMENT = /^#(?:\[|\s*(?:if|ifdef|ifndef|else|elif|endif|define|undef|include|pragma|error)\b)/;

/** Whether a line is a comment, as most languages write them. */
function isComment(line: string): boolean {
  const text = line.trimStart();
  return /^(?:\/\/|\/\*|\*|#)/.test(text) && !NO_COMMENT.test(text);
}

/** What shares a line with something inside of it has that line too: `class A { a() {` is of both. */
function ownLines(lines: readonly string[], owner: readonly (Range | null)[], item: Range): readonly string[] {
  const { start, end } = item;
  const own: string[] = [];
  for (let line = start; line <= end; line++) {
    const text = lines[line - 1] ?? '';
    const isOwn = line === start || line === end || isSame(owner[line - 1], item);
    if (isOwn && text.trim() !== '') own.push(text.trimEnd());
  }
  const indent = Math.min(...own.map((line) => line.search(/\S/)));
  return own.map((line) => line.slice(indent));
}

function hashOf(lines: readonly string[]): string {
  return createHash('sha256').update(lines.join('\n')).digest('base64');
}

/** Where a name stands as a word of its own it is left out: whoever renames something also renames what calls itself. */
function withoutName(lines: readonly string[], name: string): readonly string[] {
  if (!/^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(name)) return lines;
  const word = new RegExp(`(?<![\\p{L}\\p{N}_$])${name.replaceAll('$', '\\$')}(?![\\p{L}\\p{N}_$])`, 'gu');
  return lines.map((line) => line.replace(word, ''));
}
