import type { Locator, Page } from 'playwright-core';
import { Select } from './selectors.ts';

/** Messages in the corner, and dialogs that want an answer first. */
export class Notices {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  /** The messages that are shown now. */
  async toasts(): Promise<string[]> {
    const messages = this.#page.locator(Select.toast).locator(Select.toastMessage);
    return (await messages.allInnerTexts()).map((text) => text.trim());
  }

  /** Waits for a message and returns all of it. */
  async waitForToast(text: string | RegExp): Promise<string> {
    const toast = this.#toast(text);
    await toast.waitFor();
    return (await toast.locator(Select.toastMessage).innerText()).trim();
  }

  async clickToastButton(toast: string | RegExp, button: string): Promise<void> {
    await this.#toast(toast).locator(Select.toastButton, { hasText: button }).first().click();
  }

  async dismissToast(text: string | RegExp): Promise<void> {
    const toast = this.#toast(text);
    await toast.hover();
    await toast.locator(Select.toastClose).click();
    await toast.waitFor({ state: 'detached' });
  }

  /** Waits for a dialog and returns its text. */
  async dialogText(): Promise<string> {
    const dialog = this.#page.locator(Select.dialog);
    await dialog.waitFor();
    return dialog.innerText();
  }

  async answerDialog(button: string | RegExp): Promise<void> {
    await this.#page.locator(Select.dialogButton, { hasText: button }).first().click();
    await this.#page.locator(Select.dialog).waitFor({ state: 'detached' });
  }

  #toast(text: string | RegExp): Locator {
    return this.#page.locator(Select.toast, { hasText: text }).first();
  }
}
