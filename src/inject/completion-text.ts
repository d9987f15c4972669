/** What stands around the cursor, as the document has it. */
export interface Surroundings {
  /** Text before the cursor. */
  readonly prefix: string;
  /** Text after the cursor. */
  readonly suffix: string;
  readonly language: string;
}

export const COMPLETION_START = '<COMPLETION>';
export const COMPLETION_END = '</COMPLETION>';

/** How many lines before the cursor a model may have repeated before it goes on; more is not seen in practice. */
const REPEATED_LINES = 20;

const lf = (text: string): string => text.replace(/\r\n?/g, '\n');

/** Whether nothing that may still come can change the completion: its closing tag has arrived. */
export function isComplete(answer: string): boolean {
  return answer.includes(COMPLETION_END);
}

/**
 * Turns a model's answer into the text to show at the cursor, or null when nothing is left to show.
 * Tags and a Markdown fence around the code come off, as do a repeated beginning of the line and what already follows the cursor;
 * indentation is not doubled and line ends follow the document.
 */
export function completionText(answer: string, { prefix, suffix, language }: Surroundings): string | null {
  const before = lf(prefix);
  const after = lf(suffix);
  let text = withoutTags(lf(answer));
  // In Markdown a fence may be the very thing that was asked for.
  if (language !== 'markdown') text = withoutFence(text);
  text = withoutRepeatedStart(text, before);
  text = withoutDoubledIndent(text, before);
  text = withoutRepeatedEnd(text, after).trimEnd();
  if (text.trim() === '') return null;
  return usesCrlf(prefix, suffix) ? text.replaceAll('\n', '\r\n') : text;
}

/** The line ends of a document are those of its first line end that is in sight. */
function usesCrlf(prefix: string, suffix: string): boolean {
  const sample = prefix.includes('\n') ? prefix : suffix;
  return /^[^\n]*\r\n/.test(sample);
}

function withoutTags(answer: string): string {
  const start = answer.indexOf(COMPLETION_START);
  const inside = start < 0 ? answer : answer.slice(start + COMPLETION_START.length);
  const end = inside.indexOf(COMPLETION_END);
  return withoutPartialTag(end < 0 ? inside : inside.slice(0, end));
}

/** An answer that reached its length limit may end inside the closing tag. */
function withoutPartialTag(text: string): string {
  const at = text.lastIndexOf('<');
  // `</` at least: a lone `<` is more often code than the beginning of the tag.
  return at >= 0 && text.length - at >= 2 && COMPLETION_END.startsWith(text.slice(at)) ? text.slice(0, at) : text;
}

function withoutFence(text: string): string {
  const open = /^\s*(`{3,}|~{3,})[^\n`]*(?:\n|$)/.exec(text);
  if (open === null) return text;
  const inside = text.slice(open[0].length);
  const mark = open[1] ?? '```';
  const close = inside.search(new RegExp(`^[ \\t]*${mark}`, 'm'));
  return close < 0 ? inside : inside.slice(0, close).replace(/\n$/, '');
}

/** Models like to begin with the line, or the lines, that the cursor is already on. */
function withoutRepeatedStart(text: string, before: string): string {
  let start = before.length;
  let longest = 0;
  for (let lines = 0; lines < REPEATED_LINES && start > 0; lines++) {
    start = before.lastIndexOf('\n', start - 2) + 1;
    const written = before.slice(start);
    for (const form of [written, written.trimStart()]) {
      if (says(form) && text.startsWith(form)) longest = Math.max(longest, form.length);
    }
  }
  return text.slice(longest);
}

/** Two characters with a word among them: a bracket or a lone letter repeats by chance. */
function says(text: string): boolean {
  return text.trim().length >= 2 && /[\p{L}\p{N}_]/u.test(text);
}

/** Where the cursor already stands behind the line's indentation, the first line must not bring it again. */
function withoutDoubledIndent(text: string, before: string): string {
  const line = before.slice(before.lastIndexOf('\n') + 1);
  if (line.trim() !== '') return text;
  const trimmed = text.replace(/^(?:[ \t]*\n)+/, '');
  if (line === '') return trimmed;
  return trimmed.startsWith(line) ? trimmed.slice(line.length) : trimmed.trimStart();
}

/** What follows the cursor is not written a second time, but a bracket that closes something new stays. */
function withoutRepeatedEnd(text: string, after: string): string {
  const end = text.trimEnd();
  for (let length = Math.min(end.length, after.trimEnd().length); length > 0; length--) {
    const repeated = after.slice(0, length);
    if (repeated.trim() === '' || !end.endsWith(repeated)) continue;
    const rest = end.slice(0, -length);
    if (repeats(repeated, rest, end)) return rest;
  }
  return withoutRepeatedNextLine(end, after);
}

function repeats(repeated: string, rest: string, whole: string): boolean {
  if (/^[;,\s]+$/.test(repeated)) return true;
  if (/[\p{L}\p{N}_]/u.test(repeated)) return repeated.trim().length >= 3;
  return imbalance(rest) < imbalance(whole);
}

/** The first line that follows, with other indentation or behind blank lines, as the last line of the completion. */
function withoutRepeatedNextLine(text: string, after: string): string {
  const next = /^\s*([^\n]*)/.exec(after)?.[1]?.trim() ?? '';
  const at = text.lastIndexOf('\n');
  if (!after.startsWith('\n') || at < 0 || text.slice(at + 1).trim() !== next || next === '') return text;
  const rest = text.slice(0, at);
  return repeats(next, rest, text) ? rest.trimEnd() : text;
}

const CLOSES: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

/** How many brackets and quotes of a piece of code have no partner in it. */
function imbalance(code: string): number {
  const open: string[] = [];
  let alone = 0;
  const quotes = { "'": 0, '"': 0, '`': 0 };
  for (const character of code) {
    if (character === "'" || character === '"' || character === '`') quotes[character]++;
    else if ('([{'.includes(character)) open.push(character);
    else if (CLOSES[character] !== undefined) {
      if (open.at(-1) === CLOSES[character]) open.pop();
      else alone++;
    }
  }
  return alone + open.length + (quotes["'"] % 2) + (quotes['"'] % 2) + (quotes['`'] % 2);
}
