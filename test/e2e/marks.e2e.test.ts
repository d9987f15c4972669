import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { GitSandbox } from '../support/git-repo.ts';
import type { Editor } from './support/editor.ts';
import { type CommandLine, has, Product, STATUS, type Watcher, whyNoEditor } from './support/product.ts';
import { keepEvidence } from './support/report.ts';
import type { EditorUser } from './support/user.ts';
import type { EditorWindow } from './support/window.ts';

const missing = await whyNoEditor();
const MARK = 'Mark as Context Focus';

interface State {
  readonly seq: number;
  readonly hash: string;
  readonly stateHash: string;
  readonly state: {
    readonly focus?: Record<string, { by: string; symbol?: string; linesHash?: string }>;
    readonly tags?: Record<string, Record<string, { set?: { value: string; by: string; source: string } }>>;
  };
}

describe.skipIf(missing !== undefined)(missing ? `left out: ${missing}` : 'marks in the real editor', () => {
  let product: Product;
  let project: GitSandbox;
  let editor: Editor;
  let user: EditorUser;
  let window: EditorWindow;
  let cli: CommandLine;
  let watcher: Watcher;
  const times: string[] = [];

  beforeAll(async () => {
    product = await Product.install();
    project = product.project('shop');
    editor = await product.editor();
    cli = product.commandLine(editor, project.root);
    user = await editor.user(product.browser);
    window = await user.open({ folder: project.root });
    await window.statusBar.waitForText(STATUS, 'main');
    await editor.log.wait(({ event, kind }) => event === 'hub' && kind === 'hub');
    watcher = cli.watch();
    await editor.log.wait(({ event, agents }) => event === 'hub' && agents === 2);
  });

  afterAll(async () => {
    await watcher?.stop();
    await editor?.dispose();
    await product?.dispose();
    process.stdout.write(`mark to second process: ${times.join(', ')}\n`);
  });

  beforeEach(() => keepEvidence(editor, window));

  const state = () => cli.json<State>('state');
  const tagsOf = async (target: string) => {
    const { tags = {} } = (await state()).state;
    return Object.fromEntries(Object.entries(tags[target] ?? {}).map(([key, { set }]) => [key, set?.value]));
  };

  /** Types tags into the open box, looks at how they are shown back, and takes them. */
  async function giveTags(text: string, shownBack: string): Promise<void> {
    await window.quickInput.waitFor(/^Mark /);
    await window.quickInput.fill(text);
    await window.quickInput.waitForMessage(shownBack);
    await window.quickInput.accept();
  }

  /** Waits for a mark at the second process, and notes how long it took from the mark being durable. */
  async function received(target: string): Promise<void> {
    const { delta, receivedAt } = await watcher.waitFor(has({ op: 'add_focus', target }));
    times.push(`${target} ${receivedAt - Date.parse(delta.at)} ms`);
    expect(delta.ops.find(({ op }) => op === 'add_focus')).toMatchObject({ by: 'user' });
  }

  it('shows project, branch, marks and sync state, and says how to begin', async () => {
    expect(await window.statusBar.text(STATUS)).toMatch(/shop\s+main\s+0\s+in sync/);
    expect(await window.statusBar.label(STATUS)).toContain('shop, main, 0 marks, in sync');
    expect(await window.statusBar.tooltip(STATUS)).toContain('Mark as Context Focus');
  });

  it('marks a file: the tags are shown back as understood, stored, shown at once and received by a second process', async () => {
    const from = editor.log.mark();
    await (await window.explorer.contextMenu('src/cart.ts')).choose(MARK);
    await giveTags('HIGH PRIORITY, module=auth', 'Enter stores priority: high · module: auth');
    await window.statusBar.waitForText(STATUS, /\b1\b/);
    await received('src/cart.ts');
    await editor.log.wait(({ event, trigger }) => event === 'snapshot' && trigger === 'mark', { from });
    expect(await tagsOf('src/cart.ts')).toEqual({ priority: 'high', module: 'auth' });
    expect((await state()).state.tags?.['src/cart.ts']?.['priority']?.set).toMatchObject({
      by: 'user',
      source: 'user',
    });
  });

  it('marks a folder without tags', async () => {
    await (await window.explorer.contextMenu('src/auth')).choose(MARK);
    await giveTags('', 'Enter without any marks without tags, Escape stores nothing.');
    await received('src/auth/');
    await window.statusBar.waitForText(STATUS, /\b2\b/);
    expect((await state()).state.focus).toHaveProperty('src/auth/');
  });

  it('marks several files at once', async () => {
    await (await window.explorer.contextMenuOfMany(['README.md', 'package.json'])).choose(MARK);
    await giveTags('状态：进行中', 'Enter stores status: in_progress');
    await received('README.md');
    await received('package.json');
    expect(await tagsOf('package.json')).toEqual({ status: 'in_progress' });
  });

  it('marks the selected lines, with what finds them again', async () => {
    await window.editors.selectLines('src/cart.ts', 12, 14);
    await (await window.editors.selectionContextMenu('src/cart.ts')).choose(MARK);
    await giveTags('topic: adding', 'Enter stores topic: adding');
    await received('src/cart.ts#L12-L14');
    const focus = (await state()).state.focus?.['src/cart.ts#L12-L14'];
    expect(focus).toMatchObject({ symbol: 'Cart.add', linesHash: expect.stringMatching(/^[0-9a-f]{64}$/) });
  });

  it('marks the whole file of a tab, whatever is selected in it', async () => {
    await window.editors.selectLines('src/pricing.ts', 1, 2);
    await (await window.editors.tabContextMenu('pricing.ts')).choose(MARK);
    await giveTags('wip', 'Enter stores status: in_progress');
    await received('src/pricing.ts');
  });

  it('stores nothing on Escape, nor while a tag is not understood', async () => {
    const before = await state();
    await (await window.explorer.contextMenu('docs/notes.md')).choose(MARK);
    await giveTags('banana', '“banana” has no key and is no phrase I know.');
    expect(await window.quickInput.value()).toBe('banana');
    await window.screenshot('tag box with a problem');
    await window.quickInput.fill(`note: ${'x'.repeat(10_000)}`);
    await window.quickInput.waitForMessage('has 10000 characters. Use at most 128.');
    await window.quickInput.fill('__proto__: "quoted, too" 🎉');
    await window.quickInput.waitForMessage(/./);
    await window.quickInput.cancel();
    const after = await state();
    expect(after.state.focus).toEqual(before.state.focus);
    expect(after.state.tags).toEqual(before.state.tags);
  });

  it('keeps tags with quotes, emoji and odd names as they are', async () => {
    await (await window.explorer.contextMenu('docs/notes.md')).choose(MARK);
    await giveTags('__proto__: "a, b", mood: 🎉', 'Enter stores __proto__: a, b · mood: 🎉');
    await received('docs/notes.md');
    const tags = (await state()).state.tags?.['docs/notes.md'] ?? {};
    expect(Object.keys(tags).toSorted()).toEqual(['__proto__', 'mood']);
  });

  it('removes marks: the one pointed at, and a choice of those inside a file', async () => {
    await (await window.explorer.contextMenu('docs/notes.md')).choose('Unmark');
    await watcher.waitFor(has({ op: 'remove_focus', target: 'docs/notes.md' }));
    await window.editors.selectLines('src/cart.ts', 13, 13);
    await (await window.editors.selectionContextMenu('src/cart.ts')).choose('Unmark');
    await watcher.waitFor(has({ op: 'remove_focus', target: 'src/cart.ts#L12-L14' }));
    const { focus = {}, tags = {} } = (await state()).state;
    expect(Object.keys(focus)).not.toContain('docs/notes.md');
    expect(Object.keys(tags['docs/notes.md'] ?? {})).toEqual([]);
    await (await window.explorer.contextMenu('docs/notes.md')).choose('Unmark');
    await window.notices.waitForToast('docs/notes.md has no mark.');
    await window.notices.dismissToast('docs/notes.md has no mark.');
  });

  it('keeps marks over a crash of the editor', async () => {
    const before = await state();
    const from = editor.log.mark();
    await editor.stop('SIGKILL');
    await editor.start();
    await window.goTo({ folder: project.root });
    await editor.log.wait('opened', { from, timeoutMs: 90_000 });
    await window.statusBar.waitForText(STATUS, new RegExp(`\\b${Object.keys(before.state.focus ?? {}).length}\\b`));
    const after = await state();
    expect(after.state.focus).toEqual(before.state.focus);
    expect(after.state.tags).toEqual(before.state.tags);
    expect(await cli.json('verify')).toMatchObject({ ok: true });
  });
});
