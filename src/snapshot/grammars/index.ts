/**
 * Reads outlines and imports with tree-sitter in the languages that have a grammar file beside the program.
 * It never reads a file of the project, and nothing it loads outlives the parser that it made.
 * It exports the parser, the languages that it knows and the node types that make a function more complex.
 */
import { LANGUAGES } from './languages/index.ts';

export { createGrammarParser, type GrammarOptions } from './parser.ts';
export type { GrammarParser, GrammarRead } from './types.ts';

/** Ids of the languages (`languages.ts`) that `createGrammarParser` reads. */
export const GRAMMAR_LANGUAGES: ReadonlySet<string> = new Set(LANGUAGES.keys());

/** Node types that are a decision in a language: each is one more way through a function. Empty for other languages. */
export function branches(language: string): ReadonlySet<string> {
  return LANGUAGES.get(language)?.branches ?? new Set();
}
