import { describe, expect, test } from 'vitest';
import { deltaRow, describeOp } from '../../../../src/agents/commands/describe.ts';
import type { Delta, Op } from '../../../../src/delta/index.ts';

const at = '2026-11-30T12:00:00.000Z';
const workspace = 'ab'.repeat(16);
const commit = 'c0ffee'.repeat(6);

const OPS: readonly (readonly [Op, string])[] = [
  [
    { op: 'add_tag', target: 'a.ts', key: 'priority', value: 'high', by: 'user', at, source: 'user' },
    'tagged a.ts priority: high',
  ],
  [
    { op: 'add_tag', target: 'a.ts', key: 'change', value: 'fix', by: 'x', at, source: 'auto' },
    'noted a.ts change: fix',
  ],
  [{ op: 'remove_tag', target: 'a.ts', key: 'priority' }, 'removed tag priority of a.ts'],
  [{ op: 'add_focus', target: 'src/', by: 'user', at }, 'marked src/'],
  [{ op: 'remove_focus', target: 'src/' }, 'unmarked src/'],
  [{ op: 'update_git', workspace, head: { kind: 'branch', branch: 'main', commit } }, 'git main@c0ffeec0ff'],
  [{ op: 'update_git', workspace, head: { kind: 'detached', commit } }, 'git detached@c0ffeec0ff'],
  [{ op: 'update_git', workspace, lastCommit: { commit, subject: 'fix: it', at, kinds: [] } }, 'git "fix: it"'],
  [{ op: 'update_git', workspace, head: null, lastCommit: null }, 'git'],
  [{ op: 'update_active', workspace, path: 'a.ts' }, 'opened a.ts'],
  [{ op: 'update_active', workspace, path: null }, 'no file open'],
  [
    { op: 'update_outline', workspace, path: 'a.ts', outline: { language: 'ts', lines: 1, items: [] } },
    'outline of a.ts (0 items)',
  ],
  [{ op: 'remove_outline', workspace, path: 'a.ts' }, 'outline of a.ts dropped'],
  [
    { op: 'update_files', workspace, changed: ['a.ts'], count: 2, bytes: 9, byLanguage: {}, tree: '' },
    '2 files, 1 changed',
  ],
  [{ op: 'update_files', workspace, changed: [], count: 1, bytes: 9, byLanguage: {}, tree: '' }, '1 file'],
  [
    {
      op: 'update_dependencies',
      workspace,
      manifest: 'package.json',
      manager: 'npm',
      digest: '',
      direct: { zod: '4' },
    },
    '1 dependency in package.json',
  ],
  [{ op: 'remove_dependencies', workspace, manifest: 'package.json' }, 'dependencies of package.json dropped'],
  [{ op: 'note_commit', workspace, commit, kinds: ['fix', 'test'], paths: [] }, 'commit c0ffeec0ff (fix, test)'],
  [{ op: 'rewrite_history', workspace, pairs: [{ old: 'a', new: 'b' }] }, 'history rewritten (1 commit)'],
  [{ op: 'rename_path', workspace, from: 'a.ts', to: 'b.ts' }, 'renamed a.ts to b.ts'],
  [{ op: 'add_alias', id: 'other' }, 'also known as other'],
  [{ op: 'remove_workspace', workspace }, 'workspace ababababab forgotten'],
  [{ op: 'request', id: 'r1', action: 'tests', target: 'a.ts', by: 'user' }, 'user asks for tests of a.ts'],
  [{ op: 'resolve_request', id: 'r1', result: 'done' }, 'request r1 done: done'],
  [{ op: 'checkpoint', seq: 1000, stateHash: '' }, 'checkpoint at 1000'],
];

describe('an operation in words', () => {
  test.each(OPS)('%o', (op, words) => {
    expect(describeOp(op)).toBe(words);
  });

  test('shows no control characters and no endless texts', () => {
    const told = describeOp({
      op: 'add_tag',
      target: 'a\u001b[31m.ts',
      key: 'k',
      value: 'x'.repeat(500),
      by: 'user',
      at,
      source: 'user',
    });
    expect(told).toContain('a\\x1b[31m.ts');
    expect(told.length).toBeLessThan(150);
  });
});

test('a delta is one row, however many operations it has', () => {
  const ops = OPS.map(([op]) => op);
  const delta: Delta = {
    schema: 'projectanchor.delta.v1',
    anchor: 'a',
    id: 'i',
    author: { agent: 'cli-0a0a', session: 's' },
    at,
    ops,
    seq: 12,
    prev: '',
    hash: '',
  };
  const [seq, time, agent, what] = deltaRow(delta);
  expect([seq, time, agent]).toEqual(['#12', '2026-11-30 12:00:00', 'cli-0a0a']);
  expect(what).toMatch(/^tagged a\.ts priority: high; .*; and 21 more$/);
});
