import type { Frame, Page } from 'playwright-core';
import { waitFor } from '../../support/wait.ts';
import type { QuickInput } from './quick-input.ts';

/** The first web view of a window takes seconds: a service worker is set up for it. */
const TIMEOUT_MS = 30_000;

/** Pages that extensions draw, in the side bar, the panel or an editor. */
export class Webviews {
  readonly #page: Page;
  readonly #quickInput: QuickInput;

  constructor(page: Page, quickInput: QuickInput) {
    this.#page = page;
    this.#quickInput = quickInput;
  }

  /** Brings a view to the front, wherever it is. */
  async focusView(name: string): Promise<void> {
    await this.#quickInput.runCommand(`Focus on ${name} View`);
  }

  /** The frame whose document has an element for `selector`, visible: the one of several pages that is meant. */
  async withElement(selector: string): Promise<Frame> {
    return waitFor(
      async () => {
        for (const frame of this.#page.frames()) {
          if (frame !== this.#page.mainFrame() && (await hasVisible(frame, selector))) return frame;
        }
        return undefined;
      },
      { timeoutMs: TIMEOUT_MS, what: () => `a web view with ${selector}` },
    );
  }
}

/** A frame may go away while it is looked at. */
async function hasVisible(frame: Frame, selector: string): Promise<boolean> {
  try {
    return await frame.locator(selector).first().isVisible();
  } catch {
    return false;
  }
}
