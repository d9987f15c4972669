import { expect, test } from 'vitest';
import { ProjectAnchorError } from '../../../src/base/index.ts';
import { explain } from '../../../src/store/errors.ts';

function sqliteError(errcode: number): Error {
  return Object.assign(new Error('from sqlite'), { code: 'ERR_SQLITE_ERROR', errcode });
}

test.each<readonly [number, string]>([
  [5, 'database_busy'],
  [517, 'database_busy'],
  [6, 'database_busy'],
  [8, 'read_only'],
  [1544, 'read_only'],
  [1032, 'database_moved'],
  [10, 'database_io'],
  [778, 'database_io'],
  [14, 'database_io'],
  [11, 'database_corrupt'],
  [267, 'database_corrupt'],
  [26, 'database_corrupt'],
  [13, 'disk_full'],
])('SQLite result %d is %s, with the file and a remedy', (code, expected) => {
  const explained = explain(sqliteError(code), '/data/x.db');
  expect(explained).toMatchObject({ code: expected, message: expect.stringContaining('/data/x.db') });
  expect((explained as ProjectAnchorError).remedy).toBeTruthy();
});

test.each<readonly [string, string]>([
  ['ENOSPC', 'disk_full'],
  ['EACCES', 'read_only'],
  ['EROFS', 'read_only'],
  ['ERR_INVALID_STATE', 'database_closed'],
])('the system’s %s is %s', (code, expected) => {
  expect(explain(Object.assign(new Error('x'), { code }), 'f')).toMatchObject({ code: expected });
});

test('errors of ours and faults of the program pass unchanged', () => {
  for (const error of [new ProjectAnchorError('denied', 'x'), new TypeError('a bug'), sqliteError(19), 'text']) {
    expect(explain(error, 'f')).toBe(error);
  }
});
