import type { TSESTree } from '@typescript-eslint/typescript-estree';
import { messageOf, ProjectAnchorError } from '../base/index.ts';

/** A parsed file. Positions are UTF-16 offsets into `text`, which is the file without its byte order mark. */
export interface Parsed {
  readonly program: TSESTree.Program;
  readonly text: string;
}

/** Parses TypeScript, JavaScript, TSX and JSX. The parser and TypeScript itself load at the first call. */
export interface Parser {
  /** Whether it parses at once: false until the first call has loaded it, which takes some 200 ms. */
  readonly loaded: boolean;
  /**
   * @param path decides the dialect by its extension
   * @throws ProjectAnchorError `parse_error` with the line where it stopped
   */
  parse(path: string, text: string): Promise<Parsed>;
}

/** Makes a parser; nothing is loaded yet. */
export function createParser(): Parser {
  let loading: Promise<typeof import('@typescript-eslint/typescript-estree')> | null = null;
  let loaded = false;
  return {
    get loaded() {
      return loaded;
    },
    async parse(path, text) {
      loading ??= import('@typescript-eslint/typescript-estree');
      const { parse } = await loading;
      loaded = true;
      const source = text.startsWith('\uFEFF') ? text.slice(1) : text;
      try {
        const program = parse(source, {
          filePath: path,
          range: true,
          comment: true,
          // Mistakes that only a type checker minds do not make the declarations any less clear.
          allowInvalidAST: true,
          jsDocParsingMode: 'none',
          loggerFn: false,
        });
        return { program, text: source };
      } catch (error) {
        throw parseError(path, error);
      }
    },
  };
}

function parseError(path: string, error: unknown): ProjectAnchorError {
  const line = lineOf(error);
  const where = line === null ? '' : ` at line ${line}`;
  return new ProjectAnchorError('parse_error', `${path} does not parse${where}: ${messageOf(error)}`, undefined, {
    cause: error,
  });
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
    const starts = [0];
    for (const { index, 0: end } of text.matchAll(/\r\n|\r|\n/g)) starts.push(index + end.length);
    this.#starts = starts;
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
