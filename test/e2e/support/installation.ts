import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { setUp } from '../../support/setup-script.ts';
import { packagedVsix } from '../../support/vsix.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
/** What the package is made of; a package older than any of it is made again. */
const SOURCES = ['src', 'media', 'bin', 'scripts', 'package.json', 'package-lock.json', 'README.md', '.vscodeignore'];
const COMMAND_TIMEOUT_MS = 120_000;

/** The real editor on this machine. */
export interface EditorInstallation {
  /** The editor's own Node. */
  readonly node: string;
  /** Its command line and server, for `node`. */
  readonly entry: string;
  readonly chromium: string;
}

/** The editor, installed on the first call; or why it cannot be had here, in one line. With `CI` set that is an error. */
export async function editorInstallation(): Promise<EditorInstallation | { readonly missing: string }> {
  const result = await setUp('setup-editor');
  if (!result.ready) return { missing: result.reason };
  const { node, entry, chromium } = result as unknown as EditorInstallation;
  return { node, entry, chromium };
}

/** A folder of installed extensions, which several editors may share. */
export interface InstalledExtensions {
  readonly folder: string;
  dispose(): void;
}

/** Installs packages the way a person does: by the editor's own `--install-extension`. */
export async function installExtensions(
  installation: EditorInstallation,
  packages: readonly string[],
): Promise<InstalledExtensions> {
  const folder = mkdtempSync(join(tmpdir(), 'pa-extensions-'));
  return {
    folder: await installInto(folder, installation, packages),
    dispose: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** The packed extension installed that way, once for all files of a test run; it goes with the run. */
export async function installedProduct(installation: EditorInstallation): Promise<InstalledExtensions> {
  const run = process.env['PROJECT_ANCHOR_TEST_RUN'];
  if (run === undefined) return installExtensions(installation, [projectPackage()]);
  const folder = join(run, 'product');
  // End-to-end files run one after the other; one that was ended amid the installation leaves no `ready`.
  const ready = join(folder, 'ready');
  if (!existsSync(ready)) {
    await installInto(folder, installation, [projectPackage()]);
    writeFileSync(ready, '');
  }
  return { folder: join(folder, 'extensions'), dispose: () => undefined };
}

/** Resolves to the folder of the extensions within the given one. */
async function installInto(
  folder: string,
  installation: EditorInstallation,
  packages: readonly string[],
): Promise<string> {
  const extensions = join(folder, 'extensions');
  const data = join(folder, 'user-data');
  const args = packages.flatMap((path) => ['--install-extension', path]);
  await promisify(execFile)(
    installation.node,
    [installation.entry, '--user-data-dir', data, '--extensions-dir', extensions, ...args],
    // A home of its own keeps the person's configuration of code-server out, and its files away.
    { env: { PATH: editorPath(installation), HOME: data, EXTENSIONS_GALLERY: '{}' }, timeout: COMMAND_TIMEOUT_MS },
  );
  return extensions;
}

/** The PATH under which the editor finds its own Node first, and the machine's git. */
export function editorPath(installation: EditorInstallation): string {
  return `${dirname(installation.node)}:${process.env['PATH'] ?? ''}`;
}

/**
 * The packed extension: what `PROJECT_ANCHOR_VSIX` names, else the package in the project folder, made again only when it
 * is older than what it is made of.
 */
export function projectPackage(): string {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  const existing = join(ROOT, `project-anchor-${version}.vsix`);
  const isNew = changedAt(existing) > Math.max(...SOURCES.map((name) => changedAt(join(ROOT, name))));
  return isNew && !process.env['PROJECT_ANCHOR_VSIX'] ? existing : packagedVsix();
}

/** When a file, or anything in a folder, was last written (milliseconds); 0 when it is not there. */
function changedAt(path: string): number {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return 0;
  if (!stats.isDirectory()) return stats.mtimeMs;
  return Math.max(stats.mtimeMs, ...readdirSync(path).map((name) => changedAt(join(path, name))));
}
