import { basename, dirname } from 'node:path';
import type { ProjectSession } from '../agents/index.ts';
import { type Disposable, disposable, Emitter, type Logger, messageOf, ProjectAnchorError } from '../base/index.ts';
import type { RecallService } from '../inject/index.ts';
import { longestFolder, type ProjectRoot, pathInProject } from './paths.ts';
import type { RepositoryFinder } from './repository-finder.ts';
import type { SnapshotScheduler } from './snapshot-scheduler.ts';

export interface Folder {
  readonly path: string;
  readonly name: string;
}

/** The window's folders and whether they may be touched. */
export interface FolderHost {
  readonly trusted: boolean;
  folders(): readonly Folder[];
}

/** One project of this window, with what belongs to its lifetime. */
export interface Project extends Disposable {
  readonly name: string;
  readonly session: ProjectSession;
  readonly recall: RecallService;
  readonly scheduler: SnapshotScheduler;
  /** Why there is no snapshot, in a sentence; null when the last one worked. */
  readonly problem: string | null;
  /** Why its repository is only looked at now and then; null when it is watched, or there is none. */
  readonly watching: string | null;
  /** The settings may have changed. */
  settingsChanged(): void;
  /** Begins to follow the project, without waiting; called once, and only for a project that the window keeps. */
  start(): void;
}

export interface OpenedProject {
  readonly root: ProjectRoot;
  readonly project: Project;
}

/** A file of a project. */
export interface Located {
  readonly project: Project;
  /** Relative to the working tree, `/`-separated; `''` for its root. */
  readonly path: string;
}

/** How far a folder's project is. */
export type FolderState =
  | { readonly kind: 'closed' }
  | { readonly kind: 'starting'; readonly name: string }
  | { readonly kind: 'failed'; readonly name: string; readonly sentence: string }
  | { readonly kind: 'open'; readonly project: Project };

/**
 * What a project is opened for: a folder of the window, a repository inside of one (a submodule is a project of its own,
 * protocol §2), or the repository around a single file in a window without folders.
 */
type EntryKind = 'folder' | 'inner' | 'single';

interface Entry {
  readonly kind: EntryKind;
  readonly folder: Folder;
  opening: Promise<OpenedProject> | null;
  opened: OpenedProject | null;
  failure: string | null;
}

/**
 * The projects of this window: one per working tree, opened when first used, however many folders lie in it. Nothing is
 * opened before the folders are trusted. Owns the projects and ends those whose last folder is gone.
 */
export class Projects implements Disposable {
  readonly #host: FolderHost;
  readonly #open: (folder: Folder) => Promise<OpenedProject>;
  readonly #finder: RepositoryFinder;
  readonly #logger: Logger;
  readonly #changed: Emitter<void>;
  readonly #entries = new Map<string, Entry>();
  /** Files and folders that were looked for, and the root that each belongs to: for those who cannot wait for a look. */
  readonly #roots = new Map<string, string>();
  /** Projects that were started and not ended yet. */
  readonly #started = new Set<Project>();
  /** Openings follow each other, so that two folders of one working tree find each other. */
  #queue: Promise<unknown> = Promise.resolve();
  /** Counts changes of the window's folders. */
  #generation = 0;
  #disposed = false;

  constructor(
    host: FolderHost,
    open: (folder: Folder) => Promise<OpenedProject>,
    finder: RepositoryFinder,
    logger: Logger,
  ) {
    this.#host = host;
    this.#open = open;
    this.#finder = finder;
    this.#logger = logger;
    this.#changed = new Emitter((error) => logger.error(`A listener failed: ${messageOf(error)}`));
  }

  /** A project was opened or closed, or could not be opened, or it became known where a file belongs. */
  get onDidChange() {
    return this.#changed.event;
  }

  /** Every open project, once. */
  all(): readonly Project[] {
    return [...new Set(this.#opened().map(({ project }) => project))];
  }

  /** Attaches something to every open project, now and later; what it returns is disposed with the project. */
  each(attach: (project: Project) => Disposable): Disposable {
    const attached = new Map<Project, Disposable>();
    const update = () => {
      const open = new Set(this.all());
      for (const [project, attachment] of attached) {
        if (open.has(project)) continue;
        attached.delete(project);
        attachment.dispose();
      }
      for (const project of open) if (!attached.has(project)) attached.set(project, attach(project));
    };
    const following = this.#changed.event(update);
    update();
    return disposable(() => {
      following.dispose();
      for (const attachment of attached.values()) attachment.dispose();
    });
  }

  /**
   * The open project that a file belongs to, from memory. Null until the file was looked for once, by `discover` or
   * `locate`: before, nobody knows whether it lies in a repository inside of another one.
   */
  find(file: string): Located | null {
    const opened = this.#entries.get(this.#rootOf(file) ?? '')?.opened ?? null;
    const path = opened === null ? null : pathInProject(opened.root, file);
    return opened === null || path === null ? null : { project: opened.project, path };
  }

  /** The folder or repository that a file belongs to, from memory, under the same condition as `find`. */
  folderOf(file: string): Folder | null {
    const root = this.#rootOf(file);
    return root === undefined ? null : this.#folderAt(root);
  }

  /**
   * Whether a file of a project's working tree is the project's own, and not that of a repository inside of it. What
   * was never looked for counts as its own.
   */
  owns(project: Project, file: string): boolean {
    const root = this.#rootOf(file);
    return root === undefined || this.#entries.get(root)?.opened?.project === project;
  }

  /** The open project whose working tree begins in a folder. */
  at(toplevel: string): Project | null {
    return this.#opened().find(({ root }) => pathInProject(root, toplevel) === '')?.project ?? null;
  }

  /**
   * Finds out which folder or repository a file or folder belongs to, and remembers it. Opens nothing and starts no
   * process. Null for what is in no folder of the window, or, in a window without folders, in no repository, and before
   * the folders are trusted.
   */
  async discover(file: string): Promise<Folder | null> {
    if (!this.#host.trusted) return null;
    const generation = this.#generation;
    const folders = this.#host.folders().map(({ path }) => path);
    const top = longestFolder(folders, file);
    if (top === null && folders.length > 0) return null;
    const { root, passed } = await this.#finder.ownerOf(file, top);
    if (generation !== this.#generation) return this.discover(file);
    const before = this.#rootOf(file) ?? null;
    for (const path of passed) {
      if (root === null) this.#roots.delete(path);
      else this.#roots.set(path, root);
    }
    if (top !== null) this.#roots.set(top, top);
    if (root !== before) this.#changed.fire();
    return root === null ? null : this.#folderAt(root);
  }

  /**
   * The project that a file or folder belongs to, opened if it was not yet.
   * @throws ProjectAnchorError `restricted`, `outside`, or why the project could not be opened.
   */
  async locate(file: string): Promise<Located> {
    if (!this.#host.trusted) {
      throw new ProjectAnchorError(
        'restricted',
        'This folder is not trusted, so ProjectAnchor does nothing in it.',
        'Run "Workspaces: Manage Workspace Trust" to trust it.',
      );
    }
    const folder = await this.discover(file);
    if (folder !== null) await this.#ensure(folder);
    const located = this.find(file);
    if (located !== null) return located;
    throw new ProjectAnchorError(
      'outside',
      this.#host.folders().length === 0
        ? 'This file is in no folder of this window and in no repository.'
        : 'This file is in no folder of this window.',
      'Open the folder of its project first.',
    );
  }

  /** Opens a project anew, because it is another one now: its folder has become a repository. */
  async reopen(project: Project): Promise<void> {
    const entries = [...this.#entries.values()].filter(({ opened }) => opened?.project === project);
    for (const entry of entries) entry.opened = null;
    this.#disposeOrphans();
    await Promise.all(entries.map(({ folder }) => this.#ensure(folder)));
  }

  /** How far the project of a folder is. */
  state(folder: Folder): FolderState {
    const entry = this.#entries.get(folder.path);
    if (entry?.opened) return { kind: 'open', project: entry.opened.project };
    if (entry?.failure) return { kind: 'failed', name: folder.name, sentence: entry.failure };
    return entry === undefined ? { kind: 'closed' } : { kind: 'starting', name: folder.name };
  }

  /** Ends the projects of folders that are no longer in the window, and of the repositories in them. */
  foldersChanged(): void {
    this.#generation += 1;
    this.#roots.clear();
    const present = this.#host.folders().map(({ path }) => path);
    for (const [path, { kind }] of [...this.#entries]) if (!isKept(kind, path, present)) this.#entries.delete(path);
    this.#disposeOrphans();
    this.#changed.fire();
  }

  dispose(): void {
    this.#disposed = true;
    this.#entries.clear();
    this.#disposeOrphans();
    this.#changed.dispose();
  }

  #opened(): readonly OpenedProject[] {
    return [...this.#entries.values()].flatMap(({ opened }) => opened ?? []);
  }

  #disposeOrphans(): void {
    const kept = new Set(this.#opened().map(({ project }) => project));
    for (const project of this.#started) {
      if (kept.has(project)) continue;
      this.#started.delete(project);
      project.dispose();
    }
  }

  #rootOf(file: string): string | undefined {
    return this.#roots.get(file) ?? this.#roots.get(dirname(file));
  }

  #folderAt(path: string): Folder {
    return this.#host.folders().find((each) => each.path === path) ?? { path, name: basename(path) };
  }

  async #ensure(folder: Folder): Promise<void> {
    const { path } = folder;
    if (this.#disposed) return;
    const kind = this.#kindOf(path);
    const entry = this.#entries.get(path) ?? { kind, folder, opening: null, opened: null, failure: null };
    this.#entries.set(path, entry);
    if (entry.opened !== null) return;
    entry.opening ??= this.#enqueue(entry);
    await entry.opening;
  }

  #kindOf(path: string): EntryKind {
    const folders = this.#host.folders();
    if (folders.length === 0) return 'single';
    return folders.some((each) => each.path === path) ? 'folder' : 'inner';
  }

  #enqueue(entry: Entry): Promise<OpenedProject> {
    const opening = this.#queue.then(() => this.#openEntry(entry));
    this.#queue = opening.catch(() => undefined);
    this.#changed.fire();
    return opening;
  }

  async #openEntry(entry: Entry): Promise<OpenedProject> {
    try {
      return this.#adopt(entry, await this.#open(entry.folder));
    } catch (error) {
      entry.failure = messageOf(error);
      this.#logger.error(`The project in ${entry.folder.name} could not be opened: ${entry.failure}`);
      throw error;
    } finally {
      entry.opening = null;
      this.#changed.fire();
    }
  }

  /** Keeps a project that was just opened, unless its folder has gone or another folder has opened the same tree. */
  #adopt(entry: Entry, fresh: OpenedProject): OpenedProject {
    if (this.#entries.get(entry.folder.path) !== entry) {
      fresh.project.dispose();
      throw new ProjectAnchorError('closed', 'The folder was closed.');
    }
    const workspace = fresh.project.session.identity.workspace;
    const same = this.#opened().find(({ project }) => project.session.identity.workspace === workspace);
    if (same !== undefined) fresh.project.dispose();
    entry.opened = { root: fresh.root, project: same?.project ?? fresh.project };
    entry.failure = null;
    if (same === undefined) {
      this.#started.add(fresh.project);
      fresh.project.start();
    }
    return entry.opened;
  }
}

/** Whether a project stays when the window has these folders. */
function isKept(kind: EntryKind, path: string, folders: readonly string[]): boolean {
  if (folders.includes(path)) return true;
  if (kind === 'inner') return longestFolder(folders, path) !== null;
  return kind === 'single' && folders.length === 0;
}
