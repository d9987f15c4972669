// What changed: operations, the pure reducer, diffs, the hash chain, the log, the hub and its client.
// It knows nothing of git, editors or models: it moves operations.
// Exports the delta types, the reducer, the LogService and what the command line needs to run a hub.
export type * from './log-port.ts';
export type * from './service.ts';
export type * from './types.ts';
