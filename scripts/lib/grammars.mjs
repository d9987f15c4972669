/** The grammar files of the package: tree-sitter itself and one file for each language that has an outline. */
import { chmod, copyFile, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Folder beside the bundles. */
export const GRAMMARS = 'grammars';

/** Files of `@vscode/tree-sitter-wasm` that are shipped; the others are grammars of languages read in another way. */
export const GRAMMAR_FILES = [
  'tree-sitter.js',
  'tree-sitter.wasm',
  ...['bash', 'c-sharp', 'cpp', 'go', 'java', 'php', 'powershell', 'python', 'ruby', 'rust'].map(
    (name) => `tree-sitter-${name}.wasm`,
  ),
];

/** Who wrote what is in them: the package itself says so of none. All are under the MIT licence. */
const AUTHORS = {
  'tree-sitter': '2018-2023 Max Brunsfeld',
  'tree-sitter-bash': '2017 Max Brunsfeld',
  'tree-sitter-c-sharp': '2014-2023 Max Brunsfeld, Damien Guard, Amaan Qureshi, and contributors',
  'tree-sitter-cpp': '2014 Max Brunsfeld',
  'tree-sitter-go': '2014 Max Brunsfeld',
  'tree-sitter-java': '2017 Ayman Nadeem',
  'tree-sitter-php': '2017 Josh Vera, GitHub; 2019 Max Brunsfeld, Amaan Qureshi, Christian Frøystad, Caleb White',
  'tree-sitter-powershell': '2023 Airbus CERT',
  'tree-sitter-python': '2016 Max Brunsfeld',
  'tree-sitter-ruby': '2016 Rob Rix',
  'tree-sitter-rust': '2017 Maxim Sokolov',
};

const MIT = `Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.`;

/**
 * Name and licence text of tree-sitter and of each grammar.
 *
 * @returns {{ name: string, text: string }[]}
 */
export function grammarLicenses() {
  return Object.entries(AUTHORS).map(([name, authors]) => ({
    name,
    text: `${name} (MIT)\n\nCopyright (c) ${authors}\n\n${MIT}\n`,
  }));
}

/**
 * Copies them; what is there stays usable meanwhile, and what an earlier build left goes.
 *
 * @param {string} outdir of the bundles
 * @returns {Promise<{ name: string, bytes: number }[]>} name relative to `outdir`
 */
export async function copyGrammars(outdir) {
  const source = dirname(createRequire(import.meta.url).resolve('@vscode/tree-sitter-wasm'));
  const target = join(outdir, GRAMMARS);
  await mkdir(target, { recursive: true });
  const files = await Promise.all(
    GRAMMAR_FILES.map(async (name) => {
      await copyFile(join(source, name), join(target, name));
      await chmod(join(target, name), 0o644);
      return { name: `${GRAMMARS}/${name}`, bytes: (await stat(join(target, name))).size };
    }),
  );
  const others = (await readdir(target)).filter((name) => !GRAMMAR_FILES.includes(name));
  await Promise.all(others.map((name) => rm(join(target, name), { recursive: true })));
  return files;
}
