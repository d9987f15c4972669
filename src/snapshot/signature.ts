import type { TSESTree } from '@typescript-eslint/typescript-estree';
import type { FunctionLike, PropertyLike } from './declarations.ts';
import { COMMENT, type Cut, signatureText, sourceText } from './signature-text.ts';

/**
 * Calls `visit` for every node below `root` and for itself, parents first. Own values with a `type` are the children;
 * what only marks the ends of an optional chain is nobody's parent.
 */
export function walkNodes(
  root: TSESTree.Node,
  visit: (node: TSESTree.Node, parent: TSESTree.Node | null) => void,
  parent: TSESTree.Node | null = null,
): void {
  visit(root, parent);
  for (const [key, value] of Object.entries(root)) {
    if (typeof value !== 'object' || value === null || key === 'parent' || key === 'range') continue;
    const above = root.type === 'ChainExpression' ? parent : root;
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) walkNodes(child, visit, above);
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
  readonly #text: string;
  readonly #comments: readonly Cut[];

  constructor(program: TSESTree.Program, text: string) {
    this.#text = text;
    this.#comments = (program.comments ?? []).map(({ range: [start, end] }) => ({ start, end, text: COMMENT }));
  }

  /** The source from `start` to `end` on one line, without the values that `nodes` hold there. */
  write(start: number, end: number, nodes: readonly (TSESTree.Node | null | undefined)[], suffix = ''): string {
    const cuts = nodes.flatMap((node) => (node === null || node === undefined ? [] : cutsIn(node)));
    const inside = [...cuts, ...this.#comments].filter((cut) => cut.start >= start && cut.end <= end);
    return signatureText(this.#text, start, end, inside, suffix);
  }

  /** Where a function's signature ends: at its arrow or body, or with the declaration when it has none. */
  endOf(value: FunctionLike): number {
    const body = value.body?.range[0];
    if (body === undefined) return value.range[1];
    if (value.type !== 'ArrowFunctionExpression') return body;
    const { returnType, params, typeParameters } = value;
    const known = returnType?.range[1] ?? params.at(-1)?.range[1] ?? typeParameters?.range[1] ?? value.range[0];
    const arrow = this.#find('=>', known);
    return arrow < 0 ? body : Math.min(arrow, body);
  }

  /** Where a property's key ends, with the bracket behind a computed one. */
  endOfKey({ key, computed }: PropertyLike): number {
    const [, end] = key.range;
    return computed ? this.#find(']', end) + 1 : end;
  }

  /** Where a token stands from an offset on, outside of comments; negative when it does not. */
  #find(token: string, from: number): number {
    let at = this.#text.indexOf(token, from);
    for (const { start, end } of this.#comments) {
      if (at < 0 || start > at) break;
      if (end > at) at = this.#text.indexOf(token, end);
    }
    return at;
  }

  /** A node's source on one line, for names. */
  source(node: TSESTree.Node): string {
    return sourceText(this.#text, ...node.range);
  }
}

function cutsIn(root: TSESTree.Node): Cut[] {
  const cuts: Cut[] = [];
  walkNodes(root, (node, parent) => {
    const text = standsFor(node, parent);
    if (text !== null) cuts.push({ start: node.range[0], end: node.range[1], text });
  });
  return cuts;
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
