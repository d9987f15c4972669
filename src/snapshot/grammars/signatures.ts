import { COMMENT, type Cut, signatureText } from '../signature-text.ts';
import { assigned, type LanguageRules, type SyntaxNode } from './language.ts';

/** What may stand between a declaration and its body. */
const BETWEEN: ReadonlySet<string> = new Set([':', '{', '(', ';', '=', '=>', 'default', 'begin', 'do', 'then']);

/** Types nest less deeply than this; what is deeper is not shown. */
const MAX_DEPTH = 100;

/** Writes declarations without what they hold: bodies, default values, attributes, comments and literals. */
export class GrammarSignatures {
  readonly #text: string;
  readonly #language: LanguageRules;

  constructor(text: string, language: LanguageRules) {
    this.#text = text;
    this.#language = language;
  }

  /**
   * The source of `node` from `start` up to `before`, on one line.
   * @param before a child of the node, at any depth, or null for all of it
   */
  write(node: SyntaxNode, start: number, before: SyntaxNode | null, suffix: string): string {
    const end = before === null ? node.endIndex : this.#endBefore(node, before);
    const cuts: Cut[] = [];
    let whole = node;
    // What stands in front of it (`template <…>`) is written too, so its values are left out as well.
    while (whole.startIndex > start && whole.parent !== null) whole = whole.parent;
    this.#collect(whole, [start, end], cuts, 0);
    return signatureText(this.#text, start, end, cuts, suffix);
  }

  /** Where the last word in front of the body ends. */
  #endBefore(node: SyntaxNode, before: SyntaxNode): number {
    let last: SyntaxNode | null = null;
    for (const child of node.children) {
      if (child === null || child.startIndex >= before.startIndex) break;
      if (child.endIndex > before.startIndex) return this.#endBefore(child, before);
      if (!child.isExtra && !BETWEEN.has(child.type)) last = child;
    }
    return last?.endIndex ?? before.startIndex;
  }

  /** Where a grammar gave up nobody knows what a quote opens, so it is taken for a literal to the end. */
  #quoted({ startIndex, endIndex }: SyntaxNode): readonly Cut[] {
    const at = this.#text.slice(startIndex, endIndex).search(/["'`]/);
    return at < 0 ? [] : [{ start: startIndex + at, end: endIndex, text: '…' }];
  }

  /** A type in a literal is a word or two. */
  #isOneLine({ startIndex, endIndex }: SyntaxNode): boolean {
    return !/[\n\r]/.test(this.#text.slice(startIndex, endIndex));
  }

  #collect(parent: SyntaxNode, range: readonly [number, number], cuts: Cut[], depth: number): void {
    const [start, end] = range;
    const { hidden, values, literalTypes } = this.#language;
    const field = values?.get(parent.type);
    const value = field === undefined ? null : field === '=' ? assigned(parent) : parent.childForFieldName(field);
    // Where something does not parse, a quote may be the end of a text and what follows anything.
    const areTypes = literalTypes?.has(parent.type) === true && !parent.hasError;
    const remarks = areTypes ? this.#language.remarks?.(parent) : undefined;
    for (const child of parent.children) {
      if (child === null || child.endIndex <= start) continue;
      if (child.startIndex >= end) break;
      if (child.type === 'ERROR') cuts.push(...this.#quoted(child));
      const written = child.type.endsWith('comment') ? COMMENT : child.isNamed ? hidden.get(child.type) : undefined;
      const isValue = child.id === value?.id || remarks?.some(({ id }) => id === child.id) === true;
      const text = isValue ? '…' : areTypes && written === '…' && this.#isOneLine(child) ? undefined : written;
      if (text !== undefined) cuts.push({ start: Math.max(start, child.startIndex), end: child.endIndex, text });
      else if (child.childCount > 0 && depth < MAX_DEPTH) this.#collect(child, range, cuts, depth + 1);
      else if (child.childCount > 0)
        cuts.push({ start: Math.max(start, child.startIndex), end: child.endIndex, text: '…' });
    }
  }
}
