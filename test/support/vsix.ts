import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/**
 * The package that the tests install and inspect: the one that `npm test` has just built (PROJECT_ANCHOR_VSIX),
 * else one built now.
 */
export function packagedVsix(): string {
  const given = process.env['PROJECT_ANCHOR_VSIX'];
  if (given !== undefined && given !== '') return given;
  execFileSync(process.execPath, [join(ROOT, 'scripts/package.mjs')], { stdio: ['ignore', 'ignore', 'inherit'] });
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  return join(ROOT, `project-anchor-${version}.vsix`);
}
