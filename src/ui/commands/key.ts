import * as vscode from 'vscode';
import type { Logger } from '../../base/index.ts';
import type { Core } from '../core.ts';
import { Commands } from '../ids.ts';
import type { KeyStore } from '../key-store.ts';
import { showError, showHint, showSuccess } from '../messages.ts';
import type { EditorSettings } from '../settings.ts';

/** *Set MiniMax API Key* and *Sign Out*. */
export function registerKeyCommands({ keys, settings, logger }: Core): vscode.Disposable {
  const commands = new KeyCommands(keys, () => settings.of(), logger);
  return vscode.Disposable.from(
    vscode.commands.registerCommand(Commands.setKey, () => commands.set()),
    vscode.commands.registerCommand(Commands.signOut, () => commands.signOut()),
  );
}

class KeyCommands {
  readonly #keys: KeyStore;
  readonly #settings: () => EditorSettings;
  readonly #logger: Logger;

  constructor(keys: KeyStore, settings: () => EditorSettings, logger: Logger) {
    this.#keys = keys;
    this.#settings = settings;
    this.#logger = logger;
  }

  /** Says what will be sent where, then asks for the key; nothing is sent before it is stored. */
  async set(): Promise<void> {
    try {
      const { settings, problems } = this.#settings();
      const baseUrl = settings['minimax.baseUrl'];
      if (problems.length > 0) throw new Error(problems.join(' '));
      const { host } = new URL(baseUrl);
      const key = await vscode.window.showInputBox({
        title: 'Set MiniMax API Key',
        prompt: consent(host),
        placeHolder: `Key for ${host}`,
        password: true,
        ignoreFocusOut: true,
        validateInput: (text) => keyProblem(text),
      });
      if (key === undefined) return;
      await this.#keys.set(baseUrl, key.trim());
      showSuccess(`Key for ${host} stored`);
    } catch (error) {
      await showError(error, this.#logger);
    }
  }

  async signOut(): Promise<void> {
    try {
      if (await this.#keys.clear()) showSuccess('Signed out: the key is removed and nothing more is sent');
      else await showHint('No key is set.', { title: 'Set Key', command: Commands.setKey });
    } catch (error) {
      await showError(error, this.#logger);
    }
  }
}

/** What a person agrees to by giving a key. */
export function consent(host: string): string {
  return (
    `Nothing has been sent yet. With a key, ${host} gets the code around your cursor for completions, your selection ` +
    'and question for explanations, and with each the project context that the Context view lists. ' +
    'Never: bodies of other files, secrets, files on the deny list. The key is kept in the secret storage.'
  );
}

function keyProblem(text: string): string | null {
  const key = text.trim();
  if (key === '') return 'Paste the key, or press Escape to leave things as they are.';
  return /^[\x21-\x7e]+$/.test(key) ? null : 'A key has letters, digits and signs only, without spaces.';
}
