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
 * Calls back when something says that HEAD may have moved, within a quarter of a second of any commit, checkout or
 * rebase, whoever makes it: the reflog of HEAD, which need not be there yet, and for repositories that keep none HEAD
 * itself and the branches.
 *
 * @param gitDir of the working tree
 * @param commonDir which linked working trees share
 */
export function watchHead(gitDir: string, commonDir: string, callback: () => void): vscode.Disposable {
  const watch = (folder: string, glob: string) => {
    const watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(vscode.Uri.file(folder), glob));
    return [watcher, watcher.onDidCreate(callback), watcher.onDidChange(callback), watcher.onDidDelete(callback)];
  };
  return vscode.Disposable.from(...watch(gitDir, '{HEAD,logs/HEAD}'), ...watch(commonDir, 'refs/heads/**'));
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
