import * as vscode from 'vscode';
import type { CommandCall } from './editor-target.ts';

/**
 * Reads the arguments that VS Code gives a command: the explorer gives the resource and its whole selection, a tab the
 * resource and where the tab is, the editor's menu the resource, a keybinding or the palette nothing.
 */
export function commandCall(args: readonly unknown[]): CommandCall {
  const [first, second] = args;
  const editor = vscode.window.activeTextEditor;
  return {
    resource: fileOf(first),
    selection: Array.isArray(second) ? second.flatMap((each) => fileOf(each) ?? []) : [],
    tab: typeof second === 'object' && second !== null && 'groupId' in second,
    editor:
      editor?.document.uri.scheme === 'file' ? { file: editor.document.uri.fsPath, range: editor.selection } : null,
  };
}

function fileOf(value: unknown): string | null {
  return value instanceof vscode.Uri && value.scheme === 'file' ? value.fsPath : null;
}

/** Whether a path is a folder; links count as what they lead to. */
export async function isDirectory(file: string): Promise<boolean> {
  const { type } = await vscode.workspace.fs.stat(vscode.Uri.file(file));
  return (type & vscode.FileType.Directory) !== 0;
}
