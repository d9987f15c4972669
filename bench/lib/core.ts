import { createRequire } from 'node:module';
import { join } from 'node:path';

/** What is shipped, not the sources: the bundle that the command line runs on. */
export type Core = typeof import('../../src/agents/core.ts');

export const DIST = join(import.meta.dirname, '..', '..', 'dist');

export function loadCore(): Core {
  return createRequire(import.meta.url)(join(DIST, 'core.js')) as Core;
}
