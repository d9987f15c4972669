import type { Node } from 'typescript';
import { codeOf } from '../../base/index.ts';
import type { GrammarParser } from '../grammars/index.ts';
import { languageOf } from '../languages.ts';
import type { ParsedTree, Parser, TypeScript } from '../parser.ts';
import type { Outline, OutlineKind } from '../types.ts';

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

const FUNCTIONS: ReadonlySet<OutlineKind> = new Set(['function', 'method', 'constructor', 'getter', 'setter']);

/**
 * Complexities in the languages that have a grammar: the decisions on the lines of a function, one that stands inside of
 * another one counting for itself where the outline has it. Closures count for the function around them.
 */
export function grammarComplexity(
  grammars: Pick<GrammarParser, 'read' | 'decisions'>,
  languages: ReadonlySet<string>,
): ComplexityReader {
  return {
    languages,
    async read(path, text) {
      const language = languageOf(path) ?? '';
      try {
        const { outline } = await grammars.read(path, text, language);
        const decisions = await grammars.decisions(path, text, language);
        return counted(outline, decisions);
      } catch (error) {
        if (error instanceof RangeError || UNREADABLE.has(codeOf(error) ?? '')) return null;
        throw error;
      }
    },
  };
}

const UNREADABLE: ReadonlySet<string> = new Set(['no_grammar', 'parse_error', 'parse_timeout']);

function counted({ items }: Outline, decisions: readonly number[]): readonly FunctionComplexity[] {
  // Outer ones first, so that the last one around a line is the innermost.
  const functions = items
    .filter(({ kind }) => FUNCTIONS.has(kind))
    .sort((a, b) => b.end - b.start - (a.end - a.start))
    .map(({ name, start, end }) => ({ name, line: start, end, value: 1 }));
  for (const at of decisions) {
    const innermost = functions.findLast(({ line, end }) => line <= at && at <= end);
    if (innermost !== undefined) innermost.value += 1;
  }
  return functions.map(({ name, line, value }) => ({ name, line, value })).sort((a, b) => a.line - b.line);
}

/** Several readers as one, each for its own languages. */
export function anyComplexity(...readers: readonly ComplexityReader[]): ComplexityReader {
  return {
    languages: new Set(readers.flatMap(({ languages }) => [...languages])),
    async read(path, text) {
      const reader = readers.find(({ languages }) => languages.has(languageOf(path) ?? ''));
      return reader === undefined ? null : reader.read(path, text);
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
