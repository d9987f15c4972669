import { describe, expect, it } from 'vitest';
import { ProjectAnchorError } from '../../../src/base/index.ts';
import type { Why, WhyCommit } from '../../../src/snapshot/index.ts';
import { aboutSection } from '../../../src/ui/about-html.ts';
import { aboutModel, type FactList } from '../../../src/ui/about-model.ts';
import type { AboutInput } from '../../../src/ui/about-source.ts';
import { someAbout, someFacts } from '../../support/about-file.ts';

const model = (change: Partial<AboutInput> = {}) => aboutModel(someAbout(change));
const list = (key: string, change: Partial<AboutInput> = {}): FactList | undefined =>
  model(change).lists.find((each) => each.key === key);
const failed = (code: string, sentence = 'Git failed. Look at the log.') =>
  ({ ok: false, error: new ProjectAnchorError(code, sentence) }) as const;
const why = (change: Partial<Why>): AboutInput['why'] => ({
  ok: true,
  value: { path: 'src/cart.ts', symbol: null, commits: [], ...change },
});
const commit = (n: number): WhyCommit => ({
  commit: `${n}`.padStart(40, '0'),
  subject: `commit ${n}`,
  at: '2026-11-02T08:00:00.000Z',
  kinds: [],
  change: 'changed',
});

describe('what the view says about the active file', () => {
  it('is its language, lines and symbols, and the tags that nobody set by hand', () => {
    expect(model()).toMatchObject({
      facts: ['TypeScript · 40 lines · 2 symbols'],
      warnings: [],
      tags: ['complexity: high'],
    });
    expect(model({ facts: someFacts({ language: 'nim', outline: null }) }).facts).toEqual(['nim']);
  });

  it.each<[string, Parameters<typeof someFacts>[0], string]>([
    [
      'generated',
      { origin: { kind: 'generated', why: '.gitattributes says linguist-generated' } },
      'Generated: .gitattributes says linguist-generated.',
    ],
    ['vendored', { origin: { kind: 'vendored', why: 'it is in vendor/' } }, 'Vendored: it is in vendor/.'],
    ['stale', { outline: { language: 'ts', lines: 1, stale: true, items: [] } }, 'this is its last good outline'],
    ['read in part', { degraded: ['parse_error:src/cart.ts'] }, 'what can be read of it'],
    ['without an outline', { outline: null, degraded: ['parse_timeout:src/cart.ts'] }, 'It has no outline'],
  ])('says of a file that it is %s', (_, change, sentence) => {
    const { warnings } = model({ facts: someFacts(change) });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(sentence);
  });

  it('lists imports from the project first, then dependencies with their version and range', () => {
    expect(list('imports')?.rows).toEqual([
      { ref: 'src/pricing.ts', aside: 'line 3', why: 'Money, priceOf' },
      { ref: 'zod 4.1.0', aside: 'line 2', why: 'everything · package.json asks for ^4' },
      { ref: 'node:fs', aside: 'line 1', why: 'readFileSync · not of this project' },
    ]);
  });

  it('lists who imports it, from the facts until the index has answered, and says how far that is', () => {
    const refs = (change: Partial<AboutInput>) => list('importers', change)?.rows.map(({ ref }) => ref);
    expect(refs({ imports: null })).toEqual(['src/shop.ts']);
    expect(refs({})).toEqual(['src/shop.ts', 'test/cart.test.ts']);
    const { imports } = someAbout();
    if (imports?.ok !== true) throw new Error('no answer');
    const value = { ...imports.value, importedBy: [], index: { files: 1_200, indexed: 40, complete: false } };
    const sentence = '40 of 1,200 files are read so far, so there may be more.';
    expect(list('importers', { imports: { ok: true, value } })?.notes).toEqual([sentence]);
    const complete = { ...value, index: { ...value.index, complete: true } };
    expect(list('importers', { imports: { ok: true, value: complete } })?.notes).toEqual([
      'No file of the project does.',
    ]);
  });

  it('says which configuration stood in the way of imports, unless the file itself did', () => {
    const { imports } = someAbout();
    if (imports?.ok !== true) throw new Error('no answer');
    const degraded = ['malformed:tsconfig.json', 'parse_error:src/cart.ts'];
    const facts = someFacts({ degraded: ['parse_error:src/cart.ts'] });
    const notes = list('imports', { facts, imports: { ok: true, value: { ...imports.value, degraded } } })?.notes;
    expect(notes).toEqual([expect.stringContaining('tsconfig.json')]);
  });

  it('folds the outline, types and dependencies, and what is long, with counts', () => {
    expect(list('outline')).toMatchObject({ rows: [], folded: { label: '(2)' } });
    expect(list('types')).toMatchObject({ rows: [], folded: { label: '(1)' } });
    expect(list('scope')).toMatchObject({ rows: [], folded: { label: '(1)' } });
    const inScope = Array.from({ length: 250 }, (_, n) => ({ name: `d${n}`, version: '1', manifest: 'package.json' }));
    const scope = list('scope', { facts: someFacts({ inScope }) });
    expect(scope).toMatchObject({ folded: { label: '(250)' }, notes: ['and 50 more'] });
    const imports = Array.from({ length: 8 }, (_, n) => ({ module: `m${n}`, names: [], line: n + 1 }));
    const folded = list('imports', { facts: someFacts({ imports }) });
    expect(folded?.rows).toHaveLength(5);
    expect(folded?.folded).toMatchObject({ label: '3 more', rows: { length: 3 } });
  });

  it('leaves out what there is nothing of', () => {
    const facts = someFacts({ imports: [], types: [], inScope: [], outline: null, language: 'md' });
    const keys = model({ facts, imports: null, together: { ok: true, value: [] } }).lists.map(({ key }) => key);
    expect(keys).toEqual(['importers', 'why']);
  });

  it('says which commits made the symbol at the cursor what it is, the last ones at once', () => {
    expect(list('why')).toMatchObject({
      title: 'Commits of Cart.total',
      rows: [
        {
          ref: 'fix: totals of an empty cart',
          aside: '2026-11-02',
          why: 'changed · fix · ab12ab12ab',
          text: { body: 'An empty cart has no currency.' },
        },
      ],
    });
    const commits = Array.from({ length: 5 }, (_, n) => commit(n));
    const many = list('why', { symbol: null, why: why({ commits, more: 4, bounded: 'shallow' }) });
    expect(many?.title).toBe('Commits of this file');
    expect(many?.rows).toHaveLength(3);
    expect(many?.folded?.label).toBe('2 more');
    expect(many?.notes).toEqual(['and 4 more', expect.stringContaining('shallow clone')]);
    expect(list('why', { why: null })?.notes).toEqual(['Asking git…']);
    expect(list('why', { why: why({}) })?.notes).toEqual(['No commit has it yet: it is new since the last one.']);
  });

  it('says what else a commit did: renames, members, another name of the file', () => {
    const details = { was: 'sum', members: ['Cart.total.inner'], path: 'src/old.ts' };
    const rows = list('why', { why: why({ commits: [{ ...commit(1), ...details }] }) })?.rows;
    expect(rows?.[0]?.why).toBe('changed · was sum · in Cart.total.inner · file was src/old.ts · 0000000000');
  });

  it('says with which files it changes', () => {
    expect(list('together')?.rows).toEqual([
      { ref: 'src/pricing.ts', why: 'in 5 of the 7 commits that changed this file' },
    ]);
  });

  it.each([
    ['no_git', 'There is no history'],
    ['no_history', 'No commit has this file yet.'],
    ['no_symbol', 'The file on disk does not have it yet.'],
    ['git_failed', 'Git failed. Look at the log.'],
  ])('says in a sentence why there is no history: %s', (code, sentence) => {
    expect(list('why', { why: failed(code) })?.notes).toEqual([expect.stringContaining(sentence)]);
  });

  it('says of each part alone that it failed', () => {
    const { lists } = model({ together: failed('git_failed'), imports: failed('missing', 'There is no file a.ts.') });
    const notes = Object.fromEntries(lists.map(({ key, notes: said }) => [key, said]));
    expect(notes).toMatchObject({ together: ['Git failed. Look at the log.'], importers: ['There is no file a.ts.'] });
    expect(lists.find(({ key }) => key === 'why')?.rows).toHaveLength(1);
  });
});

describe('the section', () => {
  it('shows all of it, the long parts folded under keys of their own', () => {
    const { text } = aboutSection(model());
    for (const word of ['About this file', 'complexity: high', 'set automatically', 'zod 4.1.0', 'Imported by']) {
      expect(text).toContain(word);
    }
    expect(text).toContain(
      '<details data-key="about:scope"><summary><h3>Dependencies in scope</h3> <span class="quiet">(1)</span></summary>',
    );
    expect(text).toContain('<summary>Message</summary><p class="body">An empty cart has no currency.</p>');
    const keys = text.match(/data-key="[^"]*"/g) ?? [];
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('lets no text from outside become markup', () => {
    const hostile = `"><img src=x onerror=alert(1)>'&<script>`;
    const facts = someFacts({
      language: hostile,
      origin: { kind: 'generated', why: hostile },
      outline: { language: hostile, lines: 1, items: [{ kind: 'function', name: hostile, start: 1, end: 1 }] },
      imports: [{ module: hostile, names: [hostile], line: 1 }],
      types: [{ name: hostile, path: hostile, items: [] }],
      inScope: [{ name: hostile, version: hostile, manifest: hostile }],
      importedBy: [{ path: hostile, line: 1, names: [hostile] }],
    });
    const commits = [{ ...commit(1), commit: hostile, subject: hostile, body: hostile, kinds: [hostile] }];
    const { text } = aboutSection(
      model({
        facts,
        symbol: hostile,
        automatic: someAbout().automatic.map((tag) => ({ ...tag, key: hostile, value: hostile })),
        imports: failed('x', hostile),
        together: { ok: true, value: [{ path: hostile, commits: 1, of: 1 }] },
        why: why({ symbol: hostile, commits }),
      }),
    );
    expect(text).not.toContain('<img');
    expect(text).not.toContain('<script');
    expect(text.match(/data-key="[^"]*"/g)?.join()).not.toContain('<');
  });
});
