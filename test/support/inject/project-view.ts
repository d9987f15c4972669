import type { State, WorkspaceState } from '../../../src/delta/index.ts';
import type { ProjectView } from '../../../src/inject/types.ts';
import type { FileFacts, GitState, Outline, OutlineItem, TagValue } from '../../../src/snapshot/index.ts';

/** 2026-11-30 12:34:56 UTC. */
export const NOW = Date.UTC(2026, 10, 30, 12, 34, 56);
export const ROOT = '/home/ann/shop';
export const WORKSPACE = '0123456789abcdef0123456789abcdef';

/** A time so many days before `NOW`, cut to the hour as weights are. */
export function daysAgo(days: number): string {
  return new Date(Date.UTC(2026, 10, 30, 12) - days * 86_400_000).toISOString();
}

export function tag(value: string, changes: Partial<TagValue> = {}): { set: TagValue } {
  return { set: { value, by: 'user', at: daysAgo(0), source: 'user', ...changes } };
}

export function item(name: string, lines: readonly [number, number], changes: Partial<OutlineItem> = {}): OutlineItem {
  return { kind: 'function', name, start: lines[0], end: lines[1], ...changes };
}

export function outline(items: readonly OutlineItem[], changes: Partial<Outline> = {}): Outline {
  return { language: 'typescript', lines: 200, items, ...changes };
}

export const GIT: GitState = {
  head: { kind: 'branch', branch: 'feature/totals', commit: 'a'.repeat(40) },
  upstream: { name: 'origin/feature/totals', ahead: 2, behind: 0 },
  staged: ['src/cart.ts'],
  unstaged: [],
  untracked: ['notes.md'],
  conflicted: [],
  history: 'b'.repeat(64),
  lastCommit: { commit: 'a'.repeat(40), subject: 'fix(cart): round totals', at: daysAgo(1), kinds: ['fix'] },
  submodules: [],
};

/** Facts of `src/cart.ts`: a class with two methods and a helper; imports one class of the project and one package. */
export const FACTS: FileFacts = {
  path: 'src/cart.ts',
  language: 'typescript',
  outline: outline([
    item('Cart', [5, 40], { kind: 'class', signature: 'class Cart', exported: true }),
    item('add', [10, 20], { kind: 'method', signature: 'add(item: Item): void', of: 'Cart' }),
    item('total', [22, 38], { kind: 'method', signature: 'total(discount: number): Money', of: 'Cart' }),
    item('emptyCart', [42, 50], { signature: 'function emptyCart(): Cart', exported: true }),
  ]),
  imports: [
    {
      module: './money',
      names: ['Money'],
      line: 1,
      path: 'src/money.ts',
      outline: outline([
        item('Money', [1, 30], { kind: 'class', signature: 'class Money', exported: true }),
        item('plus', [5, 9], { kind: 'method', signature: 'plus(other: Money): Money', of: 'Money' }),
        item('parse', [32, 40], { signature: 'function parse(text: string): Money', exported: true }),
      ]),
    },
    { module: 'zod', names: ['z'], line: 2, dependency: { name: 'zod', version: '^4.6.7', manifest: 'package.json' } },
  ],
  degraded: [],
};

export function state(changes: Partial<State> = {}, workspace: WorkspaceState = {}): State {
  return {
    schema: 'projectanchor.state.v1',
    anchor: 'https://example.test/acme/shop#main@2026-11-01T00:00:00.000Z',
    workspaces: {
      [WORKSPACE]: {
        git: GIT,
        files: { count: 3, bytes: 900, byLanguage: { typescript: 2, markdown: 1 }, tree: 'c'.repeat(64) },
        ...workspace,
      },
    },
    ...changes,
  };
}

export function view(changes: Partial<ProjectView> = {}): ProjectView {
  return {
    anchor: {
      id: 'https://example.test/acme/shop#main@2026-11-01T00:00:00.000Z',
      repository: 'https://example.test/acme/shop',
      mainBranch: 'main',
      attachedAt: '2026-11-01T00:00:00.000Z',
    },
    workspace: WORKSPACE,
    toplevel: ROOT,
    head: { seq: 7, hash: 'd'.repeat(64) },
    state: state(),
    snapshot: 'e'.repeat(64),
    facts: FACTS,
    settings: { completionTokens: 1200, explainTokens: 1800, halfLifeDays: 9 },
    now: NOW,
    ...changes,
  };
}
