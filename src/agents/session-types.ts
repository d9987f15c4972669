import type { Disposable, Event } from '../base/index.ts';
import type { Ack, DeltaBatch, HubStatus, State } from '../delta/index.ts';
import type { Injected, InjectRequest, ProjectView, RecalledText, Receipt } from '../inject/index.ts';
import type {
  CommitPair,
  EditorView,
  FileFacts,
  FileImports,
  Focus,
  Gate,
  ProjectIdentity,
  TagSlot,
  TakenSnapshot,
  TogetherFile,
  Trigger,
  Why,
} from '../snapshot/index.ts';

export interface TagInput {
  readonly key: string;
  readonly value: string;
}

/** A mark as people see it: a focus with its tags, or a target that only has tags. */
export interface MarkView {
  readonly target: string;
  readonly focus: Focus | null;
  readonly tags: Readonly<Record<string, TagSlot>>;
  /** 0..1000: the faded weight in thousandths. */
  readonly weight: number;
}

/** One project on this machine, live: what windows and the command line share. */
export interface ProjectSession extends Disposable {
  readonly identity: ProjectIdentity;
  /** The state replica held in memory, in step with the log. */
  readonly state: State;
  readonly head: { readonly seq: number; readonly hash: string };
  readonly hub: HubStatus;
  /** The latest snapshot of this workspace, or null before the first. */
  readonly latest: TakenSnapshot | null;
  /** What may leave this workspace, as its rules were last read; refuses everything before. */
  readonly gate: Gate;
  readonly onDidChange: Event<void>;
  readonly onDeltas: Event<DeltaBatch>;

  /**
   * Takes a snapshot, stores it and publishes what changed.
   * @param rewritten what git's post-rewrite hook said
   */
  take(
    trigger: Trigger,
    editor: EditorView,
    rewritten?: readonly CommitPair[],
  ): Promise<{ readonly taken: TakenSnapshot; readonly ack: Ack | null }>;
  /**
   * Marks a context focus with any tags, by hand: durable when it resolves.
   * @param text the file as the person sees it, for a target on lines, so that the lines are found again after edits
   */
  mark(target: string, tags: readonly TagInput[], text?: string): Promise<Ack>;
  /** Removes the focus of a target and its set tags. */
  unmark(target: string): Promise<Ack | null>;
  addTags(target: string, tags: readonly TagInput[]): Promise<Ack>;
  removeTag(target: string, key: string): Promise<Ack | null>;
  /**
   * One round of bringing the tags that follow from code and history up to date, a second or so; only what changed is
   * written. Resolves to whether all of them are in the log.
   */
  autoTagRound(): Promise<boolean>;
  /** Marks, heaviest first. */
  marks(): readonly MarkView[];

  /** Computes and keeps the facts of a file; `text` null reads the disk. */
  refreshFacts(path: string, text: string | null): Promise<FileFacts>;
  /** What is kept, without waiting. */
  facts(path: string): FileFacts | null;
  /** What a file on disk imports and who imports it, as far as the index of the project is. */
  imports(path: string): Promise<FileImports>;
  /** Files that changed in the same commits as one, the most often first; none without a repository. */
  together(path: string): Promise<readonly TogetherFile[]>;
  /**
   * The commits that made or changed a file or a symbol of it, newest first.
   * @param symbol full name; null for the file as a whole
   * @throws ProjectAnchorError `no_git`, `no_history`, `no_symbol`, and those of git
   */
  why(path: string, symbol: string | null): Promise<Why>;
  /** What the injector reads, from memory alone. `path` relative, or null. */
  view(path: string | null): ProjectView;
  /**
   * Checks a request without building anything: what is refused here must not be asked anywhere, memory included.
   * @throws ProjectAnchorError `file_refused` or `credential_found`.
   */
  check(request: InjectRequest): void;
  /** Injects and queues the receipt; never waits for the disk. @throws ProjectAnchorError as `check`. */
  inject<R extends InjectRequest>(request: R, recalled?: RecalledText): Injected<R>;
  /** What would be injected, without a receipt in the log. */
  preview<R extends InjectRequest>(request: R, recalled?: RecalledText): Injected<R>;
  /** Resolves when every queued receipt is durable. */
  flushReceipts(): Promise<void>;
  receipts(last: number): Promise<readonly Receipt[]>;
}
