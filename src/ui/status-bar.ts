import * as vscode from 'vscode';
import { Commands, STATUS_ITEM } from './ids.ts';
import { type StatusInput, type StatusText, statusText } from './status-text.ts';

/** Left of the notifications, right of the editor's own items. */
const PRIORITY = 90;

const BACKGROUND: Readonly<Record<StatusText['severity'], string | undefined>> = {
  normal: undefined,
  warning: 'statusBarItem.warningBackground',
  error: 'statusBarItem.errorBackground',
};

/** The one status bar item. It is there at once and shows what it is given; a click opens the context view. */
export class StatusBar implements vscode.Disposable {
  readonly #item: vscode.StatusBarItem;

  constructor() {
    this.#item = vscode.window.createStatusBarItem(STATUS_ITEM, vscode.StatusBarAlignment.Left, PRIORITY);
    this.#item.name = 'ProjectAnchor';
    this.#item.command = Commands.showContext;
  }

  show(input: StatusInput): void {
    const { text, label, tooltip, severity } = statusText(input);
    this.#item.text = text;
    this.#item.accessibilityInformation = { label, role: 'button' };
    // Appended as text: names of branches and folders are not Markdown.
    this.#item.tooltip = tooltip.reduce(
      (markdown, line, i) => (i === 0 ? markdown : markdown.appendMarkdown('\n\n')).appendText(line),
      new vscode.MarkdownString(),
    );
    const background = BACKGROUND[severity];
    this.#item.backgroundColor = background === undefined ? undefined : new vscode.ThemeColor(background);
    this.#item.show();
  }

  dispose(): void {
    this.#item.dispose();
  }
}
