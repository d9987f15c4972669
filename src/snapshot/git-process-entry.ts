/** The git process: starts git for the snapshot worker, from a process that is small and so quick to copy. */
import { silentLogger, systemClock } from '../base/index.ts';
import { serveGit } from './git-process.ts';
import { runGit, TIMEOUT_MS } from './git-run.ts';
import { goBehindTheEditor } from './priority.ts';

function serve(): void {
  const { ELECTRON_RUN_AS_NODE: _, ...env } = process.env;
  const logger = silentLogger();
  goBehindTheEditor(logger);
  const options = { env, clock: systemClock(), logger, timeoutMs: TIMEOUT_MS };
  serveGit(process, (cwd, args, input) => runGit(options, cwd, args, input));
}

if (process.send !== undefined) serve();
