/** `npm run package`: builds and packs project-anchor-VERSION.vsix, for VS Code 1.104 and newer. */
import './lib/require-node.mjs';
import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** Ceiling of the package, in bytes. */
const MAX_BYTES = 6_000_000;

const root = join(import.meta.dirname, '..');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const vsix = `project-anchor-${version}.vsix`;

/**
 * @param {string} script
 * @param {...string} args
 */
function run(script, ...args) {
  const { status } = spawnSync(process.execPath, [script, ...args], { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

run(join(root, 'scripts/build.mjs'));
run(
  createRequire(import.meta.url).resolve('@vscode/vsce/vsce'),
  'package',
  '--no-dependencies',
  // Links and pictures of the README stay as they are: the repository has no address of its own yet.
  '--no-rewrite-relative-links',
  '--allow-missing-repository',
  '--out',
  vsix,
);

const bytes = statSync(join(root, vsix)).size;
console.log(`${vsix}  ${(bytes / 1e6).toFixed(2)} MB`);
if (bytes > MAX_BYTES) {
  console.error(`The package has ${bytes} bytes; at most ${MAX_BYTES} are allowed.`);
  process.exitCode = 1;
}
