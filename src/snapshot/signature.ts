import type { TSESTree } from '@typescript-eslint/typescript-estree';
import type { FunctionLike, PropertyLike } from './declarations.ts';
import { type Cut, signatureText, sourceText } from './signature-text.ts';
import { commentsWithin, type Scannable, tokenStart } from './token-scan.ts';

/**
 * Calls `visit` for every node below `root` and for itself, parents first; what lies below one for which that is `false`
 * is passed over. Own values with a `type` are the children; what only marks the ends of an optional chain is nobody's
 * parent.
 */
export function walkNodes(
  root: TSESTree.Node,
  visit: (node: TSESTree.Node, parent: TSESTree.Node | null) => unknown,
  parent: TSESTree.Node | null = null,
): void {
  if (visit(root, parent) === false) return;
  const above = root.type === 'ChainExpression' ? parent : root;
  for (const key of Object.keys(root)) {
    if (key === 'parent' || key === 'range' || key === 'loc') continue;
    const value: unknown = root[key as keyof TSESTree.Node];
    if (typeof value !== 'object' || value === null) continue;
    if (!Array.isArray(value)) {
      if (isNode(value)) walkNodes(value, visit, above);
    } else for (const child of value) if (isNode(child)) walkNodes(child, visit, above);
  }
}

function isNode(value: unknown): value is TSESTree.Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/**
 * Writes declarations without what they hold: bodies, default values, decorators, comments and literal arguments are
 * values, and values are not facts about a project.
 */
export class Signatures {
  readonly #source: Scannable;

  constructor(source: Scannable) {
    this.#source = source;
  }

  /** The source from `start` to `end` on one line, without the values that `nodes` hold there. */
  write(start: number, end: number, nodes: readonly (TSESTree.Node | null | undefined)[], suffix = ''): string {
    const cuts: Cut[] = [];
    for (const node of nodes) if (node !== null && node !== undefined) addCuts(node, cuts);
    const inside = cuts.filter((cut) => cut.start >= start && cut.end <= end);
    inside.push(...commentsWithin(this.#source, start, end, inside));
    return signatureText(this.#source.text, start, end, inside, suffix);
  }

  /** Where a function's signature ends: at its arrow or body, or with the declaration when it has none. */
  endOf(value: FunctionLike): number {
    const body = value.body?.range[0];
    if (body === undefined) return value.range[1];
    if (value.type !== 'ArrowFunctionExpression') return body;
    const { returnType, params, typeParameters } = value;
    const known = returnType?.range[1] ?? params.at(-1)?.range[1] ?? typeParameters?.range[1] ?? value.range[0];
    const arrow = tokenStart(this.#source, this.#source.ts.SyntaxKind.EqualsGreaterThanToken, known, body);
    return arrow < 0 ? body : arrow;
  }

  /** Where a property's key ends, with the bracket behind a computed one. */
  endOfKey({ key, computed }: PropertyLike): number {
    const [, end] = key.range;
    if (!computed) return end;
    const { ts, text } = this.#source;
    return tokenStart(this.#source, ts.SyntaxKind.CloseBracketToken, end, text.length) + 1;
  }

  /** A node's source on one line, for names. */
  source(node: TSESTree.Node): string {
    return sourceText(this.#source.text, ...node.range);
  }
}

function addCuts(root: TSESTree.Node, cuts: Cut[]): void {
  walkNodes(root, (node, parent) => {
    const text = standsFor(node, parent);
    if (text !== null) cuts.push({ start: node.range[0], end: node.range[1], text });
    return text === null;
  });
}

/** What is written instead of a node; null for a node that may be shown. */
function standsFor(node: TSESTree.Node, parent: TSESTree.Node | null): string | null {
  if (parent?.type === 'AssignmentPattern' && parent.right === node) return '…';
  if (parent?.type === 'CallExpression' && parent.arguments.some((each) => each === node)) return '…';
  switch (node.type) {
    case 'Decorator':
      return '';
    case 'ObjectExpression':
    case 'BlockStatement':
    case 'ClassBody':
      return '{…}';
    case 'ArrayExpression':
      return '[…]';
    case 'TemplateLiteral':
      return parent?.type === 'TSLiteralType' ? null : '…';
    case 'Literal':
      return isTypeOrName(node, parent) ? null : '…';
    default:
      return null;
  }
}

function isTypeOrName(node: TSESTree.Literal, parent: TSESTree.Node | null): boolean {
  if (parent === null) return false;
  if (['TSLiteralType', 'TSImportType', 'UnaryExpression'].includes(parent.type)) return true;
  return 'key' in parent && parent.key === node;
}
