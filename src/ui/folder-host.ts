import * as vscode from 'vscode';
import type { FolderHost } from './projects.ts';

/** The window's folders on disk. */
export function folderHost(): FolderHost {
  return {
    get trusted() {
      return vscode.workspace.isTrusted;
    },
    folders: () =>
      (vscode.workspace.workspaceFolders ?? [])
        .filter(({ uri }) => uri.scheme === 'file')
        .map(({ uri, name }) => ({ path: uri.fsPath, name })),
  };
}
