import { WORDS } from '../../test/support/words.ts';

/** A file of the generated code base. */
export interface GeneratedFile {
  readonly path: string;
  readonly text: string;
}

/** Files of one package, and of one folder: about what large monorepos have. */
const PER_PACKAGE = 500;
const PER_FOLDER = 12;
/** Every so many files is a test, every so many a style sheet or a document. */
const TEST_EVERY = 4;
const OTHER_EVERY = 25;

/** Numbers that look random and are the same on every machine: a linear congruential generator (Numerical Recipes). */
function numbers(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** A monorepo of `count` files in packages, areas and features, four to seven folders deep; always the same. */
export function* generatedFiles(count: number): Generator<GeneratedFile> {
  const next = numbers(20_261_130);
  const word = () => WORDS[next(WORDS.length)] ?? WORDS[0];
  let folder = '';
  for (let n = 0; n < count; n++) {
    const home = `packages/${WORDS[Math.floor(n / PER_PACKAGE) % WORDS.length]}-${Math.floor(n / PER_PACKAGE)}`;
    if (n % PER_PACKAGE === 0) {
      yield { path: `${home}/package.json`, text: manifest(home) };
      continue;
    }
    if (n % PER_FOLDER === 0 || !folder.startsWith(`${home}/`)) {
      const deep = Array.from({ length: 1 + next(3) }, word);
      folder = `${home}/src/${word()}-${n}/${deep.join('/')}`;
    }
    yield fileOf(`${folder}/${word()}-${word()}-${n}`, n);
  }
}

function fileOf(path: string, n: number): GeneratedFile {
  if (n % OTHER_EVERY === 0) return { path: `${path}.md`, text: `# Part ${n}\n\nWhat it is for.\n` };
  const name = `part${n}`;
  const text = [
    `/** Part ${n} of the generated code base. */`,
    `export interface Options${n} {`,
    '  readonly limit: number;',
    '}',
    '',
    `export function ${name}(options: Options${n}): number {`,
    `  return options.limit + ${n};`,
    '}',
    '',
  ].join('\n');
  return { path: `${path}${n % TEST_EVERY === 0 ? '.test' : ''}.ts`, text };
}

function manifest(home: string): string {
  const name = home.slice(home.lastIndexOf('/') + 1);
  return `${JSON.stringify({ name: `@generated/${name}`, version: '1.0.0', dependencies: { zod: '4.6.7' } }, null, 2)}\n`;
}
