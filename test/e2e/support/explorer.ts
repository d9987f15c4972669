import type { Locator, Page } from 'playwright-core';
import { ContextMenu } from './context-menu.ts';
import type { QuickInput } from './quick-input.ts';
import { Select } from './selectors.ts';

/** The tree of files at the side. Paths are relative to the opened folder, with `/`. */
export class Explorer {
  readonly #page: Page;
  readonly #quickInput: QuickInput;

  constructor(page: Page, quickInput: QuickInput) {
    this.#page = page;
    this.#quickInput = quickInput;
  }

  /** Brings the tree to the front. */
  async show(): Promise<void> {
    await this.#quickInput.runCommand('View: Show Explorer');
    await this.#page.locator(Select.explorerRow).first().waitFor();
  }

  /** The row of a file or folder, with the folders above it opened. */
  async row(path: string): Promise<Locator> {
    const names = path.split('/');
    for (const [depth, name] of names.slice(0, -1).entries()) {
      const folder = this.#find(name, depth + 1);
      await folder.waitFor();
      if ((await folder.getAttribute('aria-expanded')) === 'false') {
        await folder.locator(Select.explorerTwistie).click();
      }
    }
    const row = this.#find(names.at(-1) ?? '', names.length);
    await row.waitFor();
    return row;
  }

  /** Opens the menu of one file or folder. */
  async contextMenu(path: string): Promise<ContextMenu> {
    const row = await this.row(path);
    // The menu of a row that is selected with others is that of all of them.
    const selected = (await row.getAttribute('aria-selected')) === 'true';
    if (selected && (await this.#page.locator(Select.explorerSelectedRow).count()) > 1) {
      await row.click({ modifiers: ['Control'] });
    }
    return ContextMenu.of(this.#page, row);
  }

  /** Selects several and opens the menu of the last one. */
  async contextMenuOfMany(paths: readonly string[]): Promise<ContextMenu> {
    const rows: Locator[] = [];
    for (const path of paths) rows.push(await this.row(path));
    for (const [index, row] of rows.entries()) await row.click(index === 0 ? {} : { modifiers: ['Control'] });
    const last = rows.at(-1);
    if (last === undefined) throw new Error('select at least one file');
    return ContextMenu.of(this.#page, last);
  }

  #find(name: string, level: number): Locator {
    // The label is the name, with what git says of the file behind a comma or bullet.
    return this.#page
      .locator(`${Select.explorerRow}[aria-level="${level}"]`)
      .filter({ has: this.#page.getByText(name, { exact: true }) })
      .first();
  }
}
