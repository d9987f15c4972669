import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ConsoleMessage, Page } from 'playwright-core';
import { Explorer } from './explorer.ts';
import { Notices } from './notices.ts';
import { QuickInput } from './quick-input.ts';
import { Select } from './selectors.ts';
import { StatusBar } from './status-bar.ts';
import { Terminal } from './terminal.ts';
import { TextEditors } from './text-editors.ts';
import { Webviews } from './webviews.ts';

/** Where pictures and logs of a run are kept. */
export const RESULTS = join(import.meta.dirname, '..', '..', '..', 'test-results', 'e2e');

/** What a window shows: a folder, a `.code-workspace` file, or nothing. All paths absolute. */
export type WindowTarget = { readonly folder: string } | { readonly workspace: string } | 'empty';

const ACTION_TIMEOUT_MS = 30_000;
const OPEN_TIMEOUT_MS = 60_000;

/** One window of the editor, driven as a person does: by mouse and keyboard. */
export class EditorWindow {
  /** For what the parts below do not know. */
  readonly page: Page;
  readonly quickInput: QuickInput;
  readonly explorer: Explorer;
  readonly editors: TextEditors;
  readonly statusBar: StatusBar;
  readonly notices: Notices;
  readonly webviews: Webviews;
  readonly terminal: Terminal;
  readonly #url: string;
  readonly #policyViolations: string[] = [];

  constructor(page: Page, url: string) {
    this.page = page;
    this.#url = url;
    page.setDefaultTimeout(ACTION_TIMEOUT_MS);
    page.on('console', (message) => this.#noteViolation(message));
    this.quickInput = new QuickInput(page);
    this.explorer = new Explorer(page, this.quickInput);
    this.editors = new TextEditors(page, this.quickInput);
    this.statusBar = new StatusBar(page);
    this.notices = new Notices(page);
    this.webviews = new Webviews(page, this.quickInput);
    this.terminal = new Terminal(page, this.quickInput);
  }

  /** Shows something else in this window, or the same again: a reload. */
  async goTo(target: WindowTarget): Promise<void> {
    await this.page.goto(`${this.#url}/?${queryOf(target)}`, { waitUntil: 'commit', timeout: OPEN_TIMEOUT_MS });
    await this.page.locator(Select.workbench).waitFor({ timeout: OPEN_TIMEOUT_MS });
  }

  /** Leaves the editor so that its extension host ends in its own way; a closed page looks like a lost connection. */
  async leave(): Promise<void> {
    await this.page.goto('about:blank');
  }

  /** Runs a command by its title, with its category: `ProjectAnchor: Show Context`. */
  runCommand(title: string): Promise<void> {
    return this.quickInput.runCommand(title);
  }

  /** Says yes to the dialog that `trust: 'ask'` brings, or no. */
  async answerTrustQuestion(trusted: boolean): Promise<void> {
    await this.notices.answerDialog(trusted ? /^Yes/ : /^No/);
  }

  /** Grants trust later, by the editor of workspace trust. */
  async trustWorkspace(): Promise<void> {
    await this.runCommand('Workspaces: Manage Workspace Trust');
    await this.page
      .locator(Select.trustButton, { hasText: /^Trust$/ })
      .first()
      .click();
  }

  /** How long the activation of an extension took, in milliseconds, by VS Code's own clock. */
  async activationTime(extensionName: string): Promise<number> {
    await this.runCommand('Developer: Show Running Extensions');
    const row = this.page.locator(Select.runningExtension, { hasText: extensionName }).first();
    const text = await row.locator(Select.runningExtensionTime).innerText();
    const time = /(\d+)\s*ms/.exec(text)?.[1];
    if (time === undefined) throw new Error(`no activation time in "${text}"`);
    return Number(time);
  }

  /** Resizes the window, in CSS pixels. */
  async resize(width: number, height: number): Promise<void> {
    await this.page.setViewportSize({ width, height });
  }

  /** Keeps a picture of the window in the results of the run, and tells where. */
  async screenshot(name: string): Promise<string> {
    mkdirSync(RESULTS, { recursive: true });
    const path = join(RESULTS, `${name.replace(/[^\p{L}\p{N}-]+/gu, '-')}.png`);
    await this.page.screenshot({ path });
    return path;
  }

  /** What any frame of the window tried against its content policy. */
  policyViolations(): readonly string[] {
    return this.#policyViolations;
  }

  #noteViolation(message: ConsoleMessage): void {
    // Chromium's own words: a listener in the page would be lost when the editor writes the document of a web view.
    if (message.text().includes('Content Security Policy')) this.#policyViolations.push(message.text());
  }
}

function queryOf(target: WindowTarget): string {
  if (target === 'empty') return 'ew=true';
  return 'folder' in target
    ? `folder=${encodeURIComponent(target.folder)}`
    : `workspace=${encodeURIComponent(target.workspace)}`;
}
