import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { watchPlace } from '../../../../src/agents/commands/watch-place.ts';
import { tempDir } from '../../../support/temp.ts';

const ANCHOR = 'https://example.com/a#main@2026-11-30T12:00:00.000Z';
const HEAD = { seq: 7, hash: 'ab'.repeat(32) };

describe('the place of a named watch', () => {
  test('is kept across runs, per project and name', async () => {
    const folder = tempDir();
    await watchPlace(folder, ANCHOR, 'tests').write(HEAD);
    expect(await watchPlace(folder, ANCHOR, 'tests').read()).toEqual(HEAD);
    expect(await watchPlace(folder, ANCHOR, 'Tests').read()).toBeNull();
    expect(await watchPlace(folder, `${ANCHOR}!`, 'tests').read()).toBeNull();
  });

  test('is for its owner alone and leaves nothing else behind', async () => {
    const place = watchPlace(tempDir(), ANCHOR, '../../evil name 🙂');
    await place.write(HEAD);
    await place.write({ ...HEAD, seq: 8 });
    expect(readdirSync(dirname(place.file))).toHaveLength(1);
    if (process.platform !== 'win32') expect(statSync(place.file).mode & 0o777).toBe(0o600);
  });

  test.each(['', '{', '{"seq":"7"}', '[]', 'null'])('that is damaged (%j) is refused with what to do', async (text) => {
    const place = watchPlace(tempDir(), ANCHOR, 'tests');
    mkdirSync(join(place.file, '..'), { recursive: true });
    writeFileSync(place.file, text);
    await expect(place.read()).rejects.toMatchObject({
      code: 'place_damaged',
      message: expect.stringContaining(place.file),
    });
  });
});
