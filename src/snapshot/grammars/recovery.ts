import type { Parser } from '@vscode/tree-sitter-wasm';
import type { LanguageRules, Scope, SyntaxNode } from './language.ts';
import { Layout, type Part } from './layout.ts';
import { type Change, type Declaration, Walker } from './walker.ts';

/** How many parts beside each other are tried as one: `static int` and `f(void) {…}` on lines of their own. */
const MOST_JOINED = 3;

/** Nodes whose text is not code. */
const NO_CODE = /string|comment|heredoc|^text/;

/** What has to stand around a part so that it reads as it does in its place. */
interface Context {
  readonly before: string;
  readonly after: string;
  /** Full name of what encloses it. */
  readonly of: string | undefined;
}

/** How many parts something was, and what stands around what it encloses. */
interface Taken {
  readonly count: number;
  readonly inner: Context | null;
}

/** A part of the text as it was read by itself. */
interface Read {
  readonly clean: boolean;
  readonly declarations: readonly Declaration[];
  /** What its first declaration encloses. */
  readonly scope: Scope | null;
}

/** So many characters in front of a text or behind it tell whether it is one. */
const NEAR = 200;

/** The name of a type, where no grammar makes anything of its first line. */
const TYPE = /\b(?:class|struct|interface|trait|enum|record|module|impl)\s+(\w+)/;

/** Stands for a name that nobody knows in the context of its members. */
const UNKNOWN = /^__(?:\.|$)/;

/**
 * Finds what is intact in a text that does not parse. One missing bracket may make all that follows unintelligible to
 * tree-sitter; people and formatters indent, so the indentation says what stands beside what, and each part is read by
 * itself, between the first and the last lines of what encloses it. What tree-sitter found whole in its place is not read
 * again.
 */
export class Recovery {
  readonly #parser: Parser;
  readonly #language: LanguageRules;
  readonly #text: string;
  readonly #layout: Layout;
  readonly #change: Change;
  /** What tree-sitter found in the whole text, in order. */
  readonly #known: readonly Declaration[];
  readonly #kept: Declaration[] = [];

  constructor(
    [parser, language]: readonly [Parser, LanguageRules],
    text: string,
    root: SyntaxNode,
    known: readonly Declaration[],
    change: Change,
  ) {
    this.#parser = parser;
    this.#language = language;
    this.#text = text;
    this.#layout = new Layout(text, noCode(root, text));
    // Directives are looked for by themselves.
    const isDirective = ({ start }: Declaration) => language.directives !== undefined && text.charAt(start) === '#';
    this.#known = known.filter((each) => !isDirective(each)).toSorted((a, b) => a.start - b.start);
    this.#change = change;
  }

  /** The declarations of the text; each stands there once. */
  declarations(): readonly Declaration[] {
    const [before, after] = this.#language.around?.top ?? ['', ''];
    const context = { before, after, of: undefined };
    this.#parts({ start: 0, end: this.#text.length }, context);
    const { directives } = this.#language;
    for (const { 0: line, index } of directives === undefined ? [] : this.#text.matchAll(directives)) {
      this.#kept.push(...this.#read(line, index, context).declarations);
    }
    return this.#kept;
  }

  #parts(range: Part, context: Context): void {
    const parts = this.#layout.parts(range);
    // What a line that nobody understands has torn off belongs to what stands before it.
    let before: Context | null = null;
    for (let index = 0; index < parts.length; ) {
      const part = this.#part(parts.slice(index, index + MOST_JOINED), context, before);
      before = part.inner;
      index += part.count;
    }
  }

  #part(parts: readonly Part[], context: Context, before: Context | null): Taken {
    const [part] = parts;
    if (part === undefined) return { count: 1, inner: null };
    if (this.#isIntact(part, context)) {
      this.#keep(part);
      return { count: 1, inner: null };
    }
    const joined = parts.map(({ end }, index) => ({ start: part.start, end, count: index + 1 }));
    const shorter = this.#layout.shorter(part).map((each) => ({ ...each, count: 1 }));
    for (const { start, end, count } of [...joined, ...shorter]) {
      const read = this.#read(this.#text.slice(start, end), start, context);
      if (!read.clean || (end < part.end && read.declarations.length === 0)) continue;
      this.#kept.push(...read.declarations);
      return { count, inner: null };
    }
    return { count: 1, inner: this.#broken(part, context, before) };
  }

  /**
   * Looks for what is intact inside of a part that is not.
   * @returns what stands around what it encloses
   */
  #broken(part: Part, context: Context, before: Context | null): Context | null {
    const opened = this.#layout.opened(part);
    if (opened === null) {
      this.#keep(part);
      return null;
    }
    const { header, inside } = opened;
    const footer = this.#text.slice(inside.end, part.end);
    const { read, inner: own } = this.#hollow(header, footer, context);
    const { declarations } = read;
    const inner = own ?? before ?? (declarations.length === 0 ? this.#unknown(header, context) : null);
    if (declarations.length === 0 && inner === null) {
      this.#keep(part);
      return null;
    }
    this.#kept.push(...declarations.map((each) => (each.end > header.end ? { ...each, end: part.end } : each)));
    if (inner !== null) this.#parts(inside, inner);
    // What follows belongs to it only as long as it is not closed.
    return footer.trim() === '' ? inner : null;
  }

  /** Reads the first and last lines of a declaration without what it holds, and says what then stands around that. */
  #hollow(
    { start, end }: Part,
    footer: string,
    context: Context,
  ): { readonly read: Read; readonly inner: Context | null } {
    const header = this.#text.slice(start, end);
    let broken: Read = { clean: false, declarations: [], scope: null };
    const [[, usual] = ['', '']] = this.#language.bodies;
    for (const [open, filler, close] of [['', usual, footer] as const, ...this.#language.bodies]) {
      const read = this.#read(header + open + filler + close, start, context);
      if (!read.clean) {
        if (broken.declarations.length === 0) broken = read;
        continue;
      }
      // A declaration without a scope is one whose inside is nobody's business.
      if (read.declarations.length > 0 && read.scope === null) return { read, inner: null };
      const after = `${close}\n${context.after}`;
      const before = context.before + withoutDirectives(header) + open;
      return { read, inner: { before, after, of: read.scope?.of ?? context.of } };
    }
    return { read: broken, inner: broken.scope === null ? null : this.#member(broken.scope.of) };
  }

  /** The inside of what has a first line that nobody understands. */
  #unknown({ start, end }: Part, context: Context): Context | null {
    const name = TYPE.exec(this.#text.slice(start, end))?.[1];
    if (name !== undefined) return this.#member(context.of === undefined ? name : `${context.of}.${name}`);
    return this.#language.around?.alone === true ? this.#member(undefined) : null;
  }

  /** The inside of a type that has no first line that could stand around it. */
  #member(of: string | undefined): Context | null {
    const { member } = this.#language.around ?? {};
    return member === undefined ? null : { before: member[0], after: member[1], of };
  }

  /** Whether tree-sitter has a declaration here that begins and ends where the indentation says so. */
  #isIntact(part: Part, { of }: Context): boolean {
    const first = this.#within(part)[0];
    if (first === undefined || !first.intact || first.of !== of || first.end > part.end) return false;
    const rest = this.#text.slice(first.end, part.end);
    return this.#text.slice(part.start, first.start).trim() === '' && rest.search(/\w/) < 0;
  }

  /** Reads a part by itself, at an offset of the text. */
  #read(code: string, at: number, { before, after, of }: Context): Read {
    const front = code.trimStart().startsWith('<?') ? '' : before;
    const text = `${front}${withoutDirectives(code)}\n${after}`;
    const tree = this.#parser.parse(text);
    if (tree === null) return { clean: false, declarations: [], scope: null };
    try {
      const root = tree.rootNode;
      const walker = new Walker(text, this.#language, this.#change);
      const isHere = ({ start }: { readonly start: number }) =>
        start >= front.length && start < front.length + code.length;
      const declarations = walker.collect(root).filter((each) => isHere(each) && !UNKNOWN.test(each.name));
      return {
        clean: !root.hasError,
        declarations: declarations.map((each) => moved(each, at - front.length, of)),
        scope: walker.scopes.find(isHere)?.scope ?? null,
      };
    } finally {
      tree.delete();
    }
  }

  /** What tree-sitter found there in the whole text stays as it is. */
  #keep(part: Part): void {
    this.#kept.push(...this.#within(part));
  }

  #within({ start, end }: Part): readonly Declaration[] {
    const first = lowerBound(this.#known, start);
    const last = lowerBound(this.#known, end);
    return this.#known.slice(first, last);
  }
}

/** A declaration at its place in the text, and of what it belongs to there. */
function moved(declaration: Declaration, by: number, of: string | undefined): Declaration {
  const { start, end, of: known } = declaration;
  const isUnknown = known !== undefined && UNKNOWN.test(known);
  const rest = isUnknown ? known.replace(UNKNOWN, '') : '';
  const full = [of, rest].filter((name) => name !== undefined && name !== '').join('.');
  const named = isUnknown ? { of: full === '' ? undefined : full } : {};
  return { ...declaration, ...named, start: start + by, end: end + by };
}

/** Index of the first declaration that does not start before an offset. */
function lowerBound(declarations: readonly Declaration[], at: number): number {
  let low = 0;
  let high = declarations.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((declarations[middle]?.start ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Texts and comments over several lines. A quotation mark too many or too few turns texts and code around: such a text
 * does not end at a line's end, or something senseless stands right in front of it.
 */
function noCode(root: SyntaxNode, text: string): readonly Part[] {
  const types = root.tree.language.types.filter((type) => NO_CODE.test(type));
  const errors = root.descendantsOfType('ERROR').filter((node) => node !== null);
  const isOdd = (text.match(/"""|'''/g)?.length ?? 0) % 2 === 1;
  const found: Part[] = [];
  for (const node of root.descendantsOfType([...new Set(types)])) {
    if (node === null || node.hasError || node.startPosition.row === node.endPosition.row) continue;
    const { startIndex: start, endIndex: end } = node;
    if (start < (found.at(-1)?.end ?? 0)) continue;
    if (isOdd && /^\w*(?:"""|''')/.test(text.slice(start, start + 5))) continue;
    const isAfterError = errors.some(({ endIndex }) => endIndex <= start && endIndex > start - NEAR);
    if (!isAfterError && /^[)\]},;.\s]*(?:\n|$)/.test(text.slice(end, end + NEAR))) found.push({ start, end });
  }
  return found;
}

/** Conditions of a preprocessor are seldom balanced in a part; nothing moves. */
function withoutDirectives(code: string): string {
  return code.replace(/^[ \t]*#[ \t]*(?:if|ifdef|ifndef|elif|else|endif|region|endregion|pragma)\b.*$/gm, (line) =>
    ' '.repeat(line.length),
  );
}
