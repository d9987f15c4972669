import * as vscode from 'vscode';
import { codeOf, type Logger, messageOf } from '../base/index.ts';
import type { Core } from './core.ts';
import { activeFile, onDidChangeActiveFile } from './editors.ts';
import { followGitExtension } from './git-signals.ts';
import type { Located, Projects } from './projects.ts';

/** Begins to listen as soon as the folders are trusted, not before. */
export function registerTriggers({ host, projects, logger }: Core): vscode.Disposable {
  const triggers = new Triggers(projects, logger);
  const start = () => triggers.start();
  if (host.trusted) start();
  return vscode.Disposable.from(triggers, vscode.workspace.onDidGrantWorkspaceTrust(start));
}

/**
 * Passes on what happens in the window: which file is active, what may have moved HEAD, which files changed. Saving a
 * file only makes the next interval snapshot look; it never takes one.
 */
class Triggers implements vscode.Disposable {
  readonly #projects: Projects;
  readonly #logger: Logger;
  readonly #registrations: vscode.Disposable[] = [];
  #disposed = false;

  constructor(projects: Projects, logger: Logger) {
    this.#projects = projects;
    this.#logger = logger;
  }

  /** Waits for nothing; opens the project of the active file, else of the first folder. */
  start(): void {
    const touched = (uri: vscode.Uri) => this.#find(uri)?.project.scheduler.filesTouched();
    const watcher = vscode.workspace.createFileSystemWatcher('**/*');
    this.#registrations.push(
      onDidChangeActiveFile((document) => this.#activated(document)),
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
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    if (document !== null) this.#activated(document);
    else if (folder !== undefined) this.#opened(this.#projects.locate(folder.uri.fsPath));
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
    const scheduler = this.#projects.find(root)?.project.scheduler;
    scheduler?.filesTouched();
    scheduler?.headMayHaveMoved();
  }

  #find(uri: vscode.Uri): Located | null {
    return uri.scheme === 'file' ? this.#projects.find(uri.fsPath) : null;
  }
}
