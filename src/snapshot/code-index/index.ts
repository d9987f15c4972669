/**
 * The index of a whole working tree: imports both ways and symbols, read in passes that give way to everything else.
 * It never reads what the gate refuses, never holds file contents, and never waits to be asked for what it has.
 * It exports the index with its state, and who imports a file.
 */
export { CodeIndex, type CodeIndexParts, type IndexState } from './code-index.ts';
export type { Importer } from './import-graph.ts';
