import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { GitSandbox } from '../support/git-repo.ts';
import {
  type Answer,
  baseRespError,
  CODE,
  cut,
  garbage,
  MiniMaxStandIn,
  reply,
  serverError,
  tooManyRequests,
  unauthorized,
} from '../support/minimax/server.ts';
import type { Editor } from './support/editor.ts';
import { BODY_MARK, Product, STATUS, whyNoEditor } from './support/product.ts';
import { keepEvidence } from './support/report.ts';
import type { EditorUser } from './support/user.ts';
import type { EditorWindow } from './support/window.ts';

const missing = await whyNoEditor();
const completion = (text: string): Answer => reply(`<COMPLETION>${text}</COMPLETION>`);

describe.skipIf(missing !== undefined)(missing ? `left out: ${missing}` : 'completions in the real editor', () => {
  let product: Product;
  let project: GitSandbox;
  let minimax: MiniMaxStandIn;
  let editor: Editor;
  let user: EditorUser;
  let window: EditorWindow;

  beforeAll(async () => {
    minimax = await MiniMaxStandIn.start();
    product = await Product.install();
    project = product.project('shop');
    project
      .write('.env', 'TOKEN=1\n')
      .write('.gitignore', 'ignored/\n')
      .write('ignored/draft.ts', 'export const draft = 1;\n\n')
      .write('large.ts', `${'export const line = 1;\n'.repeat(220_000)}`);
    editor = await product.editor({ machineSettings: { 'projectAnchor.minimax.baseUrl': minimax.baseUrl } });
    user = await editor.user(product.browser);
    window = await user.open({ folder: project.root });
    await window.statusBar.waitForText(STATUS, 'main');
    await (await window.explorer.contextMenu('src/cart.ts')).choose('Mark as Context Focus');
    await window.quickInput.waitFor(/^Mark /);
    await window.quickInput.fill('priority: high, reason: checkout loses items');
    await window.quickInput.accept();
    await editor.log.wait('marked');
  });

  afterAll(async () => {
    await editor?.dispose();
    await product?.dispose();
    await minimax?.close();
  });

  beforeEach(() => {
    keepEvidence(editor, window);
    minimax.reset();
  });

  /** Goes to the empty end of the file, where a person would write on. */
  async function goToEnd(): Promise<void> {
    await window.editors.open('src/cart.ts', { line: 20 });
    await editor.log.wait('facts');
  }

  async function undoAll(): Promise<void> {
    await window.page.keyboard.press('Escape');
    await window.runCommand('File: Revert File');
  }

  const outcome = (expected: string, from: number) =>
    editor.log.wait(({ event, outcome }) => event === 'completion' && outcome === expected, { from });

  it('sends nothing before a key is set', async () => {
    await goToEnd();
    await window.editors.type('const first = 1;');
    await window.runCommand('Trigger Inline Suggestion');
    await window.runCommand('ProjectAnchor: Explain Selection');
    await window.notices.waitForToast('Select the code to explain first.');
    await window.notices.dismissToast('Select the code to explain first.');
    expect(minimax.requests).toHaveLength(0);
    await undoAll();
  });

  it('says what will be sent where before it takes a key', async () => {
    const { host } = new URL(minimax.baseUrl);
    await window.runCommand('ProjectAnchor: Set MiniMax API Key');
    await window.quickInput.waitFor('Set MiniMax API Key');
    expect(await window.quickInput.isPassword()).toBe(true);
    const consent = await window.quickInput.message();
    expect(consent).toContain(`Nothing has been sent yet. With a key, ${host} gets`);
    await window.screenshot('key with consent');
    await window.quickInput.fill('two words');
    await window.quickInput.waitForMessage('without spaces');
    await window.quickInput.fill(minimax.apiKey);
    await window.quickInput.accept();
    await window.page.getByText(`Key for ${host} stored`).waitFor();
    expect(minimax.requests).toHaveLength(0);
  });

  it('offers ghost text that is accepted; the request carries the context and the mark, and no body of another file', async () => {
    minimax.otherwise(completion('export const emptyCart = new Cart();'));
    await goToEnd();
    const from = editor.log.mark();
    await window.editors.type('export const empty');
    expect((await window.editors.ghostText()).replaceAll('\n', '')).toBe('Cart = new Cart();');
    await window.screenshot('ghost text');
    await outcome('offered', from);
    await window.editors.acceptGhostText();
    await window.editors.save('cart.ts');
    expect(readFileSync(join(project.root, 'src/cart.ts'), 'utf8')).toContain('export const emptyCart = new Cart();');

    const [request] = minimax.completions;
    const { prompt } = request ?? { prompt: '' };
    expect(prompt).toContain('export const empty');
    expect(prompt).toContain('https://example.com/shop');
    expect(prompt).toContain('priority: "high"');
    expect(prompt).toContain('checkout loses items');
    expect(prompt).toContain('price(item: string): number');
    expect(prompt).toMatch(/zod\W+4\.6\.7/);
    expect(prompt).not.toContain(BODY_MARK);
    expect(prompt).not.toContain(project.root);
    expect(request?.headers.authorization).toBe(`Bearer ${minimax.apiKey}`);
    expect(request?.body).toMatchObject({ model: 'MiniMax-M3', stream: true, thinking: { type: 'disabled' } });

    const receipts = await product
      .commandLine(editor, project.root)
      .json<{ type: string; file: string; tokens: number }[]>('receipts');
    expect(receipts[0]).toMatchObject({ type: 'completion', file: 'src/cart.ts' });
    expect(receipts[0]?.tokens).toBeLessThanOrEqual(1200);
    project.git('checkout', '--quiet', 'src/cart.ts');
  });

  it('shows an answer that comes later than the editor waits for one', async () => {
    // VS Code turns to its own suggestions after 750 ms; the service here takes two seconds.
    const seconds = 2;
    minimax.otherwise(() =>
      reply('<COMPLETION>slow;</COMPLETION>', { after: new Promise((done) => setTimeout(done, seconds * 1000)) }),
    );
    await goToEnd();
    const from = editor.log.mark();
    await window.editors.type('const patient = ');
    await outcome('offered', from);
    expect((await window.editors.ghostText()).replaceAll('\n', '')).toBe('slow;');
    await undoAll();
  });

  it('makes no burst of requests of a burst of keys', async () => {
    minimax.otherwise(completion('later'));
    await goToEnd();
    const from = editor.log.mark();
    await window.page.keyboard.type('const burst = [', { delay: 20 });
    await outcome('asked', from);
    await window.editors.ghostText();
    expect(minimax.completions.length).toBeLessThanOrEqual(3);
    await undoAll();
  });

  it('completes unsaved documents with what is known of the project', async () => {
    minimax.otherwise(completion('World'));
    const from = editor.log.mark();
    await window.runCommand('File: New Untitled Text File');
    await window.page.locator('.monaco-editor.focused[data-uri="untitled:Untitled-1"]').waitFor();
    await window.editors.type('Hello, ');
    // By hand: while VS Code guesses the language of a new document it takes requests back.
    await window.runCommand('Trigger Inline Suggestion');
    await outcome('offered', from);
    expect(minimax.completions.at(-1)?.prompt).toContain('File untitled:Untitled-1');
    expect(minimax.completions.at(-1)?.prompt).toContain('Project shop');
    await window.page.keyboard.press('Escape');
    await window.runCommand('View: Revert and Close Editor');
  });

  it.each([
    ['.env', 'a file of secrets'],
    ['ignored/draft.ts', 'a file that git ignores'],
    ['large.ts', 'a file of 5 MB'],
  ])('offers nothing in %s, %s, and the status bar says why', async (path) => {
    const from = editor.log.mark();
    await window.editors.open(path, { line: 2 });
    await editor.log.wait('facts', { from });
    await window.editors.type('OTHER=');
    await outcome('failed:file_refused', from);
    expect(minimax.requests).toHaveLength(0);
    await window.statusBar.waitForText(STATUS, 'nothing sent');
    await window.statusBar.waitForLabel(STATUS, 'Nothing is sent about this file.');
    if (path === '.env') await window.screenshot('refused file');
    await undoAll();
    await window.editors.open('src/pricing.ts');
    await window.statusBar.waitForLabel(STATUS, /in sync/);
  });

  it.each<[string, Answer, string, RegExp]>([
    ['401', unauthorized(), 'model_auth', /key.*Set MiniMax API Key/],
    ['429', tooManyRequests(), 'model_rate_limit', /MiniMax.*again/],
    ['500', serverError(), 'model_server', /MiniMax.*again/],
    ['an error inside a 200', baseRespError(CODE.noBalance, 'insufficient balance'), 'model_quota', /MiniMax/],
    ['garbage', garbage(), 'model_garbled', /MiniMax/],
    ['a stream that is cut', cut(`<COMPLETION>${'half of an answer '.repeat(50)}`, 1500), 'model_cut', /MiniMax/],
  ])('says what went wrong and what to do: %s', async (_, answer, code, sentence) => {
    minimax.otherwise(answer);
    await goToEnd();
    const from = editor.log.mark();
    await window.editors.type('const broken = ');
    // By hand, so that the rest after an earlier failure does not count.
    await window.runCommand('Trigger Inline Suggestion');
    await outcome(`failed:${code}`, from);
    const label = await window.statusBar.waitForLabel(STATUS, sentence);
    expect(label).not.toContain(minimax.apiKey);
    await undoAll();
  });

  it('works again as soon as the service does', async () => {
    minimax.otherwise(completion('1;'));
    await goToEnd();
    const from = editor.log.mark();
    await window.editors.type('const again = ');
    await window.runCommand('Trigger Inline Suggestion');
    await outcome('offered', from);
    await window.statusBar.waitForLabel(STATUS, /in sync/);
    await undoAll();
  });

  it('is silent when the filter of the service stops an answer', async () => {
    minimax.otherwise(baseRespError(CODE.outputFlagged, 'output new_sensitive'));
    await goToEnd();
    const from = editor.log.mark();
    await window.editors.type('const filtered = ');
    await outcome('nothing', from);
    await window.statusBar.waitForLabel(STATUS, /in sync/);
    await undoAll();
  });

  it('sends nothing while completions are off', async () => {
    minimax.otherwise(completion('1;'));
    await goToEnd();
    const settings = join(project.root, '.vscode', 'settings.json');
    let changed = editor.log.mark();
    project.write('.vscode/settings.json', '{ "projectAnchor.minimax.completions.enabled": false }\n');
    await editor.log.wait('settings', { from: changed });
    await window.editors.open('.vscode/settings.json');
    await goToEnd();
    await window.editors.type('const off = ');
    await window.runCommand('Trigger Inline Suggestion');
    await undoAll();
    // Switched on again the same keys make a request: the first one.
    changed = editor.log.mark();
    writeFileSync(settings, '{}\n');
    await editor.log.wait('settings', { from: changed });
    await goToEnd();
    const from = editor.log.mark();
    await window.editors.type('const on = ');
    await window.runCommand('Trigger Inline Suggestion');
    await outcome('offered', from);
    expect(minimax.completions.filter(({ prompt }) => prompt.includes('const off'))).toEqual([]);
    await undoAll();
  });

  it('has kept the key out of every file, whatever went wrong', async () => {
    expect(editor.filesWith(minimax.apiKey)).toEqual([]);
    // The database keeps its longer texts deflated: what is in them is told by an export.
    const file = join(product.root, 'exported.jsonl');
    await product.commandLine(editor, project.root).json('export', file);
    const exported = readFileSync(file, 'utf8');
    expect(exported).toContain('checkout loses items');
    expect(exported).not.toContain(minimax.apiKey);
  });

  it('sends nothing after signing out', async () => {
    minimax.otherwise(completion('1;'));
    await window.runCommand('ProjectAnchor: Sign Out');
    await window.page.getByText('Signed out').waitFor();
    await goToEnd();
    // What was asked before the key was removed may still have come in.
    minimax.reset();
    await window.editors.type('const silent = ');
    await window.runCommand('Trigger Inline Suggestion');
    await window.editors.type('1;');
    await undoAll();
    expect(minimax.completions.map(({ prompt }) => prompt.slice(-40))).toEqual([]);
  });
});
