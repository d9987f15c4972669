import type { IndexState } from './code-index/index.ts';
import type { AutoTagOptions, AutoTags, CommitSymbols, TogetherFile, Why } from './commits/index.ts';
import type { FileImports } from './file-imports.ts';
import type {
  CommitInfo,
  FileFacts,
  ManifestFacts,
  Marks,
  Origin,
  Outline,
  ProjectIdentity,
  Snapshot,
  Trigger,
} from './types.ts';

/** What the person has open and marked; the builder decides from it which outlines a snapshot carries. */
export interface EditorView {
  /** Path of the active editor relative to the workspace root, or null. */
  readonly active: string | null;
  readonly open: readonly string[];
}

export interface TakeRequest {
  /** Any folder or file of the working tree. */
  readonly folder: string;
  readonly trigger: Trigger;
  readonly editor: EditorView;
  /** Marks as the caller's state has them; copied into the snapshot for reading. */
  readonly marks: Marks;
  /**
   * `known`: without the outlines for which the parser would have to load first; how many is in `waiting`. `all` by
   * default.
   */
  readonly outlines?: 'all' | 'known';
  /** What git's post-rewrite hook said; without it, what was replaced is found out from git. */
  readonly rewritten?: readonly CommitPair[];
}

/** A commit and the one that stands in its place since an amend, a rebase or a force-push. Full ids. */
export interface CommitPair {
  readonly old: string;
  readonly new: string;
}

/** Most pairs that are told at once (protocol §5, `rewrite_history`). */
export const MAX_PAIRS = 500;

/** What was replaced since the previous snapshot. */
export interface Rewritten {
  /** Oldest first, at most `MAX_PAIRS`, the newest ones; several olds have the same new one when they were squashed. */
  readonly pairs: readonly CommitPair[];
  /** How many older ones are left out. */
  readonly more?: number;
}

/** A commit that HEAD moved to since this workspace's previous snapshot, oldest first. */
export interface NotedCommit extends CommitInfo {
  readonly paths: readonly string[];
  readonly more?: number;
}

export interface TakenSnapshot {
  readonly snapshot: Snapshot;
  /** False when it equals the workspace's previous one (protocol §3): then nothing was stored and `snapshot` is the previous one. */
  readonly stored: boolean;
  /**
   * Commits made since the previous snapshot (empty for the first), oldest first, at most 20; those that only replace
   * others are in `rewritten` instead.
   */
  readonly commits: readonly NotedCommit[];
  /** Commits of the branch that were replaced since the previous snapshot. */
  readonly rewritten: Rewritten;
  /** Paths whose entries differ from the previous snapshot's tree, at most 50. */
  readonly changed: readonly string[];
  /** How many outlines wait for the parser, or are from before: the next snapshot with all of them has them. */
  readonly waiting?: number;
  readonly ms: number;
}

export interface SnapshotSettings {
  /** `projectAnchor.snapshot.mainBranch`, empty = decide. */
  readonly mainBranch: string;
  /** `projectAnchor.snapshot.exclude`, glob patterns. */
  readonly exclude: readonly string[];
  /** `projectAnchor.context.signatures`: signatures in outlines. */
  readonly signatures: boolean;
  /** `projectAnchor.tags.dictionary`: phrase → `key: value`. */
  readonly dictionary: Readonly<Record<string, string>>;
}

/**
 * Everything about what is true of a project, behind one asynchronous door.
 * The same interface is served in process (command line) and from the snapshot worker (editor).
 */
export interface SnapshotService {
  configure(settings: SnapshotSettings): Promise<void>;
  /** Which project a folder or file belongs to; attaches the anchor on first sight. */
  identify(folder: string): Promise<ProjectIdentity>;
  /** Takes a snapshot and stores it when it differs from the workspace's previous one. One in flight per workspace. */
  take(request: TakeRequest): Promise<TakenSnapshot>;
  /**
   * Facts about one file. `text` is the unsaved text of an editor, or null to read the disk.
   * Outlines that do not parse fall back to the last good one, marked stale.
   */
  facts(folder: string, path: string, text: string | null): Promise<FileFacts>;
  /**
   * What a file on disk imports and who imports it.
   * @param complete brings the index of the whole tree up to date first, which takes seconds the first time
   */
  imports(folder: string, path: string, complete: boolean): Promise<FileImports>;
  /**
   * The index of the whole tree: brings it up to date, says how far it is, or ends a pass that is under way; what that
   * has read is kept.
   */
  index(folder: string, work: 'run' | 'look' | 'cancel'): Promise<IndexState>;
  /** Every manifest of the project as it is on disk, with what it declares and what is locked, in byte order of paths. */
  dependencies(folder: string): Promise<readonly ManifestFacts[]>;
  /** The outline of a file on disk. Errors are sentences: not UTF-8, too large, minified, denied, outside the project. */
  outline(folder: string, path: string): Promise<Outline>;
  /** Where a file on disk comes from when nobody writes it by hand here: generated or vendored, with the reason. */
  origin(folder: string, path: string): Promise<Origin | null>;
  /**
   * The commits that made or changed a file or a symbol of it, newest first, with their messages.
   * @param symbol full name, or the end of it when that is the only one; null for the file as a whole
   */
  why(folder: string, path: string, symbol: string | null): Promise<Why>;
  /** What a commit did, by symbols; `revision` as git names it. */
  commitSymbols(folder: string, revision: string): Promise<CommitSymbols>;
  /** Files that changed in the same commits as one, the most often first. */
  together(folder: string, path: string): Promise<readonly TogetherFile[]>;
  /** One round of working out the tags that follow from code and history, a second or so: asked again until `done`. */
  autoTags(folder: string, options: AutoTagOptions): Promise<AutoTags>;
  /** A stored snapshot: `latest`, `latest~N`, an id, or a git revision (its snapshot, else the nearest before it). */
  show(folder: string, ref: string): Promise<Snapshot>;
  /** The file table of a stored snapshot, one entry per file with its full path. */
  files(folder: string, ref: string): Promise<readonly FileRow[]>;
  dispose(): Promise<void>;
}

export interface FileRow {
  readonly path: string;
  readonly size: number;
  /** ISO time of last modification, or null when it was not read. */
  readonly mtime: string | null;
  readonly language: string | null;
}
