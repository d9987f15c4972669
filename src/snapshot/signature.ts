import type { TSESTree } from '@typescript-eslint/typescript-estree';
import type { FunctionLike } from './declarations.ts';

/** Code points of a signature (protocol §3). */
const MAX_SIGNATURE = 200;

/** A part of the source that does not go into a signature, and what stands for it. */
interface Cut {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Calls `visit` for every node below `root` and for itself, parents first. Own values with a `type` are the children. */
export function walkNodes(
  root: TSESTree.Node,
  visit: (node: TSESTree.Node, parent: TSESTree.Node | null) => void,
  parent: TSESTree.Node | null = null,
): void {
  visit(root, parent);
  for (const [key, value] of Object.entries(root)) {
    if (typeof value !== 'object' || value === null || key === 'parent' || key === 'range') continue;
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) walkNodes(child, visit, root);
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
    this.#comments = (program.comments ?? []).map(({ range: [start, end] }) => ({ start, end, text: ' ' }));
  }

  /** The source from `start` to `end` on one line, without the values that `nodes` hold there. */
  write(start: number, end: number, nodes: readonly (TSESTree.Node | null | undefined)[], suffix = ''): string {
    const cuts = nodes.flatMap((node) => (node === null || node === undefined ? [] : cutsIn(node)));
    const inside = [...cuts, ...this.#comments]
      .filter((cut) => cut.start >= start && cut.end <= end)
      .sort((a, b) => a.start - b.start || b.end - a.end);
    let out = '';
    let at = start;
    for (const cut of inside) {
      if (cut.start < at) continue;
      out += this.#text.slice(at, cut.start) + cut.text;
      at = cut.end;
    }
    return oneLine(out + this.#text.slice(at, Math.max(at, end)) + suffix);
  }

  /** Where a function's signature ends: at its arrow or body, or with the declaration when it has none. */
  endOf(value: FunctionLike): number {
    const body = value.body?.range[0];
    if (body === undefined) return value.range[1];
    if (value.type !== 'ArrowFunctionExpression') return body;
    const known = value.returnType?.range[1] ?? value.params.at(-1)?.range[1] ?? value.range[0];
    const arrow = this.#text.indexOf('=>', known);
    return arrow < 0 ? body : Math.min(arrow, body);
  }

  /** A node's source on one line, for names. */
  source(node: TSESTree.Node): string {
    return this.#text.slice(...node.range).replace(/\s+/gu, ' ');
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

function oneLine(text: string): string {
  const line = text
    .replace(/\s+/gu, ' ')
    .replace(/\( /g, '(')
    .replace(/,? \)/g, ')')
    .replace(/ ,/g, ',')
    .replace(/(?:\s*(?:=>|[=;,]))+\s*$/, '')
    .trim();
  return cut(line);
}

function cut(line: string): string {
  if (line.length <= MAX_SIGNATURE) return line;
  const characters = [...line.normalize('NFC')];
  return characters.length <= MAX_SIGNATURE
    ? line
    : `${characters
        .slice(0, MAX_SIGNATURE - 1)
        .join('')
        .trimEnd()}…`;
}
