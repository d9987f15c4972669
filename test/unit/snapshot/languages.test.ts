import { expect, test } from 'vitest';
import { GRAMMAR_LANGUAGES } from '../../../src/snapshot/grammars/index.ts';
import { isOutlined, languageOf, OUTLINED_LANGUAGES } from '../../../src/snapshot/languages.ts';

test('the languages with an outline are those that a parser reads', () => {
  const scripts = ['ts', 'tsx', 'js', 'jsx', 'vue', 'svelte'];
  expect(new Set(OUTLINED_LANGUAGES)).toEqual(new Set([...scripts, ...GRAMMAR_LANGUAGES]));
});

test.each([
  ['a/b.py', 'py', true],
  ['a/b.pyi', 'py', true],
  ['b.mts', 'ts', true],
  ['b.h', 'c', true],
  ['b.hpp', 'cpp', true],
  ['Rakefile', 'rb', true],
  ['App.vue', 'vue', true],
  ['notes.ipynb', 'ipynb', false],
  ['b.json', 'json', false],
  ['b.md', 'md', false],
  ['noextension', undefined, false],
])('%s', (path, language, outlined) => {
  expect(languageOf(path)).toBe(language);
  expect(isOutlined(languageOf(path))).toBe(outlined);
});
