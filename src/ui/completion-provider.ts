import * as vscode from 'vscode';
import { CompletionEngine, type CompletionQuery } from './completion-engine.ts';
import type { Core } from './core.ts';
import { cursorAt } from './cursor.ts';
import { onDidChangeActiveFile } from './editors.ts';
import { GhostText } from './ghost-text.ts';

/** Only what a person writes: an open selector would get the chat's input box too. */
const DOCUMENTS: vscode.DocumentSelector = [{ scheme: 'file' }, { scheme: 'untitled' }];

const ASK_AGAIN = 'editor.action.inlineSuggest.trigger';

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
  const ghosts = new GhostText<CompletionQuery>({
    ask: (query, signal) => engine.complete(query, signal),
    stillAt,
    askAgain: () => void vscode.commands.executeCommand(ASK_AGAIN),
  });
  const provider = new CompletionProvider(ghosts, (document) => settings.completionsEnabled(document));
  return vscode.Disposable.from(
    ghosts,
    engine,
    vscode.languages.registerInlineCompletionItemProvider(DOCUMENTS, provider),
    core.keys.onDidChange(() => engine.resume()),
    settings.onDidChange(() => {
      engine.resume();
      observe('settings');
    }),
    vscode.window.onDidChangeTextEditorSelection(() => ghosts.moved()),
    vscode.window.onDidChangeActiveTextEditor(() => ghosts.moved()),
    onDidChangeActiveFile(() => engine.moved()),
  );
}

class CompletionProvider implements vscode.InlineCompletionItemProvider {
  readonly #ghosts: GhostText<CompletionQuery>;
  readonly #enabled: (document: vscode.Uri) => boolean;

  constructor(ghosts: GhostText<CompletionQuery>, enabled: (document: vscode.Uri) => boolean) {
    this.#ghosts = ghosts;
    this.#enabled = enabled;
  }

  async provideInlineCompletionItems(
    document: vscode.TextDocument,
    position: vscode.Position,
    context: vscode.InlineCompletionContext,
    token: vscode.CancellationToken,
  ): Promise<vscode.InlineCompletionItem[] | null> {
    if (!vscode.workspace.isTrusted || !this.#enabled(document.uri)) return null;
    const explicit = context.triggerKind === vscode.InlineCompletionTriggerKind.Invoke;
    const cursor = cursorAt(document, position);
    // While the list of suggestions is open, only what goes on from its chosen entry is shown.
    const chosen = context.selectedCompletionInfo;
    const typed = chosen === undefined ? '' : document.getText(chosen.range.with({ end: position }));
    const prefix = cursor.prefix.slice(0, cursor.prefix.length - typed.length) + (chosen?.text ?? '');
    const place = placeOf(document, position) + (chosen?.text ?? '');
    const text = await this.#ghosts.at(
      place,
      { ...cursor, prefix, explicit },
      {
        withdrawn: token.isCancellationRequested,
        onWithdrawn: (callback) => token.onCancellationRequested(callback),
      },
    );
    if (text === null) return null;
    const range = chosen?.range ?? new vscode.Range(position, position);
    return [new vscode.InlineCompletionItem((chosen?.text ?? '') + text, range)];
  }
}

/** A place in one version of a document. A chosen entry of the suggestions may follow. */
function placeOf({ uri, version }: vscode.TextDocument, { line, character }: vscode.Position): string {
  return `${uri}#${version}@${line}:${character}+`;
}

function stillAt(place: string): boolean {
  const editor = vscode.window.activeTextEditor;
  return editor !== undefined && place.startsWith(placeOf(editor.document, editor.selection.active));
}
