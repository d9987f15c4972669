/** The shapes of protocol §2 and §3, word for word. The schemas in `schema.ts` check them at the edges. */

/** Which project: one id shared by every tool, window, clone and worktree. The id is opaque: never parse it. */
export interface Anchor {
  readonly id: string;
  readonly repository: string;
  readonly mainBranch: string;
  readonly attachedAt: string;
}

/** An anchor seen from one working tree on this disk. */
export interface ProjectIdentity {
  readonly anchor: Anchor;
  readonly aliases: readonly string[];
  /** 32 hex: this working tree on this machine (protocol §2). */
  readonly workspace: string;
  /** Real path of the working tree's root; the folder itself where there is no repository. */
  readonly toplevel: string;
  /** Absolute git directory of this working tree (`.git/worktrees/x` in a linked one), or null without a repository. */
  readonly gitDir: string | null;
  /** Absolute git directory that worktrees share, or null without a repository. */
  readonly commonDir: string | null;
}

export type Trigger = 'commit' | 'editor' | 'mark' | 'interval' | 'hook' | 'agent' | 'manual';

export interface GitHead {
  readonly kind: 'branch' | 'detached' | 'unborn' | 'none';
  readonly branch?: string;
  readonly commit?: string;
}

export interface GitState {
  readonly head: GitHead;
  readonly upstream?: { readonly name: string; readonly ahead: number; readonly behind: number };
  readonly staged: readonly string[];
  readonly stagedMore?: number;
  readonly unstaged: readonly string[];
  readonly unstagedMore?: number;
  readonly untracked: readonly string[];
  readonly untrackedMore?: number;
  readonly conflicted: readonly string[];
  readonly conflictedMore?: number;
  readonly operation?: 'merge' | 'rebase' | 'cherry-pick' | 'revert' | 'bisect';
  /** hash of the full ids of the last commits, newest first, at most 10; of `[]` when there is none. */
  readonly history: string;
  readonly bounded?: true;
  readonly lastCommit?: CommitInfo;
  readonly submodules: readonly { readonly path: string; readonly commit: string; readonly dirty: boolean }[];
}

export interface CommitInfo {
  readonly commit: string;
  readonly subject: string;
  readonly at: string;
  readonly kinds: readonly string[];
}

export interface FileView {
  readonly count: number;
  readonly bytes: number;
  readonly byLanguage: Readonly<Record<string, number>>;
  /** Hash of the root directory node. */
  readonly tree: string;
  readonly truncated?: true;
}

export interface DirectoryEntry {
  readonly name: string;
  readonly kind: 'file' | 'directory' | 'link' | 'submodule';
  /** Bytes; 0 for directories. */
  readonly size: number;
  readonly language?: string;
  readonly oid?: string;
  readonly node?: string;
}

/** Stored once under its hash; entries in byte order of names. */
export interface DirectoryNode {
  readonly entries: readonly DirectoryEntry[];
}

export type OutlineKind =
  | 'function'
  | 'class'
  | 'method'
  | 'constructor'
  | 'getter'
  | 'setter'
  | 'property'
  | 'interface'
  | 'type'
  | 'enum'
  | 'namespace'
  | 'constant'
  | 'variable';

export interface OutlineItem {
  readonly kind: OutlineKind;
  readonly name: string;
  /** 1-based inclusive lines; decorators belong to the range. */
  readonly start: number;
  readonly end: number;
  /** Declaration without its body, one line, at most 200 code points. */
  readonly signature?: string;
  readonly exported?: true;
  /** Name of the enclosing item (`Outer.Inner` when nested). */
  readonly of?: string;
}

export interface Outline {
  readonly language: string;
  readonly lines: number;
  readonly stale?: true;
  readonly items: readonly OutlineItem[];
  readonly more?: number;
}

export interface Dependencies {
  readonly manager: string;
  readonly digest: string;
  readonly direct: Readonly<Record<string, string>>;
}

export interface TagValue {
  readonly value: string;
  readonly by: string;
  readonly at: string;
  readonly source: 'user' | 'agent' | 'auto';
  readonly pinned?: true;
}

export interface TagSlot {
  readonly set?: TagValue;
  readonly auto?: TagValue;
}

export interface Focus {
  readonly by: string;
  readonly at: string;
  readonly pinned?: true;
  readonly symbol?: string;
  readonly linesHash?: string;
}

/** target → key → slot (protocol §5, State.tags). */
export type Tags = Readonly<Record<string, Readonly<Record<string, TagSlot>>>>;
/** target → focus (protocol §5, State.focus). */
export type FocusMap = Readonly<Record<string, Focus>>;

export interface Marks {
  readonly tags: Tags;
  readonly focus: FocusMap;
}

export interface Snapshot {
  readonly schema: 'projectanchor.snapshot.v1';
  readonly id: string;
  /** The anchor's id. */
  readonly anchor: string;
  readonly workspace: string;
  readonly takenAt: string;
  readonly trigger: Trigger;
  readonly parent: string | null;
  readonly git: GitState;
  readonly files: FileView;
  readonly active: string | null;
  readonly outlines: Readonly<Record<string, Outline>>;
  readonly dependencies: Readonly<Record<string, Dependencies>>;
  readonly marks: Marks;
  readonly degraded: readonly string[];
}

/** One import of a file, resolved as far as the project allows. */
export interface ImportFact {
  /** The text between the quotes. */
  readonly module: string;
  /** Imported names as exported there (`default`, `*` for a namespace). */
  readonly names: readonly string[];
  /** 1-based line of the import. */
  readonly line: number;
  /** The project file it resolves to, when it is one. */
  readonly path?: string;
  /** That file's outline on disk. */
  readonly outline?: Outline;
  /** Name and version when it is a dependency of this project. */
  readonly dependency?: DependencyInScope & {
    /** What the manifest asks for, where the version is the one of the lock file. */
    readonly range?: string;
  };
}

/** A dependency that a manifest above a file declares. */
export interface DependencyInScope {
  readonly name: string;
  /** The locked version where it is known, else the range as written. */
  readonly version: string;
  /** Path of the manifest. */
  readonly manifest: string;
}

/** One manifest of a project with what it declares and what is locked. */
export interface ManifestFacts {
  readonly path: string;
  /** Null when the manifest cannot be read. */
  readonly dependencies: Dependencies | null;
  /** Name → version, of those dependencies that the lock file has. */
  readonly locked: Readonly<Record<string, string>>;
  /** Path of the lock file that counts. */
  readonly lockFile?: string;
  /** Degraded code of the manifest or its lock file, such as `malformed:package.json`. */
  readonly degraded?: string;
}

/** A type that a file works with, where it is declared. */
export interface TypeFact {
  /** Its name there. */
  readonly name: string;
  readonly path: string;
  /** The type itself, then its members. */
  readonly items: readonly OutlineItem[];
}

/** A file that imports another one. */
export interface ImporterFact {
  readonly path: string;
  /** 1-based line of the import there. */
  readonly line: number;
  /** What it takes, as exported by the file that is imported; `*` for everything. */
  readonly names: readonly string[];
}

/** Where a file comes from that nobody writes by hand here. */
export interface Origin {
  readonly kind: 'generated' | 'vendored';
  /** Part of a sentence for people: `its header says "Code generated by protoc"`. It may quote the file. */
  readonly why: string;
}

/** What a model request about one file needs, all held in memory before the request is made. */
export interface FileFacts {
  readonly path: string;
  readonly language: string;
  readonly outline: Outline | null;
  readonly imports: readonly ImportFact[];
  /** Dependencies of all manifests above the file, whatever its language; at most 400. */
  readonly inScope?: readonly DependencyInScope[];
  /** Types in the signatures of what it imports and declares that it does not import itself; at most 20. */
  readonly types?: readonly TypeFact[];
  /** Files that import it, as far as the index of the project is; at most 30. */
  readonly importedBy?: readonly ImporterFact[];
  /** Where it comes from when nobody writes it by hand here. */
  readonly origin?: Origin;
  /** Degraded codes that concern this file, such as `parse_error:src/a.ts`. */
  readonly degraded: readonly string[];
}
