import type { Disposable, Event } from '../base/index.ts';
import type { DeltaBatch } from '../delta/index.ts';
import type { Injected, InjectRequest } from '../inject/index.ts';
import type { Anchor, Snapshot } from '../snapshot/index.ts';

/** What is needed of an editor's `Uri`; `vscode.Uri` is one. */
export interface FileUri {
  readonly scheme: string;
  /** Absolute path on this machine. */
  readonly fsPath: string;
}

/**
 * What the extension's `activate()` returns, so that another extension can put this project's context into its own
 * model requests:
 *
 * ```ts
 * const anchor = vscode.extensions.getExtension<ProjectAnchorApi>('project-anchor.project-anchor');
 * const { request } = await (await anchor.activate()).inject({ type: 'explain', file, language, selection });
 * ```
 *
 * Every method rejects with an error whose `code` is `restricted` while the workspace is not trusted, and `outside` for a
 * file of no open folder. Nothing here sends anything to anyone.
 */
export interface ProjectAnchorApi extends Disposable {
  /** Changes only when something here changes its meaning. */
  readonly version: 1;
  /** Which project a file or folder belongs to. */
  anchor(uri: FileUri): Promise<Anchor>;
  /** The latest snapshot of the working tree around a file or folder; takes one when there is none yet. */
  snapshot(uri: FileUri): Promise<Snapshot>;
  /**
   * Fills in the request's `context` and records the receipt. `file` is absolute here; a chat without a file goes to the
   * project of the active editor, else of the first folder.
   */
  inject<R extends InjectRequest>(request: R): Promise<Injected<R>>;
  /** Verified deltas of the open projects, in order per project. */
  readonly onDelta: Event<DeltaBatch>;
  /** Ends this caller's subscriptions; the extension itself goes on. */
  dispose(): void;
}
