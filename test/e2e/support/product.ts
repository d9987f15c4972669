import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { cleanGitEnv, GitSandbox } from '../../support/git-repo.ts';
import { waitFor } from '../../support/wait.ts';
import { Editor, type EditorOptions } from './editor.ts';
import {
  type EditorInstallation,
  editorInstallation,
  type InstalledExtensions,
  installedProduct,
} from './installation.ts';
import { launchBrowser } from './user.ts';

/** The status bar item's full id. */
export const STATUS = 'project-anchor.project-anchor.projectAnchor.status';

const COMMAND_TIMEOUT_MS = 60_000;
const WATCH_TIMEOUT_MS = 15_000;

/** Why the suites that need the editor are left out on this machine; undefined when they are not. */
export async function whyNoEditor(): Promise<string | undefined> {
  const found = await editorInstallation();
  return 'missing' in found ? found.missing : undefined;
}

/** The packed extension, installed the way a person does it, and a browser; for all tests of a file. */
export class Product {
  readonly root: string;
  readonly browser: Browser;
  readonly #installation: EditorInstallation;
  readonly #extensions: InstalledExtensions;

  private constructor(installation: EditorInstallation, extensions: InstalledExtensions, browser: Browser) {
    this.root = realpathSync(mkdtempSync(join(tmpdir(), 'pa-product-')));
    this.browser = browser;
    this.#installation = installation;
    this.#extensions = extensions;
  }

  static async install(): Promise<Product> {
    const installation = await editorInstallation();
    if ('missing' in installation) throw new Error(installation.missing);
    const extensions = await installedProduct(installation);
    return new Product(installation, extensions, await launchBrowser(installation));
  }

  /** The folder that the editor unpacked the package into. */
  get installed(): string {
    const name = readdirSync(this.#extensions.folder).find((each) => each.startsWith('project-anchor.'));
    if (name === undefined) throw new Error('the extension is not installed');
    return join(this.#extensions.folder, name);
  }

  editor(options: Partial<EditorOptions> = {}): Promise<Editor> {
    return Editor.start(this.#installation, { extensions: this.#extensions, ...options });
  }

  /** A small shop, in a folder of its own, committed. */
  project(name: string): GitSandbox {
    const repo = GitSandbox.init(join(this.root, name));
    for (const [path, text] of Object.entries(SHOP)) repo.write(path, text);
    repo.git('remote', 'add', 'origin', `https://example.com/${name}.git`);
    repo.commit('[feat] the shop opens');
    return repo;
  }

  /** A repository without a commit or a file. */
  emptyProject(name: string): GitSandbox {
    return GitSandbox.init(join(this.root, name));
  }

  /** The installed command line, on the data of an editor, in a process of its own. */
  commandLine(editor: Editor, cwd: string): CommandLine {
    const env = { ...cleanGitEnv(), PROJECT_ANCHOR_HOME: editor.dataFolder };
    return new CommandLine(this.#installation.node, join(this.installed, 'dist', 'cli.js'), env, cwd);
  }

  async dispose(): Promise<void> {
    await this.browser.close();
    this.#extensions.dispose();
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** A delta as `watch` prints it. */
export interface WatchedDelta {
  readonly seq: number;
  readonly hash: string;
  readonly at: string;
  readonly ops: readonly { readonly op: string; readonly target?: string; readonly [field: string]: unknown }[];
}

/** `project-anchor watch` as a second program on the machine, which notes when each delta came in. */
export interface Watcher {
  /** Waits for the first delta, from the start of the watch on, that satisfies `matches`. */
  waitFor(
    matches: (delta: WatchedDelta) => boolean,
  ): Promise<{ readonly delta: WatchedDelta; readonly receivedAt: number }>;
  stop(): Promise<void>;
}

/** `project-anchor` as another program would run it. */
export class CommandLine {
  readonly #node: string;
  readonly #script: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #cwd: string;

  constructor(node: string, script: string, env: NodeJS.ProcessEnv, cwd: string) {
    this.#node = node;
    this.#script = script;
    this.#env = env;
    this.#cwd = cwd;
  }

  /** The one JSON document that a command prints. */
  async json<T>(...args: readonly string[]): Promise<T> {
    const { stdout } = await promisify(execFile)(this.#node, [this.#script, ...args, '--json'], {
      cwd: this.#cwd,
      env: this.#env,
      timeout: COMMAND_TIMEOUT_MS,
      maxBuffer: 64 * 1024 * 1024,
    });
    return JSON.parse(stdout) as T;
  }

  watch(): Watcher {
    const child = spawn(this.#node, [this.#script, 'watch', '--json'], {
      cwd: this.#cwd,
      env: this.#env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const seen: { delta: WatchedDelta; receivedAt: number }[] = [];
    createInterface({ input: child.stdout }).on('line', (line) => {
      seen.push({ delta: JSON.parse(line) as WatchedDelta, receivedAt: Date.now() });
    });
    return {
      waitFor: (matches) =>
        waitFor(() => seen.find(({ delta }) => matches(delta)), {
          timeoutMs: WATCH_TIMEOUT_MS,
          what: () => `a delta at the second process; it has ${seen.length}`,
        }),
      stop: async () => {
        const ended = once(child, 'exit');
        child.kill('SIGTERM');
        await ended;
      },
    };
  }
}

/** Whether a delta has an operation with these fields. */
export function has(fields: Readonly<Record<string, unknown>>): (delta: WatchedDelta) => boolean {
  return ({ ops }) => ops.some((op) => Object.entries(fields).every(([name, value]) => op[name] === value));
}

/** A secret sentence stands in the body of a function: no request about another file may carry it. */
export const BODY_MARK = 'the body of price stays where it is';

const SHOP: Readonly<Record<string, string>> = {
  'package.json': '{\n  "name": "shop",\n  "dependencies": { "zod": "4.6.7" }\n}\n',
  'README.md': '# Shop\n',
  'src/cart.ts': [
    "import { price } from './pricing.ts';",
    "import { z } from 'zod';",
    '',
    'export interface Line {',
    '  readonly item: string;',
    '  readonly count: number;',
    '}',
    '',
    'export class Cart {',
    '  readonly lines: Line[] = [];',
    '',
    '  add(line: Line): void {',
    '    this.lines.push(line);',
    '  }',
    '',
    '  total(): number {',
    '    return this.lines.reduce((sum, line) => sum + price(line.item) * line.count, 0);',
    '  }',
    '}',
    '',
    '',
  ].join('\n'),
  'src/pricing.ts': [
    '/** What an item costs, in cents. */',
    'export function price(item: string): number {',
    `  const note = '${BODY_MARK}';`,
    '  return item.length + note.length;',
    '}',
    '',
  ].join('\n'),
  'src/auth/session.ts': 'export function open(user: string): string {\n  return user;\n}\n',
  'docs/notes.md': '# Notes\n',
};
