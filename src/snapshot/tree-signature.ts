import type { Node, SourceFile, SyntaxKind } from 'typescript';
import type { ParsedTree, TypeScript } from './parser.ts';
import { type Cut, FAR, signatureText, sourceText } from './signature-text.ts';
import { commentsWithin } from './token-scan.ts';
import { withoutBrackets } from './tree-declarations.ts';

/** As `Signatures` does, over TypeScript's own tree: declarations without what they hold. */
export class TreeSignatures {
  readonly #ts: TypeScript;
  readonly #file: SourceFile;
  readonly #text: string;
  /** How far the source is looked at, from where on comments have not been, and where it ends when there is more. */
  #seen = 0;
  #from = 0;
  #end = 0;

  constructor({ ts, file, text }: ParsedTree) {
    this.#ts = ts;
    this.#file = file;
    this.#text = text;
  }

  /** The source from `start` to `end` on one line, without the values that `nodes` hold there. */
  write(start: number, end: number, nodes: readonly (Node | undefined)[], suffix = ''): string {
    const cuts: Cut[] = [];
    // What is so far behind that nobody will see it is not looked at.
    this.#seen = start + FAR;
    this.#from = start;
    this.#end = end;
    for (const node of nodes) if (node !== undefined) this.#cut(node, null, cuts);
    cuts.push(...this.#comments(start, this.#end, cuts));
    return signatureText(this.#text, start, this.#end, cuts, suffix);
  }

  /** A node's source on one line, for names, or all from it to another one. */
  source(node: Node, last = node): string {
    return sourceText(this.#text, node.getStart(this.#file), last.end);
  }

  /** Collects what is not to be shown of a node; `stands` says what is written for it if its parent decides that. */
  #cut(outer: Node, parent: Node | null, cuts: Cut[], stands: string | null = null): void {
    const node = withoutBrackets(this.#ts, outer);
    if (node.pos > this.#seen && this.#isFar(node.pos, cuts)) {
      this.#end = Math.min(this.#end, node.pos);
      return;
    }
    const text = stands ?? this.#standsFor(node, parent);
    if (text !== null) {
      const start = node.getStart(this.#file);
      cuts.push({ start, end: node.end, text });
      this.#seen += node.end - start;
      return;
    }
    this.#cutInside(node, cuts);
    this.#ts.forEachChild(node, (child) => this.#cut(child, node, cuts, writtenFor(this.#ts, node, child)));
  }

  /** Comments are no nodes, but what stands behind them is the nearer for it. */
  #isFar(position: number, cuts: readonly Cut[]): boolean {
    for (const { start, end } of this.#comments(this.#from, position, cuts)) this.#seen += end - start;
    this.#from = Math.max(this.#from, position);
    return position > this.#seen;
  }

  #comments(start: number, end: number, cuts: readonly Cut[]): readonly Cut[] {
    const scannable = { ts: this.#ts, text: this.#text, variant: this.#file.languageVariant };
    return commentsWithin(scannable, start, end, cuts);
  }

  /** What is written instead of a node; null for a node that may be shown. */
  #standsFor(node: Node, parent: Node | null): string | null {
    const { SyntaxKind: kind } = this.#ts;
    switch (node.kind) {
      case kind.Decorator:
        return '';
      case kind.ObjectLiteralExpression:
      case kind.Block:
        return '{…}';
      case kind.ArrayLiteralExpression:
        return '[…]';
      case kind.TemplateExpression:
        return '…';
      case kind.NoSubstitutionTemplateLiteral:
        return parent?.kind === kind.LiteralType ? null : '…';
      case kind.StringLiteral:
      case kind.NumericLiteral:
      case kind.BigIntLiteral:
      case kind.RegularExpressionLiteral:
      case kind.TrueKeyword:
      case kind.FalseKeyword:
      case kind.NullKeyword:
        return parent !== null && this.#isTypeOrName(node, parent) ? null : '…';
      default:
        return null;
    }
  }

  #isTypeOrName(node: Node, parent: Node): boolean {
    const { SyntaxKind: kind } = this.#ts;
    switch (parent.kind) {
      case kind.LiteralType:
      case kind.ComputedPropertyName:
      case kind.TypeOfExpression:
      case kind.VoidExpression:
      case kind.DeleteExpression:
        return true;
      case kind.PrefixUnaryExpression:
        return !isStep(this.#ts, (parent as unknown as { readonly operator: SyntaxKind }).operator);
      default: {
        const { name, propertyName } = parent as { readonly name?: Node; readonly propertyName?: Node };
        return name === node || propertyName === node;
      }
    }
  }

  /** Values that are no node of their own: the body of a class, and the options of an imported type. */
  #cutInside(node: Node, cuts: Cut[]): void {
    if (this.#ts.isClassExpression(node)) {
      cuts.push({ start: node.members.pos - 1, end: node.end, text: '{…}' });
    } else if (this.#ts.isImportTypeNode(node) && node.attributes !== undefined) {
      const start = this.#text.lastIndexOf('{', node.attributes.getStart(this.#file) - 1);
      const end = this.#text.indexOf('}', node.attributes.end) + 1;
      cuts.push({ start, end, text: '{…}' });
    }
  }
}

/** What is written for a child that is a value because of where it stands: a default value or an argument. */
function writtenFor(ts: TypeScript, parent: Node, child: Node): string | null {
  if (ts.isParameter(parent) || ts.isBindingElement(parent)) return parent.initializer === child ? '…' : null;
  // What `import()` loads is a name unless it is a literal.
  if (!ts.isCallExpression(parent) || parent.expression.kind === ts.SyntaxKind.ImportKeyword) return null;
  return parent.arguments.some((each) => each === child) ? '…' : null;
}

function isStep({ SyntaxKind: kind }: TypeScript, operator: SyntaxKind): boolean {
  return operator === kind.PlusPlusToken || operator === kind.MinusMinusToken;
}
