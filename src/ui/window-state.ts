import type { SpeakingProject } from './completion-engine.ts';
import { headOf } from './live-project.ts';
import type { Notices } from './notices.ts';
import { longestFolder } from './paths.ts';
import type { Folder, FolderHost, Project, Projects } from './projects.ts';
import type { StatusInput } from './status-text.ts';

/**
 * What a window is about right now: the project of the active file, be it that of a folder, of a repository inside of one
 * or, in a window without folders, of the repository around the file; else the project of the first folder.
 */
export class WindowState {
  readonly #host: FolderHost;
  readonly #projects: Projects;
  readonly #notices: Notices;
  readonly #activeFile: () => string | null;

  /** @param activeFile absolute path of the file that a person works on */
  constructor(host: FolderHost, projects: Projects, notices: Notices, activeFile: () => string | null) {
    this.#host = host;
    this.#projects = projects;
    this.#notices = notices;
    this.#activeFile = activeFile;
  }

  /** The folder that counts, or null when there is none. */
  folder(): Folder | null {
    const folders = this.#host.folders();
    const file = this.#activeFile();
    const known = file === null ? null : this.#projects.folderOf(file);
    if (known !== null) return known;
    const paths = folders.map(({ path }) => path);
    const containing = file === null ? null : longestFolder(paths, file);
    return folders.find(({ path }) => path === containing) ?? folders[0] ?? null;
  }

  /** The open project that counts, or null while there is none. */
  project(): Project | null {
    const folder = this.folder();
    const state = folder === null ? null : this.#projects.state(folder);
    return state?.kind === 'open' ? state.project : null;
  }

  /**
   * Opens the project that counts, if nobody did: the last file of another one may be closed, its folder may be gone, and
   * the active file may lie outside of all folders.
   * @throws ProjectAnchorError as `Projects.locate`.
   */
  async ensure(): Promise<void> {
    const file = this.#activeFile();
    if (file !== null) await this.#projects.discover(file);
    const folder = this.folder();
    if (folder !== null && this.#projects.state(folder).kind === 'closed') await this.#projects.locate(folder.path);
  }

  /**
   * The project that speaks for a document: its own; for one of no project the one that counts, which then adds nothing.
   * Null while the document's own project is not open yet.
   */
  speaking(file: string): SpeakingProject | null {
    const located = this.#projects.find(file);
    if (located === null && this.#isInside(file)) return null;
    const project = located?.project ?? this.project();
    return project === null ? null : { session: project.session, recall: project.recall, path: located?.path ?? null };
  }

  status(): StatusInput {
    const folder = this.folder();
    const file = this.#activeFile();
    if (folder === null && file === null) return { kind: 'no-folder' };
    if (!this.#host.trusted) return { kind: 'restricted' };
    if (folder === null) return { kind: 'no-repository' };
    const state = this.#projects.state(folder);
    switch (state.kind) {
      case 'closed':
      case 'starting':
        return { kind: 'starting', project: folder.name };
      case 'failed':
        return { kind: 'failed', project: folder.name, sentence: state.sentence };
      case 'open': {
        const { name, session, problem, watching } = state.project;
        const marks = session.marks().length;
        return {
          kind: 'ready',
          project: name,
          head: headOf(session),
          marks,
          hub: session.hub,
          notice: problem === null ? this.#notices.current : { source: 'snapshot', sentence: problem },
          watching,
          degraded: session.latest?.snapshot.degraded ?? [],
          outside: file !== null && !this.#isInside(file),
        };
      }
    }
  }

  /** Whether a file has a project of its own in this window, be it open or not. */
  #isInside(file: string): boolean {
    const paths = this.#host.folders().map(({ path }) => path);
    return this.#projects.folderOf(file) !== null || longestFolder(paths, file) !== null;
  }
}
