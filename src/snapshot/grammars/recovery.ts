import type { Parser, Tree } from '@vscode/tree-sitter-wasm';
import type { LanguageRules, Scope, SyntaxNode } from './language.ts';
import { Layout, type Part } from './layout.ts';
import { type Change, type Declaration, fileScope, Walker } from './walker.ts';

/** How many parts beside each other are tried as one: `static int` and `f(void) {…}` on lines of their own. */
const MOST_JOINED = 3;

/** Nodes whose text is not code. */
const NO_CODE = /string|comment|heredoc|^text/;

/** How many parts something was, and what it encloses. */
interface Taken {
  readonly count: number;
  readonly scope: Scope | null;
}

/** A part of the text as it was read by itself. */
interface Read {
  readonly clean: boolean;
  readonly declarations: readonly Declaration[];
  /** What its first declaration encloses. */
  readonly scope: Scope | null;
}

/**
 * Finds what is intact in a text that does not parse. One missing bracket may make all that follows unintelligible to
 * tree-sitter; people and formatters indent, so the indentation says what stands beside what, and each part is read by
 * itself. What is intact for tree-sitter in its place is not read again.
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
    this.#known = known.filter(({ start }) => text.charAt(start) !== '#').toSorted((a, b) => a.start - b.start);
    this.#change = change;
  }

  /** The declarations of the text; each stands there once. */
  declarations(): readonly Declaration[] {
    this.#parts({ start: 0, end: this.#text.length }, fileScope());
    for (const { 0: line, index } of this.#language.directives === undefined
      ? []
      : this.#text.matchAll(this.#language.directives)) {
      this.#kept.push(...this.#read(line, index, fileScope()).declarations);
    }
    return this.#kept;
  }

  #parts(range: Part, scope: Scope): void {
    const parts = this.#layout.parts(range);
    // What a line that nobody understands has torn off belongs to what stands before it.
    let before: Scope | null = null;
    for (let index = 0; index < parts.length; ) {
      const part = this.#part(parts.slice(index, index + MOST_JOINED), scope, before);
      before = part.scope ?? before;
      index += part.count;
    }
  }

  #part(parts: readonly Part[], scope: Scope, before: Scope | null): Taken {
    const [part] = parts;
    if (part === undefined) return { count: 1, scope: null };
    if (this.#isIntact(part, scope)) {
      this.#keep(part);
      return { count: 1, scope: null };
    }
    const joined = parts.map(({ end }, index) => ({ start: part.start, end, count: index + 1 }));
    const shorter = this.#layout.shorter(part).map((each) => ({ ...each, count: 1 }));
    for (const { start, end, count } of [...joined, ...shorter]) {
      const read = this.#read(this.#text.slice(start, end), start, scope);
      if (!read.clean || (count === 1 && end < part.end && read.declarations.length === 0)) continue;
      this.#kept.push(...read.declarations);
      return { count, scope: read.scope };
    }
    return { count: 1, scope: this.#broken(part, scope, before) };
  }

  /**
   * Looks for what is intact inside of a part that is not.
   * @returns what it encloses
   */
  #broken(part: Part, scope: Scope, before: Scope | null): Scope | null {
    const taken = this.#layout.opened(part);
    const read = taken === null ? null : this.#hollow(taken.header, scope);
    const [first] = read?.declarations ?? [];
    const inner = read?.scope ?? (first === undefined ? (before ?? this.#unknownScope()) : null);
    if (taken === null || (first === undefined && inner === null)) {
      this.#keep(part);
      return null;
    }
    if (first !== undefined) this.#kept.push({ ...first, end: part.end });
    if (inner !== null) this.#parts(taken.inside, inner);
    return inner;
  }

  /** Of a type whose first line nobody understands. */
  #unknownScope(): Scope | null {
    return this.#language.membersAlone === true ? { ...fileScope(), kind: 'class' } : null;
  }

  /** Reads a declaration without what it holds. */
  #hollow({ start, end }: Part, scope: Scope): Read {
    const header = this.#text.slice(start, end);
    let read: Read | null = null;
    for (const body of this.#language.hollow) {
      const next = this.#read(header + body, start, scope);
      if (read === null || next.clean) read = next;
      if (next.clean) break;
    }
    return read ?? { clean: false, declarations: [], scope: null };
  }

  /** Whether tree-sitter has a declaration here that begins and ends where the indentation says so. */
  #isIntact(part: Part, scope: Scope): boolean {
    const first = this.#within(part)[0];
    if (first === undefined || !first.intact || first.of !== scope.of || first.end > part.end) return false;
    return (
      this.#text.slice(part.start, first.start).trim() === '' && this.#text.slice(first.end, part.end).search(/\w/) < 0
    );
  }

  /** Reads a part by itself, at an offset of the text. */
  #read(code: string, at: number, scope: Scope): Read {
    const isMember = scope.kind !== undefined && scope.kind !== 'namespace';
    const { top, member } = this.#language.around ?? {};
    const around = isMember ? member : code.trimStart().startsWith('<?') ? undefined : top;
    const [before, after] = around ?? ['', ''];
    const text = before + withoutDirectives(code) + after;
    const tree = this.#parser.parse(text);
    if (tree === null) return { clean: false, declarations: [], scope: null };
    try {
      return this.#walked(tree, text, at - before.length, scope, isMember && before !== '');
    } finally {
      tree.delete();
    }
  }

  #walked(tree: Tree, text: string, shift: number, scope: Scope, isMember: boolean): Read {
    const root = tree.rootNode;
    const body = isMember
      ? (root.namedChildren.findLast((node) => node !== null)?.childForFieldName('body') ?? null)
      : root;
    const walker = new Walker(text, this.#language, this.#change);
    const found = body === null ? [] : walker.collect(body, { ...scope });
    const declarations = found.map((each) => ({ ...each, start: each.start + shift, end: each.end + shift }));
    return { clean: !root.hasError, declarations, scope: walker.firstScope };
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

/** Texts and comments over several lines; one that takes code away from its place does not end at a line's end. */
function noCode(root: SyntaxNode, text: string): readonly Part[] {
  const types = root.tree.language.types.filter((type) => NO_CODE.test(type));
  const found: Part[] = [];
  for (const node of root.descendantsOfType([...new Set(types)])) {
    if (node === null || node.hasError || node.startPosition.row === node.endPosition.row) continue;
    if (node.startIndex < (found.at(-1)?.end ?? 0)) continue;
    const { startIndex: start, endIndex: end } = node;
    if (/^[)\]},;.\s]*(?:\n|$)/.test(text.slice(end, end + 200))) found.push({ start, end });
  }
  return found;
}

/** Conditions of a preprocessor are seldom balanced in a part; nothing moves. */
function withoutDirectives(code: string): string {
  return code.replace(/^[ \t]*#[ \t]*(?:if|ifdef|ifndef|elif|else|endif|region|endregion|pragma)\b.*$/gm, (line) =>
    ' '.repeat(line.length),
  );
}
