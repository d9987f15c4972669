import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { GitSandbox } from '../support/git-repo.ts';
import { waitFor } from '../support/wait.ts';
import type { Editor } from './support/editor.ts';
import type { Observation } from './support/observation-log.ts';
import { Product, STATUS, whyNoEditor } from './support/product.ts';
import { keepEvidence } from './support/report.ts';
import type { EditorUser } from './support/user.ts';
import type { EditorWindow } from './support/window.ts';

const missing = await whyNoEditor();
/** A window opens, and an extension host starts, within this time also on a busy machine. */
const OPEN_MS = 90_000;

interface StateAnswer {
  readonly state: {
    readonly anchor: string;
    readonly workspaces: Record<string, { git: { head: { branch?: string } }; commits?: { commit: string }[] }>;
  };
}

/** One editor for all: what differs is what its windows show. */
describe.skipIf(missing !== undefined)(missing ? `left out: ${missing}` : 'repositories in the real editor', () => {
  let product: Product;
  let editor: Editor;
  let user: EditorUser;
  let window: EditorWindow;
  let shop: GitSandbox;

  beforeAll(async () => {
    product = await Product.install();
    shop = product.project('shop');
    editor = await product.editor();
    user = await editor.user(product.browser);
    window = await user.open({ folder: shop.root });
    await window.statusBar.waitForText(STATUS, /shop\s+main/, OPEN_MS);
    await editor.log.wait('snapshot', { timeoutMs: OPEN_MS });
  });

  afterAll(async () => {
    await editor?.dispose();
    await product?.dispose();
  });

  beforeEach(() => keepEvidence(editor, window));

  const opened = (project: string) => (entry: Observation) => entry.event === 'opened' && entry['project'] === project;
  const ended = (project: string) => (entry: Observation) => entry.event === 'ended' && entry['project'] === project;
  const snapshot = (trigger: string) => (entry: Observation) =>
    entry.event === 'snapshot' && entry['trigger'] === trigger;

  async function openFile(file: string): Promise<void> {
    await window.runCommand('File: Open File...');
    await window.quickInput.waitFor();
    // While the dialog reads a folder it writes over what is typed.
    await waitFor(
      async () => {
        const folder = `${dirname(file)}/`;
        if ((await window.quickInput.value()) !== folder) await window.quickInput.fill(folder);
        return (await window.quickInput.rows()).some((row) => row.includes(basename(file)));
      },
      { timeoutMs: 20_000, intervalMs: 500, what: `${file} in the dialog` },
    );
    await window.quickInput.pick(basename(file));
    await window.editors.waitForActive(basename(file));
  }

  it('windows on a repository and on a linked working tree of it share one project, each with its own branch', async () => {
    const linked = new GitSandbox(join(product.root, 'shop-side'));
    shop.git('worktree', 'add', '--quiet', '-b', 'side', linked.root);
    const from = editor.log.mark();
    const beside = await user.open({ folder: linked.root });
    keepEvidence(editor, beside);
    await beside.statusBar.waitForText(STATUS, /shop-side\s+side/, OPEN_MS);
    const [main] = editor.log.matching(opened('shop'));
    const side = await editor.log.wait(opened('shop-side'), { from });
    expect(side['anchor']).toBe(main?.['anchor']);
    expect(side['workspace']).not.toBe(main?.['workspace']);

    const cli = product.commandLine(editor, linked.root);
    await cli.json('focus', 'add', 'src/cart.ts');
    for (const each of [window, beside]) await each.statusBar.waitForText(STATUS, /\b1\b\s+in sync, 1 other/, OPEN_MS);
    const before = editor.log.mark();
    linked.commit('[feat] beside');
    await editor.log.wait(snapshot('commit'), { from: before });
    const { state } = await cli.json<StateAnswer>('state');
    const branches = Object.values(state.workspaces).map(({ git }) => git.head.branch);
    expect(branches.sort()).toEqual(['main', 'side']);
    await window.statusBar.waitForText(STATUS, /shop\s+main/);
    await beside.screenshot('linked working tree');
    await beside.page.close();
  });

  it('a file of a submodule belongs to the submodule, and the parent says that it is dirty', async () => {
    const library = product.project('library');
    const outer = product.project('outer');
    outer.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library.root, 'lib');
    outer.commit('a library');
    const inner = new GitSandbox(join(outer.root, 'lib'));
    inner.git('remote', 'set-url', 'origin', 'https://example.com/library.git');
    inner.write('src/pricing.ts', 'export const free = true;\n');
    const from = editor.log.mark();
    await window.goTo({ folder: outer.root });
    await window.statusBar.waitForText(STATUS, /outer\s+main/, OPEN_MS);
    expect(editor.log.matching('opened', from).map(({ project }) => project)).toEqual(['outer']);
    expect(await product.commandLine(editor, outer.root).json('show', 'latest')).toMatchObject({
      git: { submodules: [{ path: 'lib', dirty: true }] },
    });

    await window.webviews.focusView('Context');
    await window.editors.open('lib/src/pricing.ts');
    await window.statusBar.waitForText(STATUS, /lib\s+main/, OPEN_MS);
    const own = await editor.log.wait(opened('lib'), { from });
    const { id } = await product.commandLine(editor, inner.root).json<{ id: string }>('anchor');
    expect(own['anchor']).toBe(id);
    expect(id).toContain('example.com/library');
    await editor.log.wait(({ event, active }) => event === 'snapshot' && active === 'src/pricing.ts', { from });
    const view = await window.webviews.withElement('#context');
    await view.locator('header', { hasText: 'lib' }).waitFor();
    await view.locator('.path', { hasText: /^src\/pricing\.ts$/ }).waitFor();
    await window.screenshot('submodule');

    const before = editor.log.mark();
    inner.commit('fix(pricing): free');
    const seen = await editor.log.wait(snapshot('commit'), { from: before });
    expect(seen['commits']).toEqual([{ commit: inner.head(), kinds: ['fix'] }]);
    await window.editors.open('README.md');
    await window.statusBar.waitForText(STATUS, /outer\s+main/);
  });

  it('follows folders that are added to a window and removed from it', async () => {
    const kiosk = product.project('kiosk');
    const bakery = product.project('bakery');
    bakery.write('src/oven.ts', 'export const degrees = 220;\n').commit('an oven');
    kiosk.write('packages/stand/src/stand.ts', 'export const open = true;\n').commit('a stand');
    const workspace = join(product.root, 'several.code-workspace');
    const show = (...paths: readonly string[]) =>
      writeFileSync(workspace, JSON.stringify({ folders: paths.map((path) => ({ path })) }));
    show(kiosk.root);
    const from = editor.log.mark();
    await window.goTo({ workspace });
    await window.statusBar.waitForText(STATUS, /kiosk\s+main/, OPEN_MS);

    show(kiosk.root, join(kiosk.root, 'packages', 'stand'), bakery.root);
    await window.explorer.row('bakery');
    await window.editors.open('oven.ts');
    await window.statusBar.waitForText(STATUS, /bakery\s+main/, OPEN_MS);
    // A folder inside of another one, in the same repository: still one project.
    await window.editors.open('stand.ts');
    await window.statusBar.waitForText(STATUS, /kiosk\s+main/);
    await editor.log.wait(({ event, active }) => event === 'snapshot' && active === 'packages/stand/src/stand.ts', {
      from,
    });
    expect(editor.log.matching('opened', from).map(({ project }) => project)).toEqual(['kiosk', 'bakery']);
    await window.screenshot('several folders');

    await window.webviews.focusView('Context');
    await window.editors.open('oven.ts');
    await window.statusBar.waitForText(STATUS, /bakery\s+main/);
    show(kiosk.root);
    await editor.log.wait(ended('bakery'), { from });
    expect(editor.log.matching(ended('kiosk'), from)).toEqual([]);
    // Its file is still open, and in no folder now.
    await window.statusBar.waitForText(STATUS, /kiosk\s+main/);
    const view = await window.webviews.withElement('#context');
    await view.getByText('in no project of this window').waitFor();
    await window.screenshot('folder removed');
  });

  it('finds the repository around a single file, says when there is none, and is quiet about untitled documents', async () => {
    const lonely = product.project('lonely');
    const folder = join(product.root, 'nowhere');
    mkdirSync(folder);
    writeFileSync(join(folder, 'note.ts'), 'export const note = 1;\n');
    const from = editor.log.mark();
    await window.goTo('empty');
    await window.statusBar.waitForLabel(STATUS, 'no folder open', OPEN_MS);
    await window.runCommand('File: New Untitled Text File');
    await window.page.getByRole('tab', { name: /^Untitled-1/ }).waitFor();
    await openFile(join(folder, 'note.ts'));
    await window.statusBar.waitForLabel(STATUS, 'in no repository');
    expect(editor.log.matching('opened', from)).toEqual([]);
    await window.screenshot('single file without repository');

    await openFile(join(lonely.root, 'src', 'cart.ts'));
    await window.statusBar.waitForText(STATUS, /lonely\s+main/, OPEN_MS);
    await editor.log.wait(({ event, active }) => event === 'snapshot' && active === 'src/cart.ts', { from });
    expect(editor.log.matching('opened', from).map(({ project }) => project)).toEqual(['lonely']);
    await window.screenshot('single file');

    // Its git directory goes and comes back.
    const git = join(lonely.root, '.git');
    renameSync(git, join(folder, 'git'));
    await expect
      .poll(() => window.statusBar.tooltip(STATUS), { timeout: OPEN_MS })
      .toContain('looked at every 2 seconds');
    renameSync(join(folder, 'git'), git);
    await editor.log.wait(({ event, reason }) => event === 'polling' && reason === null, { from });
    await expect.poll(() => window.statusBar.tooltip(STATUS), { timeout: OPEN_MS }).not.toContain('every 2 seconds');
  });
  it('shows a commit that a hook saw while the editor was closed', async () => {
    const cli = product.commandLine(editor, shop.root);
    expect(await cli.json('hook', 'install')).toMatchObject({ installed: true });
    await window.leave();
    await editor.stop();
    shop.write('src/cart.ts', 'export const nothing = 0;\n').commit('fix(cart): nothing to pay');
    await waitFor(
      async () => {
        const { state } = await cli.json<StateAnswer>('state');
        const commits = Object.values(state.workspaces).flatMap((workspace) => workspace.commits ?? []);
        return commits.some(({ commit }) => commit === shop.head());
      },
      { timeoutMs: OPEN_MS, intervalMs: 500, what: 'the commit in the log' },
    );
    expect(await cli.json('show', 'latest')).toMatchObject({ trigger: 'hook', git: { head: { commit: shop.head() } } });

    await editor.start();
    window = await user.open({ folder: shop.root });
    keepEvidence(editor, window);
    await window.statusBar.waitForText(STATUS, /shop\s+main/, OPEN_MS);
    await window.editors.open('src/cart.ts');
    await window.webviews.focusView('Context');
    const view = await window.webviews.withElement('#context');
    await view.getByText('The text itself').click();
    await view.locator('pre', { hasText: 'nothing to pay' }).waitFor();
    await window.screenshot('commit by hook');
  });
});
