/**
 * `npm run check:grammars`: how much of what is intact the grammars find in broken texts of every language, how much of
 * real files (Python's standard library, where there is one) after random cuts, and whether 10,000 texts leave the memory
 * where it was. Takes some minutes.
 */
import './lib/require-node.mjs';
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const { createGrammarParser, GRAMMAR_LANGUAGES } = await import('../src/snapshot/grammars/index.ts');
const { grammarFolder, Runtime } = await import('../src/snapshot/grammars/runtime.ts');
const { LANGUAGES } = await import('../src/snapshot/grammars/languages/index.ts');
const { readText } = await import('../src/snapshot/grammars/reading.ts');
const { brokenText, foundAgain, intactItems, numbers } = await import('../test/support/broken-texts.ts');
const { shopText } = await import('../test/support/shops.ts');

const LEAST = 0.97;
const SNIPPETS = 500;
const CUTS = 2000;
const PARSES = 10_000;
/** Bytes that blocks of other sizes may leave free in between. */
const ROOM = 2_000_000;

const parser = createGrammarParser();

/**
 * @param {string} name for people
 * @param {string} language
 * @param {readonly string[]} texts that parse
 * @param {number} count of broken texts
 */
async function check(name, language, texts, count) {
  const random = numbers(1);
  const whole = await Promise.all(texts.map(async (text) => ({ text, read: await parser.read(name, text, language) })));
  const usable = whole.filter(({ read }) => read.clean && read.outline.more === undefined);
  let wanted = 0;
  let found = 0;
  for (let broken = 0; broken < count && usable.length > 0; ) {
    const chosen = usable[Math.floor(random() * usable.length)];
    if (chosen === undefined) break;
    const change = brokenText(chosen.text, random);
    const read = await parser.read(name, change.text, language);
    if (read.clean) continue;
    broken += 1;
    const intact = intactItems(chosen.read.outline.items, chosen.text, change);
    wanted += intact.length;
    found += foundAgain(intact, read.outline.items);
  }
  console.log(`${name}: ${found} of ${wanted} = ${((100 * found) / wanted).toFixed(2)} % in ${count} broken texts`);
  return found / wanted >= LEAST;
}

/** Python's standard library, or nothing where there is no Python. */
function standardLibrary() {
  const program = 'import sysconfig; print(sysconfig.get_path("stdlib"))';
  const { stdout, status } = spawnSync('python3', ['-c', program], { encoding: 'utf8' });
  if (status !== 0) return [];
  const folder = stdout.trim();
  return globSync('{*,asyncio/*,json/*,email/*,http/*}.py', { cwd: folder })
    .map((path) => join(folder, path))
    .filter((path) => statSync(path).size > 1000 && statSync(path).size < 60_000)
    .sort()
    .map((path) => readFileSync(path, 'utf8').replace(/\r\n?/g, '\n'));
}

/** Whether the memory of every grammar is after 10,000 texts what it was after some. */
async function checkMemory() {
  const runtime = await Runtime.load(grammarFolder());
  let same = true;
  for (const [id, language] of LANGUAGES) {
    const own = await runtime.parser(language.grammar);
    const text = shopText(id);
    const read = (/** @type {number} */ count) => {
      for (let index = 0; index < count; index += 1) {
        readText(own, language, id, index % 10 === 0 ? text.slice(0, text.length - 20 - (index % 100)) : text);
      }
    };
    read(100);
    const before = runtime.probe();
    read(Math.ceil(PARSES / LANGUAGES.size));
    same &&= runtime.probe() < before + ROOM;
  }
  console.log(`${PARSES} texts: ${same ? 'no more memory than after the first' : 'THE MEMORY GROWS'}`);
  return same;
}

let fine = await checkMemory();
for (const language of GRAMMAR_LANGUAGES) {
  fine = (await check(`shop.${language}`, language, [shopText(language)], SNIPPETS)) && fine;
}
const library = standardLibrary();
if (library.length === 0) console.log('No python3 here: real files are left out.');
else fine = (await check("Python's standard library", 'py', library, CUTS)) && fine;
process.exitCode = fine ? 0 : 1;
