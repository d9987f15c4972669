import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DIST } from '../lib/core.ts';
import { type Row, timingRow } from '../lib/report.ts';
import { summarise } from '../lib/stats.ts';

const ROUNDS = 15;

/**
 * Loads the main bundle in a fresh process whose `vscode` answers anything, and says how long that took. What activation
 * itself does in the editor is timed by the end-to-end run, which prints the editor's own figure.
 */
const LOADER = `
const Module = require('node:module');
const anything = new Proxy(function () {}, {
  get: (target, key) => (key === Symbol.toPrimitive ? () => '' : key === 'prototype' ? target.prototype : anything),
  apply: () => anything, construct: () => anything,
});
const load = Module._load;
Module._load = (name, ...rest) => (name === 'vscode' ? anything : load(name, ...rest));
const start = performance.now();
require(process.argv[1]);
process.stdout.write(String(performance.now() - start));
`;

/** `require` of the main bundle against `require` of an empty file, fresh processes in turn. */
export function activationRows(): Row[] {
  const folder = mkdtempSync(join(tmpdir(), 'pa-bench-'));
  try {
    const empty = join(folder, 'empty.js');
    writeFileSync(empty, 'module.exports = {};\n');
    const read = (file: string) => Number(execFileSync(process.execPath, ['-e', LOADER, file], { encoding: 'utf8' }));
    const subject: number[] = [];
    const baseline: number[] = [];
    for (let round = -1; round < ROUNDS; round++) {
      const base = read(empty);
      const own = read(join(DIST, 'extension.js'));
      if (round < 0) continue;
      baseline.push(base);
      subject.push(own);
    }
    const result = { subject: summarise(subject), baseline: summarise(baseline) };
    const ratio = result.subject.median / result.baseline.median;
    return [timingRow('activation: load of the main bundle', 'an empty file', { ...result, ratio })];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
