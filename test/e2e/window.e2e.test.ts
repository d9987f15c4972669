import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { GitSandbox } from '../support/git-repo.ts';
import { waitFor } from '../support/wait.ts';
import type { Editor, EditorOptions } from './support/editor.ts';
import { Product, STATUS, whyNoEditor } from './support/product.ts';
import { keepEvidence } from './support/report.ts';
import type { EditorUser } from './support/user.ts';
import type { EditorWindow } from './support/window.ts';

const missing = await whyNoEditor();
/** A window opens, and an extension host starts, within this time also on a busy machine. */
const OPEN_MS = 90_000;

describe.skipIf(missing !== undefined)(missing ? `left out: ${missing}` : 'windows of the real editor', () => {
  let product: Product;
  let project: GitSandbox;

  beforeAll(async () => {
    product = await Product.install();
    project = product.project('shop');
  });
  afterAll(() => product?.dispose());

  /** An editor that ends with the running test. */
  async function start(options: Partial<EditorOptions> = {}): Promise<Editor> {
    const editor = await product.editor(options);
    onTestFinished(() => editor.dispose());
    return editor;
  }

  async function mark(window: EditorWindow, path: string, tags: string): Promise<void> {
    await (await window.explorer.contextMenu(path)).choose('Mark as Context Focus');
    await window.quickInput.waitFor(/^Mark /);
    await window.quickInput.fill(tags);
    await window.quickInput.accept();
  }

  it('is the packed extension that is installed', () => {
    const files = readdirSync(product.installed, { recursive: true, encoding: 'utf8' }).map((file) =>
      file.replaceAll('\\', '/'),
    );
    expect(files).toEqual(
      expect.arrayContaining([
        'dist/extension.js',
        'dist/snapshot-worker.js',
        'dist/log-worker.js',
        'dist/minimax.js',
        'media/context-view.js',
      ]),
    );
    expect(files.filter((file) => /^(src|test|scripts|node_modules)\b|\.map$/.test(file))).toEqual([]);
  });

  describe('one after the other in one editor', () => {
    let editor: Editor;
    let user: EditorUser;
    let first: EditorWindow;
    let second: EditorWindow;

    beforeAll(async () => {
      editor = await product.editor();
      user = await editor.user(product.browser);
    });
    afterAll(() => editor?.dispose());

    it('says in an empty window what to do next', async () => {
      first = await user.open('empty');
      keepEvidence(editor, first);
      await first.statusBar.waitForLabel(STATUS, 'no folder open', OPEN_MS);
      expect(existsSync(editor.dataFolder)).toBe(false);
    });

    it('two windows and the command line agree on the state, whoever marks', async () => {
      await first.goTo({ folder: project.root });
      await first.statusBar.waitForText(STATUS, 'main', OPEN_MS);
      await editor.log.wait(({ event, kind }) => event === 'hub' && kind === 'hub');
      second = await user.open({ folder: project.root });
      keepEvidence(editor, second);
      await second.statusBar.waitForText(STATUS, 'in sync, 1 other', OPEN_MS);
      await mark(first, 'src/cart.ts', 'priority: high');
      await second.statusBar.waitForText(STATUS, /\b1\b\s+in sync/);
      await mark(second, 'src/pricing.ts', 'priority: low');
      await first.statusBar.waitForText(STATUS, /\b2\b\s+in sync/);
      const cli = product.commandLine(editor, project.root);
      await cli.json('tag', 'add', 'README.md', 'topic=docs');
      for (const window of [first, second]) await window.statusBar.waitForText(STATUS, /\b3\b\s+in sync/);
      const { seq, hash } = await cli.json<{ seq: number; hash: string }>('state');
      // The hash of the head stands for the whole chain, and so for the state that it makes.
      await waitFor(
        () => editor.log.matching((entry) => entry.event === 'deltas' && entry['hash'] === hash).length >= 2,
        {
          timeoutMs: OPEN_MS,
          what: `both windows to reach ${seq}`,
        },
      );
      expect(await cli.json('verify')).toMatchObject({ ok: true });
    });

    it('hands the hub on when the window that runs it closes, and ends in its own time', async () => {
      keepEvidence(editor, second);
      await second.statusBar.waitForText(STATUS, 'in sync, 1 other', OPEN_MS);
      const from = editor.log.mark();
      await first.leave();
      await editor.log.wait('closed', { from, timeoutMs: OPEN_MS });
      await editor.log.wait(({ event, kind }) => event === 'hub' && kind === 'hub', { from, timeoutMs: OPEN_MS });
      await mark(second, 'docs', '');
      await second.statusBar.waitForText(STATUS, /\b4\b\s+in sync/);
    });

    it('is about the folder of the active file in a window of several, and opens each when it is first used', async () => {
      const other = product.project('bakery');
      other.write('src/oven.ts', 'export const degrees = 220;\n').commit('an oven');
      const workspace = join(product.root, 'both.code-workspace');
      writeFileSync(workspace, JSON.stringify({ folders: [{ path: project.root }, { path: other.root }] }));
      const from = editor.log.mark();
      keepEvidence(editor, second);
      await second.goTo({ workspace });
      await second.statusBar.waitForText(STATUS, /shop\s+main/, OPEN_MS);
      expect(editor.log.matching('opened', from).map((entry) => entry['project'])).toEqual(['shop']);
      await second.editors.open('oven.ts');
      await second.statusBar.waitForText(STATUS, /bakery\s+main/, OPEN_MS);
      expect(editor.log.matching('opened', from).map((entry) => entry['project'])).toEqual(['shop', 'bakery']);
    });
  });

  it('starts nothing in a folder that is not trusted, says so, and starts when trust is granted', async () => {
    const editor = await start({ trust: 'none' });
    const window = await (await editor.user(product.browser)).open({ folder: project.root });
    keepEvidence(editor, window);
    expect(await editor.log.wait('activated', { timeoutMs: OPEN_MS })).toMatchObject({ trusted: false });
    await window.statusBar.waitForLabel(STATUS, 'ProjectAnchor: restricted');
    await expect.poll(() => window.statusBar.tooltip(STATUS), { timeout: 20_000 }).toContain('Manage Workspace Trust');
    await window.editors.open('src/cart.ts');
    const menu = await window.explorer.contextMenu('src/cart.ts');
    expect(await menu.items()).not.toContain('Mark as Context Focus');
    await menu.close();
    await window.webviews.focusView('Context');
    const view = await window.webviews.withElement('#context');
    await view.getByText('ProjectAnchor starts nothing here').waitFor();
    await window.screenshot('restricted');
    expect(existsSync(editor.dataFolder)).toBe(false);
    expect(editor.log.entries().map(({ event }) => event)).toEqual(['activated']);
    await window.trustWorkspace();
    await editor.log.wait('opened', { timeoutMs: OPEN_MS });
    await window.statusBar.waitForText(STATUS, 'main', OPEN_MS);
  });

  it('works in memory with a database of a newer version, says so, and leaves it as it was', async () => {
    const editor = await start();
    mkdirSync(editor.dataFolder, { recursive: true, mode: 0o700 });
    const file = join(editor.dataFolder, 'project-anchor.db');
    const sql = `const { DatabaseSync } = require('node:sqlite'); const db = new DatabaseSync(${JSON.stringify(file)}); db.exec('PRAGMA user_version = 9999; CREATE TABLE future (x)'); db.close();`;
    execFileSync(process.execPath, ['-e', sql], { stdio: 'ignore' });
    const window = await (await editor.user(product.browser)).open({ folder: project.root });
    keepEvidence(editor, window);
    await window.statusBar.waitForText(STATUS, 'not saved', OPEN_MS);
    await expect
      .poll(() => window.statusBar.tooltip(STATUS), { timeout: 20_000 })
      .toMatch(/has schema 9999.*left untouched.*Update ProjectAnchor/);
    await mark(window, 'src/cart.ts', 'priority: high');
    await window.statusBar.waitForText(STATUS, /\b1\b\s+not saved/);
    await window.screenshot('newer database');
    const read = `const { DatabaseSync } = require('node:sqlite'); const db = new DatabaseSync(${JSON.stringify(file)}, { readOnly: true }); console.log(JSON.stringify([db.prepare('PRAGMA user_version').get(), db.prepare("SELECT name FROM sqlite_master").all()]));`;
    expect(JSON.parse(execFileSync(process.execPath, ['-e', read], { encoding: 'utf8' }))).toEqual([
      { user_version: 9999 },
      [{ name: 'future' }],
    ]);
  });

  it('works in memory with a database that is cut off, says so, and leaves it as it was', async () => {
    const editor = await start();
    const file = join(editor.dataFolder, 'project-anchor.db');
    await product.commandLine(editor, project.root).json('snapshot');
    truncateSync(file, Math.floor(statSync(file).size / 2));
    const before = readFileSync(file);
    const window = await (await editor.user(product.browser)).open({ folder: project.root });
    keepEvidence(editor, window);
    await window.statusBar.waitForText(STATUS, 'not saved', OPEN_MS);
    await expect.poll(() => window.statusBar.tooltip(STATUS), { timeout: 20_000 }).toMatch(/damaged/);
    await mark(window, 'src/cart.ts', 'priority: high');
    await window.statusBar.waitForText(STATUS, /\b1\b\s+not saved/);
    await window.screenshot('damaged database');
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it('works without git, and says what is missing', async () => {
    // The extension host takes its PATH from a login shell of the person.
    const bin = join(product.root, 'no-git');
    mkdirSync(bin);
    const editor = await start({ env: { PATH: bin } });
    writeFileSync(join(editor.dataFolder, '..', 'home', '.bash_profile'), `export PATH=${bin}\n`);
    const window = await (await editor.user(product.browser)).open({ folder: project.root });
    keepEvidence(editor, window);
    await window.statusBar.waitForText(STATUS, 'shop', OPEN_MS);
    await mark(window, 'README.md', 'topic: docs');
    await window.statusBar.waitForText(STATUS, /\b1\b/);

    await window.webviews.focusView('Context');
    const view = await window.webviews.withElement('#context');
    await view.getByText('Git was not found').first().waitFor();
    await window.screenshot('no git');
  });
});
