import type { Frame } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { GitSandbox } from '../support/git-repo.ts';
import { MiniMaxStandIn, reply } from '../support/minimax/server.ts';
import type { Editor } from './support/editor.ts';
import { Product, STATUS, whyNoEditor } from './support/product.ts';
import { keepEvidence } from './support/report.ts';
import type { EditorUser } from './support/user.ts';
import type { EditorWindow } from './support/window.ts';

const missing = await whyNoEditor();
/** Widths and heights of windows that people work in. */
const SIZES = [
  [1280, 800],
  [800, 600],
] as const;
const THEMES = {
  dark: 'Dark Modern',
  light: 'Light Modern',
  'high contrast': 'Default High Contrast',
} as const;

describe.skipIf(missing !== undefined)(missing ? `left out: ${missing}` : 'the context view in the real editor', () => {
  let product: Product;
  let project: GitSandbox;
  let minimax: MiniMaxStandIn;
  let machine: Readonly<Record<string, unknown>>;
  let editor: Editor;
  let user: EditorUser;
  let window: EditorWindow;

  beforeAll(async () => {
    minimax = await MiniMaxStandIn.start();
    product = await Product.install();
    project = product.project('shop');
    machine = { 'projectAnchor.minimax.baseUrl': minimax.baseUrl };
    editor = await product.editor({ machineSettings: machine });
    user = await editor.user(product.browser);
    window = await user.open({ folder: project.root });
    await window.statusBar.waitForText(STATUS, 'main');
    await editor.log.wait('snapshot');
  });

  afterAll(async () => {
    await editor?.dispose();
    await product?.dispose();
    await minimax?.close();
  });

  beforeEach(() => keepEvidence(editor, window));

  const view = (): Promise<Frame> => window.webviews.withElement('#context');

  it('opens by a click on the status bar item, and leads from one step to the next', async () => {
    await window.statusBar.click(STATUS);
    const frame = await view();
    await frame.getByText('Open a file to see what a model would be told about it.').waitFor();
    await window.screenshot('view without a file');
    await window.editors.open('src/cart.ts');
    await frame.getByText('Nothing is marked yet.').waitFor();
    await frame.getByRole('button', { name: 'Mark This File' }).click();
    await window.quickInput.waitFor('Mark src/cart.ts');
    await window.quickInput.fill('priority: high, module: checkout');
    await window.screenshot('tag box');
    await window.quickInput.accept();
    await frame.locator('.tag', { hasText: 'priority: high' }).waitFor();
    await frame.getByRole('button', { name: 'Set MiniMax API Key' }).click();
    await window.quickInput.waitFor('Set MiniMax API Key');
    await window.quickInput.fill(minimax.apiKey);
    await window.quickInput.accept();
    await frame.getByRole('button', { name: 'Set MiniMax API Key' }).waitFor({ state: 'detached' });
  });

  it('shows item by item what the next completion would carry, with tokens and reason, and the block itself', async () => {
    const frame = await view();
    const kinds = frame.locator('section[aria-labelledby="next"] > .items > li .kind');
    await expect
      .poll(() => kinds.allInnerTexts())
      .toEqual(expect.arrayContaining(['anchor', 'git', 'import', 'dependencies']));
    for (const item of await frame.locator('section[aria-labelledby="next"] > .items > li').all()) {
      expect(await item.locator('.tokens').innerText()).toMatch(/^\d+ tokens$/);
      expect(await item.locator('.why').innerText()).not.toBe('');
    }
    await frame.getByText('The text itself').click();
    expect(await frame.locator('pre').innerText()).toContain('https://example.com/shop');
  });

  it('follows the active file and the cursor', async () => {
    await window.editors.open('src/pricing.ts');
    const frame = await view();
    await frame.locator('.path', { hasText: 'src/pricing.ts' }).waitFor();
    await window.editors.open('src/cart.ts');
    await frame.locator('.path', { hasText: 'src/cart.ts' }).waitFor();
  });

  it('says of the active file what it imports, who imports it, and which commits made the symbol at the cursor', async () => {
    const frame = await view();
    const about = frame.locator('section[aria-labelledby="about"]');
    await about.getByText('TypeScript · 20 lines · 7 symbols').waitFor();
    await about.getByText('price', { exact: true }).waitFor();
    await window.editors.open('src/pricing.ts', { line: 4 });
    await about.getByRole('heading', { name: 'Commits of price' }).waitFor();
    await about.getByText('[feat] the shop opens').waitFor();
    await about.locator('.ref', { hasText: 'src/cart.ts' }).waitFor();
    await about.getByText('[feat] the shop opens').scrollIntoViewIfNeeded();
    await window.screenshot('view about a file');
    await window.editors.open('src/cart.ts');
    await frame.locator('.path', { hasText: 'src/cart.ts' }).waitFor();
  });

  it('lists what was sent, and keeps open what a person opened', async () => {
    minimax.otherwise(reply('<COMPLETION>1;</COMPLETION>'));
    await window.editors.open('src/cart.ts', { line: 21 });
    await window.editors.type('const sent = ');
    await window.runCommand('Trigger Inline Suggestion');
    const frame = await view();
    const request = frame.locator('.request').first();
    await request.getByText('completion · src/cart.ts').waitFor();
    await request.locator('summary').first().click();
    await request.locator('.kind', { hasText: 'anchor' }).waitFor();
    await window.page.keyboard.press('Escape');
    await window.editors.open('src/pricing.ts');
    await frame.locator('.path', { hasText: 'src/pricing.ts' }).waitFor();
    expect(await request.getAttribute('open')).not.toBeNull();
    await window.editors.open('src/cart.ts');
    await window.runCommand('File: Revert File');
  });

  it('shows the log', async () => {
    await window.runCommand('ProjectAnchor: Show Log');
    const channel = window.page.locator('.part.panel select').first();
    await expect.poll(() => channel.inputValue(), { timeout: 20_000 }).toBe('ProjectAnchor');
    await window.runCommand('View: Toggle Panel Visibility');
  });

  it('is reachable by the keyboard alone', async () => {
    await window.webviews.focusView('Context');
    const frame = await view();
    const reached: string[] = [];
    for (let step = 0; step < 12; step++) {
      await window.page.keyboard.press('Tab');
      reached.push(await frame.evaluate('document.activeElement?.textContent?.trim().slice(0, 20) ?? ""'));
    }
    expect(reached.join('|')).toContain('The text itself');
  });

  it('can be read in every theme, at 300 pixels and wide, and breaks no rule of its content policy', async () => {
    await window.editors.open('src/cart.ts');
    await window.webviews.focusView('Context');
    const frame = await view();
    await frame.locator('.path', { hasText: 'src/cart.ts' }).waitFor();
    await frame.locator('.request').first().waitFor();
    for (const [name, theme] of Object.entries(THEMES)) {
      editor.writeMachineSettings({ ...machine, 'workbench.colorTheme': theme });
      await frame.locator(`body[data-vscode-theme-id="${theme}"]`).waitFor();
      for (const [width, height] of SIZES) {
        await window.resize(width, height);
        await window.screenshot(`view ${name} at ${width}`);
      }
      await window.resize(1400, 900);
      const overflow = await frame.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      );
      expect(overflow, theme).toBeLessThanOrEqual(0);
    }
    await window.page.setViewportSize({ width: 900, height: 1400 });
    await window.screenshot('view tall');
    await window.resize(1400, 900);
    expect(window.policyViolations()).toEqual([]);
  });
});
