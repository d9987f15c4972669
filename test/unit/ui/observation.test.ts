import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createObserver } from '../../../src/ui/observation.ts';
import { tempDir } from '../../support/temp.ts';

describe('createObserver', () => {
  it('writes one JSON line per event to the file that the variable names', () => {
    const file = join(tempDir(), 'events.jsonl');
    const observe = createObserver({ PROJECT_ANCHOR_TEST_LOG: file }, () => 42);
    observe('snapshot', { trigger: 'editor' });
    observe('activated');
    expect(readFileSync(file, 'utf8')).toBe(
      '{"t":42,"event":"snapshot","trigger":"editor"}\n{"t":42,"event":"activated"}\n',
    );
  });

  it('does nothing without it', () => {
    const file = join(tempDir(), 'events.jsonl');
    for (const env of [{}, { PROJECT_ANCHOR_TEST_LOG: '' }]) createObserver(env, () => 0)('snapshot');
    expect(existsSync(file)).toBe(false);
  });
});
