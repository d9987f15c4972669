/** Builds the bundles of `bundles.mjs` with esbuild and checks what each may contain. */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { BUNDLES, TYPESCRIPT } from './bundles.mjs';
import { copyGrammars, GRAMMARS, grammarLicenses } from './grammars.mjs';
import { licensesOf } from './licenses.mjs';

/** The oldest runtime: Node 22 of VS Code 1.104. */
const TARGET = 'node22.13';

const LICENSES = 'THIRD-PARTY-LICENSES.txt';

/** What loads the grammar files, which no import names. */
const GRAMMAR_READER = 'src/snapshot/grammars/runtime.ts';

/**
 * Links bundles to each other instead of copying one into another: an import of another bundle's entry source, and
 * every import of `typescript`, becomes a `require` of the file beside it.
 *
 * @param {import('./bundles.mjs').Bundle} bundle
 * @param {readonly import('./bundles.mjs').Bundle[]} bundles
 * @param {string} root
 * @returns {import('esbuild').Plugin}
 */
function linkBundles(bundle, bundles, root) {
  const byEntry = new Map(bundles.map((each) => [resolve(root, each.entry), each.name]));
  return {
    name: 'link-bundles',
    setup(context) {
      context.onResolve({ filter: /^typescript(\/lib\/[a-z]+)?$/ }, () => ({
        path: `./${TYPESCRIPT}.js`,
        external: true,
      }));
      context.onResolve({ filter: /^\.{1,2}\// }, (request) => {
        const name = byEntry.get(resolve(request.resolveDir, request.path));
        return name === undefined || name === bundle.name ? undefined : { path: `./${name}.js`, external: true };
      });
      context.onResolve({ filter: /^vscode$/ }, (request) =>
        bundle.vscode
          ? { path: 'vscode', external: true }
          : { errors: [{ text: `${bundle.name}.js must not import vscode (from ${request.importer})` }] },
      );
    },
  };
}

/**
 * What a built bundle contains or loads against the table, as sentences.
 *
 * @param {import('./bundles.mjs').Bundle} bundle
 * @param {import('esbuild').Metafile} metafile
 * @returns {string[]}
 */
export function contentProblems(bundle, metafile) {
  const problems = [];
  const inside = Object.values(metafile.outputs).flatMap((output) =>
    Object.entries(output.inputs)
      .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
      .map(([path]) => path),
  );
  for (const forbidden of bundle.forbidden) {
    const found = inside.find((path) => path.includes(`node_modules/${forbidden}/`));
    if (found !== undefined) problems.push(`${bundle.name}.js must not contain ${forbidden}, but has ${found}`);
  }
  const linked = Object.values(metafile.outputs).flatMap((output) => output.imports.map(({ path }) => path));
  for (const path of new Set(linked)) {
    const match = /^\.\/(.+)\.js$/.exec(path);
    if (match?.[1] !== undefined && !bundle.imports.includes(match[1])) {
      problems.push(`${bundle.name}.js must not load ${path} (scripts/lib/bundles.mjs names what it may)`);
    }
  }
  return problems;
}

/**
 * @param {object} options
 * @param {string} options.root project folder
 * @param {string} options.outdir
 * @param {boolean} options.minify for the package; otherwise readable, with linked source maps
 * @param {readonly import('./bundles.mjs').Bundle[]} [options.bundles]
 * @returns {Promise<{ files: { name: string, bytes: number }[], problems: string[] }>}
 */
export async function buildBundles({ root, outdir, minify, bundles = BUNDLES }) {
  await mkdir(outdir, { recursive: true });

  /** @type {string[]} */
  const problems = [];
  /** @type {Set<string>} */
  const inputs = new Set();
  const results = await Promise.all(
    bundles.map(async (bundle) => {
      const result = await build({
        absWorkingDir: root,
        entryPoints: { [bundle.name]: bundle.entry },
        outdir,
        bundle: true,
        platform: 'node',
        format: 'cjs',
        target: TARGET,
        minify,
        keepNames: bundle.namesDropped !== true,
        sourcemap: minify ? 'external' : 'linked',
        legalComments: 'none',
        metafile: true,
        // `import()` becomes `require`: it works in every extension host, and node:sqlite is still loaded on first use.
        supported: { 'dynamic-import': false },
        define: { 'import.meta.dirname': '__dirname', 'import.meta.filename': '__filename' },
        // An optional peer of the parser, never installed here.
        external: ['@typescript/native/*'],
        plugins: [linkBundles(bundle, bundles, root)],
        logLevel: 'silent',
      });
      return { bundle, metafile: result.metafile };
    }),
  );

  const files = [];
  for (const { bundle, metafile } of results) {
    problems.push(...contentProblems(bundle, metafile));
    for (const path of Object.keys(metafile.inputs)) inputs.add(path);
    const output = Object.entries(metafile.outputs).find(([path]) => path.endsWith('.js'));
    const bytes = output?.[1].bytes ?? 0;
    files.push({ name: `${bundle.name}.js`, bytes });
    if (minify && bundle.maxBytes !== undefined && bytes > bundle.maxBytes) {
      problems.push(`${bundle.name}.js has ${bytes} bytes; at most ${bundle.maxBytes} are allowed`);
    }
  }

  if (results.some(({ bundle }) => bundle.imports.includes(TYPESCRIPT))) {
    files.push({ name: `${TYPESCRIPT}.js`, bytes: await copyTypescript(outdir, minify) });
  }
  const libraries = ['node_modules/typescript/package.json'];
  const hasGrammars = [...inputs].some((path) => path.endsWith(GRAMMAR_READER));
  if (hasGrammars) {
    files.push(...(await copyGrammars(outdir)));
    libraries.push('node_modules/@vscode/tree-sitter-wasm/package.json');
  }
  const licenses = await licensesOf(root, [...inputs, ...libraries], hasGrammars ? grammarLicenses() : []);
  await writeFile(join(outdir, LICENSES), licenses);
  await removeOthers(outdir, [LICENSES, GRAMMARS, ...files.flatMap(({ name }) => [name, `${name}.map`])]);
  return { files, problems };
}

/**
 * Takes away what an earlier build left; what is there stays usable meanwhile.
 *
 * @param {string} outdir
 * @param {readonly string[]} kept
 */
async function removeOthers(outdir, kept) {
  const others = (await readdir(outdir)).filter((name) => !kept.includes(name));
  await Promise.all(others.map((name) => rm(join(outdir, name), { recursive: true })));
}

/**
 * The TypeScript library as its own file, minified but not wrapped (a wrapped one takes twice as long to load).
 *
 * @param {string} outdir
 * @param {boolean} minify
 * @returns {Promise<number>} bytes written
 */
async function copyTypescript(outdir, minify) {
  const library = createRequire(import.meta.url).resolve('typescript');
  const outfile = join(outdir, `${TYPESCRIPT}.js`);
  await build({
    entryPoints: [library],
    outfile,
    bundle: false,
    platform: 'node',
    target: TARGET,
    minify,
    legalComments: 'none',
    logLevel: 'silent',
  });
  return (await readFile(outfile)).byteLength;
}

/**
 * Whether a failure came from esbuild with messages of its own.
 *
 * @param {unknown} error
 * @returns {string[]}
 */
export function buildErrors(error) {
  if (error instanceof Error && 'errors' in error && Array.isArray(error.errors)) {
    return error.errors.map(({ text, location }) =>
      location ? `${location.file}:${location.line}: ${text}` : String(text),
    );
  }
  return [error instanceof Error ? error.message : String(error)];
}
