import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Language, Parser } from '@vscode/tree-sitter-wasm';
import { codeOf, messageOf, ProjectAnchorError } from '../../base/index.ts';

type Library = typeof import('@vscode/tree-sitter-wasm');

/** tree-sitter's own two files; a grammar is `tree-sitter-NAME.wasm` beside them. */
const LIBRARY = 'tree-sitter.js';
const MACHINE = 'tree-sitter.wasm';

/** Larger than any gap that small blocks leave. */
const PROBE_BYTES = 500_000;

/** What the library leaves in the options it is given: the memory of its WebAssembly. */
interface Options {
  locateFile(): string;
  /** The library writes to the console what it throws as well. */
  printErr(): void;
  readonly HEAPU8?: { readonly byteLength: number };
  _malloc?(bytes: number): number;
  _free?(address: number): void;
}

/**
 * Where the grammar files are: `grammars` beside a bundle, the package itself when the project runs from its sources.
 * The folder need not exist.
 */
export function grammarFolder(): string {
  const beside = join(import.meta.dirname, 'grammars');
  if (existsSync(beside)) return beside;
  try {
    return dirname(createRequire(import.meta.filename).resolve('@vscode/tree-sitter-wasm'));
  } catch (error) {
    if (codeOf(error) === 'MODULE_NOT_FOUND') return beside;
    throw error;
  }
}

/** The file of a grammar in that folder. */
export function grammarFile(folder: string, name: string): string {
  return join(folder, `tree-sitter-${name}.wasm`);
}

/**
 * tree-sitter with a memory of its own: whatever happens in it ends with it. There is nothing to release; what nobody
 * refers to any more is collected with its memory.
 */
export class Runtime {
  readonly #folder: string;
  readonly #library: Library;
  readonly #options: Options;

  private constructor(folder: string, library: Library, options: Options) {
    this.#folder = folder;
    this.#library = library;
    this.#options = options;
  }

  /**
   * Takes some 30 ms.
   * @throws ProjectAnchorError `no_grammar`
   */
  static async load(folder: string): Promise<Runtime> {
    const library = join(folder, LIBRARY);
    const machine = join(folder, MACHINE);
    const options: Options = { locateFile: () => machine, printErr: () => undefined };
    let file = library;
    try {
      const loaded = freshly(library);
      if (typeof loaded.Parser?.init !== 'function') throw new TypeError('it has no parser in it');
      file = machine;
      // When it is missing the library only says that something was aborted.
      await readFile(machine);
      await loaded.Parser.init(options);
      return new Runtime(folder, loaded, options);
    } catch (error) {
      throw noGrammar(file, error);
    }
  }

  /** How much memory it has taken, in bytes; it never gets less. */
  get bytes(): number {
    return this.#options.HEAPU8?.byteLength ?? 0;
  }

  /**
   * Where in its memory a large block would be put, in bytes from the start: it rises when something is not given back.
   * For checks only.
   */
  probe(): number {
    const address = this.#options._malloc?.(PROBE_BYTES) ?? 0;
    this.#options._free?.(address);
    return address;
  }

  /**
   * A parser for one grammar, in some 10 to 40 ms.
   * @param name as in the name of the grammar's file
   * @throws ProjectAnchorError `no_grammar`
   */
  async parser(name: string): Promise<Parser> {
    const file = grammarFile(this.#folder, name);
    try {
      const grammar: Language = await this.#library.Language.load(await readFile(file));
      return new this.#library.Parser().setLanguage(grammar);
    } catch (error) {
      throw noGrammar(file, error);
    }
  }
}

/** The library keeps its one memory to itself, so that another memory needs another copy of it. */
function freshly(path: string): Library {
  const load = createRequire(import.meta.filename);
  delete load.cache[path];
  try {
    return load(path) as Library;
  } finally {
    delete load.cache[path];
  }
}

function noGrammar(file: string, cause: unknown): ProjectAnchorError {
  const what = existsSync(file) ? `is damaged (${messageOf(cause)})` : 'is missing';
  return new ProjectAnchorError(
    'no_grammar',
    `${file} ${what}, so that files of its language have no outline.`,
    'Install ProjectAnchor again.',
    { cause },
  );
}
