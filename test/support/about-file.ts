import type { FileFacts, TagInForce } from '../../src/snapshot/index.ts';
import type { AboutInput } from '../../src/ui/about-source.ts';

/** Facts of a file with one of everything; a test says what is different. */
export function someFacts(change: Partial<FileFacts> = {}): FileFacts {
  return {
    path: 'src/cart.ts',
    language: 'ts',
    outline: {
      language: 'ts',
      lines: 40,
      items: [
        { kind: 'class', name: 'Cart', start: 3, end: 30, exported: true },
        { kind: 'method', name: 'total', of: 'Cart', start: 5, end: 9, signature: 'total(): Money' },
      ],
    },
    imports: [
      { module: 'node:fs', names: ['readFileSync'], line: 1 },
      {
        module: 'zod',
        names: ['*'],
        line: 2,
        dependency: { name: 'zod', version: '4.1.0', range: '^4', manifest: 'package.json' },
      },
      { module: './pricing.js', names: ['Money', 'priceOf'], line: 3, path: 'src/pricing.ts' },
    ],
    types: [{ name: 'Money', path: 'src/pricing.ts', items: [] }],
    inScope: [{ name: 'zod', version: '4.1.0', manifest: 'package.json' }],
    importedBy: [{ path: 'src/shop.ts', line: 7, names: ['Cart'] }],
    degraded: [],
    ...change,
  };
}

const TAG: TagInForce = {
  key: 'complexity',
  value: 'high',
  by: 'vscode-0a0a',
  at: '2026-11-30T12:00:00.000Z',
  source: 'auto',
  target: 'src/cart.ts',
  inherited: false,
  weight: 1000,
};

/** What the view is told of that file when everything has been answered. */
export function someAbout(change: Partial<AboutInput> = {}): AboutInput {
  const facts = someFacts();
  return {
    facts,
    symbol: 'Cart.total',
    automatic: [TAG],
    imports: {
      ok: true,
      value: {
        path: facts.path,
        language: 'ts',
        imports: [],
        importedBy: [
          { path: 'src/shop.ts', line: 7, names: ['Cart'] },
          { path: 'test/cart.test.ts', line: 1, names: ['*'] },
        ],
        index: { files: 1_200, indexed: 1_200, complete: true },
        degraded: [],
      },
    },
    together: { ok: true, value: [{ path: 'src/pricing.ts', commits: 5, of: 7 }] },
    why: {
      ok: true,
      value: {
        path: facts.path,
        symbol: 'Cart.total',
        commits: [
          {
            commit: 'ab12'.repeat(10),
            subject: 'fix: totals of an empty cart',
            body: 'An empty cart has no currency.',
            at: '2026-11-02T08:00:00.000Z',
            kinds: ['fix'],
            change: 'changed',
          },
        ],
      },
    },
    ...change,
  };
}
