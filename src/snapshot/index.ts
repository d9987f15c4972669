// What is true of a project now: its anchor, git state, file view, outlines, tags and the gate that decides what may leave.
// It never writes to the user's repository, never follows a link out of it and never keeps file contents.
// Exports the snapshot types, the SnapshotService and the helpers that read marks, tags and targets.
export type * from './service.ts';
export { encodePath, formatTarget, parseTarget, pathProblem, type Target, targetPath } from './targets.ts';
export type * from './types.ts';
