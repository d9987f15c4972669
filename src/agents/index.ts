// Doors for everyone who is not a person in VS Code: the project session, settings, the command line and the hub process.
// It never imports `vscode` and holds no rules of its own about snapshots, deltas or injection.
// Exports ProjectSession and what the composition roots need.
export type * from './session-types.ts';
