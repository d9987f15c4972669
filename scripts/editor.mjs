/**
 * `npm run editor [folder] [-- --stand-in]`: packs the extension and serves the real VS Code with it in a browser, with
 * temporary data, until Ctrl+C. `--stand-in` lets a stand-in of the MiniMax service answer in place of the real one.
 */
import './lib/require-node.mjs';
import { spawn } from 'node:child_process';
import { join } from 'node:path';

const script = join(import.meta.dirname, '..', 'test', 'e2e', 'support', 'by-hand.ts');
// Node runs TypeScript as it is, but would say that package.json names no module type.
const flags = ['--disable-warning=MODULE_TYPELESS_PACKAGE_JSON'];
const child = spawn(process.execPath, [...flags, script, ...process.argv.slice(2)], { stdio: 'inherit' });

// Ctrl+C reaches both: the child ends the editor in order, and this process waits for it.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => child.kill('SIGTERM'));
child.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
