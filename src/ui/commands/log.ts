import * as vscode from 'vscode';
import type { Core } from '../core.ts';
import { Commands } from '../ids.ts';

/** *Show Log*. */
export function registerLogCommand({ channel }: Core): vscode.Disposable {
  return vscode.commands.registerCommand(Commands.showLog, () => channel.show());
}
