import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Corpus } from './corpus.ts';

/** Adds a line to files of a corpus, spread over its folders; `from` says which ones. */
export function edit(corpus: Corpus, count: number, from = 0): void {
  const { sources } = corpus;
  for (let n = 0; n < count; n++) {
    const path = sources[(from + Math.floor((n * sources.length) / count)) % sources.length];
    if (path !== undefined) appendFileSync(join(corpus.root, path), '\n// edited\n');
  }
}

/** Edits that many files and commits them. */
export function commit(corpus: Corpus, count: number, from: number): void {
  edit(corpus, count, from);
  corpus.git('commit', '--quiet', '--all', '-m', `fix(bench): ${count} files`);
}
