/**
 * `npm run check:outlines`: both implementations of outlines and imports against each other, over this project and the
 * public code bases of the benchmark, which are downloaded at the first run; then what is left of their declarations when
 * a file is broken in a random place, two thousand times. Takes some minutes.
 */
import './lib/require-node.mjs';
import { globSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

const { fetchPackages, LARGE_SET } = await import('../bench/lib/packages.ts');
const { createParser } = await import('../src/snapshot/parser.ts');
const { outlineOfTree } = await import('../src/snapshot/tree-outline.ts');
const { recover } = await import('../src/snapshot/tree-recovery.ts');
const { brokenText, foundAgain, intactItems, numbers } = await import('../test/support/broken-texts.ts');
const { outlineForms, readByBoth } = await import('../test/support/outline-forms.ts');

const root = join(import.meta.dirname, '..');
const EXTENSIONS = 'ts,tsx,mts,cts,js,jsx,mjs,cjs';
/** Larger files have no outline. */
const MAX_BYTES = 1024 * 1024;

const forms = outlineForms(createParser());
const total = { files: 0, unparsed: 0, different: 0 };

/**
 * The first place where two readings differ, for people.
 *
 * @param {import('../test/support/outline-forms.ts').ReadText | string} estree
 * @param {import('../test/support/outline-forms.ts').ReadText | string} tree
 */
function firstDifference(estree, tree) {
  if (typeof estree === 'string' || typeof tree === 'string') return [estree, tree].map(messageOf);
  for (const [a, b] of [
    [estree.outline.items, tree.outline.items],
    [estree.imports, tree.imports],
  ]) {
    const length = Math.max(a?.length ?? 0, b?.length ?? 0);
    const at = Array.from({ length }, (_, index) => index).find((index) => !isDeepStrictEqual(a?.[index], b?.[index]));
    if (at !== undefined) return [a?.[at], b?.[at]];
  }
  return [estree.outline, tree.outline].map(({ items, ...rest }) => ({ ...rest, items: items.length }));
}

/** @param {import('../test/support/outline-forms.ts').ReadText | string} read */
function messageOf(read) {
  return typeof read === 'string' ? read : `parses, with ${read.outline.items.length} items`;
}

/**
 * @param {string} folder
 * @param {(path: string) => boolean} isWanted
 */
async function check(folder, isWanted) {
  const paths = globSync(`**/*.{${EXTENSIONS}}`, { cwd: folder }).filter(isWanted).sort();
  const found = { files: 0, unparsed: 0, different: 0 };
  for (const path of paths) {
    const file = join(folder, path);
    const stat = statSync(file);
    if (!stat.isFile() || stat.size > MAX_BYTES) continue;
    const [estree, tree] = await readByBoth(forms, path, readFileSync(file, 'utf8'));
    found.files += 1;
    if (typeof estree === 'string') found.unparsed += 1;
    if (isDeepStrictEqual(estree, tree)) continue;
    found.different += 1;
    console.log(`${file}:`);
    for (const [index, each] of firstDifference(estree, tree).entries()) console.log(`  ${forms[index]?.name}:`, each);
  }
  console.log(`${basename(folder)}: ${sentence(found)}`);
  total.files += found.files;
  total.unparsed += found.unparsed;
  total.different += found.different;
}

/** @param {typeof total} counts */
function sentence({ files, unparsed, different }) {
  return `${files} files, ${unparsed} of them do not parse, ${different} differ`;
}

for (const folder of ['src', 'test', 'scripts', 'bench']) await check(join(root, folder), () => true);
for (const folder of fetchPackages(LARGE_SET)) {
  await check(folder, (path) => !/(?:^|[/\\])node_modules[/\\]/.test(path));
}
console.log(`Together: ${sentence(total)}`);

/** Files that are broken in a random place, and the share of declarations elsewhere that has to be found again. */
const CHANGES = 2_000;
const SHARE = 0.97;

const parser = createParser();
const random = numbers(1);
const corpus = fetchPackages(LARGE_SET).flatMap((folder) =>
  globSync(`**/*.{${EXTENSIONS}}`, { cwd: folder })
    .filter((path) => !/(?:^|[/\\])node_modules[/\\]/.test(path))
    .map((path) => join(folder, path)),
);
const recovered = { changes: 0, wanted: 0, found: 0 };
while (recovered.changes < CHANGES && corpus.length > 0) {
  const file = corpus[Math.floor(random() * corpus.length)] ?? '';
  if (!statSync(file).isFile() || statSync(file).size > MAX_BYTES / 4) continue;
  const text = readFileSync(file, 'utf8');
  const whole = await parser.tree(file, text);
  const changed = brokenText(text, random);
  const now = await parser.tree(file, changed.text);
  if (whole.problem !== null || now.problem === null) continue;
  const intact = intactItems(outlineOfTree(whole, 'ts').items, text, changed);
  recovered.changes += 1;
  recovered.wanted += intact.length;
  recovered.found += foundAgain(intact, recover(now, 'ts').outline.items);
}
const share = recovered.found / Math.max(1, recovered.wanted);
console.log(
  `Broken in a random place, ${recovered.changes} times: ${(100 * share).toFixed(2)} % of ${recovered.wanted} declarations elsewhere are found again (at least ${100 * SHARE} %)`,
);

process.exitCode = total.different > 0 || total.files === 0 || share < SHARE ? 1 : 0;
