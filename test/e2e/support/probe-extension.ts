import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** What the probe extension is called, its parts included. */
export const PROBE = {
  name: 'Probe',
  statusItem: 'test.probe.status',
  mark: 'Probe: Mark',
  showPanel: 'Probe: Show Panel',
  ask: 'Probe: Ask',
} as const;

const MANIFEST = {
  name: 'probe',
  displayName: 'Probe',
  publisher: 'test',
  version: '1.0.0',
  license: 'MIT',
  engines: { vscode: '^1.104.0' },
  main: './extension.js',
  activationEvents: ['onStartupFinished'],
  capabilities: { untrustedWorkspaces: { supported: 'limited', description: 'It reports only.' } },
  contributes: {
    commands: [
      { command: 'probe.mark', title: 'Mark', category: 'Probe' },
      { command: 'probe.showPanel', title: 'Show Panel', category: 'Probe' },
      { command: 'probe.ask', title: 'Ask', category: 'Probe' },
    ],
    menus: {
      'explorer/context': [{ command: 'probe.mark', group: '6_probe' }],
      'editor/context': [{ command: 'probe.mark', group: '6_probe', when: 'editorHasSelection' }],
      'editor/title/context': [{ command: 'probe.mark', group: '6_probe' }],
    },
    viewsContainers: { activitybar: [{ id: 'probe', title: 'Probe', icon: 'icon.svg' }] },
    views: { probe: [{ id: 'probe.view', name: 'Probe Things', type: 'webview' }] },
  },
};

const SOURCE = `
const vscode = require('vscode');
const { appendFileSync } = require('node:fs');

const page = (id, script) => \`<!DOCTYPE html><meta http-equiv="Content-Security-Policy"
  content="default-src 'none'; script-src 'nonce-n'"><body><p id="\${id}">\${id} is here</p><button>press</button>
  <script nonce="n">const api = acquireVsCodeApi();
  document.querySelector('button').addEventListener('click', () => api.postMessage('pressed'));\${script}</script>\`;

exports.activate = (context) => {
  const report = (event, fields = {}) =>
    appendFileSync(process.env.PROJECT_ANCHOR_TEST_LOG, JSON.stringify({ t: Date.now(), event, ...fields }) + '\\n');
  const status = vscode.window.createStatusBarItem('status', vscode.StatusBarAlignment.Left, 100);
  const show = (text) => { status.text = '$(pin) ' + text; };
  status.name = 'Probe';
  status.tooltip = 'What the probe has seen';
  status.command = 'probe.ask';
  show('ready');
  status.show();
  const relative = (uri) => vscode.workspace.asRelativePath(uri, false);
  const hear = (webview) => webview.onDidReceiveMessage((message) => report('message', { message }));

  context.subscriptions.push(
    status,
    vscode.commands.registerCommand('probe.mark', (uri, uris) => {
      const editor = vscode.window.activeTextEditor;
      const selection = editor && !editor.selection.isEmpty ? editor.document.getText(editor.selection) : undefined;
      const paths = (uris ?? [uri]).map(relative).sort();
      report('mark', { paths, selection });
      show('marked ' + paths.join(' '));
      vscode.window.showInformationMessage('Marked ' + paths.length, 'Again').then((button) => button && report('again'));
    }),
    vscode.commands.registerCommand('probe.ask', async () => {
      const answer = await vscode.window.showInputBox({ title: 'Key', prompt: 'Type it', password: true,
        validateInput: (text) => (text.includes('!') ? 'no exclamation mark' : undefined) });
      if (answer === undefined) return report('cancelled');
      await context.secrets.store('key', answer);
      const picked = await vscode.window.showQuickPick(['first', 'second'], { title: 'Which' });
      const pressed = await vscode.window.showWarningMessage('Sure?', { modal: true }, 'Do it');
      report('asked', { length: answer.length, picked, pressed });
    }),
    vscode.commands.registerCommand('probe.showPanel', () => {
      const panel = vscode.window.createWebviewPanel('probe', 'Panel', vscode.ViewColumn.Beside, { enableScripts: true });
      panel.webview.html = page('panel', "const s = document.createElement('style'); s.textContent = 'p{}'; document.head.append(s);");
      hear(panel.webview);
    }),
    vscode.window.registerWebviewViewProvider('probe.view', {
      resolveWebviewView(view) {
        view.webview.options = { enableScripts: true };
        view.webview.html = page('view', '');
        hear(view.webview);
      },
    }),
    vscode.languages.registerInlineCompletionItemProvider({ scheme: 'file' }, {
      provideInlineCompletionItems(document, position) {
        report('asked for inline', { text: document.lineAt(position.line).text });
        const before = document.lineAt(position.line).text.slice(0, position.character);
        if (!before.endsWith('hello')) return [];
        return [new vscode.InlineCompletionItem(' world\\n// and more', new vscode.Range(position, position))];
      },
    }),
    vscode.window.onDidChangeActiveTextEditor((editor) => editor && report('active', { path: relative(editor.document.uri) })),
    vscode.workspace.onDidGrantWorkspaceTrust(() => report('trusted')),
    { dispose: () => report('disposed') },
  );
  context.secrets.get('key').then((key) =>
    report('activated', { trusted: vscode.workspace.isTrusted, key: key?.length ?? 0, folders: vscode.workspace.workspaceFolders?.length ?? 0 }));
};
`;

/** Packs a small extension that uses every part of VS Code that the tests drive, and tells where the package is. */
export function packProbeExtension(folder: string): string {
  const source = join(folder, 'probe');
  mkdirSync(source, { recursive: true });
  writeFileSync(join(source, 'package.json'), JSON.stringify(MANIFEST));
  writeFileSync(join(source, 'extension.js'), SOURCE);
  writeFileSync(
    join(source, 'icon.svg'),
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path d="M2 2h12v12H2z"/></svg>',
  );
  writeFileSync(join(source, 'README.md'), 'A probe.');
  const path = join(folder, 'probe.vsix');
  const vsce = createRequire(import.meta.url).resolve('@vscode/vsce/vsce');
  const flags = ['--no-dependencies', '--allow-missing-repository', '--skip-license', '--out', path];
  execFileSync(process.execPath, [vsce, 'package', ...flags], { cwd: source, stdio: 'pipe' });
  return path;
}
