/**
 * The index of a whole working tree: imports both ways and symbols, read in passes that give way to everything else.
 * It never reads what the gate refuses, never holds file contents, and never waits to be asked for what it has.
 * It exports the index with its state.
 */
export { CodeIndex, type CodeIndexParts, type IndexState } from './code-index.ts';
