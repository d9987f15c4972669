import { codeOf, ProjectAnchorError } from '../base/index.ts';
import type { GrammarParser } from './grammars/index.ts';
import { type ImportSite, importSites } from './imports.ts';
import { outlineOf } from './outline.ts';
import { limitOutline } from './outline-limit.ts';
import { Lines, type Parser } from './parser.ts';
import { COMPONENT_LANGUAGES, scriptBlocks } from './script-blocks.ts';
import { importSitesOfTree } from './tree-imports.ts';
import { outlineOfTree } from './tree-outline.ts';
import { recover } from './tree-recovery.ts';
import type { Outline } from './types.ts';

/** What a text says. */
export interface Reading {
  /** Null when there is nothing to go by. */
  readonly outline: Outline | null;
  readonly imports: readonly ImportSite[];
  /** Why it is not all there: `parse_error`, `parse_timeout`, `no_grammar`. Null when the text is right. */
  readonly problem: ProjectAnchorError | null;
}

/**
 * How a text is read that TypeScript's own languages are in: `whole` with typescript-estree where it parses, for what a
 * person has in an editor; `pass` with TypeScript's tree, which is less work and gives the same items; `names` the same
 * without signatures, for who looks for symbols alone.
 */
export type ReadingForm = 'whole' | 'pass' | 'names';

const TYPESCRIPT: ReadonlySet<string> = new Set(['ts', 'tsx', 'js', 'jsx']);

/**
 * Grammars that do not know what a preprocessor makes of a text, or not all of the language: errors in them are no sign of
 * a broken file.
 */
const UNSURE: ReadonlySet<string> = new Set(['c', 'cpp', 'cs', 'ps1']);

/** Reads outlines and imports of texts in all languages that are known, each with its parser. */
export class TextReaders {
  readonly #parser: Parser;
  readonly #grammars: GrammarParser;

  constructor(parser: Parser, grammars: GrammarParser) {
    this.#parser = parser;
    this.#grammars = grammars;
  }

  /** Whether texts of a language are read at once; otherwise a parser has to load first. */
  loaded(language: string): boolean {
    return this.#isScript(language) ? this.#parser.loaded : this.#grammars.loaded(language);
  }

  /**
   * @param path for its dialect and for messages; the text need not be that file's
   * @throws what is a mistake of this program
   */
  async read(path: string, text: string, language: string, form: ReadingForm): Promise<Reading> {
    try {
      if (COMPONENT_LANGUAGES.has(language)) return await this.#component(path, text, language, form);
      if (TYPESCRIPT.has(language)) return await this.#script(path, text, language, form);
      return await this.#other(path, text, language);
    } catch (error) {
      return { outline: null, imports: [], problem: problemOf(path, error) };
    }
  }

  #isScript(language: string): boolean {
    return TYPESCRIPT.has(language) || COMPONENT_LANGUAGES.has(language);
  }

  async #script(path: string, text: string, language: string, form: ReadingForm): Promise<Reading> {
    const tree = await this.#parser.tree(path, text);
    const { problem } = tree;
    if (problem !== null) return { ...recover(tree, language), problem };
    if (form === 'whole') {
      try {
        const parsed = await this.#parser.convert(path, tree);
        return { outline: outlineOf(parsed, language), imports: importSites(parsed), problem: null };
      } catch (error) {
        // What it does not take, and what is too deep for its form, TypeScript's own tree has.
        if (codeOf(error) !== 'parse_error' && !(error instanceof RangeError)) throw error;
      }
    }
    return {
      outline: outlineOfTree(tree, language, form !== 'names'),
      imports: importSitesOfTree(tree),
      problem: null,
    };
  }

  /** Script blocks, whose other lines are blank, together. */
  async #component(path: string, text: string, language: string, form: ReadingForm): Promise<Reading> {
    const lines = new Lines(text);
    const readings: Reading[] = [];
    for (const block of scriptBlocks(text)) {
      const { module, at } = block.source ?? {};
      if (module !== undefined && at !== undefined) {
        const site = { module, names: ['*'], line: lines.at(at) };
        readings.push({ outline: null, imports: [site], problem: null });
      } else readings.push(await this.#script(`${path}${block.extension}`, block.text, language, form));
    }
    const items = readings.flatMap(({ outline }) => outline?.items ?? []);
    const more = readings.reduce((sum, { outline }) => sum + (outline?.more ?? 0), 0);
    const outline = { language, lines: lines.count, items, ...(more === 0 ? {} : { more }) };
    const problem = readings.find((each) => each.problem !== null)?.problem ?? null;
    return {
      outline: limitOutline(outline),
      imports: readings.flatMap(({ imports }) => imports),
      problem: problem === null ? null : renamed(problem, path),
    };
  }

  async #other(path: string, text: string, language: string): Promise<Reading> {
    const { outline, imports, clean } = await this.#grammars.read(path, text, language);
    const isWhole = clean || UNSURE.has(language);
    return { outline, imports, problem: isWhole ? null : parseError(`${path} does not parse everywhere.`) };
  }
}

/** The same text under another path. */
export function renamed(error: ProjectAnchorError, path: string): ProjectAnchorError {
  const rest = /(?: does not parse| is nested too deeply| takes too long| needs the grammar).*/su.exec(
    error.message,
  )?.[0];
  return rest === undefined ? error : new ProjectAnchorError(error.code, `${path}${rest}`);
}

function parseError(message: string, cause?: unknown): ProjectAnchorError {
  return new ProjectAnchorError('parse_error', message, undefined, cause === undefined ? {} : { cause });
}

function problemOf(path: string, error: unknown): ProjectAnchorError {
  // Text that nests deeper than the parser's stack does not parse either.
  if (error instanceof RangeError) return parseError(`${path} is nested too deeply to be read.`, error);
  if (!(error instanceof ProjectAnchorError)) throw error;
  if (error.code === 'parse_error' || error.code === 'no_grammar') return error;
  if (error.code !== 'parse_timeout') throw error;
  return new ProjectAnchorError(
    'parse_timeout',
    `${path} takes too long to be read, so it was stopped.`,
    'Repair or split it, or leave it out with a line in .projectanchorignore.',
    { cause: error },
  );
}
