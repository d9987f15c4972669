import { extname } from 'node:path';
import type { TSESTree } from '@typescript-eslint/typescript-estree';
import type { DiagnosticWithLocation, LanguageVariant, Node, ScriptKind, SourceFile } from 'typescript';
import { messageOf, ProjectAnchorError } from '../base/index.ts';
import { PARSE_LIMIT_MS, TimeLimit } from './time-limit.ts';
import type { Scannable } from './token-scan.ts';

/** The TypeScript library, which is passed on because it is not to be loaded before it is needed. */
export type TypeScript = typeof import('typescript');

/** A parsed file. Positions are UTF-16 offsets into `text`, which is the file without its byte order mark. */
export interface Parsed extends Scannable {
  readonly program: TSESTree.Program;
}

/** A text as TypeScript itself has it: nodes know neither their parents nor comments. Positions as above. */
export interface ParsedTree {
  readonly ts: TypeScript;
  readonly file: SourceFile;
  readonly text: string;
  /** Where it does not parse, in order; what the tree has from there on is a guess. */
  readonly errors: readonly number[];
  /** The first of them for people: `parse_error` with its line. */
  readonly problem: ProjectAnchorError | null;
  /** Another text in the same dialect. */
  again(text: string): ParsedTree;
}

/**
 * Parses TypeScript, JavaScript, TSX and JSX: first into TypeScript's own tree, which typescript-estree makes its own form
 * from. What a step needs loads at its first call.
 */
export interface Parser {
  /** Whether `tree` parses at once: false until the first call has loaded TypeScript, which takes some 200 ms. */
  readonly loaded: boolean;
  /**
   * TypeScript's own tree: little work, and of a text that does not parse there is something.
   * @param path decides the dialect by its extension
   * @throws ProjectAnchorError `parse_timeout`
   * @throws RangeError when the text nests deeper than the stack allows
   */
  tree(path: string, text: string): Promise<ParsedTree>;
  /**
   * The other form of a tree without errors; its nodes know their parents from then on.
   * @throws ProjectAnchorError `parse_error` with the line of what it does not take, `parse_timeout`
   * @throws RangeError when the text nests deeper than the stack allows
   */
  convert(path: string, tree: ParsedTree): Promise<Parsed>;
}

/** How trees are converted. */
const OPTIONS = {
  // Whatever is not asked for is made all the same, and then taken out of every node.
  range: true,
  loc: true,
  // Mistakes that only a type checker minds do not make the declarations any less clear.
  allowInvalidAST: true,
  preserveNodeMaps: false,
  jsDocParsingMode: 'none',
  loggerFn: false,
} as const;

/**
 * Makes a parser; nothing is loaded yet.
 * @param limitMs how long one text may take; null without a limit
 */
export function createParser(limitMs: number | null = PARSE_LIMIT_MS): Parser {
  const limit = new TimeLimit();
  let estree: Promise<typeof import('@typescript-eslint/typescript-estree')> | null = null;
  let typescript: Promise<{ readonly default: TypeScript }> | null = null;
  let loaded = false;
  return {
    get loaded() {
      return loaded;
    },
    async tree(path, text) {
      typescript ??= import('typescript');
      const { default: ts } = await typescript;
      loaded = true;
      const again = (part: string) => limit.run(limitMs, () => treeOf(ts, path, part, again));
      return again(withoutMark(text));
    },
    async convert(path, { ts, file, text }) {
      estree ??= import('@typescript-eslint/typescript-estree');
      const { parseAndGenerateServices } = await estree;
      try {
        const { ast } = limit.run(limitMs, () => {
          setParents(ts, file);
          return parseAndGenerateServices(file, { ...OPTIONS, filePath: path });
        });
        return { program: ast, ts, text, variant: variantOf(ts, path) };
      } catch (error) {
        if (error instanceof RangeError || error instanceof ProjectAnchorError) throw error;
        throw parseError(path, lineOf(error), messageOf(error), error);
      }
    },
  };
}

function treeOf(ts: TypeScript, path: string, text: string, again: ParsedTree['again']): ParsedTree {
  const file = sourceFile(ts, path, text);
  const { parseDiagnostics: found } = file;
  const [first] = found;
  const errors = found.map(({ start }) => start).sort((a, b) => a - b);
  return {
    ts,
    file,
    text,
    errors,
    again,
    // Made only when it is asked for: of a broken text many parts are parsed whose errors nobody tells.
    get problem() {
      return first === undefined ? null : problemOf(ts, path, file, first);
    },
  };
}

/** As `createSourceFile` does when it is asked to, which is less work for a text that is not to be converted. */
function setParents(ts: TypeScript, node: Node): void {
  ts.forEachChild(node, (child) => {
    (child as { parent: Node }).parent = node;
    setParents(ts, child);
  });
}

function problemOf(ts: TypeScript, path: string, file: SourceFile, found: DiagnosticWithLocation): ProjectAnchorError {
  const { line } = file.getLineAndCharacterOfPosition(found.start);
  return parseError(path, line + 1, ts.flattenDiagnosticMessageText(found.messageText, '\n'));
}

function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

/** What a source file has beside what TypeScript's types say of it. */
interface Internals {
  readonly parseDiagnostics: readonly DiagnosticWithLocation[];
  externalModuleIndicator?: boolean;
}

/** With the options that typescript-estree has for the same path. */
function sourceFile(ts: TypeScript, path: string, text: string): SourceFile & Internals {
  const extension = extname(path).toLowerCase();
  const isModule = extension === '.mjs' || extension === '.mts';
  const file = ts.createSourceFile(
    path,
    text,
    {
      languageVersion: ts.ScriptTarget.Latest,
      jsDocParsingMode: ts.JSDocParsingMode.ParseNone,
      ...(isModule ? { setExternalModuleIndicator: markAsModule } : {}),
    },
    false,
    scriptKind(ts, extension),
  );
  return file as SourceFile & Internals;
}

/** `await` stands outside of functions in modules only, and these are modules without any `import`. */
function markAsModule(file: SourceFile): void {
  (file as SourceFile & Internals).externalModuleIndicator = true;
}

function scriptKind({ ScriptKind: kind }: TypeScript, extension: string): ScriptKind {
  switch (extension) {
    case '.js':
    case '.mjs':
    case '.cjs':
      return kind.JS;
    case '.jsx':
      return kind.JSX;
    case '.tsx':
      return kind.TSX;
    default:
      return kind.TS;
  }
}

/** In which of the two forms of the language a path is written. */
function variantOf(ts: TypeScript, path: string): LanguageVariant {
  const isPlain = scriptKind(ts, extname(path).toLowerCase()) === ts.ScriptKind.TS;
  return isPlain ? ts.LanguageVariant.Standard : ts.LanguageVariant.JSX;
}

function parseError(path: string, line: number | null, message: string, cause?: unknown): ProjectAnchorError {
  const where = line === null ? '' : ` at line ${line}`;
  const options = cause === undefined ? {} : { cause };
  return new ProjectAnchorError('parse_error', `${path} does not parse${where}: ${message}`, undefined, options);
}

function lineOf(error: unknown): number | null {
  if (typeof error !== 'object' || error === null || !('location' in error)) return null;
  const { location } = error as { location?: { start?: { line?: unknown } } };
  return typeof location?.start?.line === 'number' ? location.start.line : null;
}

/** Line numbers as editors count them: CRLF, LF and CR end a line, U+2028 and its kind do not. */
export class Lines {
  readonly #starts: readonly number[];
  readonly #length: number;

  constructor(text: string) {
    this.#starts = startsOf(text);
    this.#length = text.length;
  }

  /** How many lines the text has; a line end at the very end begins no further one. */
  get count(): number {
    return this.#starts.at(-1) === this.#length ? this.#starts.length - 1 : this.#starts.length;
  }

  /** 1-based line of an offset. */
  at(offset: number): number {
    let low = 0;
    let high = this.#starts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#starts[middle] ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function startsOf(text: string): number[] {
  const starts = [0];
  if (text.includes('\r')) {
    for (const { index, 0: end } of text.matchAll(/\r\n|\r|\n/g)) starts.push(index + end.length);
  } else {
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  }
  return starts;
}
