/** Builds dist/ when it is missing or older than what it is built from. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** @param {string} root project folder */
export function buildWhenStale(root) {
  const built = join(root, 'dist', 'cli.js');
  if (existsSync(built) && statSync(built).mtimeMs > newestIn(root)) return;
  process.stdout.write('Building first...\n');
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts', 'build.mjs')], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the build failed: ${stderr.trim() || 'run "npm run build" to see why'}`);
}

/** @param {string} root */
function newestIn(root) {
  const files = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return Math.max(...[...files, join(root, 'package.json')].map((file) => statSync(file).mtimeMs));
}
