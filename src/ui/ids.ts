/** Every id that the manifest and the code share. A test compares this file with package.json, both ways. */

/** `publisher.name`, as VS Code knows the extension. */
export const EXTENSION_ID = 'project-anchor.project-anchor';

export const Commands = {
  markFocus: 'projectAnchor.markFocus',
  unmark: 'projectAnchor.unmark',
  showContext: 'projectAnchor.showContext',
  takeSnapshot: 'projectAnchor.takeSnapshot',
  explain: 'projectAnchor.explain',
  setKey: 'projectAnchor.setKey',
  signOut: 'projectAnchor.signOut',
  showLog: 'projectAnchor.showLog',
} as const;

export type CommandId = (typeof Commands)[keyof typeof Commands];

export const Views = { context: 'projectAnchor.context' } as const;

export const STATUS_ITEM = 'projectAnchor.status';

/** Section of the settings; their names below it are those of the command line's settings. */
export const SETTINGS_SECTION = 'projectAnchor';

/** Documents that show an answer while it arrives. */
export const EXPLAIN_SCHEME = 'projectanchor-explain';
