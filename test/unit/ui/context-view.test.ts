import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MarkView } from '../../../src/agents/index.ts';
import type { Injected, Receipt } from '../../../src/inject/index.ts';
import { DEGRADED_CODES, describeDegraded } from '../../../src/snapshot/index.ts';
import { contextContent, contextPage } from '../../../src/ui/context-html.ts';
import { type ContextInput, contextModel } from '../../../src/ui/context-model.ts';
import { pollingSentence } from '../../../src/ui/git-watch.ts';
import { Commands } from '../../../src/ui/ids.ts';
import { html } from '../../../src/ui/markup.ts';
import { someAbout } from '../../support/about-file.ts';

const HASH = 'f'.repeat(64);

const receipt: Receipt = {
  id: '0190-1',
  at: '2026-11-30T14:02:00.000Z',
  anchor: 'a',
  workspace: 'w',
  snapshot: null,
  head: { seq: 3, hash: HASH },
  asOf: '2026-11-30T14:00:00.000Z',
  type: 'completion',
  file: 'src/a.ts',
  items: [{ kind: 'anchor', ref: 'shop', tokens: 40, why: 'which project' }],
  dropped: [{ kind: 'mark', ref: 'docs/', tokens: 900, why: 'does not fit' }],
  tokens: 1040,
  bytes: 4000,
  recall: { status: 'ready', ms: 12, bytes: 300 },
  contextHash: HASH,
  prev: HASH,
  hash: HASH,
};

const mark: MarkView = {
  target: 'src/auth/',
  focus: null,
  tags: { priority: { set: { value: 'high', by: 'user', at: receipt.at, source: 'user' } } },
  weight: 794,
};

function input(change: Partial<ContextInput> = {}): ContextInput {
  return {
    status: {
      kind: 'ready',
      project: 'shop',
      head: { kind: 'branch', branch: 'main' },
      marks: 1,
      hub: { kind: 'hub', waiting: 0, agents: 1 },
      notice: null,
      watching: null,
      degraded: [],
      outside: false,
    },
    degraded: [],
    problems: [],
    model: { host: 'api.minimax.io', hasKey: true },
    active: {
      path: 'src/a.ts',
      injected: { projectContext: 'the block', receipt } as unknown as Injected,
      ceiling: 1200,
    },
    about: null,
    marks: [mark],
    receipts: [receipt],
    ...change,
  };
}

const content = (change: Partial<ContextInput> = {}) => contextContent(contextModel(input(change)));

describe('the context view', () => {
  it('shows item by item what the active file would carry, and what was left out', () => {
    const shown = content();
    expect(shown).toContain('src/a.ts');
    expect(shown).toContain('1,040 of at most 1,200 tokens, 1 item');
    expect(shown).toContain('which project');
    expect(shown).toContain('Left out (1)');
    expect(shown).toContain('does not fit');
    expect(shown).toContain('<pre tabindex="0">the block</pre>');
  });

  it('shows marks with tags and weight, and the last requests with their cost and memory', () => {
    const shown = content();
    expect(shown).toContain('priority: high');
    expect(shown).toContain('79 %');
    expect(shown).toContain('completion · src/a.ts');
    expect(shown).toContain('300 bytes from memory in 12 ms');
  });

  it('says of tags that nobody set by hand that they are automatic', () => {
    const value = { value: 'high', by: 'vscode-0a0a', at: receipt.at, source: 'auto' as const };
    const shown = content({ marks: [{ ...mark, tags: { churn: { auto: value }, ...mark.tags } }] });
    expect(shown).toContain('churn: high (automatic)');
    expect(shown).toContain('>priority: high<');
  });

  it('has a section about the active file, also when models are told nothing about it', () => {
    const refused = { path: 'src/cart.ts', refused: 'A credential is in it.' };
    expect(content({ active: refused, about: someAbout() })).toContain('About this file');
    expect(content({ about: null })).not.toContain('About this file');
  });

  it.each<[string, Partial<ContextInput>, string]>([
    ['no file', { active: null }, 'Open a file'],
    [
      'a file that is refused',
      { active: { path: '.env', refused: 'The file .env is never sent.' } },
      '.env is never sent',
    ],
    ['no mark', { marks: [] }, `data-command="${Commands.markFocus}"`],
    ['no key', { model: { host: 'api.minimax.io', hasKey: false } }, `data-command="${Commands.setKey}"`],
    ['no request yet', { receipts: [] }, 'None yet.'],
    ['a wrong setting', { problems: ['The setting is wrong.'] }, '<strong>Error:</strong> The setting is wrong.'],
    ['a degraded snapshot', { degraded: ['parse_error:src/a.ts'] }, 'does not parse at the moment'],
    ['no trust', { status: { kind: 'restricted' } }, 'Manage Workspace Trust'],
    ['no repository', { status: { kind: 'no-repository' } }, 'in no repository'],
    ['no folder', { status: { kind: 'no-folder' } }, 'Open a folder'],
    ['a failure', { status: { kind: 'failed', project: 'x', sentence: 'No git. Install it.' } }, 'No git. Install it.'],
  ])('says what to do with %s', (_, change, expected) => {
    expect(content(change)).toContain(expected);
  });

  it.each(DEGRADED_CODES)('says in a sentence what could not be read: %s', (code) => {
    for (const said of [code, `${code}:src/a.ts`]) {
      const shown = content({ degraded: [said] });
      const sentence = describeDegraded(said);
      expect(shown).toContain(`<strong>Note:</strong> ${html`${sentence}`.text}`);
      expect(sentence).not.toContain(code.includes('_') ? code : `(${code})`);
    }
  });

  it('counts what could not be read beyond ten', () => {
    const shown = content({ degraded: Array.from({ length: 13 }, (_, n) => `parse_error:src/f${n}.ts`) });
    expect(shown).toContain('src/f9.ts');
    expect(shown).not.toContain('src/f10.ts');
    expect(shown).toContain('3 more things could not be read.');
  });

  it('says that a repository is not watched, without alarm', () => {
    const status = { ...input().status, watching: pollingSentence('limit') } as ContextInput['status'];
    expect(content({ status })).toContain('<section class="notice info"><p>The system is out of file watches');
  });

  it('shows nothing of a project that is not there', () => {
    expect(content({ status: { kind: 'restricted' } })).not.toContain('<h2');
  });

  it('counts the marks that it does not list', () => {
    const many = Array.from({ length: 35 }, (_, i) => ({ ...mark, target: `f${i}.ts` }));
    const shown = content({ marks: many });
    expect(shown).toContain('f29.ts');
    expect(shown).not.toContain('f30.ts');
    expect(shown).toContain('and 5 more');
  });

  it('lets no text from outside become markup', () => {
    const hostile = `"><img src=x onerror=alert(1)>'&<script>`;
    const shown = content({
      status: { ...(input().status as { kind: 'ready' }), project: hostile } as ContextInput['status'],
      marks: [
        {
          ...mark,
          target: hostile,
          tags: { [hostile]: { set: { ...mark.tags['priority']?.set, value: hostile } } } as never,
        },
      ],
      receipts: [
        { ...receipt, id: hostile, file: hostile, items: [{ kind: hostile, ref: hostile, tokens: 1, why: hostile }] },
      ],
      degraded: [hostile],
      problems: [hostile],
    });
    expect(shown).not.toContain('<img');
    expect(shown).not.toContain('<script');
    expect(shown.match(/data-key="[^"]*"/g)?.join()).not.toContain('<');
  });
});

describe('the page', () => {
  it('allows its own script by nonce, its own style, and nothing else', () => {
    const page = contextPage({ script: 'vs:/s.js', style: 'vs:/s.css', cspSource: 'https://own', nonce: 'abc' });
    expect(page).toContain("default-src 'none'; script-src 'nonce-abc'; style-src https://own;".replaceAll("'", "'"));
    expect(page).not.toMatch(/ style=| on[a-z]+=|<style|unsafe/);
    expect(page.match(/<script/g)).toHaveLength(1);
  });
});

describe('html', () => {
  it('escapes whatever is put into it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const { text: out } = html`<p title="${text}">${[text, html`<b>${text}</b>`]}</p>`;
        return out.replace(/<p title="[^"<]*">[^<]*<b>[^<]*<\/b><\/p>/s, '') === '';
      }),
    );
  });
});
