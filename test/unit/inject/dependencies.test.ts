import { describe, expect, it } from 'vitest';
import { dependenciesSection } from '../../../src/inject/sections/dependencies.ts';
import { Rank } from '../../../src/inject/sections/section.ts';
import { openText } from '../../../src/inject/window.ts';
import type { DependencyInScope } from '../../../src/snapshot/index.ts';
import { FACTS, view } from '../../support/inject/project-view.ts';

const IN_SCOPE: readonly DependencyInScope[] = [
  { name: 'zod', version: '4.6.9', manifest: 'package.json' },
  { name: '@acme/sdk', version: '2.3.4', manifest: 'package.json' },
  { name: 'requests', version: '', manifest: 'api/pyproject.toml' },
  { name: 'requests', version: '1.0.0', manifest: 'pyproject.toml' },
  { name: 'r', version: '1', manifest: 'package.json' },
  { name: 'com.google.guava:guava', version: '33.0', manifest: 'pom.xml' },
];

function sectionOf(prefix: string, inScope: readonly DependencyInScope[] | null = IN_SCOPE) {
  const request = { type: 'completion', file: 'api/a.py', language: 'py', line: 1, prefix, suffix: '' } as const;
  const facts = inScope === null ? FACTS : { ...FACTS, inScope };
  return dependenciesSection({
    view: view({ facts }),
    path: 'api/a.py',
    line: 1,
    open: openText(request),
    numbered: false,
  });
}

describe('dependencies that a model is told', () => {
  it('are those that are imported, then those that the open text names, each once and with its reason', () => {
    const { heading, items } = sectionOf('run(["npx", "@acme/sdk", "r"])  # with requests and zod\n');
    expect(heading).toBe('Dependencies that this file imports or names:');
    expect(items.map(({ text, why, rank, core }) => [text, why, rank, core])).toEqual([
      ['  zod ^4.6.7 (package.json)', 'imported here, declared in package.json', Rank.dependencies, true],
      [
        '  @acme/sdk 2.3.4 (package.json)',
        'its name stands in the open text, declared in package.json',
        Rank.named,
        false,
      ],
      [
        '  requests (api/pyproject.toml)',
        'its name stands in the open text, declared in api/pyproject.toml',
        Rank.named,
        false,
      ],
    ]);
    expect(items.map(({ paths }) => paths)).toEqual([['package.json'], ['package.json'], ['api/pyproject.toml']]);
  });

  it.each(['my requestsx', '@acme/sdks', '@acme / x / sdk', 'guava', 'acme sdk', ''])('are not named by %j', (text) => {
    const { heading, items } = sectionOf(text);
    expect(heading).toBe('Dependencies that this file imports:');
    expect(items.map(({ ref }) => ref)).toEqual(['zod']);
  });

  it('are only those that are imported where no others are known', () => {
    expect(sectionOf('requests', null).items.map(({ ref }) => ref)).toEqual(['zod']);
  });

  it('are not more than a handful of names', () => {
    const many = Array.from({ length: 50 }, (_, at) => ({ name: `word${at}`, version: '1', manifest: 'package.json' }));
    const { items } = sectionOf(many.map(({ name }) => name).join(' '), many);
    expect(items).toHaveLength(13);
  });
});
