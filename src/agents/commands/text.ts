import { stripVTControlCharacters, styleText } from 'node:util';

/** Styles used in output for people; plain ones return the text as it is. */
export interface Palette {
  bold(text: string): string;
  dim(text: string): string;
  good(text: string): string;
  warn(text: string): string;
  bad(text: string): string;
}

/** Colours, or none of them. */
export function palette(colours: boolean): Palette {
  const style = (name: 'bold' | 'dim' | 'green' | 'yellow' | 'red') => (text: string) =>
    colours ? styleText(name, text, { validateStream: false }) : text;
  return { bold: style('bold'), dim: style('dim'), good: style('green'), warn: style('yellow'), bad: style('red') };
}

/**
 * Text that came from a repository or a log, safe to show: a control character could move the cursor or rename the
 * terminal, and a direction mark could make a line read otherwise than it is. Both are written out.
 */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (character === '\n') return '\\n';
    if (character === '\t') return '\\t';
    return code > 0xff ? `\\u${code.toString(16).padStart(4, '0')}` : `\\x${code.toString(16).padStart(2, '0')}`;
  });
}

const WIDE = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60]/u;

/** Columns that a text takes in a terminal: two for wide scripts and emoji, none for styles and joined marks. */
export function columns(text: string): number {
  const plain = stripVTControlCharacters(text);
  if (/^[\x20-\x7e]*$/.test(plain)) return plain.length;
  let width = 0;
  for (const { segment } of new Intl.Segmenter().segment(plain)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - columns(text)));
}

/** Rows with their columns aligned, the last one free; a cell is one line. */
export function table(rows: readonly (readonly string[])[], indent = ''): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.slice(0, -1).entries()) {
      widths[column] = Math.max(widths[column] ?? 0, columns(cell));
    }
  }
  return rows.map((row) =>
    `${indent}${row.map((cell, column) => (column === row.length - 1 ? cell : padded(cell, widths[column] ?? 0))).join('  ')}`.trimEnd(),
  );
}

/** At most `limit` code points, the rest shown as an ellipsis. */
export function shortened(text: string, limit: number): string {
  const points = [...text];
  return points.length <= limit ? text : `${points.slice(0, limit - 1).join('')}…`;
}

/** A count with its noun: `1 file`, `2 files`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** `1 234 567` bytes as people read them. */
export function bytes(count: number): string {
  if (count < 1000) return `${count} B`;
  if (count < 1_000_000) return `${(count / 1000).toFixed(1)} kB`;
  return `${(count / 1_000_000).toFixed(1)} MB`;
}

const UNITS: readonly (readonly [ms: number, name: string])[] = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
];

/** A protocol time as people read it, with how long ago that is. */
export function when(at: string, nowMs: number): string {
  const ms = Date.parse(at);
  if (Number.isNaN(ms)) return visible(at);
  return `${at.slice(0, 10)} ${at.slice(11, 19)} UTC (${ago(nowMs - ms)})`;
}

/** How long ago, in the largest unit that fits. */
export function ago(ms: number): string {
  for (const [unit, name] of UNITS) {
    if (ms >= unit) return `${plural(Math.floor(ms / unit), name)} ago`;
  }
  return 'just now';
}

/** A weight in thousandths as a percentage. */
export function percent(thousandths: number): string {
  return `${Math.round(thousandths / 10)} %`;
}

/** A hash or commit as people compare them. */
export function short(hash: string): string {
  return hash.slice(0, 10);
}
