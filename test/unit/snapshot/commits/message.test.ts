import { describe, expect, test } from 'vitest';
import { bodyOf } from '../../../../src/snapshot/commits/message.ts';
import { createGate } from '../../../../src/snapshot/gate.ts';

const gate = createGate();

describe('the body of a commit’s message', () => {
  test.each<[string, string, string | undefined]>([
    ['is given as it is', 'Because.\n\nAnd so on.', 'Because.\n\nAnd so on.'],
    ['is nothing when it is empty', '  \n', undefined],
    ['loses its trailers', 'Because.\n\nSigned-off-by: A B <a@b.example>\nCo-Authored-By: C <c@d.example>', 'Because.'],
    ['loses trailers of any name at its end', 'Because.\n\nX-Tracker-Key: 12\n  and more', 'Because.'],
    ['may be trailers alone', 'Signed-off-by: A B <a@b.example>', undefined],
    ['keeps sentences that look alike', 'Because.\n\nNote: this matters.', 'Because.\n\nNote: this matters.'],
    ['keeps an indented end', 'Run:\n\n    npm test', 'Run:\n\n    npm test'],
    ['loses addresses', 'Thanks to A B <a.b@mail.example> for it.', 'Thanks to A B  for it.'],
    ['has line ends of one kind', 'One.\r\nTwo.\r\n', 'One.\nTwo.'],
    ['is withheld with a credential in it', `Instead of ghp_${'a1'.repeat(18)}.`, undefined],
  ])('%s', (_name, body, expected) => {
    expect(bodyOf(body, gate)).toBe(expected);
  });

  test('is cut at 1,000 characters', () => {
    const cut = bodyOf('长'.repeat(1_500), gate) ?? '';
    expect([...cut]).toHaveLength(1_000);
    expect(cut.endsWith('…')).toBe(true);
  });
});
