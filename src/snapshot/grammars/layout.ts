/** A declaration or statement as the indentation shows it. Positions are offsets into the text. */
export interface Part {
  /** Start of its first line that says something. */
  readonly start: number;
  /** Behind its last line that says something. */
  readonly end: number;
}

/** A part taken apart: its first lines, what is indented deeper, and its last lines. */
export interface Opened {
  readonly header: Part;
  readonly inside: Part;
}

interface Line extends Part {
  readonly indent: number;
  readonly text: string;
}

const TAB = 8;

/** Comments, preprocessor lines and access labels stand at any indentation. */
const NO_LAYOUT = /^(?:\/\/|\/\*|\*(?:\s|\/|$)|#(?!\[)|(?:public|private|protected)\b[\w\s]*:\s*$)/;

/** Goes on with what stands above it. */
const GOES_ON =
  /^(?:[})\]{,.:=&|?+>-]|(?:end|else|elif|elsif|elseif|except|finally|catch|rescue|ensure|when|where|then|do|done|fi|esac|in|extends|implements|throws)\b)/;

/** Belongs to what stands below it: decorators, attributes, annotations, templates. */
const LEADS = /^(?:@(?!interface\b)|#\[|\[[^=]*\]?\s*$|template\b[^;{]*$)/;

function indentOf(line: string): number {
  let width = 0;
  for (const character of line) {
    if (character === ' ') width += 1;
    else if (character === '\t') width += TAB - (width % TAB);
    else break;
  }
  return width;
}

/** The indentation of what stands beside each other; one line alone may be where it does not belong. */
function baseOf(lines: readonly Line[]): number {
  const indents = lines.filter(({ text }) => !GOES_ON.test(text)).map(({ indent }) => indent);
  const [first = 0] = indents;
  const least = indents.reduce((a, b) => Math.min(a, b), first);
  const isAlone = indents.indexOf(least) === indents.lastIndexOf(least);
  return isAlone ? first : least;
}

/** A text as people see it who look at the indentation only. */
export class Layout {
  /** The lines that say something, in order. */
  readonly #lines: readonly Line[];

  /** @param without texts and comments over several lines, in order: their lines may be indented anyhow */
  constructor(text: string, without: readonly Part[]) {
    const lines: { -readonly [Key in keyof Line]: Line[Key] }[] = [];
    let next = 0;
    for (let at = 0; at < text.length; ) {
      const found = text.indexOf('\n', at);
      const end = found < 0 ? text.length : found;
      while ((without[next]?.end ?? Number.POSITIVE_INFINITY) <= at) next += 1;
      const begun = without[next]?.start ?? at;
      const isInside = begun < at;
      const last = lines.at(-1);
      // The line that a text begins on ends with the text.
      if (isInside && last !== undefined && begun >= last.start && begun < last.end) last.end = end;
      const line = text.slice(at, end);
      const trimmed = line.trim();
      if (!isInside && trimmed !== '' && !NO_LAYOUT.test(trimmed)) {
        lines.push({ start: at, end, indent: indentOf(line), text: trimmed });
      }
      at = end + 1;
    }
    this.#lines = lines;
  }

  /** What stands beside each other at the smallest indentation of a part of the text. */
  parts(range: Part): readonly Part[] {
    const lines = this.#within(range);
    const base = baseOf(lines);
    const parts: Part[] = [];
    let leads = true;
    for (const line of lines) {
      const last = parts.at(-1);
      const begins = line.indent <= base && !GOES_ON.test(line.text);
      if (last === undefined || (begins && !leads)) parts.push({ start: line.start, end: line.end });
      else parts[parts.length - 1] = { start: last.start, end: line.end };
      leads = begins ? LEADS.test(line.text) : leads && line.indent > base;
    }
    return parts;
  }

  /** Takes a part apart at its indentation, or null when nothing in it is indented deeper. */
  opened(part: Part): Opened | null {
    const lines = this.#within(part);
    const base = lines[0]?.indent ?? 0;
    // The parameters of a declaration may be indented too, in front of the line that opens its body.
    const opening = lines.findIndex(({ indent, text }) => indent <= base && /^[){].*[{:]\s*$|^\{$/.test(text));
    const first = lines.findIndex(({ indent, text }, index) => index > opening && indent > base && !GOES_ON.test(text));
    if (first <= 0) return null;
    const last = lines.findLastIndex(({ indent }) => indent > base);
    const start = lines[first]?.start ?? part.start;
    return { header: { start: part.start, end: start }, inside: { start, end: lines[last]?.end ?? part.end } };
  }

  /** A part without one line at its end, or without two of them: what was typed behind it looks as if it belonged to it. */
  shorter(part: Part): readonly Part[] {
    const ends = this.#within(part).slice(-3, -1);
    return ends.map(({ end }) => ({ start: part.start, end })).toReversed();
  }

  #within({ start, end }: Part): readonly Line[] {
    return this.#lines.slice(this.#indexOf(start), this.#indexOf(end));
  }

  /** Index of the first line that does not start before an offset. */
  #indexOf(at: number): number {
    let low = 0;
    let high = this.#lines.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#lines[middle]?.start ?? 0) < at) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
