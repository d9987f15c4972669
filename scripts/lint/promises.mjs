/** A promise that nobody awaits loses its error: await it, return it, or say `void` where that is meant. */
import ts from 'typescript';
import { nodesOf } from './source.mjs';

/**
 * @param {ts.Program} program
 * @param {(fileName: string) => string | null} pathOf project path of a file to check, null for one to leave out
 * @returns {import('./source.mjs').Problem[]}
 */
export function checkPromises(program, pathOf) {
  const checker = program.getTypeChecker();
  const problems = [];
  for (const tree of program.getSourceFiles()) {
    const path = tree.isDeclarationFile ? null : pathOf(tree.fileName);
    if (path === null) continue;
    for (const node of nodesOf(tree)) {
      if (!ts.isExpressionStatement(node) || !floats(node.expression, checker)) continue;
      problems.push({
        path,
        line: tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1,
        rule: 'floating-promise',
        message: 'await it, return it, or write `void` where nobody needs its end and it cannot fail unseen',
      });
    }
  }
  return problems;
}

/**
 * @param {ts.Expression} expression
 * @param {ts.TypeChecker} checker
 * @returns {boolean}
 */
function floats(expression, checker) {
  if (ts.isParenthesizedExpression(expression)) return floats(expression.expression, checker);
  if (ts.isVoidExpression(expression) || ts.isAwaitExpression(expression)) return false;
  if (ts.isConditionalExpression(expression)) {
    return floats(expression.whenTrue, checker) || floats(expression.whenFalse, checker);
  }
  if (ts.isBinaryExpression(expression)) {
    const { kind } = expression.operatorToken;
    // An assignment keeps the promise for somebody else.
    const assigns = kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;
    return !assigns && floats(expression.right, checker);
  }
  if (isHandled(expression, checker)) return false;
  const type = checker.getTypeAtLocation(expression);
  return isThenable(type, checker) || isListOfThenables(type, checker);
}

/**
 * `p.catch(handler)`, `p.then(use, handler)`, and either with `finally` behind it.
 *
 * @param {ts.Expression} expression
 * @param {ts.TypeChecker} checker
 * @returns {boolean}
 */
function isHandled(expression, checker) {
  if (!ts.isCallExpression(expression) || !ts.isPropertyAccessExpression(expression.expression)) return false;
  const { name, expression: receiver } = expression.expression;
  if (name.text === 'catch') return expression.arguments.length > 0;
  if (name.text === 'then') return expression.arguments.length > 1;
  return name.text === 'finally' && !floats(receiver, checker);
}

/**
 * Promises and the editor's Thenables alike.
 *
 * @param {ts.Type} type
 * @param {ts.TypeChecker} checker
 * @returns {boolean}
 */
function isThenable(type, checker) {
  if (type.flags & ts.TypeFlags.Any) return false;
  if (type.isUnion()) return type.types.some((each) => isThenable(each, checker));
  const then = checker.getPropertyOfType(checker.getApparentType(type), 'then');
  return then !== undefined && checker.getTypeOfSymbol(then).getCallSignatures().length > 0;
}

/**
 * @param {ts.Type} type
 * @param {ts.TypeChecker} checker
 * @returns {boolean}
 */
function isListOfThenables(type, checker) {
  if (!checker.isArrayType(type) && !checker.isTupleType(type)) return false;
  return checker.getTypeArguments(/** @type {ts.TypeReference} */ (type)).some((each) => isThenable(each, checker));
}
