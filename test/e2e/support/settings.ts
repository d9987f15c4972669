/** The person's settings that every editor of the tests starts with: quiet, no network, no motion, no first-start pages. */
export const QUIET_SETTINGS: Readonly<Record<string, unknown>> = {
  // Without this a chat view and its sign-in cover part of the window.
  'chat.disableAIFeatures': true,
  'workbench.startupEditor': 'none',
  // As modal windows, settings and lists of extensions would swallow the keys of the command palette.
  'workbench.editor.useModal': 'off',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.reduceMotion': 'on',
  'workbench.tips.enabled': false,
  'workbench.enableExperiments': false,
  'workbench.layoutControl.enabled': false,
  'window.menuBarVisibility': 'classic',
  'window.commandCenter': false,
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'extensions.autoUpdate': 'off',
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'git.autofetch': false,
  'git.openRepositoryInParentFolders': 'never',
  'editor.accessibilitySupport': 'off',
  'npm.autoDetect': 'off',
  // Puts the text of a terminal into the document. (The editor's own test driver would do so too, but shows no messages.)
  'terminal.integrated.gpuAcceleration': 'off',
  // Files that a test writes stay as it wrote them.
  'files.autoSave': 'off',
};
