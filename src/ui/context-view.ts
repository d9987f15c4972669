import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { messageOf } from '../base/index.ts';
import { AboutFile } from './about-source.ts';
import { contextContent, contextPage } from './context-html.ts';
import type { ContextModel } from './context-model.ts';
import { type ContextPorts, contextNow } from './context-source.ts';
import type { Core } from './core.ts';
import { activeCursor } from './cursor.ts';
import { type CommandId, Commands, Views } from './ids.ts';

/** A burst of changes is one picture, also while somebody types beside it. */
const RENDER_MS = 150;

/** What the page may ask for; anything else it sends is ignored. */
const OFFERED: ReadonlySet<string> = new Set<CommandId>([Commands.markFocus, Commands.setKey, Commands.showLog]);

/** The context view and the command that shows it. */
export function registerContextView(core: Core): vscode.Disposable {
  const { projects, state, settings, models, media, logger, clock } = core;
  const about = new AboutFile({ isWanted: () => view.isVisible, changed: () => view.refresh() }, clock);
  const ports: ContextPorts = {
    status: () => state.status(),
    problems: () => settings.of().problems,
    model: async () => ({ host: models.destination.host, hasKey: await models.hasKey() }),
    session: () => state.project()?.session ?? null,
    cursor: activeCursor,
    locate: (file) => projects.find(file),
    completionTokens: () => settings.of(state.folder()?.path).settings['context.completionTokens'],
    about: ({ project, path }, line) => about.now(project.session, path, line),
  };
  const failed = (error: unknown) => logger.error(`The context view could not be drawn: ${messageOf(error)}`);
  const view: ContextView = new ContextView(media, () => contextNow(ports), failed);
  const refresh = () => view.refresh();
  return vscode.Disposable.from(
    view,
    about,
    vscode.window.registerWebviewViewProvider(Views.context, view),
    vscode.commands.registerCommand(Commands.showContext, () =>
      vscode.commands.executeCommand(`${Views.context}.focus`),
    ),
    core.onDidChange(refresh),
    vscode.window.onDidChangeTextEditorSelection(refresh),
  );
}

/** The webview view *Context*. Builds a picture only while somebody looks at it. */
class ContextView implements vscode.WebviewViewProvider, vscode.Disposable {
  readonly #media: vscode.Uri;
  readonly #model: () => Promise<ContextModel>;
  readonly #onError: (error: unknown) => void;
  #view: vscode.WebviewView | null = null;
  #ready = false;
  #timer: NodeJS.Timeout | null = null;
  /** What the page shows. */
  #shown: string | null = null;

  constructor(media: vscode.Uri, model: () => Promise<ContextModel>, onError: (error: unknown) => void) {
    this.#media = media;
    this.#model = model;
    this.#onError = onError;
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.#view = view;
    this.#ready = false;
    const { webview } = view;
    webview.options = { enableScripts: true, enableCommandUris: false, localResourceRoots: [this.#media] };
    webview.onDidReceiveMessage((message: unknown) => this.#receive(message));
    view.onDidChangeVisibility(() => this.refresh());
    view.onDidDispose(() => {
      if (this.#view === view) this.#view = null;
    });
    const file = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(this.#media, name)).toString();
    webview.html = contextPage({
      script: file('context-view.js'),
      style: file('context-view.css'),
      cspSource: webview.cspSource,
      nonce: randomBytes(16).toString('base64url'),
    });
  }

  get isVisible(): boolean {
    return this.#view?.visible === true;
  }

  /** Something that the view shows may have changed. */
  refresh(): void {
    if (!this.isVisible || !this.#ready || this.#timer !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#render().catch(this.#onError);
    }, RENDER_MS);
  }

  dispose(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#view = null;
  }

  async #render(): Promise<void> {
    const content = contextContent(await this.#model());
    if (content === this.#shown) return;
    this.#shown = content;
    await this.#view?.webview.postMessage({ type: 'content', content });
  }

  #receive(message: unknown): void {
    if (typeof message !== 'object' || message === null || !('type' in message)) return;
    if (message.type === 'ready') {
      this.#ready = true;
      this.#shown = null;
      this.refresh();
    } else if (message.type === 'command' && 'command' in message) {
      const { command } = message;
      if (typeof command === 'string' && OFFERED.has(command)) void vscode.commands.executeCommand(command);
    }
  }
}
