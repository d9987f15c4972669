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
  const gone = [...old].filter(([name]) => !now.has(name));
  const changes: SymbolChange[] = [];
  for (const [symbol, { kind, hashes, nameless }] of now) {
    const previous = old.get(symbol);
    if (previous === undefined) {
      const same = gone.filter(([, each]) => each.kind === kind && each.nameless === nameless);
      // Of a class that got another name every member is still called as before.
      const renamed = same.find(([name]) => lastPart(name) === lastPart(symbol)) ?? same[0];
      if (renamed !== undefined) gone.splice(gone.indexOf(renamed), 1);
      if (renamed === undefined) changes.push({ symbol, kind, change: 'added' });
      else changes.push({ symbol, kind, change: 'changed', was: renamed[0] });
    } else if (previous.hashes.join() !== hashes.join()) {
      changes.push({ symbol, kind, change: 'changed' });
    }
  }
  return [...changes, ...gone.map(([symbol, { kind }]) => ({ symbol, kind, change: 'removed' as const }))];
}

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

function symbolsOf(version: Version | null): ReadonlyMap<string, Held> {
  const held = new Map<string, { kind: OutlineKind; hashes: string[]; nameless: string[] }>();
  if (version === null) return held as unknown as ReadonlyMap<string, Held>;
  const lines = version.text.split(/\r\n|\r|\n/);
  const owner = ownersOf(version.outline.items, lines);
  for (const [at, item] of version.outline.items.entries()) {
    const own = ownLines(lines, owner, at, item);
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

/**
 * For every line the item that it belongs to: the innermost one around it. A comment right above an item inside of
 * another one is about that item, and so no line of the outer one's own.
 */
function ownersOf(items: readonly OutlineItem[], lines: readonly string[]): Int32Array {
  const owner = new Int32Array(lines.length).fill(-1);
  // Outer ones first: inner ones are written over them.
  const outermost = [...items.keys()].sort((a, b) => sizeOf(items[b]) - sizeOf(items[a]));
  for (const at of outermost) {
    const item = items[at];
    if (item === undefined) continue;
    const outer = owner[item.start - 1] ?? -1;
    owner.fill(at, item.start - 1, item.end);
    for (let line = item.start - 2; outer >= 0 && owner[line] === outer && isComment(lines[line] ?? ''); line--) {
      if (line + 1 === items[outer]?.start) break;
      owner[line] = NOBODY;
    }
  }
  return owner;
}

const NOBODY = -2;

function sizeOf(item: OutlineItem | undefined): number {
  return item === undefined ? 0 : item.end - item.start;
}

function isComment(line: string): boolean {
  return /^\s*(?:\/\/|\/\*|\*|#(?!\[)|--|""")/.test(line);
}

/** What shares a line with something inside of it has that line too: `class A { a() {` is of both. */
function ownLines(lines: readonly string[], owner: Int32Array, at: number, { start, end }: OutlineItem): string[] {
  const own: string[] = [];
  for (let line = start; line <= end; line++) {
    const text = lines[line - 1] ?? '';
    if ((owner[line - 1] === at || line === start || line === end) && text.trim() !== '') own.push(text.trimEnd());
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
