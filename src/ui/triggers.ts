import * as vscode from 'vscode';
import { codeOf, type Logger, messageOf } from '../base/index.ts';
import type { Core } from './core.ts';
import { activeFile, onDidChangeActiveFile } from './editors.ts';
import { followGitExtension } from './git-signals.ts';
import type { Projects } from './projects.ts';
import type { WindowState } from './window-state.ts';

/** Begins to listen as soon as the folders are trusted, not before. */
export function registerTriggers({ host, projects, state, logger }: Core): vscode.Disposable {
  const triggers = new Triggers(projects, state, logger);
  const start = () => triggers.start();
  if (host.trusted) start();
  return vscode.Disposable.from(triggers, vscode.workspace.onDidGrantWorkspaceTrust(start));
}

/**
 * Passes on what happens in the window: which file is active, what the git extension says, which files are being
 * written. HEAD and index are watched by each project itself; nothing below the folders is.
 */
class Triggers implements vscode.Disposable {
  readonly #projects: Projects;
  readonly #state: WindowState;
  readonly #logger: Logger;
  readonly #registrations: vscode.Disposable[] = [];
  #disposed = false;

  constructor(projects: Projects, state: WindowState, logger: Logger) {
    this.#projects = projects;
    this.#state = state;
    this.#logger = logger;
  }

  /** Waits for nothing; opens the project of the active file, else of the first folder. */
  start(): void {
    this.#registrations.push(
      onDidChangeActiveFile((document) => this.#activated(document)),
      vscode.window.onDidChangeActiveTextEditor(() => this.#opened(this.#state.ensure())),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.#opened(this.#state.ensure())),
      vscode.workspace.onDidSaveTextDocument(({ uri }) => this.#saved(uri)),
    );
    followGitExtension((root) => this.#gitChanged(root), this.#logger).then(
      (following) => (this.#disposed ? following.dispose() : this.#registrations.push(following)),
      (error: unknown) => this.#logger.warn(`The git extension could not be followed: ${messageOf(error)}`),
    );
    const document = activeFile();
    if (document !== null) this.#activated(document);
    this.#opened(this.#state.ensure());
  }

  dispose(): void {
    this.#disposed = true;
    vscode.Disposable.from(...this.#registrations).dispose();
  }

  #activated(document: vscode.TextDocument): void {
    const located = this.#projects.locate(document.uri.fsPath);
    this.#opened(located.then(({ project, path }) => project.scheduler.editorChanged(path)));
  }

  /** Why a project does not open is shown by the status bar; files of no project are none of ours. */
  #opened(opening: Promise<unknown>): void {
    opening.catch((error: unknown) => {
      if (codeOf(error) !== 'outside') this.#logger.debug(`No project is followed: ${messageOf(error)}`);
    });
  }

  #gitChanged(root: string): void {
    const scheduler = this.#projects.at(root)?.scheduler;
    scheduler?.filesTouched();
    scheduler?.gitMayHaveChanged();
  }

  #saved(uri: vscode.Uri): void {
    if (uri.scheme === 'file') this.#projects.find(uri.fsPath)?.project.scheduler.filesTouched();
  }
}
