import { existsSync, renameSync } from 'node:fs';
import { type Clock, timestamp } from '../base/index.ts';
import { explain } from './errors.ts';

/**
 * Renames a damaged database out of the way, with what belongs to it, so that a new one can begin; deletes nothing.
 * Nobody may have it open. Returns where the database went.
 */
export function setAside(file: string, clock: Clock): string {
  const stamp = timestamp(clock.now()).replace(/[-:.]/g, '');
  let target = `${file}.damaged-${stamp}`;
  for (let n = 2; existsSync(target); n++) target = `${file}.damaged-${stamp}-${n}`;
  try {
    // The log first: were it left beside a new database, SQLite would play it into that one.
    for (const suffix of ['-wal', '-shm', '']) {
      if (existsSync(file + suffix)) renameSync(file + suffix, target + suffix);
    }
  } catch (error) {
    throw explain(error, file);
  }
  return target;
}
