import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

/**
 * What all files of a test run share, in a folder that goes with the run: Node's compiled form of whatever is started,
 * because each test has a data folder of its own and the program's own cache in there is never warm; the build of the
 * command line (`builtCommandLine`); the extension in the editor (`installedProduct`).
 */
export default function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'pa-run-'));
  process.env['PROJECT_ANCHOR_TEST_RUN'] = folder;
  process.env['NODE_COMPILE_CACHE'] = join(folder, 'compile-cache');
  // Under `vitest --watch` the sources have changed.
  project.onTestsRerun(() => {
    for (const name of ['dist', 'product']) rmSync(join(folder, name), { recursive: true, force: true });
  });
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
