import { appendFileSync } from 'node:fs';

/** Reports that something happened, for whoever watches the extension from outside (the end-to-end tests). */
export type Observe = (event: string, fields?: Readonly<Record<string, unknown>>) => void;

/**
 * Writes what happens as JSON lines `{t, event, ...}` to the file that `PROJECT_ANCHOR_TEST_LOG` names, `t` in wall
 * milliseconds. Does nothing without the variable. Never given a secret, a prompt or an answer.
 */
export function createObserver(env: NodeJS.ProcessEnv, now: () => number): Observe {
  const file = env['PROJECT_ANCHOR_TEST_LOG'];
  if (file === undefined || file === '') return () => undefined;
  // Synchronous on purpose: the order of the lines is the order of the events, even if the host is killed.
  return (event, fields = {}) => appendFileSync(file, `${JSON.stringify({ t: now(), event, ...fields })}\n`);
}
