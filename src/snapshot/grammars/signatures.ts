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
    this.#collect(node, [start, end], cuts, 0);
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

  #collect(parent: SyntaxNode, range: readonly [number, number], cuts: Cut[], depth: number): void {
    const [start, end] = range;
    const { hidden, values, literalTypes } = this.#language;
    const field = values?.get(parent.type);
    const value = field === undefined ? null : field === '=' ? assigned(parent) : parent.childForFieldName(field);
    const areTypes = literalTypes?.has(parent.type) === true;
    for (const child of parent.children) {
      if (child === null || child.endIndex <= start) continue;
      if (child.startIndex >= end) break;
      const written = child.type.endsWith('comment') ? COMMENT : child.isNamed ? hidden.get(child.type) : undefined;
      const text = value !== null && child.id === value.id ? '…' : areTypes && written === '…' ? undefined : written;
      if (text !== undefined) cuts.push({ start: Math.max(start, child.startIndex), end: child.endIndex, text });
      else if (child.childCount > 0 && depth < MAX_DEPTH) this.#collect(child, range, cuts, depth + 1);
      else if (child.childCount > 0)
        cuts.push({ start: Math.max(start, child.startIndex), end: child.endIndex, text: '…' });
    }
  }
}
