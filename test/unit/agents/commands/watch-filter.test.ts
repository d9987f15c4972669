import { describe, expect, test } from 'vitest';
import { deltaFilter } from '../../../../src/agents/commands/watch-filter.ts';
import type { Delta, Op } from '../../../../src/delta/index.ts';

function delta(...ops: Op[]): Delta {
  return {
    schema: 'projectanchor.delta.v1',
    anchor: 'a',
    id: 'i',
    author: { agent: 'x', session: 's' },
    at: '2026-11-30T12:00:00.000Z',
    ops,
    seq: 1,
    prev: '',
    hash: '',
  };
}

function tagged(key: string, value: string): Delta {
  return delta({
    op: 'add_tag',
    target: 'a.ts',
    key,
    value,
    by: 'user',
    at: '2026-11-30T12:00:00.000Z',
    source: 'user',
  });
}

function committed(...kinds: string[]): Delta {
  return delta({ op: 'note_commit', workspace: 'w', commit: 'c', kinds, paths: [] });
}

describe('--on', () => {
  test('change=KIND wakes on commits of that kind', () => {
    const wants = deltaFilter(['change=Refactor'], {});
    expect(wants(committed('fix', 'refactor'))).toBe(true);
    expect(wants(committed('fix'))).toBe(false);
    expect(wants(tagged('change', 'refactor'))).toBe(false);
  });

  test('any other key wakes on that tag, in whatever words it is asked for', () => {
    const wants = deltaFilter(['Priority=P0'], {});
    expect(wants(tagged('priority', 'high'))).toBe(true);
    expect(wants(tagged('priority', 'low'))).toBe(false);
    expect(deltaFilter(['note=a=b'], {})(tagged('note', 'a=b'))).toBe(true);
  });

  test('several are alternatives, none is everything', () => {
    const wants = deltaFilter(['change=fix', 'status=done'], {});
    expect([committed('fix'), tagged('status', 'done'), tagged('status', 'open')].map(wants)).toEqual([
      true,
      true,
      false,
    ]);
    expect(deltaFilter([], {})(delta())).toBe(true);
  });

  test.each(['change', '=x', 'change=', ''])('%j is wrong usage', (condition) => {
    expect(() => deltaFilter([condition], {})).toThrow(expect.objectContaining({ code: 'usage' }));
  });
});
