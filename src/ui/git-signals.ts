import * as vscode from 'vscode';
import { type Logger, messageOf } from '../base/index.ts';

/** The part of the git extension's interface (version 1) that is used. */
interface GitRepository {
  readonly rootUri: vscode.Uri;
  readonly state: { readonly onDidChange: vscode.Event<void> };
}

interface GitApi {
  readonly repositories: readonly GitRepository[];
  readonly onDidOpenRepository: vscode.Event<GitRepository>;
}

interface GitExports {
  getAPI(version: 1): GitApi;
}

/**
 * Calls back when git's reflog of HEAD changes, within a quarter of a second of any commit, checkout or rebase, whoever
 * makes it. The directory need not hold the file yet.
 */
export function watchReflog(gitDir: string, callback: () => void): vscode.Disposable {
  const pattern = new vscode.RelativePattern(vscode.Uri.file(gitDir), 'logs/HEAD');
  const watcher = vscode.workspace.createFileSystemWatcher(pattern);
  return vscode.Disposable.from(
    watcher,
    watcher.onDidCreate(callback),
    watcher.onDidChange(callback),
    watcher.onDidDelete(callback),
  );
}

/**
 * The git extension's word that something changed in a repository: slower, but it also sees repositories without a
 * reflog. It may be disabled or missing; then there is simply one signal less.
 *
 * @param callback is given the root of the repository
 */
export async function followGitExtension(callback: (root: string) => void, logger: Logger): Promise<vscode.Disposable> {
  const registrations: vscode.Disposable[] = [];
  const follow = ({ rootUri, state }: GitRepository) => {
    registrations.push(state.onDidChange(() => callback(rootUri.fsPath)));
    // What happened before the extension opened the repository is in its first state, and no change of it.
    callback(rootUri.fsPath);
  };
  try {
    const extension = vscode.extensions.getExtension<GitExports>('vscode.git');
    if (extension === undefined) return new vscode.Disposable(() => undefined);
    const api = (await extension.activate()).getAPI(1);
    registrations.push(api.onDidOpenRepository(follow));
    for (const repository of api.repositories) follow(repository);
  } catch (error) {
    // `git.enabled: false` makes `getAPI` throw.
    logger.debug(`The git extension is not available: ${messageOf(error)}`);
  }
  return new vscode.Disposable(() => vscode.Disposable.from(...registrations).dispose());
}
