import { basename } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { waitFor } from '../../support/wait.ts';
import { ContextMenu } from './context-menu.ts';
import type { QuickInput } from './quick-input.ts';
import { Select } from './selectors.ts';

const TIMEOUT_MS = 20_000;
/**
 * A new editor loads most of its parts, inline suggestions among them, when the window has nothing else to do; what is
 * typed before goes unseen by them. Turns are kept in order, so that theirs come before this one.
 */
const WHEN_IDLE = 'new Promise((done) => requestIdleCallback(() => requestIdleCallback(done)))';

/** Files in editors, and what a person does in them. */
export class TextEditors {
  readonly #page: Page;
  readonly #quickInput: QuickInput;

  constructor(page: Page, quickInput: QuickInput) {
    this.#page = page;
    this.#quickInput = quickInput;
  }

  /** Opens a file by its path in the project, and puts the cursor at a place in it (1-based). */
  async open(path: string, at?: { readonly line: number; readonly column?: number }): Promise<void> {
    const place = at === undefined ? '' : `:${at.line}:${at.column ?? 1}`;
    await this.#quickInput.goToFile(path + place);
    await this.#quickInput.acceptFirstRow(basename(path));
    await this.waitForActive(basename(path));
  }

  /** Waits until the file with this name is the active one, its text drawn. */
  async waitForActive(name: string): Promise<void> {
    await this.#page.locator(Select.activeTab(name)).waitFor();
    await this.#editor(name).locator(Select.editorLine).first().waitFor();
    await this.#page.evaluate(WHEN_IDLE);
  }

  /** Types into the active editor. */
  async type(text: string): Promise<void> {
    await this.#page.keyboard.type(text);
  }

  /** Selects whole lines, first and last included, by the keyboard. */
  async selectLines(path: string, first: number, last: number): Promise<void> {
    await this.open(path, { line: first });
    for (let line = first; line < last; line += 1) await this.#page.keyboard.press('Shift+ArrowDown');
    await this.#page.keyboard.press('Shift+End');
    await this.#editor(basename(path)).locator(Select.selectedText).first().waitFor();
  }

  /** Opens the menu of the selection, inside it. */
  async selectionContextMenu(path: string): Promise<ContextMenu> {
    // The marks of a selection are drawn anew at every change of the layout.
    const selected = this.#editor(basename(path)).locator(Select.selectedText).first();
    return ContextMenu.by(this.#page, async () => {
      const box = await waitFor(async () => (await selected.boundingBox()) ?? undefined, {
        timeoutMs: TIMEOUT_MS,
        what: `a selection in ${path}`,
      });
      await this.#page.mouse.click(box.x + Math.min(box.width / 2, 40), box.y + box.height / 2, { button: 'right' });
    });
  }

  /** Opens the menu of a tab. */
  async tabContextMenu(name: string): Promise<ContextMenu> {
    return ContextMenu.of(this.#page, this.#page.locator(Select.tab, { hasText: name }).first());
  }

  /** Saves the active file and waits until its tab says so. */
  async save(name: string): Promise<void> {
    await this.#page.keyboard.press('Control+S');
    await this.#page.locator(Select.dirtyTab(name)).waitFor({ state: 'detached' });
  }

  /** Waits for an inline suggestion and returns its text, as far as it is drawn. */
  async ghostText(): Promise<string> {
    const ghost = this.#page.locator(Select.ghostText);
    await ghost.first().waitFor();
    return (await ghost.allInnerTexts()).join('\n').replaceAll('\u00a0', ' ');
  }

  /** Takes the inline suggestion. */
  async acceptGhostText(): Promise<void> {
    await this.#page.locator(Select.ghostText).first().waitFor();
    await this.#page.keyboard.press('Tab');
    await this.#page.locator(Select.ghostText).first().waitFor({ state: 'detached' });
  }

  /** The lines of the active editor that are drawn, top to bottom. */
  async visibleText(): Promise<string> {
    const lines = await this.#page.locator(`${Select.anyEditor} ${Select.editorLine}`).evaluateAll((elements) =>
      elements
        .map((element) => ({ top: element.getBoundingClientRect().top, text: element.textContent ?? '' }))
        .sort((a, b) => a.top - b.top)
        .map(({ text }) => text),
    );
    return lines.join('\n').replaceAll('\u00a0', ' ');
  }

  #editor(name: string): Locator {
    return this.#page.locator(Select.editor(name)).first();
  }
}
