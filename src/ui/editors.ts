import * as vscode from 'vscode';
import type { EditorView } from '../snapshot/index.ts';

/** The document that a person works on, when it is a file. Output panels, diffs and input boxes are not. */
export function activeFile(): vscode.TextDocument | null {
  const document = vscode.window.activeTextEditor?.document;
  if (document?.uri.scheme === 'file') return document;
  // While the focus is in a panel there may be no active editor, but there still is an active tab.
  const uri = fileOf(vscode.window.tabGroups.activeTabGroup.activeTab);
  return uri === null ? null : (vscode.workspace.textDocuments.find((each) => each.uri.fsPath === uri.fsPath) ?? null);
}

/**
 * Tells when another file became the active one. Between two editors VS Code reports `undefined`, and documents that
 * are no files become active too: neither is told.
 */
export function onDidChangeActiveFile(listener: (document: vscode.TextDocument) => void): vscode.Disposable {
  return vscode.window.onDidChangeActiveTextEditor((editor) => {
    if (editor?.document.uri.scheme === 'file') listener(editor.document);
  });
}

/** What of a project is open, as a snapshot records it. `locate` gives a file's path in the project, or null. */
export function editorView(locate: (file: string) => string | null): EditorView {
  const active = activeFile();
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  const open = tabs.flatMap((tab) => {
    const uri = fileOf(tab);
    const path = uri === null ? null : locate(uri.fsPath);
    return path === null || path === '' ? [] : [path];
  });
  return { active: active === null ? null : locate(active.uri.fsPath), open: [...new Set(open)] };
}

function fileOf(tab: vscode.Tab | undefined): vscode.Uri | null {
  return tab?.input instanceof vscode.TabInputText && tab.input.uri.scheme === 'file' ? tab.input.uri : null;
}
