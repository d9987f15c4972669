import type { Locator, Page } from 'playwright-core';
import { waitFor } from '../../support/wait.ts';
import { Select } from './selectors.ts';

const TIMEOUT_MS = 30_000;
/**
 * How long one attempt to open the box may take. A key that is pressed while the focus moves into a page that still loads is lost, a
 * page that takes the focus closes the box, and the palette does not show commands that are registered after it was
 * opened: all of these are tried again.
 */
const ATTEMPT_MS = 3_000;

/** The box at the top of the window: command palette, input boxes and quick picks. */
export class QuickInput {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  get #box(): Locator {
    return this.#page.locator(Select.quickInputBox);
  }

  /** Opens the command palette and runs the command with this title. */
  async runCommand(title: string): Promise<void> {
    await this.#attempt(`the command ${title}`, async () => {
      await this.#openBy('F1', `>${title}`);
      await this.#row(title).click({ timeout: ATTEMPT_MS });
    });
  }

  /** Opens the list of files with some text in it. */
  async goToFile(text: string): Promise<void> {
    await this.#attempt(`the list of files for ${text}`, () => this.#openBy('Control+P', text));
  }

  /** Waits for the box, and for its title when one is given. */
  async waitFor(title?: string | RegExp): Promise<void> {
    await this.#box.waitFor();
    if (title !== undefined) await this.#page.locator(Select.quickInputTitle, { hasText: title }).waitFor();
  }

  /** Waits until the box is gone. */
  async waitUntilClosed(): Promise<void> {
    await this.#page.locator(Select.quickInput).waitFor({ state: 'detached' });
  }

  async fill(text: string): Promise<void> {
    await this.#box.fill(text);
  }

  async accept(): Promise<void> {
    await this.#box.press('Enter');
  }

  async cancel(): Promise<void> {
    await this.#page.keyboard.press('Escape');
    await this.waitUntilClosed();
  }

  value(): Promise<string> {
    return this.#box.inputValue();
  }

  title(): Promise<string> {
    return this.#page.locator(Select.quickInputTitle).innerText();
  }

  /** The line below the input: what is asked, or what is wrong with what was typed. */
  message(): Promise<string> {
    return this.#page.locator(Select.quickInputMessage).innerText();
  }

  /** Waits until the line below the input says so. */
  async waitForMessage(text: string | RegExp): Promise<void> {
    await this.#page.locator(Select.quickInputMessage, { hasText: text }).waitFor();
  }

  /** Whether what is typed is hidden. */
  async isPassword(): Promise<boolean> {
    return (await this.#box.getAttribute('type')) === 'password';
  }

  /** The rows of a quick pick, as they are read aloud: label, then description and detail. */
  async rows(): Promise<string[]> {
    const rows = await this.#page.locator(Select.quickInputRow).all();
    return Promise.all(rows.map(async (row) => (await row.getAttribute('aria-label')) ?? ''));
  }

  /** Waits for a row with a text and takes it. */
  async pick(text: string | RegExp): Promise<void> {
    await this.#row(text).click();
  }

  #row(text: string | RegExp): Locator {
    return this.#page.locator(Select.quickInputRow, { hasText: text }).first();
  }

  /** Waits for the first row to have a text, then accepts the box. */
  async acceptFirstRow(text: string): Promise<void> {
    await waitFor(async () => (await this.#page.locator(Select.quickInputRow).first().innerText()).includes(text), {
      timeoutMs: TIMEOUT_MS,
      what: `the first row to be ${text}`,
    });
    await this.accept();
  }

  async #openBy(key: string, text: string): Promise<void> {
    await this.#page.keyboard.press(key);
    await this.#box.fill(text, { timeout: ATTEMPT_MS });
  }

  /** Does something until it works; between two attempts the box is closed. */
  async #attempt(what: string, action: () => Promise<void>): Promise<void> {
    await waitFor(
      async () => {
        try {
          await action();
          return true;
        } catch (error) {
          await this.#page.keyboard.press('Escape');
          throw error;
        }
      },
      { timeoutMs: TIMEOUT_MS, what },
    );
  }
}
