import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import type { EditorInstallation } from './installation.ts';
import { EditorWindow, type WindowTarget } from './window.ts';

const BROWSER_ARGUMENTS = [
  // The tests may run as root in a container, where Chromium's sandbox cannot be set up.
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const VIEWPORT = { width: 1400, height: 900 };

export function launchBrowser(installation: EditorInstallation): Promise<Browser> {
  return chromium.launch({ executablePath: installation.chromium, args: BROWSER_ARGUMENTS });
}

/** A person with a browser profile of their own, in which the web editor keeps secrets and the states of its windows. */
export class EditorUser {
  readonly #context: BrowserContext;
  readonly #url: string;

  private constructor(context: BrowserContext, url: string) {
    this.#context = context;
    this.#url = url;
  }

  static async create(browser: Browser, url: string): Promise<EditorUser> {
    const context = await browser.newContext({ viewport: VIEWPORT });
    return new EditorUser(context, url);
  }

  /** Opens a window and waits until the editor is drawn. The extension may still be starting. */
  async open(target: WindowTarget): Promise<EditorWindow> {
    const window = new EditorWindow(await this.#context.newPage(), this.#url);
    await window.goTo(target);
    return window;
  }

  /** Closes all windows the way a closed browser does. */
  close(): Promise<void> {
    return this.#context.close();
  }
}
