import type { ImportSite } from '../imports.ts';
import type { Outline } from '../types.ts';

/** What one text says. */
export interface GrammarRead {
  readonly outline: Outline;
  readonly imports: readonly ImportSite[];
  /** Whether the whole text parses; where it does not, what is intact is there all the same. */
  readonly clean: boolean;
}

/** Reads outlines and imports in the languages that have a grammar file. */
export interface GrammarParser {
  /** Whether texts of the language can be read here at all: its grammar file is there. */
  has(language: string): boolean;
  /** Whether `read` starts at once: the grammar is loaded. */
  loaded(language: string): boolean;
  /**
   * @param path for messages only
   * @param language id of the language, one of GRAMMAR_LANGUAGES
   * @throws ProjectAnchorError `no_grammar` when a file is missing or damaged: says which and what to do
   * @throws ProjectAnchorError `parse_timeout`
   * @throws ProjectAnchorError `parse_error` when the parser itself broke down; the next text gets a new one
   */
  read(path: string, text: string, language: string): Promise<GrammarRead>;
  /**
   * The 1-based lines of all decisions in a text, one entry for each (`branches` of the language). Same errors.
   * @param path for messages only
   */
  decisions(path: string, text: string, language: string): Promise<readonly number[]>;
  /** Lets go of all that is loaded. */
  dispose(): void;
}
