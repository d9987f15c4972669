import type { Readable } from 'node:stream';
import { ProjectAnchorError } from '../../base/index.ts';
import { type CommitPair, MAX_PAIRS } from '../../snapshot/index.ts';

const PAIR = /^([0-9a-f]{40}|[0-9a-f]{64}) ([0-9a-f]{40}|[0-9a-f]{64})(?: .*)?$/;

/**
 * What git's post-rewrite hook says (githooks(5)): `old new` in full, one pair a line, with words behind them that may
 * come one day. Of more than 500 the last ones count.
 * @throws ProjectAnchorError `usage` naming the line that is no pair
 */
export function parseRewritten(text: string): readonly CommitPair[] {
  const pairs = text.split('\n').flatMap((line, index): CommitPair[] => {
    if (line === '') return [];
    const [, before, now] = PAIR.exec(line) ?? [];
    if (before !== undefined && now !== undefined && before.length === now.length) return [{ old: before, new: now }];
    throw new ProjectAnchorError(
      'usage',
      `Line ${index + 1} of what was rewritten is not "old new".`,
      'Give two full commit ids a line, as git gives them to post-rewrite.',
    );
  });
  return pairs.slice(-MAX_PAIRS);
}

/** Everything a stream says. */
export async function textOf(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk as Buffer));
  return Buffer.concat(chunks).toString('utf8');
}
