/**
 * `npm test [-- unit integration e2e]`: builds the package, prepares what the suites need, runs them and adds up.
 * It never runs a system package manager. What this machine cannot provide is left out, with the reason in one line;
 * with CI=true that is a failure. The last line is `N passed, N failed`, with `, N skipped` where that is not zero.
 */
import './lib/require-node.mjs';
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { chooseSuites, readinessOf, runSuites } from './lib/suites.mjs';

const SETUP_LIMIT_MINUTES = 15;

const root = join(import.meta.dirname, '..');
const reports = join(root, 'test-results');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');

/**
 * Runs a script of the project on this Node, in a process group of its own, so that nothing it started outlives its limit.
 *
 * @param {readonly string[]} args
 * @param {{ minutes: number, capture?: boolean, env?: Record<string, string> }} options
 * @returns {Promise<{ exitCode: number | null, output: string }>} null when it was ended for taking too long
 */
function node(args, { minutes, capture = false, env = {} }) {
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, args, {
      cwd: root,
      env: { ...process.env, ...env },
      detached: true,
      stdio: ['ignore', capture ? 'pipe' : 'inherit', 'inherit'],
    });
    let output = '';
    let late = false;
    /** @param {NodeJS.Signals} signal */
    const end = (signal) => {
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
        process.kill(-child.pid, signal);
    };
    const stop = () => {
      end('SIGTERM');
      process.exit(130);
    };
    const timer = setTimeout(() => {
      late = true;
      end('SIGKILL');
    }, minutes * 60_000);
    process.once('SIGINT', stop).once('SIGTERM', stop);
    child.stdout?.setEncoding('utf8').on('data', (chunk) => {
      output += chunk;
    });
    child.once('error', failed);
    child.once('close', (code) => {
      clearTimeout(timer);
      process.off('SIGINT', stop).off('SIGTERM', stop);
      done({ exitCode: late ? null : (code ?? 1), output });
    });
  });
}

/** Unit tests run on the sources; all others on what a person would install. */
async function buildPackage() {
  const { exitCode, output } = await node([join('scripts', 'package.mjs')], { minutes: 5, capture: true });
  if (exitCode === 0) return;
  console.error(output);
  throw new Error('The package could not be built; the reason stands above.');
}

/** @param {import('./lib/suites.mjs').Need} need */
async function prepare({ name }) {
  const setup = await node([join('scripts', `setup-${name}.mjs`)], { minutes: SETUP_LIMIT_MINUTES, capture: true });
  return readinessOf(setup.exitCode, setup.output);
}

/** @param {import('./lib/suites.mjs').Suite} suite */
async function run({ name, limitMinutes }) {
  const file = join(reports, `${name}.json`);
  rmSync(file, { force: true });
  const { exitCode } = await node(
    [vitest, 'run', '--project', name, '--reporter=default', '--reporter=json', `--outputFile.json=${file}`],
    { minutes: limitMinutes, env: { PROJECT_ANCHOR_VSIX: join(root, `project-anchor-${version}.vsix`) } },
  );
  return { exitCode, report: readReport(file) };
}

/**
 * @param {string} file
 * @returns {unknown} the report with paths inside the project, undefined when there is none
 */
function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8').replaceAll(`${root}/`, ''));
  } catch {
    return undefined;
  }
}

try {
  const suites = chooseSuites(process.argv.slice(2));
  mkdirSync(reports, { recursive: true });
  if (suites.some(({ name }) => name !== 'unit')) await buildPackage();
  process.exitCode = await runSuites(suites, process.env['CI'] === 'true', {
    prepare,
    run,
    say: (line) => console.log(line),
  });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
