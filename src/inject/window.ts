import type { InjectRequest } from './types.ts';

/**
 * How much of a document around the cursor goes into a completion request, in UTF-16 units. The text before the cursor says
 * more about what comes next; 12,000 and 4,000 characters are about 4,000 tokens, a fraction of a second for M3.
 */
const PREFIX = 12_000;
const SUFFIX = 4_000;

/** The end of the text before the cursor that is sent: whole lines where a line end is in reach. */
export function sentPrefix(prefix: string): string {
  if (prefix.length <= PREFIX) return prefix;
  const end = prefix.slice(-PREFIX);
  const line = end.indexOf('\n') + 1;
  return (line > 0 && line < end.length ? end.slice(line) : end).toWellFormed();
}

/** The beginning of the text after the cursor that is sent. */
export function sentSuffix(suffix: string): string {
  if (suffix.length <= SUFFIX) return suffix;
  const start = suffix.slice(0, SUFFIX);
  const line = start.lastIndexOf('\n');
  return (line > 0 ? start.slice(0, line) : start).toWellFormed();
}

/** Text that a model sees anyway, with the lines it covers when they are known. */
export interface OpenText {
  /** Whether a piece of code, white space aside, stands in it as a whole. */
  has(code: string): boolean;
  /** Whether all words of a name, such as that of a package, stand in it side by side. Meant to be asked of many names. */
  names(name: string): boolean;
  /** Whether a 1-based line is in sight. */
  covers(line: number): boolean;
}

/** White space counts only where it parts two words, and a comma before a closing bracket is the formatter's. */
function squeezed(code: string): string {
  return code
    .replace(/\s+/gu, ' ')
    .replace(/(?<![\p{L}\p{N}_$]) | (?![\p{L}\p{N}_$])/gu, '')
    .replace(/,(?=[)\]}>])/g, '');
}

const WORD = /[\p{L}\p{N}_$]/u;
const WORDS = /[\p{L}\p{N}_$]+/gu;

function standsIn(text: string, code: string): boolean {
  for (let at = text.indexOf(code); at >= 0; at = text.indexOf(code, at + 1)) {
    const before = text[at - 1] ?? '';
    const after = text[at + code.length] ?? '';
    if (WORD.test(before) && WORD.test(code[0] ?? '')) continue;
    if (WORD.test(after) && WORD.test(code.at(-1) ?? '')) continue;
    return true;
  }
  return false;
}

function open(text: string, first: number | undefined): OpenText {
  const all = squeezed(text);
  const last = first === undefined ? 0 : first + text.split('\n').length - 1;
  let words: ReadonlySet<string> | null = null;
  const has = (code: string) => {
    const wanted = squeezed(code);
    return wanted !== '' && standsIn(all, wanted);
  };
  return {
    has,
    names: (name) => {
      words ??= new Set(all.match(WORDS));
      const parts = name.match(WORDS) ?? [];
      for (const part of parts) if (!words.has(part)) return false;
      return parts.length > 0 && has(name);
    },
    covers: (line) => first !== undefined && line >= first && line <= last,
  };
}

/** What of the request's own text the model will see: context never repeats it. */
export function openText(request: InjectRequest): OpenText {
  switch (request.type) {
    case 'completion': {
      const before = sentPrefix(request.prefix);
      return open(before + sentSuffix(request.suffix), request.line - (before.split('\n').length - 1));
    }
    case 'explain':
      return open(request.selection, request.line);
    case 'chat':
      return open(request.question, undefined);
  }
}
