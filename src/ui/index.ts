// Everything a person sees in VS Code: commands, status bar, context view, completions, explanations, settings, triggers.
// It never parses, reads git, writes SQL or talks to a server itself, and nothing of it runs before a folder is trusted.
// Exports the core that the features share and one function per feature that registers it.
export { createApi } from './api.ts';
export { registerExplain } from './commands/explain.ts';
export { registerKeyCommands } from './commands/key.ts';
export { registerLogCommand } from './commands/log.ts';
export { registerMarkCommands } from './commands/mark.ts';
export { registerSnapshotCommand } from './commands/snapshot.ts';
export { registerCompletions } from './completion-provider.ts';
export { registerContextView } from './context-view.ts';
export { type Core, createCore } from './core.ts';
export { registerFacts } from './facts.ts';
export { EXTENSION_ID } from './ids.ts';
export { registerStatusBar } from './status-bar.ts';
export { registerTriggers } from './triggers.ts';
