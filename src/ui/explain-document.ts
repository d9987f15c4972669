import * as vscode from 'vscode';
import { EXPLAIN_SCHEME } from './ids.ts';

/** An answer arrives in pieces of a few characters; the editor reads the whole document at each change. */
const REFRESH_MS = 100;

interface Page {
  text: string;
  timer: NodeJS.Timeout | null;
}

/** One answer while it is being written. */
export interface ExplainPage {
  append(text: string): void;
  /** Aborted when the person closes the document. */
  readonly closed: AbortSignal;
}

/** Read-only documents that show answers while they arrive. Nothing is saved and closing one asks nothing. */
export class ExplainDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #pages = new Map<string, Page & { readonly close: AbortController }>();
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly #registrations: vscode.Disposable;
  #count = 0;

  readonly onDidChange = this.#changed.event;

  constructor() {
    this.#registrations = vscode.Disposable.from(
      vscode.workspace.registerTextDocumentContentProvider(EXPLAIN_SCHEME, this),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#close(uri)),
      this.#changed,
    );
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#pages.get(uri.toString())?.text ?? '';
  }

  /** Opens an empty page beside the active editor, which keeps the focus. */
  async open(title: string): Promise<ExplainPage> {
    this.#count++;
    const uri = vscode.Uri.from({ scheme: EXPLAIN_SCHEME, path: `/${this.#count}/${title}.md` });
    const page = { text: '', timer: null as NodeJS.Timeout | null, close: new AbortController() };
    this.#pages.set(uri.toString(), page);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, {
      viewColumn: vscode.ViewColumn.Beside,
      preserveFocus: true,
      preview: false,
    });
    return {
      closed: page.close.signal,
      append: (text) => {
        page.text += text;
        page.timer ??= setTimeout(() => {
          page.timer = null;
          this.#changed.fire(uri);
        }, REFRESH_MS);
      },
    };
  }

  dispose(): void {
    for (const page of this.#pages.values()) end(page);
    this.#pages.clear();
    this.#registrations.dispose();
  }

  #close(uri: vscode.Uri): void {
    const page = this.#pages.get(uri.toString());
    if (page === undefined) return;
    this.#pages.delete(uri.toString());
    end(page);
  }
}

function end({ timer, close }: Page & { readonly close: AbortController }): void {
  if (timer !== null) clearTimeout(timer);
  close.abort();
}
