import type * as vscode from 'vscode';

/** Called by VS Code once the window has started. */
export function activate(_context: vscode.ExtensionContext): void {
  // The composition root follows with the parts it composes.
}
