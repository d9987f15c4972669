import type { Locator, Page } from 'playwright-core';
import { waitFor } from '../../support/wait.ts';
import { Select } from './selectors.ts';

const TIMEOUT_MS = 30_000;

/** The menu that a right click has opened. */
export class ContextMenu {
  readonly #page: Page;
  readonly #rightClick: () => Promise<void>;

  private constructor(page: Page, rightClick: () => Promise<void>) {
    this.#page = page;
    this.#rightClick = rightClick;
  }

  /** Opens the menu of something. */
  static of(page: Page, target: Locator): Promise<ContextMenu> {
    return ContextMenu.by(page, () => target.click({ button: 'right' }));
  }

  /** Opens the menu that a right click of the caller's brings. */
  static async by(page: Page, rightClick: () => Promise<void>): Promise<ContextMenu> {
    const menu = new ContextMenu(page, rightClick);
    await menu.#open();
    return menu;
  }

  /** The entries that can be chosen. */
  items(): Promise<string[]> {
    return this.#page.locator(Select.contextMenuItem).allInnerTexts();
  }

  async choose(label: string): Promise<void> {
    const item = this.#page.locator(Select.contextMenuItem, { hasText: label }).first();
    await this.#wait(item, label);
    // A menu that has just opened ignores a click without a movement before it.
    await item.hover();
    await item.click();
    await this.#page.locator(Select.contextMenu).waitFor({ state: 'detached' });
  }

  async close(): Promise<void> {
    await this.#page.keyboard.press('Escape');
    await this.#page.locator(Select.contextMenu).waitFor({ state: 'detached' });
  }

  async #open(): Promise<void> {
    await this.#rightClick();
    await this.#page.locator(Select.contextMenu).waitFor();
  }

  /**
   * A menu shows the entries that it had when it was opened, and the workbench tells extensions that a window is trusted
   * a moment before it tells its own menus: as a person would, we look again.
   */
  async #wait(item: Locator, label: string): Promise<void> {
    await waitFor(
      async () => {
        if (await item.isVisible()) return true;
        await this.close();
        await this.#open();
        return (await item.isVisible()) || undefined;
      },
      { timeoutMs: TIMEOUT_MS, what: `${label} in the menu` },
    );
  }
}
