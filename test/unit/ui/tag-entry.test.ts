import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tagEntry } from '../../../src/ui/tag-entry.ts';

describe('tagEntry', () => {
  it('shows tags back as they will be stored', () => {
    expect(tagEntry('HIGH PRIORITY, module=auth', {})).toEqual({
      ok: true,
      tags: [
        { key: 'priority', value: 'high' },
        { key: 'module', value: 'auth' },
      ],
      message: 'Enter stores priority: high · module: auth',
    });
  });

  it('understands Chinese and the words of the settings', () => {
    expect(tagEntry('高优先级', {}).message).toBe('Enter stores priority: high');
    expect(tagEntry('hot path', { 'hot path': 'performance: critical' }).message).toBe(
      'Enter stores performance: critical',
    );
  });

  it.each(['', '   ', '\t'])('takes empty text as a mark without tags: %j', (text) => {
    expect(tagEntry(text, {})).toEqual({ ok: true, tags: [], message: '' });
  });

  it.each(['banana', 'priority:', '=x', `note: ${'x'.repeat(10_000)}`])(
    'stores nothing it does not understand, and says what to write: %s',
    (text) => {
      const { ok, message } = tagEntry(text, {});
      expect(ok).toBe(false);
      expect(message.length).toBeGreaterThan(10);
      expect(message.length).toBeLessThan(500);
    },
  );

  it('says one line about any text at all', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        const { ok, tags, message } = tagEntry(text, {});
        return (message !== '' || (ok && tags.length === 0)) && !/[\r\n]/.test(message);
      }),
    );
  });

  it.each(['__proto__: x', 'constructor=toString', 'emoji: 🎉, quoted: "a, b"'])(
    'keeps odd words as words: %s',
    (text) => {
      const { ok, message } = tagEntry(text, {});
      expect(ok, message).toBe(true);
      expect(message).toMatch(/^Enter stores /);
    },
  );
});
