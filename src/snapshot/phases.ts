import { channel } from 'node:diagnostics_channel';

/** Where phases are told: `{ name, start, end }`, monotonic ms. */
const PHASES = 'project-anchor.snapshot';

/** What a snapshot spends its time on. Some overlap: files are listed and parsed while git looks. */
export type Phase =
  | 'take'
  | 'status'
  | 'log'
  | 'commits'
  | 'index'
  | 'listing'
  | 'outlines'
  | 'manifests'
  | 'pack'
  | 'store';

/** Runs a part of a snapshot and tells how long it took, to whoever measures; to nobody it costs nothing. */
export function phase<T>(name: Phase, work: () => T): T {
  const told = channel(PHASES);
  if (!told.hasSubscribers) return work();
  const start = performance.now();
  const tell = () => told.publish({ name, start, end: performance.now() });
  const result = work();
  if (result instanceof Promise) {
    result.then(tell, tell);
  } else {
    tell();
  }
  return result;
}
