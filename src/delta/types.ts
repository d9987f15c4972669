import type {
  CommitInfo,
  Dependencies,
  FileView,
  Focus,
  FocusMap,
  GitHead,
  GitState,
  Outline,
  Tags,
  TagValue,
} from '../snapshot/index.ts';

/** The shapes of protocol §5, word for word. The schemas in `schema.ts` check them at the edges. */

export interface Author {
  /** `user`, or an agent's name with a random tag of this machine. */
  readonly agent: string;
  readonly session: string;
}

/** Any fields of GitState; `null` removes one (protocol §5, `update_git`). */
export type GitPatch = { readonly [K in keyof GitState]?: GitState[K] | null };

export type Op =
  | ({ readonly op: 'add_tag'; readonly target: string; readonly key: string } & TagValue)
  | { readonly op: 'remove_tag'; readonly target: string; readonly key: string; readonly auto?: true }
  | ({ readonly op: 'add_focus'; readonly target: string } & Focus)
  | { readonly op: 'remove_focus'; readonly target: string }
  | ({ readonly op: 'update_git'; readonly workspace: string } & GitPatch)
  | { readonly op: 'update_active'; readonly workspace: string; readonly path: string | null }
  | { readonly op: 'update_outline'; readonly workspace: string; readonly path: string; readonly outline: Outline }
  | { readonly op: 'remove_outline'; readonly workspace: string; readonly path: string }
  | ({ readonly op: 'update_files'; readonly workspace: string; readonly changed: readonly string[] } & FileView)
  | ({ readonly op: 'update_dependencies'; readonly workspace: string; readonly manifest: string } & Dependencies)
  | { readonly op: 'remove_dependencies'; readonly workspace: string; readonly manifest: string }
  | ({ readonly op: 'note_commit'; readonly workspace: string } & CommitRecord)
  | {
      readonly op: 'rewrite_history';
      readonly workspace: string;
      readonly pairs: readonly { readonly old: string; readonly new: string }[];
      readonly more?: number;
    }
  | { readonly op: 'rename_path'; readonly workspace: string; readonly from: string; readonly to: string }
  | { readonly op: 'add_alias'; readonly id: string }
  | { readonly op: 'remove_workspace'; readonly workspace: string }
  | {
      readonly op: 'request';
      readonly id: string;
      readonly action: string;
      readonly target: string;
      readonly by: string;
      /** When it was asked; the delta's `at` when it is left out. `diff` needs it to carry a request over. */
      readonly at?: string;
    }
  | { readonly op: 'resolve_request'; readonly id: string; readonly result: string }
  | { readonly op: 'checkpoint'; readonly seq: number; readonly stateHash: string };

export type OpName = Op['op'];

export interface CommitRecord {
  readonly commit: string;
  readonly kinds: readonly string[];
  /** At most 50. */
  readonly paths: readonly string[];
  readonly more?: number;
}

export interface RequestRecord {
  readonly action: string;
  readonly target: string;
  readonly by: string;
  readonly at: string;
  readonly result?: string;
}

export interface WorkspaceState {
  readonly git?: GitState;
  readonly active?: string | null;
  readonly files?: FileView;
  readonly outlines?: Readonly<Record<string, Outline>>;
  readonly dependencies?: Readonly<Record<string, Dependencies>>;
  /** The last 20, oldest first. */
  readonly commits?: readonly CommitRecord[];
}

/** What deltas 1..n make of the empty state. Empty maps are left out. */
export interface State {
  readonly schema: 'projectanchor.state.v1';
  /** The anchor's id. */
  readonly anchor: string;
  readonly aliases?: readonly string[];
  readonly tags?: Tags;
  readonly focus?: FocusMap;
  readonly requests?: Readonly<Record<string, RequestRecord>>;
  readonly workspaces?: Readonly<Record<string, WorkspaceState>>;
}

/** A delta as its author makes it: everything but what the log assigns. */
export interface DeltaDraft {
  readonly schema: 'projectanchor.delta.v1';
  readonly anchor: string;
  /** UUIDv7 by the author. */
  readonly id: string;
  readonly author: Author;
  readonly at: string;
  /** The seq the author had seen; marks carry it. */
  readonly base?: number;
  readonly snapshot?: string;
  /** 1..256 operations, at most 128 KiB. */
  readonly ops: readonly Op[];
}

export interface Delta extends DeltaDraft {
  readonly seq: number;
  readonly prev: string;
  readonly hash: string;
}

/** A place in a chain. `{seq: 0, hash: genesisHash(anchor)}` is the beginning. */
export interface Head {
  readonly seq: number;
  readonly hash: string;
}

export interface Ack extends Head {
  readonly id: string;
}

export interface StateView {
  readonly seq: number;
  readonly hash: string;
  readonly stateHash: string;
  /** Operations authored here that the origin has not acknowledged yet. */
  readonly pending: number;
  readonly state: State;
  /** The log goes on after `seq`, but this program cannot follow it: why, and what to do. Nothing may be appended then. */
  readonly stopped?: { readonly code: string; readonly message: string };
}

export interface VerifyReport {
  readonly ok: boolean;
  /** seq that verification started after; 0 = genesis. */
  readonly base: number;
  readonly deltas: number;
  readonly head: Head;
  readonly pending: number;
  /** How many receipts were verified. */
  readonly receipts: number;
  /** First bad seq, or the number of the first bad receipt when every delta is in order; why is in `reason`. */
  readonly firstBad?: number;
  readonly reason?: string;
  readonly need?: 'witness' | 'peer';
}

export type { CommitInfo, GitHead };
