import * as vscode from 'vscode';
import { SETTING_NAMES } from '../agents/index.ts';
import type { PowerContextSettings } from '../inject/index.ts';
import { SETTINGS_SECTION } from './ids.ts';
import { type EditorSettings, editorSettings } from './settings.ts';

/** The settings as the editor has them now; each folder may have its own. */
export class WindowSettings implements vscode.Disposable {
  readonly #cache = new Map<string, EditorSettings>();
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #registration: vscode.Disposable;

  readonly onDidChange = this.#changed.event;

  constructor() {
    this.#registration = vscode.workspace.onDidChangeConfiguration((change) => {
      if (!change.affectsConfiguration(SETTINGS_SECTION)) return;
      this.#cache.clear();
      this.#changed.fire();
    });
  }

  /** Of a folder, or of the window. Read once per change. */
  of(folder?: string): EditorSettings {
    const cached = this.#cache.get(folder ?? '');
    if (cached !== undefined) return cached;
    const scope = folder === undefined ? undefined : vscode.Uri.file(folder);
    const configuration = vscode.workspace.getConfiguration(SETTINGS_SECTION, scope);
    const read = editorSettings(SETTING_NAMES, (name) => configuration.get(name));
    this.#cache.set(folder ?? '', read);
    return read;
  }

  /** Whether completions are wanted in a document; may differ by language and folder. */
  completionsEnabled(document: vscode.Uri): boolean {
    return vscode.workspace.getConfiguration(SETTINGS_SECTION, document).get('minimax.completions.enabled') === true;
  }

  /** Addresses of the servers that may be contacted; none while a setting is wrong, since its default may lead elsewhere. */
  servers(): readonly string[] {
    const { settings, problems } = this.of();
    return problems.length > 0 ? [] : [settings['minimax.baseUrl'], settings['powercontext.url']];
  }

  /** Where memory is asked. */
  memoryServer(): PowerContextSettings {
    const { settings } = this.of();
    return {
      url: settings['powercontext.url'],
      scopeId: settings['powercontext.scopeId'],
      requestTimeoutMs: settings['powercontext.requestTimeoutMs'],
      authorization: undefined,
    };
  }

  dispose(): void {
    this.#registration.dispose();
    this.#changed.dispose();
  }
}
