/**
 * Every place where the tests know how VS Code draws its window. They are internal to VS Code 1.139: when the editor
 * is updated this is the file to look at.
 */
export const Select = {
  workbench: '.monaco-workbench',

  quickInput: '.quick-input-widget:visible',
  quickInputBox: '.quick-input-widget:visible .quick-input-box input',
  quickInputTitle: '.quick-input-widget:visible .quick-input-title',
  quickInputMessage: '.quick-input-widget:visible .quick-input-message',
  quickInputRow: '.quick-input-widget:visible .quick-input-list .monaco-list-row',

  explorerRow: '.explorer-folders-view .monaco-list-row',
  explorerSelectedRow: '.explorer-folders-view .monaco-list-row[aria-selected="true"]',
  explorerTwistie: '.monaco-tl-twistie',
  contextMenu: '.context-view .monaco-menu',
  contextMenuItem: '.context-view .monaco-menu .action-item:not(.disabled)',

  tab: '.tab',
  activeTab: (name: string) => `.editor-group-container.active .tab.active[data-resource-name="${name}"]`,
  dirtyTab: (name: string) => `.tab.dirty[data-resource-name="${name}"]`,
  editor: (name: string) => `.editor-group-container.active .editor-instance .monaco-editor[data-uri$="/${name}"]`,
  anyEditor: '.editor-group-container.active .editor-instance .monaco-editor',
  editorLine: '.view-line',
  selectedText: '.selected-text',
  ghostText: '.ghost-text-decoration, .ghost-text',

  statusItem: (id: string) => `.statusbar-item[id="${id}"]`,
  hover: '.monaco-hover:visible, .workbench-hover:visible',

  toast: '.notifications-toasts .notification-list-item',
  toastMessage: '.notification-list-item-message',
  toastButton: '.notification-list-item-buttons-container .monaco-button',
  toastClose: '.codicon-notifications-clear',
  dialog: '.monaco-dialog-box',
  dialogButton: '.monaco-dialog-box .monaco-button',

  activityItem: (label: string) => `.activitybar .action-item a[aria-label*="${label}"]`,
  webviewFrame: 'iframe.webview.ready',

  terminal: '.terminal-wrapper.active',
  terminalRow: '.terminal-wrapper.active .xterm-rows > div',
  terminalInput: '.terminal-wrapper.active .xterm-helper-textarea',

  trustButton: '.workspace-trust-editor .monaco-button',
  runningExtension: '.runtime-extensions-editor .monaco-list-row',
  runningExtensionTime: '.activation-time',
} as const;
