// Doors for everyone who is not a person in VS Code: the project session, settings, the command line and the hub process.
// It never imports `vscode` and holds no rules of its own about snapshots, deltas or injection.
// Exports ProjectSession and how to open one, the settings, and the type of the extension's API; the command line is in core.ts.
export type { FileUri, ProjectAnchorApi } from './api.ts';
export { authorOf } from './author.ts';
export { IdleAutoTags } from './auto-tags.ts';
export {
  readSettings,
  SETTING_NAMES,
  SETTINGS,
  Secret,
  type SettingName,
  type Settings,
} from './config.ts';
export { enclosingSymbol } from './marks.ts';
export { openProjectSession, type SessionServices, type SessionSettings } from './project-session.ts';
export type * from './session-types.ts';
