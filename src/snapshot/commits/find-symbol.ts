import { ProjectAnchorError } from '../../base/index.ts';
import { symbolName } from '../marks.ts';
import type { Outline } from '../types.ts';

/** Names that are suggested. */
const MAX_SUGGESTED = 3;

/**
 * The full name of the symbol that a person means: the name as it is, or the end of exactly one, `refund` for
 * `Booking.refund`.
 * @throws ProjectAnchorError `no_symbol`, with the closest names
 */
export function findSymbol(path: string, outline: Outline, typed: string): string {
  const names = [...new Set(outline.items.map(symbolName))];
  if (names.includes(typed)) return typed;
  const ends = names.filter((name) => name.endsWith(`.${typed}`));
  if (ends.length === 1) return ends[0] ?? typed;
  const close = ends.length > 1 ? ends : closest(names, typed);
  if (outline.more !== undefined && ends.length === 0) {
    throw new ProjectAnchorError(
      'no_symbol',
      `${typed} is not among the ${names.length} symbols that are kept of ${path}: it has more than are listed.`,
      'Name the file alone, or what encloses the symbol.',
    );
  }
  const remedy =
    close.length === 0
      ? 'It has no symbols: name the file alone.'
      : `Did you mean ${close.slice(0, MAX_SUGGESTED).join(', ')}? "outline" lists them all.`;
  throw new ProjectAnchorError('no_symbol', `${path} has no symbol ${typed}.`, remedy);
}

/** By how many letters would have to change, whole names and last parts alike, capitals aside. */
function closest(names: readonly string[], typed: string): readonly string[] {
  const wanted = typed.toLowerCase();
  const rank = (name: string) => {
    const whole = name.toLowerCase();
    const last = whole.slice(whole.lastIndexOf('.') + 1);
    const within = whole.includes(wanted) || wanted.includes(last) ? -1 : 0;
    return Math.min(distance(whole, wanted), distance(last, wanted)) + within;
  };
  return names
    .map((name) => ({ name, rank: rank(name) }))
    .sort((a, b) => a.rank - b.rank || (a.name < b.name ? -1 : 1))
    .slice(0, MAX_SUGGESTED)
    .map(({ name }) => name);
}

/** Letters to insert, delete or replace (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (const [at, letter] of [...a].entries()) {
    const next = [at + 1];
    for (const [column, other] of [...b].entries()) {
      const replaced = (row[column] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
