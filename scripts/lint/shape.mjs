/** The shape of a file: short, few collaborators, no state of its own, no work on import, nothing swallowed. */
import ts from 'typescript';
import { nodesOf, problem } from './source.mjs';

/** @typedef {import('./source.mjs').Source} Source */
/** @typedef {import('./source.mjs').Problem} Problem */

const MAX_LINES = 400;
const MAX_EXTENSION_LINES = 120;
const MAX_COLLABORATORS = 5;

/** Started by the runtime, not imported: these alone may act on their own. */
const ENTRIES = new Set([
  'src/agents/cli-main.ts',
  'src/snapshot/worker.ts',
  'src/snapshot/git-process-entry.ts',
  'src/delta/worker.ts',
]);

/** Built once and never changed afterwards. */
const CONSTANT_CLASSES = new Set([
  'RegExp',
  'TextEncoder',
  'TextDecoder',
  'URL',
  'NumberFormat',
  'Collator',
  'Segmenter',
  'DateTimeFormat',
]);
const COLLECTIONS = new Set(['Map', 'Set', 'WeakMap', 'WeakSet', 'Array']);

/**
 * @param {Source} source
 * @returns {Problem[]}
 */
export function checkLength(source) {
  const lines = source.text.replace(/\n$/, '').split('\n').length;
  const max = source.path === 'src/extension.ts' ? MAX_EXTENSION_LINES : MAX_LINES;
  return lines > max
    ? [problem(source, null, 'file-length', `${lines} lines, at most ${max}: split it where it does two things`)]
    : [];
}

/**
 * @param {Source} source
 * @returns {Problem[]}
 */
export function checkConstructors(source) {
  const problems = [];
  for (const node of nodesOf(source.tree)) {
    if (ts.isConstructorDeclaration(node) && node.parameters.length > MAX_COLLABORATORS) {
      problems.push(
        problem(
          source,
          node,
          'collaborators',
          `${node.parameters.length} parameters, at most ${MAX_COLLABORATORS}: this class does too much`,
        ),
      );
    }
  }
  return problems;
}

/**
 * A module holds no state that changes, and does nothing when it is imported.
 *
 * @param {Source} source
 * @returns {Problem[]}
 */
export function checkModuleState(source) {
  if (ENTRIES.has(source.path)) return [];
  const problems = [];
  for (const statement of source.tree.statements) {
    if (ts.isVariableStatement(statement)) {
      problems.push(...checkModuleVariables(source, statement));
    } else if (isWork(statement)) {
      problems.push(
        problem(
          source,
          statement,
          'work-on-import',
          'a module does nothing when it is imported: move it into a function',
        ),
      );
    }
  }
  for (const node of nodesOf(source.tree)) {
    if (ts.isPropertyDeclaration(node) && hasModifier(node, ts.SyntaxKind.StaticKeyword)) {
      if (!hasModifier(node, ts.SyntaxKind.ReadonlyKeyword)) {
        problems.push(
          problem(
            source,
            node,
            'module-state',
            'a static field is shared by everybody: make it readonly, or pass an object in',
          ),
        );
      } else if (node.initializer !== undefined && isMutable(node.initializer, node.type)) {
        problems.push(
          problem(
            source,
            node,
            'module-state',
            'a static collection is shared by everybody: pass an object in, or type it as readonly',
          ),
        );
      }
    }
  }
  return problems;
}

/**
 * @param {Source} source
 * @param {ts.VariableStatement} statement
 * @returns {Problem[]}
 */
function checkModuleVariables(source, statement) {
  if (hasModifier(statement, ts.SyntaxKind.DeclareKeyword)) return [];
  if ((statement.declarationList.flags & ts.NodeFlags.Const) === 0) {
    return [
      problem(
        source,
        statement,
        'module-state',
        'no `let` or `var` in a module: keep state in an object that its owner constructs',
      ),
    ];
  }
  return statement.declarationList.declarations
    .filter(({ initializer, type }) => initializer !== undefined && isMutable(initializer, type))
    .map((declaration) =>
      problem(
        source,
        declaration,
        'module-state',
        'a module holds no state: construct it in the composition root; a constant table is typed ReadonlyMap, ReadonlySet or readonly []',
      ),
    );
}

/**
 * Whether a module-level value could change: an object made with `new`, or an empty collection waiting to be filled.
 *
 * @param {ts.Expression} value
 * @param {ts.TypeNode | undefined} type
 * @returns {boolean}
 */
function isMutable(value, type) {
  const written = type?.getText() ?? '';
  if (/^(Readonly|readonly\b)/.test(written)) return false;
  if (ts.isAsExpression(value) || ts.isSatisfiesExpression(value)) {
    return value.type.getText() !== 'const' && isMutable(value.expression, type ?? value.type);
  }
  if (ts.isNewExpression(value)) {
    const name = value.expression.getText().split('.').at(-1) ?? '';
    return COLLECTIONS.has(name) || !CONSTANT_CLASSES.has(name);
  }
  if (ts.isArrayLiteralExpression(value)) return value.elements.length === 0;
  return ts.isObjectLiteralExpression(value) && value.properties.length === 0;
}

/**
 * @param {ts.Statement} statement
 * @returns {boolean}
 */
function isWork(statement) {
  if (ts.isExpressionStatement(statement)) return !ts.isStringLiteral(statement.expression);
  return (
    ts.isIfStatement(statement) ||
    ts.isIterationStatement(statement, false) ||
    ts.isTryStatement(statement) ||
    ts.isSwitchStatement(statement) ||
    ts.isBlock(statement)
  );
}

/**
 * @param {ts.Node} node
 * @param {ts.SyntaxKind} kind
 * @returns {boolean}
 */
function hasModifier(node, kind) {
  return ts.canHaveModifiers(node) && (ts.getModifiers(node)?.some((modifier) => modifier.kind === kind) ?? false);
}

/**
 * A comment does not make a swallowed error handled.
 *
 * @param {Source} source
 * @returns {Problem[]}
 */
export function checkCatches(source) {
  const problems = [];
  for (const node of nodesOf(source.tree)) {
    const emptyCatch = ts.isCatchClause(node) && node.block.statements.length === 0;
    if (emptyCatch || isSwallowingHandler(node)) {
      problems.push(
        problem(source, node, 'empty-catch', 'an error is never swallowed: return a value, log it, or let it pass'),
      );
    }
  }
  return problems;
}

/**
 * `.catch(() => {})`
 *
 * @param {ts.Node} node
 * @returns {boolean}
 */
function isSwallowingHandler(node) {
  if (
    !ts.isCallExpression(node) ||
    !ts.isPropertyAccessExpression(node.expression) ||
    node.expression.name.text !== 'catch'
  ) {
    return false;
  }
  const [handler] = node.arguments;
  return (
    handler !== undefined &&
    (ts.isArrowFunction(handler) || ts.isFunctionExpression(handler)) &&
    ts.isBlock(handler.body) &&
    handler.body.statements.length === 0
  );
}

/** What SQL looks like: upper-case keywords in their order. */
const SQL =
  /\b(SELECT\s[\s\S]*\bFROM\s|INSERT\s+(OR\s+\w+\s+)?INTO\s|UPDATE\s+\w+\s+SET\s|DELETE\s+FROM\s|(CREATE|DROP|ALTER)\s+(TEMP\s+|UNIQUE\s+|VIRTUAL\s+)?(TABLE|INDEX|VIEW|TRIGGER)\b|PRAGMA\s+\w+|BEGIN\s+(IMMEDIATE|EXCLUSIVE)\b)/;

/**
 * @param {Source} source
 * @returns {Problem[]}
 */
export function checkSql(source) {
  if (!source.path.startsWith('src/') || source.path.startsWith('src/store/')) return [];
  const problems = [];
  for (const node of nodesOf(source.tree)) {
    const isText = ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
    if (isText && SQL.test(node.getText(source.tree))) {
      problems.push(problem(source, node, 'sql', 'only src/store writes SQL: add a method there'));
    }
  }
  return problems;
}

/**
 * What other files use says what it is for.
 *
 * @param {Source} source
 * @returns {Problem[]}
 */
export function checkDocstrings(source) {
  const problems = [];
  for (const statement of source.tree.statements) {
    if (!ts.isFunctionDeclaration(statement) && !ts.isClassDeclaration(statement)) continue;
    if (!hasModifier(statement, ts.SyntaxKind.ExportKeyword)) continue;
    if (ts.getJSDocCommentsAndTags(statement).length === 0) {
      problems.push(
        problem(source, statement, 'docstring', `say what ${statement.name?.text ?? 'it'} is for, in a /** comment */`),
      );
    }
  }
  return problems;
}
