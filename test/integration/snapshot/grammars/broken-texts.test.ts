import { expect, test } from 'vitest';
import { createGrammarParser, GRAMMAR_LANGUAGES } from '../../../../src/snapshot/grammars/index.ts';
import { brokenText, foundAgain, intactItems, numbers } from '../../../support/broken-texts.ts';
import { shopText } from '../../../support/shops.ts';

const parser = createGrammarParser();

/** Broken texts of each language; `npm run check:grammars` does the same with many more, and with real files. */
const SNIPPETS = 50;

test.each([...GRAMMAR_LANGUAGES])('%s: at least 97 % of what is intact is found in broken texts', async (language) => {
  const text = shopText(language);
  const { outline, clean } = await parser.read('shop', text, language);
  expect(clean).toBe(true);
  const random = numbers(1);
  let wanted = 0;
  let found = 0;
  for (let broken = 0; broken < SNIPPETS; ) {
    const change = brokenText(text, random);
    const read = await parser.read('shop', change.text, language);
    if (read.clean) continue;
    broken += 1;
    const intact = intactItems(outline.items, text, change);
    wanted += intact.length;
    found += foundAgain(intact, read.outline.items);
  }
  expect(wanted).toBeGreaterThan(SNIPPETS);
  expect(found / wanted).toBeGreaterThanOrEqual(0.97);
});
