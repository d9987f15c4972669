/** One piece of free text: `key: value`, or a phrase without a key. */
export interface Piece {
  readonly key: string | null;
  readonly value: string;
  /** Why this piece cannot be used, as a sentence. */
  readonly problem?: string;
}

const SEPARATORS: ReadonlySet<string> = new Set([',', ';', '\n', '，', '；', '、']);
const ASSIGNMENTS: ReadonlySet<string> = new Set([':', '=', '：', '＝']);
const QUOTES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["'", "'"],
  ['“', '”'],
  ['‘', '’'],
  ['「', '」'],
  ['『', '』'],
  ['«', '»'],
]);

/** Where the key of `key: value` ends, or -1. */
export function assignmentAt(text: string): number {
  for (let at = 0; at < text.length; at++) if (ASSIGNMENTS.has(text.charAt(at))) return at;
  return -1;
}

/** Text on one line, cut to 40 characters, in quotes: as messages show what a person wrote. */
export function shown(text: string): string {
  const characters = [...text.trim().replace(/\s+/gu, ' ')];
  return `“${characters.length > 40 ? `${characters.slice(0, 40).join('')}…` : characters.join('')}”`;
}

/**
 * Splits free text into pieces. Separators are commas, semicolons and line ends, also full-width ones; a value may be
 * quoted. Without a separator a further key begins at a word directly followed by `=`, or by `:` when `isKey` knows it:
 * a colon alone may belong to the value.
 */
export function splitTagText(text: string, isKey: (word: string) => boolean): readonly Piece[] {
  return new Splitter(text, isKey).split();
}

class Splitter {
  readonly #text: string;
  readonly #isKey: (word: string) => boolean;
  readonly #pieces: Piece[] = [];
  #at = 0;
  #key: string | null = null;
  /** What was read since the key or separator; a quoted part replaces it. */
  #bare = '';
  #quoted: string | null = null;
  #problem: string | null = null;

  constructor(text: string, isKey: (word: string) => boolean) {
    this.#text = text;
    this.#isKey = isKey;
  }

  split(): readonly Piece[] {
    while (this.#at < this.#text.length) this.#step();
    this.#flush();
    return this.#pieces;
  }

  #step(): void {
    const character = this.#text.charAt(this.#at);
    if (SEPARATORS.has(character)) {
      this.#flush();
    } else if (this.#quoted === null && this.#bare.trim() === '' && QUOTES.has(character)) {
      this.#readQuoted(QUOTES.get(character) ?? character);
    } else if (this.#key === null && ASSIGNMENTS.has(character)) {
      this.#key = this.#quoted ?? this.#bare.trim();
      this.#bare = '';
      this.#quoted = null;
    } else if (this.#startsKey()) {
      return;
    } else {
      this.#bare += character;
    }
    this.#at++;
  }

  /** Ends the piece where another key begins, and moves behind that key. */
  #startsKey(): boolean {
    const before = this.#text.charAt(this.#at - 1);
    if (!/\s/u.test(before) || (this.#bare.trim() === '' && this.#quoted === null)) return false;
    const next = /([\p{L}\p{N}_-]+)(?:[=＝]|\s*([:：]))/uy;
    next.lastIndex = this.#at;
    const match = next.exec(this.#text);
    const word = match?.[1];
    if (match === null || word === undefined) return false;
    if (match[2] !== undefined && !this.#isKey(word)) return false;
    if (this.#key === null && this.#isKey(`${this.#bare}${word}`)) return false;
    this.#flush();
    this.#key = word;
    this.#at += match[0].length;
    return true;
  }

  /** A backslash keeps the quote or backslash behind it. Stops on the closing quote. */
  #readQuoted(close: string): void {
    const from = this.#at;
    let value = '';
    let at = from + 1;
    for (; at < this.#text.length && this.#text.charAt(at) !== close; at++) {
      if (this.#text.charAt(at) === '\\' && [close, '\\'].includes(this.#text.charAt(at + 1))) at++;
      value += this.#text.charAt(at);
    }
    if (at >= this.#text.length) this.#problem = `The quote before ${shown(value)} is not closed.`;
    this.#at = at;
    this.#quoted = value;
    this.#bare = '';
  }

  #flush(): void {
    const rest = this.#bare.trim();
    if (this.#quoted !== null && rest !== '') {
      this.#problem ??= `There is ${shown(rest)} behind the quoted ${shown(this.#quoted)}: write a comma between them.`;
    }
    const value = this.#quoted ?? rest;
    if (this.#key !== null || value !== '') {
      const problem = this.#problem === null ? {} : { problem: this.#problem };
      this.#pieces.push({ key: this.#key, value, ...problem });
    }
    this.#key = null;
    this.#bare = '';
    this.#quoted = null;
    this.#problem = null;
  }
}
