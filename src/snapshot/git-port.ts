import type { GitState } from './types.ts';

/**
 * What the snapshot room needs of git, read-only. The adapter is `git.ts`; every implementation passes the contract
 * suite `test/support/contracts/git-repository.ts`. Paths are as `pathFromBytes` gives them, relative to `toplevel`.
 *
 * Every method throws a ProjectAnchorError: `git_missing` (no program), `git_unsafe` (git refuses the owner of the
 * folder), `git_too_old` (the repository needs a newer git), `git_timeout`, or `git_failed` with git's own words.
 */
export interface GitRepository {
  readonly place: GitPlace;
  /** HEAD, upstream and what differs from it. Never refreshes the index on disk. */
  status(): Promise<GitStatus>;
  /** What the index holds, in byte order of paths; a conflicted path once. */
  tracked(): Promise<readonly TrackedFile[]>;
  /** A value that changes whenever the index does; null when there is none yet. */
  indexStamp(): Promise<string | null>;
  /** Commits reachable from `commit`, newest first, at most `limit`. */
  log(commit: string, limit: number): Promise<readonly Commit[]>;
  /**
   * Commits reachable from `until` but not from `since` (null: all), newest first, at most `limit`, with the paths they
   * changed.
   */
  commitsSince(since: string | null, until: string, limit: number): Promise<readonly CommitWithPaths[]>;
  /** The same of certain commits, in the order given. */
  withPaths(commits: readonly string[]): Promise<readonly CommitWithPaths[]>;
  /** What each of two commits has behind it that the other has not; at most `limit` in all, the newest. */
  divergence(before: string, now: string, limit: number): Promise<Divergence>;
  /** Where HEAD went of late, from the end of its reflog; empty where none is kept. */
  headMoves(): Promise<readonly HeadMove[]>;
  /** The full commit id of a revision, or null when there is none such. */
  resolve(revision: string): Promise<string | null>;
  config(): Promise<GitConfig>;
  /** Those of the full ref names that exist, symbolic ones with what they point to. */
  refs(names: readonly string[]): Promise<ReadonlyMap<string, string | null>>;
  /** Whether git ignores a path that it does not track. */
  isIgnored(path: string): Promise<boolean>;
  /** What is under way. */
  operation(): Promise<GitState['operation']>;
  /** A value that names the shallow boundary, or null in a full clone. */
  shallowStamp(): Promise<string | null>;
  /**
   * Commits that changed one file, from `commit` backwards and through renames of it, newest first, at most `limit`. A
   * merge counts when the file in it is none of its parents'. Behind them there may be commits of other files, such as
   * one that it was copied from.
   * @param path well-formed: a name that is not UTF-8 cannot be given to git, and has no commits here
   */
  fileLog(commit: string, path: string, limit: number): Promise<readonly CommitWithFiles[]>;
  /** Certain commits with all that they changed, in the order given; a merge against its first parent. */
  changes(commits: readonly string[]): Promise<readonly CommitWithFiles[]>;
  /**
   * Commits that are no merges, reachable from `until` but not from `since` (null: all), newest first, at most `limit`.
   * Only renames without a change count as renames, and bodies are left out.
   * @param from none before this time, in ms
   */
  changesSince(since: string | null, until: string, limit: number, from?: number): Promise<readonly CommitWithFiles[]>;
  /** Who made commits since a time (ms) on any branch that is here; keys as those of `CommitWithFiles.authors`. */
  authorsSince(from: number): Promise<ReadonlySet<string>>;
  /** Who wrote the lines that a file has in a commit; keys as above. */
  lineAuthors(commit: string, path: string): Promise<ReadonlySet<string>>;
  /**
   * Texts of blobs by their ids. Left out is what is over 1 MiB, binary or not UTF-8, and what a partial clone has
   * not fetched: nothing is fetched here.
   */
  texts(blobs: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

/** Finds repositories. */
export interface Git {
  /** The repository that a folder is in, or null when it is in none. Same errors as GitRepository. */
  open(folder: string): Promise<GitRepository | null>;
}

/** Absolute real paths. */
export interface GitPlace {
  /** Root of the working tree; of a bare repository its git directory. */
  readonly toplevel: string;
  /** `.git/worktrees/x` in a linked worktree. */
  readonly gitDir: string;
  /** What worktrees share. */
  readonly commonDir: string;
  readonly bare: boolean;
}

export interface GitStatus {
  /** Null before the first commit. */
  readonly commit: string | null;
  /** Null when detached. */
  readonly branch: string | null;
  readonly upstream?: { readonly name: string; readonly ahead: number; readonly behind: number };
  readonly entries: readonly StatusEntry[];
  /** Changes whenever anything of the above does. */
  readonly stamp: string;
}

export interface StatusEntry {
  readonly path: string;
  /** One letter of git's short format for the index side, `.` when it equals HEAD; `?` when untracked. */
  readonly staged: string;
  /** The same for the working tree against the index. */
  readonly unstaged: string;
  readonly conflicted: boolean;
  /** Where it was renamed or copied from. */
  readonly from?: string;
  /** For a submodule: whether it has changes or untracked files of its own. */
  readonly submodule?: { readonly dirty: boolean };
}

export interface TrackedFile {
  readonly path: string;
  readonly kind: 'file' | 'link' | 'submodule';
  /** Blob id, or the commit of a submodule. */
  readonly oid: string;
  /** Left out of the working tree by a sparse checkout. */
  readonly sparse?: true;
  /** Bytes on disk while git holds it clean, where that is known without a look. */
  readonly size?: number;
}

export interface Commit {
  readonly commit: string;
  readonly subject: string;
  /** Commit time in ms. */
  readonly at: number;
}

export interface CommitWithPaths extends Commit {
  /** In byte order; for a merge, against its first parent. */
  readonly paths: readonly string[];
}

/** What a commit did to a file. Links and submodules are none. */
export interface ChangedFile {
  readonly path: string;
  /** Where it was renamed from. */
  readonly from?: string;
  /** The blob before in each parent that it was compared with; null where there was none. */
  readonly before: readonly (string | null)[];
  /** The blob after; null when it was deleted. */
  readonly after: string | null;
}

export interface CommitWithFiles extends Commit {
  /** The message behind the subject, as it is: it may hold anything, so it passes the gate before it is given out. */
  readonly body: string;
  /** Who wrote and who committed it, as keys that tell nobody whose they are; the same for the same address. */
  readonly authors: readonly string[];
  readonly files: readonly ChangedFile[];
}

export interface BlobSize {
  readonly oid: string;
  /** In bytes. */
  readonly size: number;
}

/** A commit with what is kept when it is rewritten, and what is not. */
export interface BranchCommit {
  readonly commit: string;
  readonly parents: readonly string[];
  /** Id of its tree: equal trees hold the same files. */
  readonly tree: string;
  /** The author's name. */
  readonly author: string;
  /** When it was first written, in ms; amending and rebasing keep it. */
  readonly authoredAt: number;
  readonly subject: string;
}

/** Oldest first. */
export interface Divergence {
  /** Only before. */
  readonly gone: readonly BranchCommit[];
  /** Only now. */
  readonly made: readonly BranchCommit[];
}

/** One line of HEAD's reflog. */
export interface HeadMove {
  readonly from: string;
  readonly to: string;
  /** What git wrote: `commit (amend): subject`, `rebase (pick): subject`, ... */
  readonly action: string;
}

export interface GitConfig {
  /** By name; the URL is the first one, after `url.*.insteadOf`. */
  readonly remotes: ReadonlyMap<string, string>;
  /** `init.defaultBranch`. */
  readonly defaultBranch?: string;
  /** Objects are fetched when needed. */
  readonly partial: boolean;
}
