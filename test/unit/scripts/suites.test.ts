import { describe, expect, test } from 'vitest';
import {
  chooseSuites,
  type Need,
  type Readiness,
  readinessOf,
  runSuites,
  SUITES,
  type Suite,
  type SuiteResult,
  totalsOf,
} from '../../../scripts/lib/suites.mjs';

type Status = 'passed' | 'failed' | 'skipped' | 'pending' | 'todo';

/** A report of the test runner with one file. */
function report(statuses: readonly Status[], file: { status?: string; message?: string } = {}) {
  const failed = statuses.includes('failed');
  const assertionResults = statuses.map((status, index) => ({ status, fullName: `test ${index + 1}` }));
  return {
    testResults: [{ name: 'a.test.ts', status: failed ? 'failed' : 'passed', message: '', assertionResults, ...file }],
  };
}

describe('totals of a suite', () => {
  test('every test is counted once', () => {
    const result = { exitCode: 1, report: report(['passed', 'passed', 'failed', 'skipped', 'pending', 'todo']) };
    expect(totalsOf(result)).toEqual({ passed: 2, failed: 1, skipped: 3, problems: ['a.test.ts: test 3'] });
  });

  test('a file that cannot be loaded counts as one failed', () => {
    const broken = report([], { status: 'failed', message: 'SyntaxError: x\n  at y' });
    expect(totalsOf({ exitCode: 1, report: broken })).toEqual({
      passed: 0,
      failed: 1,
      skipped: 0,
      problems: ['a.test.ts: SyntaxError: x'],
    });
  });

  test('a name without end becomes one short line', () => {
    const long = report([], { status: 'failed', message: `${'x'.repeat(5000)}\ny` });
    const [problem] = totalsOf({ exitCode: 1, report: long }).problems;
    expect(problem).toMatch(/^a\.test\.ts: x+…$/);
    expect(problem).toHaveLength(200);
  });

  test.each<[string, SuiteResult, string]>([
    ['no report', { exitCode: 1, report: undefined }, 'it ran no test'],
    ['a report that is none', { exitCode: 0, report: { testResults: 'x' } }, 'it ran no test'],
    ['no test', { exitCode: 0, report: { testResults: [] } }, 'it ran no test'],
    ['too slow', { exitCode: null, report: undefined }, 'it took too long and was ended'],
    [
      'an error outside of tests',
      { exitCode: 1, report: report(['passed']) },
      'it ended with code 1 though no test failed',
    ],
  ])('%s is a failure', (_, result, problem) => {
    expect(totalsOf(result)).toMatchObject({ failed: 1, problems: [problem] });
  });
});

test('a set-up script says in its last line and its exit code how it went', () => {
  expect(readinessOf(0, 'installing\neditor ready: /x\n')).toEqual({ ready: true, line: 'editor ready: /x' });
  expect(readinessOf(3, 'no Chromium\n')).toEqual({ ready: false, broken: false, reason: 'no Chromium' });
  expect(readinessOf(1, 'TypeError\n')).toEqual({ ready: false, broken: true, reason: 'TypeError' });
  expect(readinessOf(null, '')).toEqual({ ready: false, broken: true, reason: 'it said nothing' });
});

test('suites are chosen by name', () => {
  expect(chooseSuites([])).toBe(SUITES);
  expect(chooseSuites(['e2e', 'unit']).map(({ name }) => name)).toEqual(['unit', 'e2e']);
  expect(() => chooseSuites(['unti'])).toThrow('There is no suite "unti": the suites are unit, integration, e2e.');
});

describe('a run', () => {
  const ready: Readiness = { ready: true, line: 'ready' };
  const lacking: Readiness = { ready: false, broken: false, reason: 'no Chromium' };
  const good: SuiteResult = { exitCode: 0, report: report(['passed', 'passed']) };

  async function run(options: {
    ci?: boolean;
    suites?: readonly Suite[];
    state?: Partial<Record<Need['name'], Readiness>>;
    results?: Record<string, SuiteResult>;
  }) {
    const lines: string[] = [];
    const ran: string[] = [];
    const prepared: string[] = [];
    const code = await runSuites(options.suites ?? SUITES, options.ci ?? false, {
      prepare: async ({ name }) => {
        prepared.push(name);
        return options.state?.[name] ?? ready;
      },
      run: async ({ name }) => {
        ran.push(name);
        return options.results?.[name] ?? good;
      },
      say: (line) => {
        lines.push(line);
      },
    });
    return { code, lines, ran, prepared };
  }

  test('everything there and passing', async () => {
    const { code, lines, ran } = await run({ ci: true });
    expect(ran).toEqual(['unit', 'integration', 'e2e']);
    expect(code).toBe(0);
    expect(lines.at(-1)).toBe('6 passed, 0 failed');
    expect(lines.join('\n')).not.toContain('Left out');
  });

  test('a failed test fails the run, the others still run', async () => {
    const failing = { exitCode: 1, report: report(['passed', 'failed', 'skipped']) };
    const { code, lines, ran } = await run({ results: { unit: failing } });
    expect(ran).toHaveLength(3);
    expect(code).toBe(1);
    expect(lines).toContain('  a.test.ts: test 2');
    expect(lines.at(-1)).toBe('5 passed, 1 failed, 1 skipped');
  });

  test('what the machine lacks is left out with its reason, and the run passes', async () => {
    const { code, lines, ran } = await run({ state: { editor: lacking } });
    expect(ran).toEqual(['unit', 'integration']);
    expect(lines).toContain('Left out: end-to-end tests in the real editor, because no Chromium');
    expect(lines.at(-1)).toBe('4 passed, 0 failed');
    expect(code).toBe(0);
  });

  test('tests of a suite that lack a server are named as well', async () => {
    const { code, lines, ran } = await run({ state: { powercontext: { ...lacking, reason: 'no Python' } } });
    expect(ran).toHaveLength(3);
    expect(lines).toContain('Left out: tests against a real PowerContext Server, because no Python');
    expect(code).toBe(0);
  });

  test.each(['editor', 'powercontext'] as const)('with CI=true nothing may be left out: %s', async (name) => {
    const { code, lines } = await run({ ci: true, state: { [name]: lacking } });
    expect(code).toBe(1);
    expect(lines.at(-2)).toContain('this run has failed');
  });

  test('a set-up that broke fails the run anywhere', async () => {
    const { code } = await run({ state: { editor: { ready: false, broken: true, reason: 'TypeError' } } });
    expect(code).toBe(1);
  });

  test('only what the chosen suites need is prepared', async () => {
    expect((await run({ suites: chooseSuites(['unit']) })).prepared).toEqual([]);
    expect((await run({ suites: chooseSuites(['integration']) })).prepared).toEqual(['powercontext']);
    expect((await run({ suites: chooseSuites(['e2e']) })).prepared).toEqual(['editor', 'powercontext']);
  });

  test('a run that ran nothing has not passed', async () => {
    const { code, lines } = await run({ suites: chooseSuites(['e2e']), state: { editor: lacking } });
    expect(lines.at(-1)).toBe('0 passed, 0 failed');
    expect(code).toBe(1);
  });
});
