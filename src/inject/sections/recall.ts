import { fenced } from '../fence.ts';
import type { InjectRequest, RecalledText } from '../types.ts';
import { Rank, type Section } from './section.ts';

/** Remembered text as it stands in the context: unchanged, inside a fence that it cannot close. */
export function recallText(content: string): string {
  return fenced('remembered', content);
}

/** What memory gave for this request; the most volatile part, so it comes last. */
export function recallSection(recalled: RecalledText | undefined, type: InjectRequest['type']): Section {
  if (recalled === undefined || recalled.content === '') return { items: [] };
  return {
    heading: 'Remembered from earlier work, for reference; it may be out of date:',
    items: [
      {
        kind: 'recall',
        ref: 'context/prepare',
        why: `memory answered: ${recalled.outcome.status}`,
        text: recallText(recalled.content),
        rank: type === 'completion' ? Rank.recallInCompletion : Rank.recall,
        core: true,
        paths: [],
      },
    ],
  };
}
