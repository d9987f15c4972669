import * as vscode from 'vscode';
import type { CompletionEngine, CompletionQuery } from './completion-engine.ts';

/** Only what a person writes: an open selector would get the chat's input box too. */
const DOCUMENTS: vscode.DocumentSelector = [{ scheme: 'file' }, { scheme: 'untitled' }];

/** UTF-16 units around the cursor that are read from the document; what is sent of them is decided further down. */
const READ_BEFORE = 16_000;
const READ_AFTER = 6_000;

/** Ghost text in files and unsaved documents. */
export class CompletionProvider implements vscode.InlineCompletionItemProvider {
  readonly #engine: CompletionEngine;
  readonly #enabled: (document: vscode.Uri) => boolean;

  constructor(engine: CompletionEngine, enabled: (document: vscode.Uri) => boolean) {
    this.#engine = engine;
    this.#enabled = enabled;
  }

  register(): vscode.Disposable {
    return vscode.languages.registerInlineCompletionItemProvider(DOCUMENTS, this);
  }

  async provideInlineCompletionItems(
    document: vscode.TextDocument,
    position: vscode.Position,
    context: vscode.InlineCompletionContext,
    token: vscode.CancellationToken,
  ): Promise<vscode.InlineCompletionItem[] | null> {
    if (token.isCancellationRequested || !vscode.workspace.isTrusted || !this.#enabled(document.uri)) return null;
    // The suggestion widget's own choice is shown there; text beside it would contradict it.
    if (context.selectedCompletionInfo !== undefined) return null;
    const abort = new AbortController();
    const cancelled = token.onCancellationRequested(() => abort.abort());
    try {
      const explicit = context.triggerKind === vscode.InlineCompletionTriggerKind.Invoke;
      const text = await this.#engine.complete(queryAt(document, position, explicit), abort.signal);
      return text === null ? null : [new vscode.InlineCompletionItem(text, new vscode.Range(position, position))];
    } finally {
      cancelled.dispose();
    }
  }
}

function queryAt(document: vscode.TextDocument, position: vscode.Position, explicit: boolean): CompletionQuery {
  const offset = document.offsetAt(position);
  const first = document.positionAt(Math.max(0, offset - READ_BEFORE));
  const last = document.positionAt(offset + READ_AFTER);
  return {
    file: document.uri.scheme === 'file' ? document.uri.fsPath : `untitled:${document.uri.path}`,
    language: document.languageId,
    line: position.line + 1,
    prefix: document.getText(new vscode.Range(first, position)),
    suffix: document.getText(new vscode.Range(position, last)),
    explicit,
  };
}
