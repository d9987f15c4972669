import type { Page } from 'playwright-core';
import { waitFor } from '../../support/wait.ts';
import type { QuickInput } from './quick-input.ts';
import { Select } from './selectors.ts';

const TIMEOUT_MS = 30_000;
const PROMPT = /^\$ ?$/m;

/** The integrated terminal: a real shell, with `$ ` as its prompt. */
export class Terminal {
  readonly #page: Page;
  readonly #quickInput: QuickInput;
  #commands = 0;

  constructor(page: Page, quickInput: QuickInput) {
    this.#page = page;
    this.#quickInput = quickInput;
  }

  /** Opens a terminal in the project and waits for its prompt. */
  async open(): Promise<void> {
    await this.#quickInput.runCommand('Terminal: Create New Terminal');
    await this.#page.locator(Select.terminal).waitFor();
    await this.#waitForText(PROMPT, 'the prompt');
  }

  /** Types a command, waits until it has ended and returns what the terminal shows. A failure of the command is an error. */
  async run(command: string): Promise<string> {
    this.#commands += 1;
    const end = `ended ${this.#commands} with`;
    await this.#page.locator(Select.terminalInput).focus();
    // The text that is typed differs from the text that is waited for: the shell fills in the code.
    await this.#page.keyboard.type(`${command}; echo "${end} $?"`);
    await this.#page.keyboard.press('Enter');
    const text = await this.#waitForText(new RegExp(`^${end} (\\d+)`, 'm'), `the end of ${command}`);
    if (!text.includes(`${end} 0`)) throw new Error(`${command} failed in the terminal:\n${text}`);
    return text;
  }

  /** What the terminal shows now, without what has scrolled away. */
  async text(): Promise<string> {
    const lines = await this.#page.locator(Select.terminalRow).allTextContents();
    return lines
      .map((line) => line.replaceAll('\u00a0', ' ').trimEnd())
      .join('\n')
      .trimEnd();
  }

  #waitForText(pattern: RegExp, what: string): Promise<string> {
    let last = '';
    return waitFor(
      async () => {
        last = await this.text();
        return pattern.test(last) ? last : undefined;
      },
      { timeoutMs: TIMEOUT_MS, what: () => `${what} in the terminal, which shows:\n${last}` },
    );
  }
}
