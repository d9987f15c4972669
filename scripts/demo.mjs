/**
 * `npm run demo [folder]`: the main job once, without key, server or editor. It takes a folder (else the current one, when
 * that is a git repository; else a small sample made for the occasion), keeps its data in a temporary folder, changes nothing
 * in the project, and shows: the anchor, a snapshot, a mark that arrives at a second process, the context of a completion
 * with its receipt, and the log verified.
 */
import './lib/require-node.mjs';
import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

const { buildWhenStale } = await import('./lib/build-when-stale.mjs');
const { Demo } = await import('./lib/demo.mjs');

const root = join(import.meta.dirname, '..');
const started = process.env['INIT_CWD'] ?? process.cwd();
const [given, ...rest] = process.argv.slice(2);

if (rest.length > 0 || given?.startsWith('-')) {
  console.error('Usage: npm run demo [folder]');
  process.exit(2);
}
const folder = given === undefined ? undefined : resolve(started, given);
if (folder !== undefined && !(existsSync(folder) && statSync(folder).isDirectory())) {
  console.error(`There is no folder ${folder}: give an existing one, or none to see a sample project.`);
  process.exit(2);
}

const demo = new Demo({ cli: join(root, 'dist', 'cli.js'), folder, current: started, colours: process.stdout.isTTY });
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) {
  process.once(signal, () => {
    demo.cleanUp();
    process.exit(130);
  });
}
try {
  buildWhenStale(root);
  await demo.run();
} catch (error) {
  console.error(`\nThe demo stopped: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
} finally {
  demo.cleanUp();
}
