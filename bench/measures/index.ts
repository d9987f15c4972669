import type { Baselines } from '../lib/baselines.ts';
import type { Core } from '../lib/core.ts';
import type { Corpora, CorpusName } from '../lib/corpora.ts';
import type { Corpus } from '../lib/corpus.ts';
import type { Row } from '../lib/report.ts';
import { activationRows } from './activation.ts';
import { bundleRows } from './bundles.ts';
import { hookRows } from './hook.ts';
import { injectRows } from './inject.ts';
import { indexRows, largeIndexRows, outlineRows, parserRows } from './outlines.ts';
import { printProfile } from './profile.ts';
import { pushRows } from './push.ts';
import {
  BRIEF,
  commitRows,
  type Effort,
  firstRows,
  largeSwitchRows,
  type Surroundings,
  switchRows,
  THOROUGH,
} from './snapshot.ts';
import { stallRows } from './stall.ts';

export interface Around {
  readonly core: Core;
  readonly baselines: Baselines;
  readonly corpora: Corpora;
  /** Whether to print where the time goes. */
  readonly profile: boolean;
}

/** A part of the benchmark that can be run by its name. */
export interface Measure {
  readonly name: string;
  /** For the help. */
  readonly about: string;
  run(around: Around): Promise<Row[]> | Row[];
}

type SwitchRows = (around: Surroundings, corpus: Corpus, effort: Effort) => Promise<Row[]>;

function snapshots(name: string, corpusName: CorpusName, about: string, effort: Effort, switches: SwitchRows): Measure {
  return {
    name,
    about,
    async run(around) {
      const corpus = around.corpora.get(corpusName);
      const rows = [
        ...(await switches(around, corpus, effort)),
        ...(await commitRows(around, corpus, effort)),
        ...(await firstRows(around, corpus, effort)),
        ...(await stallRows(around.baselines, corpus)),
      ];
      if (around.profile) await printProfile(around.core, corpus);
      return rows.map((row) => ({ ...row, what: `${corpusName}: ${row.what}` }));
    },
  };
}

export const MEASURES: readonly Measure[] = [
  snapshots('snapshot-medium', 'medium', 'snapshots of 120,000 to 180,000 lines', THOROUGH, switchRows),
  snapshots('snapshot-large', 'large', 'snapshots of over 1,000,000 lines', BRIEF, largeSwitchRows),
  snapshots('snapshot-many', 'many', 'snapshots of 100,000 files', BRIEF, largeSwitchRows),
  {
    name: 'outlines',
    about: 'outlines of single files, and the index of 120,000 to 180,000 lines',
    async run({ corpora }) {
      const corpus = corpora.get('medium');
      return [...(await outlineRows(corpus)), ...(await indexRows(corpus)), ...(await parserRows(corpus))];
    },
  },
  {
    name: 'index-large',
    about: 'the index of over 1,000,000 lines',
    run: ({ corpora }) => largeIndexRows(corpora.get('large')),
  },
  {
    name: 'inject',
    about: 'the context of a completion',
    run: ({ core, corpora }) => injectRows(core, corpora.get('medium')),
  },
  { name: 'push', about: 'deltas through the hub', run: ({ core }) => pushRows(core) },
  { name: 'hook', about: 'what the git hook adds to a commit', run: hookRows },
  { name: 'activation', about: 'loading the extension', run: activationRows },
  { name: 'bundles', about: 'sizes of what is shipped', run: bundleRows },
];
