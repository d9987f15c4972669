import type {
  ArrowFunction,
  BinaryExpression,
  BindingName,
  BindingPattern,
  ElementAccessExpression,
  Expression,
  FunctionDeclaration,
  FunctionExpression,
  Node,
  PropertyAccessExpression,
  Statement,
  SyntaxKind,
} from 'typescript';
import type { TypeScript } from './parser.ts';

/** Questions about TypeScript's own syntax nodes that outlines and imports ask. */

export type TreeFunction = FunctionDeclaration | FunctionExpression | ArrowFunction;

export type TreeAccess = PropertyAccessExpression | ElementAccessExpression;

/** Whether an expression is a function of any form. */
export function isFunctionNode(ts: TypeScript, node: Node): node is FunctionExpression | ArrowFunction {
  return ts.isArrowFunction(node) || ts.isFunctionExpression(node);
}

/** Whether an expression is `object.name` or `object[name]`. */
export function isAccess(ts: TypeScript, node: Node): node is TreeAccess {
  return ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node);
}

/** An expression without brackets around it. */
export function withoutBrackets<T extends Node>(ts: TypeScript, node: T): T | Expression {
  let inner: T | Expression = node;
  while (ts.isParenthesizedExpression(inner)) inner = inner.expression;
  return inner;
}

/** An expression without brackets, `as`, `satisfies`, `!` and casts around it. */
export function withoutCasts(ts: TypeScript, expression: Expression): Expression {
  let inner = expression;
  while (
    ts.isParenthesizedExpression(inner) ||
    ts.isAsExpression(inner) ||
    ts.isSatisfiesExpression(inner) ||
    ts.isNonNullExpression(inner) ||
    ts.isTypeAssertionExpression(inner)
  ) {
    inner = inner.expression;
  }
  return inner;
}

/** Decorators and modifiers of a node, in order. */
export function modifiersOf(node: Node): readonly Node[] {
  return (node as { readonly modifiers?: readonly Node[] }).modifiers ?? [];
}

/** Whether a node has a modifier, such as `abstract`. */
export function hasModifier(node: Node, kind: SyntaxKind): boolean {
  return modifiersOf(node).some((each) => each.kind === kind);
}

/** Whether `export` stands before a declaration. */
export function isExported({ SyntaxKind: kind }: TypeScript, node: Node): boolean {
  return modifiersOf(node).find((each) => each.kind !== kind.Decorator)?.kind === kind.ExportKeyword;
}

/** Where decorators and `export default` before a declaration end; 0 without any. */
export function endOfPrefix({ SyntaxKind: kind }: TypeScript, node: Node): number {
  let end = 0;
  for (const each of modifiersOf(node)) {
    if (each.kind === kind.Decorator || each.kind === kind.ExportKeyword || each.kind === kind.DefaultKeyword) {
      end = each.end;
    }
  }
  return end;
}

/** The names that a declaration binds, destructured ones included. */
export function namesBound(ts: TypeScript, name: BindingName): readonly string[] {
  return ts.isIdentifier(name) ? [name.text] : namesInPattern(ts, name);
}

function namesInPattern(ts: TypeScript, { elements }: BindingPattern): readonly string[] {
  return elements.flatMap((element) => (ts.isOmittedExpression(element) ? [] : namesBound(ts, element.name)));
}

/** Whether an expression is `exports` or `module.exports`. */
export function isExportsNode(ts: TypeScript, expression: Expression): boolean {
  const node = withoutBrackets(ts, expression);
  if (ts.isIdentifier(node)) return node.text === 'exports';
  if (!isAccess(ts, node)) return false;
  const object = withoutBrackets(ts, node.expression);
  return ts.isIdentifier(object) && object.text === 'module' && nameAccessed(ts, node) === 'exports';
}

/** `name` of `object.name` and `object['name']`, or null. */
export function nameAccessed(ts: TypeScript, node: TreeAccess): string | null {
  if (ts.isPropertyAccessExpression(node)) return ts.isIdentifier(node.name) ? node.name.text : null;
  const name = withoutBrackets(ts, node.argumentExpression);
  return ts.isStringLiteral(name) ? name.text : null;
}

/** Names of this file that are exported away from their declaration, by `export { … }`, `export =`, `exports.x = x`. */
export function namesExported(ts: TypeScript, statements: readonly Statement[]): ReadonlySet<string> {
  return new Set(statements.flatMap((each) => namesExportedBy(ts, each)));
}

function namesExportedBy(ts: TypeScript, statement: Statement): readonly string[] {
  if (ts.isExportDeclaration(statement)) {
    const { moduleSpecifier, exportClause } = statement;
    if (moduleSpecifier !== undefined || exportClause === undefined || !ts.isNamedExports(exportClause)) return [];
    return exportClause.elements.flatMap(({ propertyName, name }) => identifier(ts, propertyName ?? name));
  }
  if (ts.isExportAssignment(statement)) return identifier(ts, statement.expression);
  if (ts.isExpressionStatement(statement)) return namesAssigned(ts, statement.expression);
  return [];
}

function identifier(ts: TypeScript, expression: Node): readonly string[] {
  const node = withoutBrackets(ts, expression);
  return ts.isIdentifier(node) ? [node.text] : [];
}

function assigns({ SyntaxKind: kind }: TypeScript, { operatorToken }: BinaryExpression): boolean {
  return operatorToken.kind >= kind.FirstAssignment && operatorToken.kind <= kind.LastAssignment;
}

function namesAssigned(ts: TypeScript, expression: Expression): readonly string[] {
  const assignment = withoutBrackets(ts, expression);
  if (!ts.isBinaryExpression(assignment) || !assigns(ts, assignment)) return [];
  const left = withoutBrackets(ts, assignment.left);
  if (!isAccess(ts, left)) return [];
  if (isExportsNode(ts, left.expression)) return identifier(ts, assignment.right);
  if (!isExportsNode(ts, left)) return [];
  const right = withoutBrackets(ts, assignment.right);
  if (!ts.isObjectLiteralExpression(right)) return identifier(ts, right);
  return right.properties.flatMap((property) => {
    if (ts.isPropertyAssignment(property)) return identifier(ts, property.initializer);
    return ts.isShorthandPropertyAssignment(property) ? [property.name.text] : [];
  });
}
