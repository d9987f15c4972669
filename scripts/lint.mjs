/** `npm run lint`: the linter and formatter, then the rules that it cannot express. Reports all of both. */
import './lib/require-node.mjs';
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const biome = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome');
const { status } = spawnSync(process.execPath, [biome, 'check', '--error-on-warnings', ...process.argv.slice(2), '.'], {
  cwd: root,
  stdio: 'inherit',
});

const { checkProject } = await import('./lint/rules.mjs');
const problems = checkProject(root);
for (const { path, line, rule, message } of problems) console.error(`${path}:${line}: ${message} (${rule})`);
console.log(problems.length === 0 ? 'Our own rules: no problems.' : `Our own rules: ${problems.length} problems.`);
process.exitCode = status === 0 && problems.length === 0 ? 0 : 1;
