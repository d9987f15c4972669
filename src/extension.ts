import * as vscode from 'vscode';
import type { ProjectAnchorApi } from './agents/index.ts';
import {
  type Core,
  createApi,
  createCore,
  EXTENSION_ID,
  registerCompletions,
  registerContextView,
  registerExplain,
  registerFacts,
  registerKeyCommands,
  registerLogCommand,
  registerMarkCommands,
  registerSnapshotCommand,
  registerStatusBar,
  registerTriggers,
} from './ui/index.ts';

/** Everything the extension does, one feature a line. The triggers come last: they set the others to work. */
const FEATURES: readonly ((core: Core) => vscode.Disposable)[] = [
  registerStatusBar,
  registerContextView,
  registerMarkCommands,
  registerSnapshotCommand,
  registerExplain,
  registerKeyCommands,
  registerLogCommand,
  registerCompletions,
  registerFacts,
  registerTriggers,
];

/** What `activate` returns: the API for other extensions, and the way for `deactivate` to end in order. */
interface RunningExtension extends ProjectAnchorApi {
  readonly close: () => Promise<void>;
}

/** Called by VS Code once the window has started. Constructs and registers; nothing starts before the folder is trusted. */
export function activate(context: vscode.ExtensionContext): RunningExtension {
  const started = performance.now();
  const core = createCore(context);
  context.subscriptions.push(...FEATURES.map((register) => register(core)), core);
  const api = createApi(core.projects, () => core.state.folder()?.path ?? null, core.logger);
  core.observe('activated', { ms: performance.now() - started, trusted: core.host.trusted });
  return { ...api, close: core.close };
}

/** Called by VS Code before the window closes, which waits a few seconds for it: nothing that was queued is lost. */
export async function deactivate(): Promise<void> {
  await vscode.extensions.getExtension<RunningExtension>(EXTENSION_ID)?.exports?.close();
}
