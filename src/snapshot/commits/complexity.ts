import type { Node } from 'typescript';
import { codeOf } from '../../base/index.ts';
import type { ParsedTree, Parser, TypeScript } from '../parser.ts';

/** How complex one function is. */
export interface FunctionComplexity {
  /** Empty for a function without a name of its own. */
  readonly name: string;
  /** 1-based line that it begins on. */
  readonly line: number;
  /** McCabe's cyclomatic complexity: 1 and one more for every decision. */
  readonly value: number;
}

/** Tells how complex the functions of a text are. */
export interface ComplexityReader {
  /** Language ids that it can tell of. */
  readonly languages: ReadonlySet<string>;
  /** In any order; null when the text is broken. */
  read(path: string, text: string): Promise<readonly FunctionComplexity[] | null>;
}

/** Complexities in TypeScript and JavaScript, over TypeScript's own tree. */
export function scriptComplexity(parser: Pick<Parser, 'tree'>): ComplexityReader {
  return {
    languages: new Set(['ts', 'tsx', 'js', 'jsx']),
    async read(path, text) {
      try {
        const tree = await parser.tree(path, text);
        return tree.problem === null ? complexityOfTree(tree) : null;
      } catch (error) {
        // Nested deeper than the stack allows, or longer than a parse may take.
        if (error instanceof RangeError || codeOf(error) === 'parse_timeout') return null;
        throw error;
      }
    },
  };
}

/**
 * Cyclomatic complexity of every function, as T. J. McCabe defines it ("A Complexity Measure", IEEE Transactions on
 * Software Engineering 2(4), 1976), counted by decisions: `if`, `?:`, loops, `case`, `catch`, and the operators that may
 * leave out what stands to the right of them. A function inside of another one counts for itself.
 */
export function complexityOfTree({ ts, file }: ParsedTree): readonly FunctionComplexity[] {
  const found: Counted[] = [];
  const open: Place[] = [{ node: file, within: null, called: '' }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, called } = next;
    let { within } = next;
    if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart(file));
      const name = node.name?.getText(file) ?? (ts.isConstructorDeclaration(node) ? 'constructor' : called);
      within = { name, line: line + 1, value: 1 };
      found.push(within);
    } else if (within !== null && isDecision(ts, node)) {
      within.value += 1;
    }
    const inside = within;
    // A function that is the value of something is called like it.
    const name = ts.isVariableDeclaration(node) || ts.isPropertyDeclaration(node) ? node.name.getText(file) : '';
    ts.forEachChild(node, (child) => void open.push({ node: child, within: inside, called: name }));
  }
  return found.sort((a, b) => a.line - b.line);
}

interface Counted {
  readonly name: string;
  readonly line: number;
  value: number;
}

interface Place {
  readonly node: Node;
  /** The function around it. */
  readonly within: Counted | null;
  readonly called: string;
}

function isDecision(ts: TypeScript, node: Node): boolean {
  const { SyntaxKind: kind } = ts;
  switch (node.kind) {
    case kind.IfStatement:
    case kind.ConditionalExpression:
    case kind.ForStatement:
    case kind.ForInStatement:
    case kind.ForOfStatement:
    case kind.WhileStatement:
    case kind.DoStatement:
    case kind.CaseClause:
    case kind.CatchClause:
      return true;
    default:
      return ts.isBinaryExpression(node) && isShortCircuit(ts, node.operatorToken.kind);
  }
}

function isShortCircuit({ SyntaxKind: kind }: TypeScript, operator: number): boolean {
  const operators: readonly number[] = [
    kind.AmpersandAmpersandToken,
    kind.BarBarToken,
    kind.QuestionQuestionToken,
    kind.AmpersandAmpersandEqualsToken,
    kind.BarBarEqualsToken,
    kind.QuestionQuestionEqualsToken,
  ];
  return operators.includes(operator);
}
