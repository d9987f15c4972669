import { describe, expect, it } from 'vitest';
import { SETTING_NAMES, SETTINGS } from '../../../src/agents/index.ts';
import { editorSettings } from '../../../src/ui/settings.ts';

const read = (values: Readonly<Record<string, unknown>>) => editorSettings(SETTING_NAMES, (name) => values[name]);

describe('editorSettings', () => {
  it('has every default without a value', () => {
    const { settings, problems } = read({});
    expect(problems).toEqual([]);
    for (const name of SETTING_NAMES) expect(settings[name]).toEqual(SETTINGS[name].fallback);
  });

  it('keeps what is valid beside what is not, and names each mistake', () => {
    const { settings, problems } = read({
      'minimax.baseUrl': 'http://example.com/v1',
      'context.completionTokens': -1,
      'snapshot.exclude': ['dist/**'],
    });
    expect(problems).toHaveLength(2);
    expect(problems.join(' ')).toContain('projectAnchor.minimax.baseUrl');
    expect(problems.join(' ')).not.toContain('example.com');
    expect(settings['context.completionTokens']).toBe(1200);
    expect(settings['snapshot.exclude']).toEqual(['dist/**']);
  });
});
