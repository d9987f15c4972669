import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');

/** Makes a process believe that it runs on another Node: what the scripts see after `npm ci --ignore-scripts`. */
const pretend = (version: string): string =>
  `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'${version}'}})`;

const scripts = [
  ...readdirSync(join(ROOT, 'scripts'))
    .filter((name) => name.endsWith('.mjs'))
    .map((name) => `scripts/${name}`),
  'bench/run.mjs',
].filter((path) => existsSync(join(ROOT, path)));

test.each(scripts)('%s stops with one sentence below Node 22.13', (script) => {
  for (const version of ['20.20.2', '22.12.0']) {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', pretend(version), script], {
      cwd: ROOT,
      encoding: 'utf8',
      timeout: 20_000,
    });
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(/^This needs Node 22\.13 or newer and runs on [\d.]+: [^\n]*\n$/);
  }
});

test.each(['22.13.0', '24.0.0'])('Node %s is new enough', (version) => {
  const guard = join(ROOT, 'scripts/lib/require-node.mjs');
  expect(spawnSync(process.execPath, ['--import', pretend(version), guard], { timeout: 20_000 }).status).toBe(0);
});
