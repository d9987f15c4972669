import type { BindingElement, CallExpression, ImportDeclaration, Node, Statement } from 'typescript';
import { type FoundImport, type ImportSite, ImportSites, LOADS } from './imports.ts';
import type { ParsedTree, TypeScript } from './parser.ts';
import { isAccess, nameAccessed, withoutBrackets } from './tree-declarations.ts';

/** As `importSites` does, over TypeScript's own tree. */
export function importSitesOfTree({ ts, file, text }: ParsedTree): readonly ImportSite[] {
  const sites = new ImportSites(text);
  for (const statement of statementsOf(ts, file.statements)) {
    const found = statementSite(ts, statement);
    if (found !== null) sites.add(statement.getStart(file), found);
  }
  const offsets = [...text.matchAll(LOADS)].map(({ index }) => index);
  const visit = (node: Node, parent: Node): void => {
    if (!isOneWithin(offsets, node.pos, node.end)) return;
    const found = ts.isCallExpression(node) ? callSite(ts, node, parent) : null;
    if (found !== null) sites.add(node.getStart(file), found);
    const above = ts.isParenthesizedExpression(node) ? parent : node;
    ts.forEachChild(node, (child) => visit(child, above));
  };
  if (offsets.length > 0) visit(file, file);
  return sites.inOrder();
}

/** Whether one of the numbers, which are in order, lies from `start` to before `end`. */
function isOneWithin(sorted: readonly number[], start: number, end: number): boolean {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) < start) low = middle + 1;
    else high = middle;
  }
  return (sorted[low] ?? end) < end;
}

/** Statements with those of module blocks. */
function* statementsOf(ts: TypeScript, statements: readonly Statement[]): Generator<Statement> {
  for (const statement of statements) {
    yield statement;
    if (!ts.isModuleDeclaration(statement)) continue;
    let { body } = statement;
    while (body !== undefined && ts.isModuleDeclaration(body)) body = body.body;
    if (body !== undefined && ts.isModuleBlock(body)) yield* statementsOf(ts, body.statements);
  }
}

function statementSite(ts: TypeScript, node: Statement): FoundImport | null {
  if (ts.isImportDeclaration(node)) return literal(ts, node.moduleSpecifier, namesImported(ts, node));
  if (ts.isImportEqualsDeclaration(node)) {
    const { moduleReference } = node;
    return ts.isExternalModuleReference(moduleReference) ? literal(ts, moduleReference.expression, ['*']) : null;
  }
  if (!ts.isExportDeclaration(node)) return null;
  const { moduleSpecifier, exportClause } = node;
  if (exportClause !== undefined && ts.isNamedExports(exportClause)) {
    const pairs = exportClause.elements.map(({ propertyName, name }) => {
      return [name.text, (propertyName ?? name).text] as const;
    });
    return literal(
      ts,
      moduleSpecifier,
      pairs.map(([, local]) => local),
      pairs,
    );
  }
  return literal(ts, moduleSpecifier, ['*'], [[exportClause?.name.text ?? '*', '*']]);
}

function namesImported(ts: TypeScript, { importClause }: ImportDeclaration): readonly string[] {
  if (importClause === undefined) return [];
  const { name, namedBindings } = importClause;
  const names = name === undefined ? [] : ['default'];
  if (namedBindings === undefined) return names;
  if (ts.isNamespaceImport(namedBindings)) return [...names, '*'];
  return [...names, ...namedBindings.elements.map((each) => (each.propertyName ?? each.name).text)];
}

function callSite(ts: TypeScript, node: CallExpression, parent: Node): FoundImport | null {
  if (!isImport(ts, node) && !isRequire(ts, node)) return null;
  const [source] = node.arguments;
  return source === undefined ? null : literal(ts, withoutBrackets(ts, source), namesTaken(ts, parent));
}

/** `import()` and `import.defer()`. */
function isImport(ts: TypeScript, { expression }: CallExpression): boolean {
  if (!ts.isMetaProperty(expression)) return expression.kind === ts.SyntaxKind.ImportKeyword;
  return expression.keywordToken === ts.SyntaxKind.ImportKeyword && expression.name.text === 'defer';
}

function isRequire(ts: TypeScript, call: CallExpression): boolean {
  const callee = withoutBrackets(ts, call.expression);
  return ts.isIdentifier(callee) && callee.text === 'require' && call.arguments.length === 1;
}

/** What a call's result is taken apart into: `const { a, b } = require('x')`, `require('x').a`. */
function namesTaken(ts: TypeScript, parent: Node): readonly string[] {
  if (isAccess(ts, parent)) return [nameAccessed(ts, parent) ?? '*'];
  if (!ts.isVariableDeclaration(parent) || !ts.isObjectBindingPattern(parent.name)) return ['*'];
  return [...new Set(parent.name.elements.map((element) => keyName(ts, element)))];
}

function keyName(ts: TypeScript, { dotDotDotToken, propertyName, name }: BindingElement): string {
  const key = propertyName ?? name;
  const isName = ts.isIdentifier(key) || ts.isStringLiteral(key) || ts.isNumericLiteral(key);
  return dotDotDotToken === undefined && isName ? key.text : '*';
}

function literal(
  ts: TypeScript,
  node: Node | undefined,
  names: readonly string[],
  passedOn?: readonly (readonly [string, string])[],
): FoundImport | null {
  if (node === undefined || !ts.isStringLiteral(node)) return null;
  return { module: node.text, names, ...(passedOn === undefined ? {} : { passedOn: new Map(passedOn) }) };
}
