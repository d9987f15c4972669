import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { GitSandbox } from '../support/git-repo.ts';
import type { Editor } from './support/editor.ts';
import type { Observation } from './support/observation-log.ts';
import { type CommandLine, Product, STATUS, whyNoEditor } from './support/product.ts';
import { keepEvidence } from './support/report.ts';
import type { EditorUser } from './support/user.ts';
import type { EditorWindow } from './support/window.ts';

const missing = await whyNoEditor();
/** The git extension is slow to see what happens outside of it; the reflog is not. */
const COMMIT_TIMEOUT_MS = 30_000;

describe.skipIf(missing !== undefined)(missing ? `left out: ${missing}` : 'snapshots in the real editor', () => {
  let product: Product;
  let project: GitSandbox;
  let editor: Editor;
  let user: EditorUser;
  let window: EditorWindow;
  let cli: CommandLine;

  beforeAll(async () => {
    product = await Product.install();
    project = product.project('shop');
    editor = await product.editor();
    cli = product.commandLine(editor, project.root);
    user = await editor.user(product.browser);
    window = await user.open({ folder: project.root });
    await window.statusBar.waitForText(STATUS, 'main');
    await editor.log.wait('snapshot');
  });

  afterAll(async () => {
    await editor?.dispose();
    await product?.dispose();
  });

  beforeEach(() => keepEvidence(editor, window));

  const snapshot = (trigger: string) => (entry: Observation) =>
    entry.event === 'snapshot' && entry['trigger'] === trigger;

  it('takes one when the active editor changes, with that editor in it', async () => {
    const from = editor.log.mark();
    await window.editors.open('src/cart.ts');
    expect(await editor.log.wait(snapshot('editor'), { from })).toMatchObject({ stored: true, active: 'src/cart.ts' });
    expect(await cli.json('show', 'latest')).toMatchObject({
      active: 'src/cart.ts',
      trigger: 'editor',
      outlines: { 'src/cart.ts': { language: 'ts' } },
    });
  });

  it('takes none when a file is saved', async () => {
    const from = editor.log.mark();
    await window.editors.open('src/cart.ts', { line: 21 });
    await window.editors.type('// saved');
    const typed = editor.log.mark();
    await window.editors.save('cart.ts');
    // The outline follows the text after a longer pause than any trigger has: a snapshot by the save would be on its way.
    await editor.log.wait('facts', { from: typed });
    await window.editors.open('README.md');
    await editor.log.wait(snapshot('editor'), { from });
    expect(editor.log.matching('snapshot', from)).toHaveLength(1);
  });

  it('sees a commit that is typed in the terminal, with its kinds', async () => {
    await window.terminal.open();
    const from = editor.log.mark();
    await window.terminal.run('git commit --quiet --all --message "[refactor] a cart that says when it was saved"');
    const seen = await editor.log.wait(snapshot('commit'), { from, timeoutMs: COMMIT_TIMEOUT_MS });
    expect(seen['commits']).toEqual([{ commit: project.head(), kinds: ['refactor'] }]);
    const { state } = await cli.json<{ state: { workspaces: Record<string, { commits?: unknown[] }> } }>('state');
    const commits = Object.values(state.workspaces).flatMap((workspace) => workspace.commits ?? []);
    expect(commits).toContainEqual(
      expect.objectContaining({ commit: project.head(), kinds: ['refactor'], paths: ['src/cart.ts'] }),
    );
  });

  it('sees a switch of branches, and shows the branch', async () => {
    const from = editor.log.mark();
    project.git('checkout', '--quiet', '-b', 'feature/checkout');
    await editor.log.wait(snapshot('commit'), { from, timeoutMs: COMMIT_TIMEOUT_MS });
    await window.statusBar.waitForText(STATUS, 'feature/checkout');
    project.git('checkout', '--quiet', 'main');
    await window.statusBar.waitForText(STATUS, /\bmain\b/);
  });

  it('takes one by hand, and says when nothing has changed', async () => {
    const from = editor.log.mark();
    writeFileSync(join(project.root, 'src/new.ts'), 'export const fresh = true;\n');
    await window.runCommand('ProjectAnchor: Take Snapshot Now');
    expect(await editor.log.wait(snapshot('manual'), { from })).toMatchObject({ stored: true });
    await window.page.getByText(/Snapshot taken: \d+ files, 1 changed/).waitFor();
    const again = editor.log.mark();
    await window.runCommand('ProjectAnchor: Take Snapshot Now');
    expect(await editor.log.wait(snapshot('manual'), { from: again })).toMatchObject({ stored: false });
    await window.page.getByText('Nothing has changed since the last snapshot').waitFor();
  });

  it('leaves the repository as it was', () => {
    expect(project.git('status', '--porcelain').trim()).toBe('?? src/new.ts');
  });

  it('sees a commit in a repository that keeps no reflog', async () => {
    const silent = product.project('silent');
    silent.git('config', 'core.logAllRefUpdates', 'false');
    silent.remove('.git/logs');
    await window.goTo({ folder: silent.root });
    await editor.log.wait(({ event, project }) => event === 'opened' && project === 'silent', { timeoutMs: 90_000 });
    // Taken last of all at the start, so that the commit comes after it.
    await window.statusBar.waitForText(STATUS, /silent\s+main/);
    const from = editor.log.mark();
    silent.write('src/cart.ts', 'export const nothing = 0;\n').commit('fix(cart): nothing to pay');
    const seen = await editor.log.wait(snapshot('commit'), { from, timeoutMs: COMMIT_TIMEOUT_MS });
    expect(seen['commits']).toEqual([{ commit: silent.head(), kinds: ['fix'] }]);
  });

  it('works in a folder that is no repository, says so, and follows it when it becomes one', async () => {
    const folder = join(product.root, 'plain');
    mkdirSync(folder);
    writeFileSync(join(folder, 'a.ts'), 'export const a = 1;\n');
    await window.goTo({ folder });
    await window.statusBar.waitForText(STATUS, /plain\s+no repository/, 60_000);
    await window.editors.open('a.ts');
    expect(await product.commandLine(editor, folder).json('anchor')).toMatchObject({
      repository: expect.stringMatching(/^folder:[0-9a-f]{32}$/),
    });
    await product.commandLine(editor, folder).json('focus', 'add', 'a.ts');
    const plain = GitSandbox.init(folder);
    await window.statusBar.waitForText(STATUS, /plain\s+main \(no commits yet\)\s+1/, 60_000);
    const from = editor.log.mark();
    plain.commit('fix(a): the first');
    await editor.log.wait(snapshot('commit'), { from, timeoutMs: COMMIT_TIMEOUT_MS });
    await window.statusBar.waitForText(STATUS, /plain\s+main\s+1/);
  });

  it('works in a repository without commits, and takes its first one for what it is', async () => {
    const from = editor.log.mark();
    const fresh = product.emptyProject('fresh');
    fresh.write('a.ts', 'export const a = 1;\n');
    await window.goTo({ folder: fresh.root });
    await window.statusBar.waitForText(STATUS, /fresh\s+main \(no commits yet\)/, 60_000);
    await editor.log.wait('snapshot', { from });
    fresh.commit('fix(a): the first');
    await editor.log.wait(snapshot('commit'), { from, timeoutMs: COMMIT_TIMEOUT_MS });
    await window.statusBar.waitForText(STATUS, /fresh\s+main\s+0/);
  });

  it('says which files it cannot read: not UTF-8, minified, 5 MB, not parseable', async () => {
    const odd = product.project('odd');
    odd
      .write('latin.ts', Buffer.from([0x63, 0x6f, 0x6e, 0x73, 0x74, 0x20, 0xe9, 0x3d, 0x31]))
      .write('packed.ts', `export const packed = [${'1,'.repeat(20_000)}];\n`)
      .write('large.ts', `export const line = 1;\n`.repeat(220_000))
      .write('broken.ts', 'export function whole(): void {}\nexport function half( {\n');
    odd.commit('odd files');
    await window.goTo({ folder: odd.root });
    await window.statusBar.waitForText(STATUS, 'odd', 60_000);
    await window.webviews.focusView('Context');
    for (const [file, sentence] of [
      ['latin.ts', 'not UTF-8'],
      ['packed.ts', 'looks minified'],
      ['large.ts', 'larger than 1 MiB'],
      ['broken.ts', 'does not parse at the moment'],
    ] as const) {
      await window.editors.open(file);
      const view = await window.webviews.withElement('#context');
      await view.locator('.notice', { hasText: sentence }).first().waitFor();
    }
  });
});
