import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import type { Browser } from 'playwright-core';
import { freePort, ManagedProcess } from '../../support/process.ts';
import type { EditorInstallation, InstalledExtensions } from './installation.ts';
import { editorPath } from './installation.ts';
import { ObservationLog } from './observation-log.ts';
import { QUIET_SETTINGS } from './settings.ts';
import { EditorUser } from './user.ts';

const START_TIMEOUT_MS = 60_000;
/** A port may be taken between finding it and using it. */
const START_ATTEMPTS = 3;

/** How the editor treats a folder that it was not told to trust. */
export type Trust =
  /** Every folder is trusted and nothing is asked. */
  | 'all'
  /** Untrusted, without a question, until somebody grants it: what VS Code 1.139 does by itself. */
  | 'none'
  /** A dialog asks at the start. */
  | 'ask';

export interface EditorOptions {
  readonly extensions: InstalledExtensions;
  readonly trust?: Trust;
  /** Settings of the person, on top of `QUIET_SETTINGS`. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Settings of the machine: those that a server's address or a key's way depend on are taken from nowhere else. */
  readonly machineSettings?: Readonly<Record<string, unknown>>;
  /** Variables that the extension host sees, on top of a clean environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * A real VS Code: a code-server with folders of its own for settings, home and ProjectAnchor's data, on one port for its
 * whole life. Windows are opened by a user, who brings the browser.
 */
export class Editor {
  /** What the extension reported, in order, over all windows and restarts. */
  readonly log: ObservationLog;
  /** `PROJECT_ANCHOR_HOME` of this editor: hand it to the command line to look at the same project. */
  readonly dataFolder: string;
  readonly #installation: EditorInstallation;
  readonly #options: EditorOptions;
  readonly #root: string;
  readonly #users = new Set<EditorUser>();
  #settings = QUIET_SETTINGS;
  #process: ManagedProcess | undefined;
  #port = 0;

  private constructor(installation: EditorInstallation, options: EditorOptions) {
    this.#installation = installation;
    this.#options = options;
    this.#root = realpathSync(mkdtempSync(join(tmpdir(), 'pa-editor-')));
    this.dataFolder = join(this.#root, 'data');
    this.log = new ObservationLog(join(this.#root, 'observations.jsonl'));
    mkdirSync(join(this.#root, 'home'));
    writeFileSync(
      join(this.#root, 'home', '.gitconfig'),
      '[user]\n\tname = Test\n\temail = test@example.invalid\n[init]\n\tdefaultBranch = main\n[commit]\n\tgpgsign = false\n',
    );
    writeFileSync(join(this.#root, 'home', '.bashrc'), "PS1='$ '\n");
    this.changeSettings({ ...trustSettings(options.trust ?? 'all'), ...options.settings });
    this.writeMachineSettings(options.machineSettings ?? {});
  }

  static async start(installation: EditorInstallation, options: EditorOptions): Promise<Editor> {
    const editor = new Editor(installation, options);
    try {
      await editor.#startOnFreePort();
    } catch (error) {
      await editor.dispose();
      throw error;
    }
    return editor;
  }

  /** Where a browser finds it. */
  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** What the server has said since its first start. */
  serverLog(): string {
    return this.#process?.log() ?? '';
  }

  /** Changes some of the person's settings. Windows that are open see it only after a reload. */
  changeSettings(changes: Readonly<Record<string, unknown>>): void {
    this.#settings = { ...this.#settings, ...changes };
    const folder = join(this.#root, 'user-data', 'User');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'settings.json'), JSON.stringify(this.#settings, null, 2));
  }

  /** Replaces the machine's settings; windows that are open see it at once. */
  writeMachineSettings(settings: Readonly<Record<string, unknown>>): void {
    const folder = join(this.#root, 'user-data', 'Machine');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'settings.json'), JSON.stringify(settings, null, 2));
  }

  /** A new person at this editor, with a browser profile of their own: secrets and window states live there. */
  async user(browser: Browser): Promise<EditorUser> {
    const user = await EditorUser.create(browser, this.url);
    this.#users.add(user);
    return user;
  }

  /** Ends the server: with `SIGKILL` the way a crash does. Its folders stay. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    await this.#process?.stop(signal);
  }

  /** Starts it again on the same port with the same folders; windows have to be opened again. */
  async start(): Promise<void> {
    await this.stop();
    await this.#run();
  }

  /** The files of the data folder, the server and its home that hold a text. The browser's profile is the person's own. */
  filesWith(text: string): string[] {
    return readdirSync(this.#root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .filter((file) => readFileSync(file).includes(text))
      .map((file) => relative(this.#root, file));
  }

  /** Ends everything and removes what it wrote. */
  async dispose(): Promise<void> {
    for (const user of this.#users) await user.close();
    this.#users.clear();
    await this.stop();
    rmSync(this.#root, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Keeps both logs beside the screenshots of the run. */
  keepLogs(folder: string, name: string): void {
    mkdirSync(folder, { recursive: true });
    const log = join(folder, `${name}.log`);
    writeFileSync(log, this.serverLog());
    for (const entry of this.log.entries()) appendFileSync(log, `${JSON.stringify(entry)}\n`);
  }

  async #startOnFreePort(): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      this.#port = await freePort();
      try {
        return await this.#run();
      } catch (error) {
        const portTaken = this.serverLog().includes('EADDRINUSE');
        await this.stop();
        if (!portTaken || attempt === START_ATTEMPTS) throw error;
      }
    }
  }

  async #run(): Promise<void> {
    this.#process = new ManagedProcess({
      command: this.#installation.node,
      args: [this.#installation.entry, ...this.#arguments()],
      cwd: this.#root,
      env: this.#environment(),
      logFile: join(this.#root, 'server.log'),
    });
    await this.#process.ready(() => this.#isReady(), START_TIMEOUT_MS, 'the editor to start');
  }

  async #isReady(): Promise<boolean> {
    const response = await fetch(`${this.url}/healthz`);
    await response.body?.cancel();
    return response.ok;
  }

  #arguments(): string[] {
    return [
      ['--auth', 'none', '--bind-addr', `127.0.0.1:${this.#port}`, '--config', join(this.#root, 'code-server.yaml')],
      ['--user-data-dir', join(this.#root, 'user-data'), '--extensions-dir', this.#options.extensions.folder],
      ['--disable-telemetry', '--disable-update-check'],
      (this.#options.trust ?? 'all') === 'all' ? ['--disable-workspace-trust'] : [],
      // Without it a closed window keeps its extension host for hours, and the folder of its state with it.
      ['--reconnection-grace-time', '1'],
    ].flat();
  }

  #environment(): NodeJS.ProcessEnv {
    return {
      PATH: editorPath(this.#installation),
      HOME: join(this.#root, 'home'),
      LANG: 'C.UTF-8',
      SHELL: '/bin/bash',
      // No gallery: nothing is asked of a server outside this machine.
      EXTENSIONS_GALLERY: '{}',
      PROJECT_ANCHOR_HOME: this.dataFolder,
      PROJECT_ANCHOR_TEST_LOG: this.log.file,
      ...this.#options.env,
    };
  }
}

function trustSettings(trust: Trust): Record<string, unknown> {
  if (trust === 'all') return { 'security.workspace.trust.enabled': false };
  return { 'security.workspace.trust.startupPrompt': trust === 'ask' ? 'always' : 'never' };
}
