import { existsSync } from 'node:fs';
import type { Parser } from '@vscode/tree-sitter-wasm';
import { messageOf, ProjectAnchorError } from '../../base/index.ts';
import { PARSE_LIMIT_MS, TimeLimit } from '../time-limit.ts';
import { decisionsOf } from './decisions.ts';
import type { LanguageRules } from './language.ts';
import { LANGUAGES } from './languages/index.ts';
import { readText } from './reading.ts';
import { grammarFile, grammarFolder, Runtime } from './runtime.ts';
import type { GrammarParser, GrammarRead } from './types.ts';

/** The memory of WebAssembly only grows. Beyond this, in bytes, it is given back: the next text loads it anew. */
const MAX_BYTES = 128 * 1024 * 1024;

/** Where the grammars are, and how long one text may take. */
export interface GrammarOptions {
  /** Default: where the package or the build has them. */
  readonly folder?: string;
  /** Time limit of one text, in ms; null for none. */
  readonly limitMs?: number | null;
}

/** Makes a parser; nothing is loaded yet. */
export function createGrammarParser(options: GrammarOptions = {}): GrammarParser {
  return new TreeSitterParser(
    options.folder ?? grammarFolder(),
    options.limitMs === undefined ? PARSE_LIMIT_MS : options.limitMs,
  );
}

class TreeSitterParser implements GrammarParser {
  readonly #folder: string;
  readonly #limitMs: number | null;
  readonly #limit = new TimeLimit();
  #runtime: Promise<Runtime> | null = null;
  /** By the name of the grammar: languages may share one. */
  readonly #parsers = new Map<string, Promise<Loaded>>();
  readonly #loaded = new Set<string>();

  constructor(folder: string, limitMs: number | null) {
    this.#folder = folder;
    this.#limitMs = limitMs;
  }

  has(language: string): boolean {
    const rules = LANGUAGES.get(language);
    return rules !== undefined && existsSync(grammarFile(this.#folder, rules.grammar));
  }

  loaded(language: string): boolean {
    const rules = LANGUAGES.get(language);
    return rules !== undefined && this.#loaded.has(rules.grammar);
  }

  async read(path: string, text: string, language: string): Promise<GrammarRead> {
    return this.#parse(path, language, (parser, rules) => readText(parser, rules, language, text));
  }

  async decisions(path: string, text: string, language: string): Promise<readonly number[]> {
    return this.#parse(path, language, (parser, rules) => decisionsOf(parser, rules, text));
  }

  async #parse<T>(path: string, language: string, work: (parser: Parser, rules: LanguageRules) => T): Promise<T> {
    const rules = LANGUAGES.get(language);
    if (rules === undefined) throw new ProjectAnchorError('no_grammar', `There is no grammar for ${language} files.`);
    const { parser, runtime } = await this.#load(rules);
    let whole = false;
    try {
      const read = this.#limit.run(this.#limitMs, () => work(parser, rules));
      whole = runtime.bytes <= MAX_BYTES;
      return read;
    } catch (error) {
      if (error instanceof ProjectAnchorError) {
        throw new ProjectAnchorError(error.code, `${path}: ${error.message}`, undefined, { cause: error });
      }
      if (error instanceof RangeError) throw error;
      const what = `${path} does not parse: ${messageOf(error)}`;
      throw new ProjectAnchorError('parse_error', what, undefined, { cause: error });
    } finally {
      // Stopped in its middle a parser is in no state to go on from.
      if (!whole) this.dispose();
    }
  }

  dispose(): void {
    this.#runtime = null;
    this.#parsers.clear();
    this.#loaded.clear();
  }

  async #load({ grammar }: LanguageRules): Promise<Loaded> {
    let parser = this.#parsers.get(grammar);
    if (parser === undefined) {
      parser = this.#loadNow(grammar);
      this.#parsers.set(grammar, parser);
    }
    try {
      const loaded = await parser;
      if (this.#parsers.get(grammar) === parser) this.#loaded.add(grammar);
      return loaded;
    } catch (error) {
      // Once the file is there it is read.
      if (this.#parsers.get(grammar) === parser) this.#parsers.delete(grammar);
      throw error;
    }
  }

  async #loadNow(grammar: string): Promise<Loaded> {
    this.#runtime ??= Runtime.load(this.#folder);
    const pending = this.#runtime;
    try {
      const runtime = await pending;
      return { runtime, parser: await runtime.parser(grammar) };
    } catch (error) {
      if (this.#runtime === pending) this.#runtime = null;
      throw error;
    }
  }
}

/** A parser with what it runs in. */
interface Loaded {
  readonly runtime: Runtime;
  readonly parser: Parser;
}
