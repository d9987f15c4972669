import * as vscode from 'vscode';
import type { CodeCompletionRequest } from '../inject/index.ts';
import { activeFile } from './editors.ts';

/** A place in a document, with the text around it. */
export type Cursor = Omit<CodeCompletionRequest, 'type' | 'context'>;

/** UTF-16 units around the cursor that are read from the document; what is sent of them is decided further down. */
const READ_BEFORE = 16_000;
const READ_AFTER = 6_000;

/** A place in a document with as much of the text around it as a request may use. */
export function cursorAt(document: vscode.TextDocument, position: vscode.Position): Cursor {
  const offset = document.offsetAt(position);
  const text = (from: number, to: number) =>
    document.getText(new vscode.Range(document.positionAt(from), document.positionAt(to)));
  return {
    file: fileOf(document.uri),
    language: document.languageId,
    line: position.line + 1,
    prefix: text(Math.max(0, offset - READ_BEFORE), offset),
    suffix: text(offset, offset + READ_AFTER),
  };
}

/** The cursor of the active file, or its first character while no editor shows it. */
export function activeCursor(): Cursor | null {
  const document = activeFile();
  if (document === null) return null;
  const editor = vscode.window.visibleTextEditors.find((each) => each.document === document);
  return cursorAt(document, editor?.selection.active ?? new vscode.Position(0, 0));
}

/** The name under which requests know a document: its path, or `untitled:` and its name while it is on no disk. */
export function fileOf(uri: vscode.Uri): string {
  return uri.scheme === 'file' ? uri.fsPath : `untitled:${uri.path}`;
}
