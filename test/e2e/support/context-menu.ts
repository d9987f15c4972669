import type { Locator, Page } from 'playwright-core';
import { Select } from './selectors.ts';

/** The menu that a right click has opened. */
export class ContextMenu {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  /** Opens the menu of something. */
  static async of(page: Page, target: Locator, position?: { x: number; y: number }): Promise<ContextMenu> {
    await target.click({ button: 'right', ...(position === undefined ? {} : { position }) });
    return ContextMenu.opened(page);
  }

  static async opened(page: Page): Promise<ContextMenu> {
    await page.locator(Select.contextMenu).waitFor();
    return new ContextMenu(page);
  }

  /** The entries that can be chosen. */
  items(): Promise<string[]> {
    return this.#page.locator(Select.contextMenuItem).allInnerTexts();
  }

  async choose(label: string): Promise<void> {
    const item = this.#page.locator(Select.contextMenuItem, { hasText: label }).first();
    // A menu that has just opened ignores a click without a movement before it.
    await item.hover();
    await item.click();
    await this.#page.locator(Select.contextMenu).waitFor({ state: 'detached' });
  }

  async close(): Promise<void> {
    await this.#page.keyboard.press('Escape');
    await this.#page.locator(Select.contextMenu).waitFor({ state: 'detached' });
  }
}
