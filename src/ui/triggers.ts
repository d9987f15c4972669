import * as vscode from 'vscode';
import { codeOf, type Logger, messageOf } from '../base/index.ts';
import { activeFile, onDidChangeActiveFile } from './editors.ts';
import { followGitExtension } from './git-signals.ts';
import type { Located, Projects } from './projects.ts';

/** What reacts to the file that a person works on. */
export interface ActiveFileListener {
  opened(document: vscode.TextDocument): void;
  changed(document: vscode.TextDocument): void;
}

/**
 * Passes on what happens in the window: which file is active, what may have moved HEAD, which files changed. Saving a
 * file only makes the next interval snapshot look; it never takes one.
 */
export class Triggers implements vscode.Disposable {
  readonly #projects: Projects;
  readonly #listener: ActiveFileListener;
  readonly #logger: Logger;
  readonly #registrations: vscode.Disposable[] = [];
  #disposed = false;

  constructor(projects: Projects, listener: ActiveFileListener, logger: Logger) {
    this.#projects = projects;
    this.#listener = listener;
    this.#logger = logger;
  }

  /** Begins to listen and opens the project of the active file, else of the first folder. Waits for nothing. */
  start(): void {
    const touched = (uri: vscode.Uri) => this.#find(uri)?.project.scheduler.filesTouched();
    const watcher = vscode.workspace.createFileSystemWatcher('**/*');
    this.#registrations.push(
      onDidChangeActiveFile((document) => this.#activated(document)),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0 && document === activeFile()) this.#listener.changed(document);
      }),
      vscode.workspace.onDidSaveTextDocument(({ uri }) => touched(uri)),
      watcher,
      watcher.onDidChange(touched),
      watcher.onDidCreate(touched),
      watcher.onDidDelete(touched),
    );
    followGitExtension((root) => this.#gitChanged(root), this.#logger).then(
      (following) => (this.#disposed ? following.dispose() : this.#registrations.push(following)),
      (error: unknown) => this.#logger.warn(`The git extension could not be followed: ${messageOf(error)}`),
    );
    const document = activeFile();
    if (document !== null) this.#activated(document);
    const folder = vscode.workspace.workspaceFolders?.[0];
    if (document === null && folder !== undefined) this.#open(folder.uri.fsPath).catch(() => undefined);
  }

  dispose(): void {
    this.#disposed = true;
    vscode.Disposable.from(...this.#registrations).dispose();
  }

  #activated(document: vscode.TextDocument): void {
    this.#open(document.uri.fsPath).then(
      ({ project, path }) => {
        project.scheduler.editorChanged(path);
        this.#listener.opened(document);
      },
      (error: unknown) => {
        // Why a project does not open is shown by the status bar; files of no project are none of ours.
        if (codeOf(error) !== 'outside') this.#logger.debug(`No project for the active file: ${messageOf(error)}`);
      },
    );
  }

  #open(file: string): Promise<Located> {
    return this.#projects.locate(file);
  }

  #gitChanged(root: string): void {
    const scheduler = this.#projects.find(root)?.project.scheduler;
    scheduler?.filesTouched();
    scheduler?.headMayHaveMoved();
  }

  #find(uri: vscode.Uri): Located | null {
    return uri.scheme === 'file' ? this.#projects.find(uri.fsPath) : null;
  }
}
