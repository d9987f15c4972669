/** What `npm test` runs, how its results add up, and when a run has failed. Knows nothing of processes. */

/**
 * @typedef {object} Suite
 * @property {string} name the test runner's project
 * @property {string} title
 * @property {'editor'} [needs] what the machine must provide for the suite as a whole
 * @property {number} limitMinutes it is ended after that
 *
 * @typedef {object} Need
 * @property {'editor' | 'powercontext'} name
 * @property {string} leavesOut the tests that are left out without it
 *
 * @typedef {{ ready: true, line: string } | { ready: false, broken: boolean, reason: string }} Readiness
 *   `broken`: not something that the machine lacks, but a set-up that failed
 *
 * @typedef {object} Totals
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped
 *
 * @typedef {object} SuiteResult
 * @property {number | null} exitCode null when it was ended for taking too long
 * @property {unknown} report the test runner's JSON report, undefined when there is none
 */

/** Longest line of the summary, in characters. */
const MAX_LINE = 200;

/** @type {readonly Suite[]} */
export const SUITES = [
  { name: 'unit', title: 'unit and property tests', limitMinutes: 5 },
  { name: 'integration', title: 'integration tests', limitMinutes: 10 },
  { name: 'e2e', title: 'end-to-end tests in the real editor', needs: 'editor', limitMinutes: 15 },
];

/** @type {readonly Need[]} */
export const NEEDS = [
  { name: 'editor', leavesOut: 'end-to-end tests in the real editor' },
  { name: 'powercontext', leavesOut: 'tests against a real PowerContext Server' },
];

/**
 * The suites that the arguments name; all without any.
 *
 * @param {readonly string[]} names
 * @returns {readonly Suite[]}
 * @throws {Error} when one is unknown
 */
export function chooseSuites(names) {
  const unknown = names.find((name) => !SUITES.some((suite) => suite.name === name));
  if (unknown !== undefined) {
    throw new Error(`There is no suite "${unknown}": the suites are ${SUITES.map(({ name }) => name).join(', ')}.`);
  }
  return names.length === 0 ? SUITES : SUITES.filter(({ name }) => names.includes(name));
}

/**
 * Readiness from what a set-up script printed and how it ended: 0 ready, 3 the machine lacks something, else broken.
 *
 * @param {number | null} exitCode
 * @param {string} output
 * @returns {Readiness}
 */
export function readinessOf(exitCode, output) {
  const line = output.trim().split('\n').at(-1)?.trim() || 'it said nothing';
  if (exitCode === 0) return { ready: true, line };
  return { ready: false, broken: exitCode !== 3, reason: line };
}

/**
 * Totals of one suite by the test runner's report. A file that could not be loaded has no tests and counts as one failed;
 * so does a suite that left no report, or that ended badly although every test passed.
 *
 * @param {SuiteResult} result
 * @returns {Totals & { problems: string[] }} `problems`: names of failed tests, and what else went wrong
 */
export function totalsOf({ exitCode, report }) {
  /** @type {Totals & { problems: string[] }} */
  const totals = { passed: 0, failed: 0, skipped: 0, problems: [] };
  const files = filesOf(report);
  for (const { name, status, message, assertionResults } of files) {
    for (const test of assertionResults) {
      if (test.status === 'passed') totals.passed += 1;
      else if (test.status === 'failed') {
        totals.failed += 1;
        totals.problems.push(line(`${name}: ${test.fullName}`));
      } else totals.skipped += 1;
    }
    if (status === 'failed' && !assertionResults.some((test) => test.status === 'failed')) {
      totals.failed += 1;
      totals.problems.push(line(`${name}: ${message || 'could not be run'}`));
    }
  }
  const ran = totals.passed + totals.failed + totals.skipped;
  if (exitCode === null) totals.problems.push('it took too long and was ended');
  else if (ran === 0) totals.problems.push('it ran no test');
  else if (exitCode !== 0 && totals.failed === 0)
    totals.problems.push(`it ended with code ${exitCode} though no test failed`);
  if (totals.failed === 0 && totals.problems.length > 0) totals.failed += 1;
  return totals;
}

/**
 * @param {string} text
 * @returns {string} its first line, cut to what a terminal shows
 */
function line(text) {
  const [first = ''] = text.split('\n');
  return first.length > MAX_LINE ? `${first.slice(0, MAX_LINE - 1)}…` : first;
}

/**
 * @param {unknown} report
 * @returns {{ name: string, status: string, message: string, assertionResults: { fullName: string, status: string }[] }[]}
 */
function filesOf(report) {
  if (typeof report !== 'object' || report === null || !('testResults' in report)) return [];
  return Array.isArray(report.testResults) ? report.testResults : [];
}

/**
 * @typedef {object} World what a run does to the machine
 * @property {(need: Need) => Promise<Readiness>} prepare
 * @property {(suite: Suite) => Promise<SuiteResult>} run
 * @property {(line: string) => void} say
 *
 * Prepares what the suites need, runs them and reports.
 *
 * @param {readonly Suite[]} suites
 * @param {boolean} ci whether a suite that was left out is a failure
 * @param {World} world
 * @returns {Promise<number>} exit code
 */
export async function runSuites(suites, ci, { prepare, run, say }) {
  const wanted = NEEDS.filter(
    ({ name }) =>
      suites.some((suite) => suite.needs === name) || (name === 'powercontext' && suites.some(usesServices)),
  );
  const readiness = new Map(
    await Promise.all(wanted.map(async (need) => /** @type {const} */ ([need.name, await prepare(need)]))),
  );
  /** @type {string[]} */
  const leftOut = [];
  let broken = false;
  for (const { name, leavesOut } of wanted) {
    const state = readiness.get(name);
    if (state === undefined || state.ready) {
      if (state) say(state.line);
      continue;
    }
    broken ||= state.broken;
    leftOut.push(`Left out: ${leavesOut}, because ${state.reason}`);
  }

  const sum = { passed: 0, failed: 0, skipped: 0 };
  /** @type {string[]} */
  const lines = [];
  for (const suite of suites) {
    if (suite.needs !== undefined && !readiness.get(suite.needs)?.ready) continue;
    say(`\n${suite.title}`);
    const { passed, failed, skipped, problems } = totalsOf(await run(suite));
    sum.passed += passed;
    sum.failed += failed;
    sum.skipped += skipped;
    lines.push(`${suite.title}: ${count(passed, failed, skipped)}`, ...problems.map((problem) => `  ${problem}`));
  }

  say('');
  for (const line of [...lines, ...leftOut]) say(line);
  if (ci && leftOut.length > 0) say('With CI=true nothing may be left out: this run has failed.');
  say(count(sum.passed, sum.failed, sum.skipped));
  return sum.failed > 0 || broken || (ci && leftOut.length > 0) || lines.length === 0 ? 1 : 0;
}

/**
 * @param {Suite} suite
 * @returns {boolean} whether some of its tests talk to a real PowerContext Server
 */
function usesServices({ name }) {
  return name !== 'unit';
}

/**
 * @param {number} passed
 * @param {number} failed
 * @param {number} skipped
 */
function count(passed, failed, skipped) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
