import { describe, expect, it } from 'vitest';
import { gateDeltas, machineGate } from '../../../src/delta/delta-gate.ts';
import type { Op } from '../../../src/delta/index.ts';
import { draft, tagOp, testAnchor } from '../../support/deltas.ts';

const anchor = testAnchor();
const refusal = gateDeltas(machineGate());
const workspace = 'ab'.repeat(16);
const secret = `ghp_${'a1B2'.repeat(9)}`;

describe('the gate of the log', () => {
  it.each<[string, Op]>([
    ['a mark', tagOp('src/auth/', 'module', 'auth')],
    ['a mark on lines', { op: 'add_focus', target: 'src/a.ts#L1-L9', by: 'user', at: '2026-11-30T12:00:00.000Z' }],
    ['a mark on everything', tagOp('.', 'status', 'in_progress')],
    ['what another project may call build output', tagOp('dist/index.js', 'note', 'kept')],
    ['taking a mark off a denied file', { op: 'remove_tag', target: '.env', key: 'note' }],
    ['git lists', { op: 'update_git', workspace, staged: ['src/a.ts'], operation: null }],
  ])('lets %s pass', (_what, op) => {
    expect(refusal(draft(anchor, op))).toBeNull();
  });

  it.each<[string, Op]>([
    ['a mark on a denied file', tagOp('config/.env.local', 'note', 'x')],
    ['a mark on lines of one', { op: 'add_focus', target: 'id_rsa#L1-L2', by: 'user', at: '2026-11-30T12:00:00.000Z' }],
    ['a credential as a value', tagOp('src/a.ts', 'note', secret)],
    [
      'a credential as a key of an unknown field',
      { ...tagOp('src/a.ts', 'note', 'x'), extra: { [secret]: 1 } } as unknown as Op,
    ],
    ['a path in a git list', { op: 'update_git', workspace, untracked: ['src/a.ts', 'server.pem'] }],
    ['a path of a commit', { op: 'note_commit', workspace, commit: 'c', kinds: [], paths: ['.npmrc'] }],
    ['a rename to one', { op: 'rename_path', workspace, from: 'a.ts', to: '.env' }],
    [
      'a notice of one',
      { op: 'update_files', workspace, changed: ['.env'], count: 1, bytes: 1, byLanguage: {}, tree: 'x' },
    ],
  ])('refuses %s with a sentence', (_what, op) => {
    expect(refusal(draft(anchor, tagOp('src/a.ts', 'note', 'fine'), op))).toMatch(/\S.*\.$/);
  });

  it('does not take two texts for one credential', () => {
    const ops = [tagOp('src/a.ts', 'password', 'is = "'), tagOp('src/b.ts', 'note', 'correct horse"')];
    expect(refusal(draft(anchor, ...ops))).toBeNull();
  });

  it('is shut when it fails', () => {
    const broken = {
      ...machineGate(),
      text: () => {
        throw new Error('broken');
      },
    };
    expect(gateDeltas(broken)(draft(anchor))).toContain('stays here');
  });
});
