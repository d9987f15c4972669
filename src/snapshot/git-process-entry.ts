/** The git process: starts git for the snapshot worker, from a process that is small and so quick to copy. */
import { silentLogger, systemClock } from '../base/index.ts';
import { serveGit } from './git-process.ts';
import { runGit, TIMEOUT_MS } from './git-run.ts';

function serve(): void {
  const { ELECTRON_RUN_AS_NODE: _, ...env } = process.env;
  const options = { env, clock: systemClock(), logger: silentLogger(), timeoutMs: TIMEOUT_MS };
  serveGit(process, (cwd, args, input) => runGit(options, cwd, args, input));
}

if (process.send !== undefined) serve();
