/** Code points of a signature (protocol §3). */
const MAX_SIGNATURE = 200;
/** More UTF-16 units than 200 code points come from: four marks make one at most, of two units each. */
const ENOUGH = 10 * MAX_SIGNATURE;

/** So much of the source, in UTF-16 units, makes more than 200 code points however it is indented. */
export const FAR = 20 * MAX_SIGNATURE;

/** A part of the source that does not go into a signature, and what stands for it. */
export interface Cut {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** What is written for a comment: it may have kept two words apart. */
export const COMMENT = ' ';

/**
 * The source from `start` to `end` on one line and without `cuts`, at most 200 code points of it.
 * @param cuts inside the range, in any order; what is inside of another one does not matter
 * @param suffix written behind it
 */
export function signatureText(text: string, start: number, end: number, cuts: readonly Cut[], suffix: string): string {
  let out = '';
  let at = start;
  for (const cut of cuts.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    if (cut.start < at) continue;
    if (out.length + cut.start - at > FAR) break;
    out += text.slice(at, cut.start) + cut.text;
    at = cut.end;
  }
  const rest = Math.min(Math.max(at, end), at + FAR - out.length);
  return oneLine(out + text.slice(at, rest) + suffix);
}

/** A part of the source on one line, for names. */
export function sourceText(text: string, start: number, end: number): string {
  return text.slice(start, end).replace(/\s+/gu, ' ');
}

function oneLine(text: string): string {
  const line = text
    .replace(/\s+/gu, ' ')
    .replace(/\( /g, '(')
    .replace(/,? \)/g, ')')
    .replace(/ ,/g, ',')
    .replace(/(?:\s*(?:=>|[=;,]))+\s*$/, '')
    .trim();
  return cut(line);
}

function cut(line: string): string {
  if (line.length <= MAX_SIGNATURE) return line;
  const characters = [...line.slice(0, ENOUGH).normalize('NFC')];
  return characters.length <= MAX_SIGNATURE
    ? line
    : `${characters
        .slice(0, MAX_SIGNATURE - 1)
        .join('')
        .trimEnd()}…`;
}
