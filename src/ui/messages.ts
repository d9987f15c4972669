import * as vscode from 'vscode';
import { codeOf, type Logger, messageOf } from '../base/index.ts';
import { type CommandId, Commands } from './ids.ts';

/** How long a word of success stays in the status bar. */
const SUCCESS_MS = 5000;

/** Says that something worked, without asking for attention. */
export function showSuccess(text: string): void {
  vscode.window.setStatusBarMessage(`$(check) ${text}`, SUCCESS_MS);
}

const LOG = { title: 'Show Log', command: Commands.showLog };

/** Says what went wrong, with one thing to do about it. The log gets the same sentence. */
export async function showError(
  error: unknown,
  logger: Logger,
  action: { readonly title: string; readonly command: CommandId } = LOG,
): Promise<void> {
  const sentence = messageOf(error);
  logger.error(codeOf(error) === undefined && error instanceof Error ? (error.stack ?? sentence) : sentence);
  await offer(vscode.window.showErrorMessage(sentence, action.title), action.command);
}

/** Says what a person can do next, with at most one button that does it. */
export async function showHint(
  sentence: string,
  action: { readonly title: string; readonly command: CommandId } | null = null,
): Promise<void> {
  if (action === null) void vscode.window.showInformationMessage(sentence);
  else await offer(vscode.window.showInformationMessage(sentence, action.title), action.command);
}

async function offer(answer: Thenable<string | undefined>, command: CommandId): Promise<void> {
  if ((await answer) !== undefined) await vscode.commands.executeCommand(command);
}
