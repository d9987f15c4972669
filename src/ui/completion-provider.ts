import * as vscode from 'vscode';
import { CompletionEngine } from './completion-engine.ts';
import type { Core } from './core.ts';
import { cursorAt } from './cursor.ts';
import { onDidChangeActiveFile } from './editors.ts';

/** Only what a person writes: an open selector would get the chat's input box too. */
const DOCUMENTS: vscode.DocumentSelector = [{ scheme: 'file' }, { scheme: 'untitled' }];

/** Ghost text in files and unsaved documents. */
export function registerCompletions(core: Core): vscode.Disposable {
  const { clock, models, notices, observe, settings, state } = core;
  const engine = new CompletionEngine(
    {
      project: (file) => state.speaking(file),
      model: async () => ((await models.problem()) === null ? models.model : null),
      report: (sentence) => notices.set('completions', sentence),
      refused: (sentence) => notices.set('refused', sentence),
      observe: (outcome) => {
        observe('completion', { outcome });
        core.requestSent();
      },
    },
    clock,
  );
  const provider = new CompletionProvider(engine, (document) => settings.completionsEnabled(document));
  return vscode.Disposable.from(
    engine,
    vscode.languages.registerInlineCompletionItemProvider(DOCUMENTS, provider),
    core.keys.onDidChange(() => engine.resume()),
    settings.onDidChange(() => engine.resume()),
    onDidChangeActiveFile(() => engine.moved()),
  );
}

class CompletionProvider implements vscode.InlineCompletionItemProvider {
  readonly #engine: CompletionEngine;
  readonly #enabled: (document: vscode.Uri) => boolean;

  constructor(engine: CompletionEngine, enabled: (document: vscode.Uri) => boolean) {
    this.#engine = engine;
    this.#enabled = enabled;
  }

  async provideInlineCompletionItems(
    document: vscode.TextDocument,
    position: vscode.Position,
    context: vscode.InlineCompletionContext,
    token: vscode.CancellationToken,
  ): Promise<vscode.InlineCompletionItem[] | null> {
    if (token.isCancellationRequested || !vscode.workspace.isTrusted || !this.#enabled(document.uri)) return null;
    const abort = new AbortController();
    const cancelled = token.onCancellationRequested(() => abort.abort());
    try {
      const explicit = context.triggerKind === vscode.InlineCompletionTriggerKind.Invoke;
      const cursor = cursorAt(document, position);
      // While the list of suggestions is open, only what goes on from its chosen entry is shown.
      const chosen = context.selectedCompletionInfo;
      const typed = chosen === undefined ? '' : document.getText(chosen.range.with({ end: position }));
      const prefix = cursor.prefix.slice(0, cursor.prefix.length - typed.length) + (chosen?.text ?? '');
      const text = await this.#engine.complete({ ...cursor, prefix, explicit }, abort.signal);
      if (text === null) return null;
      const range = chosen?.range ?? new vscode.Range(position, position);
      return [new vscode.InlineCompletionItem((chosen?.text ?? '') + text, range)];
    } finally {
      cancelled.dispose();
    }
  }
}
