import * as vscode from 'vscode';
import { type Disposable, disposable, type Logger, messageOf } from '../base/index.ts';
import { followGit, type GitApi } from './git-extension.ts';

interface GitExports {
  getAPI(version: 1): GitApi;
}

/**
 * The git extension's word that something changed in a repository: slower than the product's own watches, and the second
 * signal beside them. It may be disabled or missing; then there is simply one signal less.
 *
 * @param changed is given the root of the repository
 */
export async function followGitExtension(changed: (root: string) => void, logger: Logger): Promise<Disposable> {
  try {
    const extension = vscode.extensions.getExtension<GitExports>('vscode.git');
    if (extension !== undefined) return followGit((await extension.activate()).getAPI(1), changed);
  } catch (error) {
    // `git.enabled: false` makes `getAPI` throw.
    logger.debug(`The git extension is not available: ${messageOf(error)}`);
  }
  return disposable(() => undefined);
}
