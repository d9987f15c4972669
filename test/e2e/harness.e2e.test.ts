import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { GitSandbox } from '../support/git-repo.ts';
import { Editor, type EditorOptions } from './support/editor.ts';
import {
  type EditorInstallation,
  editorInstallation,
  type InstalledExtensions,
  installExtensions,
} from './support/installation.ts';
import { PROBE, packProbeExtension } from './support/probe-extension.ts';
import { keepEvidence } from './support/report.ts';
import { type EditorUser, launchBrowser } from './support/user.ts';
import type { EditorWindow } from './support/window.ts';

const found = await editorInstallation();
const missing = 'missing' in found ? found.missing : undefined;

describe.skipIf(missing !== undefined)(missing ? `left out: ${missing}` : 'the harness in the real editor', () => {
  const installation = found as EditorInstallation;
  let root: string;
  let project: GitSandbox;
  let browser: Browser;
  let extensions: InstalledExtensions;

  beforeAll(async () => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'pa-harness-')));
    project = GitSandbox.init(join(root, 'project'))
      .write('src/a.ts', 'export const one = 1;\nexport const two = 2;\nexport const three = 3;\n')
      .write('src/deep/b.ts', 'export const b = 1;\n')
      .write('README.md', '# Project\n');
    project.commit('first');
    extensions = await installExtensions(installation, [packProbeExtension(root)]);
    browser = await launchBrowser(installation);
  });

  afterAll(async () => {
    await browser?.close();
    extensions?.dispose();
    rmSync(root, { recursive: true, force: true });
  });

  const start = (options: Partial<EditorOptions> = {}) => Editor.start(installation, { extensions, ...options });
  const openProject = (user: EditorUser) => user.open({ folder: project.root });

  describe('one window', () => {
    let editor: Editor;
    let window: EditorWindow;

    beforeAll(async () => {
      editor = await start();
      window = await openProject(await editor.user(browser));
      await window.statusBar.waitForText(PROBE.statusItem, 'ready');
    });
    afterAll(() => editor?.dispose());
    beforeEach(() => keepEvidence(editor, window));

    it('right-clicks a file, a folder and several files in the tree', async () => {
      let from = editor.log.mark();
      await (await window.explorer.contextMenu('src/deep/b.ts')).choose('Mark');
      expect(await editor.log.wait('mark', { from })).toMatchObject({ paths: ['src/deep/b.ts'] });
      await window.statusBar.waitForText(PROBE.statusItem, 'marked src/deep/b.ts');

      from = editor.log.mark();
      await (await window.explorer.contextMenu('src/deep')).choose('Mark');
      expect(await editor.log.wait('mark', { from })).toMatchObject({ paths: ['src/deep'] });

      from = editor.log.mark();
      await (await window.explorer.contextMenuOfMany(['src/a.ts', 'README.md'])).choose('Mark');
      expect(await editor.log.wait('mark', { from })).toMatchObject({ paths: ['README.md', 'src/a.ts'] });
    });

    it('right-clicks a selection and a tab', async () => {
      let from = editor.log.mark();
      await window.editors.selectLines('src/a.ts', 2, 3);
      await (await window.editors.selectionContextMenu('src/a.ts')).choose('Mark');
      expect(await editor.log.wait('mark', { from })).toMatchObject({
        selection: 'export const two = 2;\nexport const three = 3;',
      });
      from = editor.log.mark();
      const menu = await window.editors.tabContextMenu('a.ts');
      expect(await menu.items()).toContain('Mark');
      await menu.close();
      expect(editor.log.matching('mark', from)).toEqual([]);
    });

    it('reads and presses messages', async () => {
      const from = editor.log.mark();
      await window.explorer.show();
      await (await window.explorer.contextMenu('README.md')).choose('Mark');
      expect(await window.notices.waitForToast('Marked 1')).toBe('Marked 1');
      await window.notices.clickToastButton('Marked 1', 'Again');
      await editor.log.wait('again', { from });
    });

    it('reads the status bar and answers boxes, lists and dialogs', async () => {
      const from = editor.log.mark();
      expect(await window.statusBar.tooltip(PROBE.statusItem)).toContain('What the probe has seen');
      await window.statusBar.click(PROBE.statusItem);
      await window.quickInput.waitFor('Key');
      expect([await window.quickInput.title(), await window.quickInput.isPassword()]).toEqual(['Key', true]);
      await window.quickInput.fill('no!');
      await window.quickInput.waitForMessage('no exclamation mark');
      await window.quickInput.fill('secret');
      await window.quickInput.waitForMessage('Type it');
      await window.quickInput.accept();
      await window.quickInput.waitFor('Which');
      expect(await window.quickInput.rows()).toEqual([
        expect.stringContaining('first'),
        expect.stringContaining('second'),
      ]);
      await window.quickInput.pick('second');
      expect(await window.notices.dialogText()).toContain('Sure?');
      await window.notices.answerDialog('Do it');
      expect(await editor.log.wait('asked', { from })).toMatchObject({ length: 6, picked: 'second', pressed: 'Do it' });

      await window.runCommand(PROBE.ask);
      await window.quickInput.waitFor('Key');
      await window.quickInput.cancel();
      await editor.log.wait('cancelled', { from });
    });

    it('sees into web views and hears of violations of their policy', async () => {
      const from = editor.log.mark();
      await window.webviews.focusView('Probe Things');
      const view = await window.webviews.withElement('#view');
      expect(await view.locator('#view').innerText()).toBe('view is here');
      await view.locator('button').click();
      await editor.log.wait('message', { from });
      expect(window.policyViolations()).toEqual([]);

      await window.runCommand(PROBE.showPanel);
      const panel = await window.webviews.withElement('#panel');
      expect(await panel.locator('#panel').innerText()).toBe('panel is here');
      await expect.poll(() => window.policyViolations()).toEqual([expect.stringContaining('Applying inline style')]);
    });

    it('opens files at a place, types, takes ghost text and saves', async () => {
      await window.editors.open('src/deep/b.ts', { line: 2, column: 1 });
      await window.editors.type('hello');
      expect(await window.editors.ghostText()).toContain('world');
      await window.editors.acceptGhostText();
      expect(await window.editors.visibleText()).toContain('hello world');
      await window.editors.save('b.ts');
      expect(readFileSync(join(project.root, 'src/deep/b.ts'), 'utf8')).toBe(
        'export const b = 1;\nhello world\n// and more',
      );
    });

    it('tells which editor is active', async () => {
      const from = editor.log.mark();
      await window.editors.open('README.md');
      await window.editors.open('src/a.ts');
      await editor.log.wait(({ event, path }) => event === 'active' && path === 'src/a.ts', { from });
      expect(editor.log.matching('active', from).map(({ path }) => path)).toContain('README.md');
    });

    it('types in a terminal', async () => {
      await window.terminal.open();
      await window.terminal.run('git add --all && git commit --quiet -m "[refactor] from the terminal"');
      expect(project.git('log', '-1', '--format=%an %s').trim()).toBe('Test [refactor] from the terminal');
      await expect(window.terminal.run('false')).rejects.toThrow('false failed in the terminal');
    });

    it('knows the time of an activation', async () => {
      expect(await window.activationTime('Probe')).toBeGreaterThanOrEqual(0);
    });

    it('keeps pictures in two sizes', async () => {
      await window.resize(800, 600);
      const path = await window.screenshot('harness at 800');
      await window.resize(1280, 800);
      expect(readFileSync(path).subarray(1, 4).toString()).toBe('PNG');
    });
  });

  /** An editor for the running test only. */
  async function startForTest(options: Partial<EditorOptions> = {}): Promise<Editor> {
    const editor = await start(options);
    onTestFinished(() => editor.dispose());
    return editor;
  }

  it('comes back after an end, with the secrets of the person', async () => {
    const editor = await startForTest();
    const user = await editor.user(browser);
    const window = await openProject(user);
    keepEvidence(editor, window);
    await window.statusBar.waitForText(PROBE.statusItem, 'ready');
    await window.runCommand(PROBE.ask);
    await window.quickInput.fill('sixteen letters.');
    await window.quickInput.accept();
    // The next box comes only after the key is stored.
    await window.quickInput.waitFor('Which');
    await window.quickInput.cancel();

    const from = editor.log.mark();
    await editor.stop('SIGTERM');
    await editor.start();
    await window.goTo({ folder: project.root });
    expect(await editor.log.wait('activated', { from })).toMatchObject({ key: 16 });
  });
});
