import type { Why } from './why.ts';

type Bounded = NonNullable<Why['bounded']>;

const SENTENCES: Readonly<Record<Bounded, string>> = {
  shallow: 'Older commits are not here: this is a shallow clone ("git fetch --unshallow" gets them).',
  partial: 'Older texts are not here: this is a partial clone, and nothing is fetched to answer.',
  limit: 'The file has more commits than are looked at.',
};

/** Why the beginning of a history was not reached, as a sentence for people. */
export function describeBounded(bounded: Bounded): string {
  return SENTENCES[bounded];
}
