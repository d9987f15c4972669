import { describe, expect, it } from 'vitest';
import { Notices } from '../../../src/ui/notices.ts';

describe('Notices', () => {
  it('shows the newest sentence, and the one before when that is taken back', () => {
    const notices = new Notices(() => undefined);
    expect(notices.current).toBeNull();
    notices.set('snapshot', 'No snapshot.');
    notices.set('completions', 'No completion.');
    expect(notices.current).toEqual({ source: 'completions', sentence: 'No completion.' });
    notices.set('completions', null);
    expect(notices.current).toEqual({ source: 'snapshot', sentence: 'No snapshot.' });
    notices.set('snapshot', null);
    expect(notices.current).toBeNull();
  });

  it('tells of changes only', () => {
    const notices = new Notices(() => undefined);
    let told = 0;
    notices.onDidChange(() => told++);
    notices.set('completions', null);
    notices.set('completions', 'No.');
    notices.set('completions', 'No.');
    expect(told).toBe(1);
  });
});
