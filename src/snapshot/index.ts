// What is true of a project now: its anchor, git state, file view, outlines, tags and the gate that decides what may leave.
// It never writes to the user's repository, never follows a link out of it and never keeps file contents.
// Exports the snapshot types, the SnapshotService and the helpers that read marks, tags and targets.
export { anchorId, localRepository, workspaceId } from './anchor.ts';
export type { IndexState } from './code-index/index.ts';
export { commitKinds } from './commit-kinds.ts';
export { describeBounded } from './commits/bounded.ts';
export type {
  AutoTag,
  AutoTagKey,
  AutoTagOptions,
  AutoTags,
  CommitSymbols,
  FileSymbols,
  SymbolChange,
  TogetherFile,
  Why,
  WhyCommit,
} from './commits/index.ts';
export { COMPACT_MAX, type CompactSnapshot, compact } from './compact.ts';
export { createSnapshotService, DEFAULT_SETTINGS, type SnapshotServiceOptions } from './create-service.ts';
export { credentialIn } from './credentials.ts';
export { DEGRADED_CODES, describeDegraded } from './degraded.ts';
export type { FileImports } from './file-imports.ts';
export { createGate, type Gate, type GateCode, type GateVerdict, loadGate, MAX_FILE_BYTES } from './gate.ts';
export { findHooks, type HooksPlace } from './git-hooks.ts';
export { isOutlined, languageOf } from './languages.ts';
export {
  type FocusInForce,
  focusFor,
  type LineRange,
  linesHash,
  locateLines,
  symbolName,
  type TagInForce,
  tagsInForce,
  targetsAbove,
  targetsWithin,
  weight,
} from './marks.ts';
export { unpackSnapshot } from './pack.ts';
export { chooseRemote, normaliseRemote } from './remotes.ts';
export { parseDirectoryNode, parseOutline, parseSnapshot } from './schema.ts';
export type * from './service.ts';
export { MAX_PAIRS } from './service.ts';
export { SourceReader } from './source-reader.ts';
export { normaliseTag, type ParsedTags, parseTags, type Tag, type TagDictionary } from './tags.ts';
export {
  decodePath,
  encodePath,
  formatTarget,
  parseTarget,
  pathProblem,
  type Target,
  targetPath,
} from './targets.ts';
export { thinDaily } from './thinning.ts';
export type * from './types.ts';
export { connectSnapshotWorker, type SnapshotWorkerOptions } from './worker-client.ts';
