import { describe, expect, test } from 'vitest';
import type { Op } from '../../../src/delta/index.ts';
import { limitProblem } from '../../../src/delta/limits.ts';
import type { OutlineItem } from '../../../src/snapshot/index.ts';

/** Limits of protocol §3, §4 and §5: what just fits, and what is just too much. */

const WS = 'a'.repeat(32);
const AT = '2026-11-30T12:00:00.000Z';
const list = (length: number) => Array.from({ length }, (_, n) => `f${n}`);
const tag = (key: string, value: string): Op => ({
  op: 'add_tag',
  target: 'a',
  key,
  value,
  by: 'user',
  at: AT,
  source: 'user',
});
const items = (length: number, signature = ''): OutlineItem[] =>
  list(length).map((name) => ({ kind: 'function', name, start: 1, end: 1, signature }));
const outline = (of: readonly OutlineItem[]): Op => ({
  op: 'update_outline',
  workspace: WS,
  path: 'a.ts',
  outline: { language: 'ts', lines: 1, items: of },
});
const files = (changed: readonly string[]): Op => ({
  op: 'update_files',
  workspace: WS,
  count: 0,
  bytes: 0,
  byLanguage: {},
  tree: 't',
  changed,
});
const commit = (paths: readonly string[]): Op => ({ op: 'note_commit', workspace: WS, commit: 'c', kinds: [], paths });
const pairs = (length: number): Op => ({
  op: 'rewrite_history',
  workspace: WS,
  pairs: list(length).map((old) => ({ old, new: 'n' })),
});

describe('fits', () => {
  test.each<readonly [string, Op]>([
    ['a key of 64 letters', tag('k'.repeat(64), 'v')],
    ['a key in another script', tag('优先级_1', 'v')],
    ['a key named __proto__', tag('__proto__', 'v')],
    ['a value of 128 characters beyond the basic plane', tag('k', '😀'.repeat(128))],
    ['an empty value', tag('k', '')],
    ['a tag on the whole project', { ...tag('k', 'v'), target: '.' } as Op],
    ['200 paths in a git list', { op: 'update_git', workspace: WS, staged: list(200), stagedMore: 7 }],
    ['400 outline items', outline(items(400))],
    ['a signature of 200', outline(items(1, 's'.repeat(200)))],
    ['50 changed paths', files(list(50))],
    ['50 paths of a commit', commit(list(50))],
    ['500 pairs', pairs(500)],
  ])('%s', (_, op) => {
    expect(limitProblem(op)).toBeNull();
  });
});

describe('is too much', () => {
  test.each<readonly [string, Op, RegExp]>([
    ['a key of 65 letters', tag('k'.repeat(65), 'v'), /key/],
    ['a key with a capital', tag('Priority', 'v'), /key/],
    ['a key with a space', tag('a b', 'v'), /key/],
    ['an empty key', tag('', 'v'), /key/],
    ['a key that is not NFC', tag('e\u0301', 'v'), /key/],
    ['a value of 129 characters', tag('k', '😀'.repeat(129)), /value is longer than 128/],
    ['a value of 10,000 characters', tag('k', 'x'.repeat(10_000)), /value/],
    ['a value that is not NFC', tag('k', 'e\u0301'), /normalised/],
    ['a value with a blank at its end', tag('k', 'v '), /normalised/],
    ['a target that is empty', { op: 'remove_focus', target: '' }, /target/],
    ['a target with a doubled slash', { op: 'remove_focus', target: 'a//b' }, /target/],
    ['lines that end before they begin', { op: 'remove_focus', target: 'a#L9-L2' }, /ends before it begins/],
    ['an absolute path', { op: 'remove_outline', workspace: WS, path: '/etc/passwd' }, /absolute/],
    ['a path upwards', { op: 'rename_path', workspace: WS, from: 'a', to: '../b' }, /\.\./],
    ['a workspace without a name', { op: 'remove_workspace', workspace: '' }, /workspace/],
    ['201 paths in a git list', { op: 'update_git', workspace: WS, untracked: list(201) }, /untracked/],
    ['401 outline items', outline(items(401)), /400/],
    ['a signature of 201', outline(items(1, 's'.repeat(201))), /signature/],
    ['an outline over 32 KiB', outline(items(300, 's'.repeat(100))), /bytes/],
    ['51 changed paths', files(list(51)), /changed/],
    ['51 paths of a commit', commit(list(51)), /paths/],
    ['501 pairs', pairs(501), /pairs/],
    ['an alias without a name', { op: 'add_alias', id: '' }, /id/],
    ['a request without an action', { op: 'request', id: 'r', action: '', target: '.', by: 'user' }, /action/],
  ])('%s', (_, op, reason) => {
    expect(limitProblem(op)).toMatch(reason);
  });
});
