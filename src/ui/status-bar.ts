import * as vscode from 'vscode';
import type { Core } from './core.ts';
import { Commands, STATUS_ITEM } from './ids.ts';
import { type StatusInput, type StatusText, statusText } from './status-text.ts';

/** Left of the notifications, right of the editor's own items. */
const PRIORITY = 90;

const BACKGROUND: Readonly<Record<StatusText['severity'], string | undefined>> = {
  normal: undefined,
  warning: 'statusBarItem.warningBackground',
  error: 'statusBarItem.errorBackground',
};

/** The status bar item, there at once and in step with the window. */
export function registerStatusBar({ state, onDidChange }: Core): vscode.Disposable {
  const bar = new StatusBar();
  const show = () => bar.show(state.status());
  show();
  return vscode.Disposable.from(bar, onDidChange(show));
}

/** The one status bar item. It shows what it is given; a click opens the context view. */
class StatusBar implements vscode.Disposable {
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
    this.#item.tooltip = tooltip.join('\n\n');
    const background = BACKGROUND[severity];
    this.#item.backgroundColor = background === undefined ? undefined : new vscode.ThemeColor(background);
    this.#item.show();
  }

  dispose(): void {
    this.#item.dispose();
  }
}
