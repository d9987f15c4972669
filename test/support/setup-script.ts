import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const SCRIPTS = join(import.meta.dirname, '..', '..', 'scripts');

/** What a set-up script says about this machine: the paths of what it installed, or why it could not. */
export type SetUp =
  | { readonly ready: true; readonly folder: string; readonly [path: string]: string | true }
  | { readonly ready: false; readonly reason: string };

/**
 * Runs `scripts/<name>.mjs --json`: installs on the first call, answers at once afterwards.
 * Where a piece is missing the suites that need it are left out, and say why; with `CI` set that is a failure.
 */
export async function setUp(name: 'setup-editor' | 'setup-powercontext'): Promise<SetUp> {
  const script = join(SCRIPTS, `${name}.mjs`);
  const answer = await promisify(execFile)(process.execPath, [script, '--json']).then(
    ({ stdout }) => stdout,
    (error: { stdout?: string; message: string }) =>
      error.stdout || JSON.stringify({ ready: false, reason: error.message }),
  );
  const result = JSON.parse(answer) as SetUp;
  if (!result.ready && process.env['CI'] !== undefined && process.env['CI'] !== 'false') {
    throw new Error(`${name}: ${result.reason}`);
  }
  return result;
}
