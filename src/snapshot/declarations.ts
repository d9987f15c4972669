import type { TSESTree } from '@typescript-eslint/typescript-estree';

/** Questions about syntax nodes that outlines and imports ask. */

export type FunctionLike =
  | TSESTree.FunctionDeclaration
  | TSESTree.FunctionExpression
  | TSESTree.ArrowFunctionExpression
  | TSESTree.TSDeclareFunction
  | TSESTree.TSEmptyBodyFunctionExpression;

export type MethodLike = TSESTree.MethodDefinition | TSESTree.TSAbstractMethodDefinition;

export type PropertyLike =
  | TSESTree.PropertyDefinition
  | TSESTree.TSAbstractPropertyDefinition
  | TSESTree.AccessorProperty
  | TSESTree.TSAbstractAccessorProperty;

/** Whether a node is a function of any form, with or without a body. */
export function isFunction(node: TSESTree.Node): node is FunctionLike {
  return [
    'FunctionDeclaration',
    'FunctionExpression',
    'ArrowFunctionExpression',
    'TSDeclareFunction',
    'TSEmptyBodyFunctionExpression',
  ].includes(node.type);
}

/** The parts of a function's signature that may hold values. */
export function signatureNodes(value: FunctionLike): readonly (TSESTree.Node | undefined)[] {
  return [...value.params, value.returnType, value.typeParameters];
}

/** An expression without `as`, `satisfies`, `!` and casts around it. */
export function unwrapped(expression: TSESTree.Expression): TSESTree.Expression {
  switch (expression.type) {
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
    case 'TSNonNullExpression':
    case 'TSTypeAssertion':
      return unwrapped(expression.expression);
    default:
      return expression;
  }
}

/** The names that a declaration binds, destructured ones included. */
export function boundNames(pattern: TSESTree.Node): readonly string[] {
  switch (pattern.type) {
    case 'Identifier':
      return [pattern.name];
    case 'ObjectPattern':
      return pattern.properties.flatMap((property) => boundNames(property));
    case 'Property':
      return boundNames(pattern.value);
    case 'ArrayPattern':
      return pattern.elements.flatMap((element) => (element === null ? [] : boundNames(element)));
    case 'RestElement':
      return boundNames(pattern.argument);
    case 'AssignmentPattern':
      return boundNames(pattern.left);
    default:
      return [];
  }
}

/** Whether an expression is `exports` or `module.exports`. */
export function isExports(node: TSESTree.Node): boolean {
  if (node.type === 'Identifier') return node.name === 'exports';
  return (
    node.type === 'MemberExpression' &&
    node.object.type === 'Identifier' &&
    node.object.name === 'module' &&
    memberName(node) === 'exports'
  );
}

/** `name` of `object.name` and `object['name']`, or null. */
export function memberName({ property, computed }: TSESTree.MemberExpression): string | null {
  if (!computed) return property.type === 'Identifier' ? property.name : null;
  return property.type === 'Literal' && typeof property.value === 'string' ? property.value : null;
}

/** Names of this file that are exported away from their declaration, by `export { … }`, `export =`, `exports.x = x`. */
export function exportedNames(body: readonly TSESTree.ProgramStatement[]): ReadonlySet<string> {
  return new Set(body.flatMap(namesExportedBy));
}

function namesExportedBy(statement: TSESTree.ProgramStatement): readonly string[] {
  switch (statement.type) {
    case 'ExportNamedDeclaration':
      if (statement.source !== null) return [];
      return statement.specifiers.flatMap(({ local }) => (local.type === 'Identifier' ? [local.name] : []));
    case 'ExportDefaultDeclaration':
      return identifier(statement.declaration);
    case 'TSExportAssignment':
      return identifier(statement.expression);
    case 'ExpressionStatement':
      return namesAssigned(statement.expression);
    default:
      return [];
  }
}

function identifier(node: TSESTree.Node): readonly string[] {
  return node.type === 'Identifier' ? [node.name] : [];
}

function namesAssigned(expression: TSESTree.Expression): readonly string[] {
  if (expression.type !== 'AssignmentExpression') return [];
  const { left, right } = expression;
  if (left.type !== 'MemberExpression') return [];
  if (isExports(left.object)) return identifier(right);
  if (!isExports(left)) return [];
  if (right.type !== 'ObjectExpression') return identifier(right);
  return right.properties.flatMap((property) => (property.type === 'Property' ? identifier(property.value) : []));
}
