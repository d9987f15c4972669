import type { Locator, Page } from 'playwright-core';
import { waitFor } from '../../support/wait.ts';
import { Select } from './selectors.ts';

const DEFAULT_TIMEOUT_MS = 30_000;

/** Items of the bar at the bottom, by full id: `<publisher>.<extension>.<id of the item>`. */
export class StatusBar {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  /** What the item shows, icons left out, on one line. */
  async text(id: string): Promise<string> {
    return (await this.#item(id).innerText()).replace(/\s+/g, ' ').trim();
  }

  /** What the item is read aloud as. */
  async label(id: string): Promise<string> {
    return (await this.#item(id).getAttribute('aria-label')) ?? '';
  }

  /** Waits until the item shows a text, and returns all it shows. */
  async waitForText(id: string, text: string | RegExp, timeoutMs = DEFAULT_TIMEOUT_MS): Promise<string> {
    let last = 'it is not there';
    return waitFor(
      async () => {
        if ((await this.#item(id).count()) === 0) return undefined;
        last = await this.text(id);
        return (typeof text === 'string' ? last.includes(text) : text.test(last)) ? last : undefined;
      },
      { timeoutMs, what: () => `status bar item ${id} to show ${text}; last: ${last}` },
    );
  }

  /** Waits until the item is read aloud with a text, and returns all that is read. */
  async waitForLabel(id: string, text: string | RegExp, timeoutMs = DEFAULT_TIMEOUT_MS): Promise<string> {
    let last = '';
    return waitFor(
      async () => {
        last = await this.label(id);
        return (typeof text === 'string' ? last.includes(text) : text.test(last)) ? last : undefined;
      },
      { timeoutMs, what: () => `status bar item ${id} to be read as ${text}; last: ${last}` },
    );
  }

  /** What hovering over the item tells. */
  async tooltip(id: string): Promise<string> {
    await this.#item(id).hover();
    const hover = this.#page.locator(Select.hover).first();
    await hover.waitFor();
    const text = await hover.innerText();
    await this.#page.mouse.move(0, 0);
    return text;
  }

  async click(id: string): Promise<void> {
    await this.#item(id).click();
  }

  #item(id: string): Locator {
    return this.#page.locator(Select.statusItem(id));
  }
}
