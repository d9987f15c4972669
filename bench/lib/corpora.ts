import { type Corpus, largeCorpus, manyFilesCorpus, mediumCorpus } from './corpus.ts';

const MAKERS = { medium: mediumCorpus, large: largeCorpus, many: manyFilesCorpus } as const;

export type CorpusName = keyof typeof MAKERS;

/** The corpora of one run, each made when it is first asked for. */
export class Corpora {
  readonly #made = new Map<CorpusName, Corpus>();

  get(name: CorpusName): Corpus {
    const known = this.#made.get(name);
    if (known !== undefined) return known;
    const started = performance.now();
    const corpus = MAKERS[name]();
    this.#made.set(name, corpus);
    const { files, lines } = corpus;
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(
      `Corpus "${name}" (${corpus.name}): ${files} files, ${lines.toLocaleString('en')} lines, made in ${seconds} s`,
    );
    return corpus;
  }

  dispose(): void {
    for (const corpus of this.#made.values()) corpus.dispose();
  }
}
