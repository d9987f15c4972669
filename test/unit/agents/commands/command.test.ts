import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { coloursOn } from '../../../../src/agents/commands/command.ts';
import { levelFrom, stderrLogger } from '../../../../src/agents/commands/diagnostics.ts';

describe('colours', () => {
  test.each([
    [{ isTTY: true }, {}, true],
    [{ isTTY: true }, { NO_COLOR: '' }, true],
    [{ isTTY: true }, { NO_COLOR: '1' }, false],
    [{ isTTY: true }, { TERM: 'dumb' }, false],
    [{ isTTY: false }, {}, false],
    [{}, { FORCE_COLOR: '1' }, false],
  ])('%j with %j: %s', (stream, env, on) => {
    expect(coloursOn(stream, env)).toBe(on);
  });
});

test('diagnostics are shown from a level on, one line each', () => {
  const stderr = new PassThrough();
  const logger = stderrLogger(stderr, levelFrom({ PROJECT_ANCHOR_LOG: 'warn' }) ?? 'none');
  logger.info('not shown');
  logger.warn('two\n  lines');
  logger.error('bad');
  stderrLogger(stderr, 'none').error('never');
  expect(String(stderr.read())).toBe('warn: two lines\nerror: bad\n');
  expect(levelFrom({ PROJECT_ANCHOR_LOG: 'loud' })).toBeUndefined();
});
