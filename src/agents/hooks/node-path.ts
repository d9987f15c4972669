import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureDataFolder } from '../../store/index.ts';

/**
 * Records which Node runs this, where the launcher looks for it: a git client without a terminal may not have any on its
 * PATH. One that is recorded and still there stays.
 */
export function recordNode(data: string, execPath: string): void {
  const file = join(data, 'node-path');
  if (existsSync(file) && existsSync(readFileSync(file, 'utf8').trim())) return;
  ensureDataFolder(data);
  writeFileSync(file, `${execPath}\n`, { mode: 0o600 });
}
