/** What `npm run editor` runs: a real editor to try the extension by hand. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { MiniMaxStandIn, reply } from '../../support/minimax/server.ts';
import { Editor } from './editor.ts';
import { editorInstallation, installExtensions, projectPackage } from './installation.ts';

/** Exit codes as the command line's: wrong usage, and something that this machine lacks. */
const WRONG_USAGE = 2;
const NOT_AVAILABLE = 3;

const say = (line: string) => process.stdout.write(`${line}\n`);

function fail(line: string, code: number): never {
  process.stderr.write(`${line}\n`);
  process.exit(code);
}

/** The folder to open, seen from where the person typed the command and not from where npm went. */
function folderToOpen(argument: string | undefined): string {
  const folder = resolve(process.env['INIT_CWD'] ?? process.cwd(), argument ?? '.');
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    fail(`There is no folder ${folder}: name one that exists, or none for the current one.`, WRONG_USAGE);
  }
  return folder;
}

/** The address in a browser of its own, where there is a desktop to show it; a headless machine gets the address only. */
function openBrowser(chromium: string, url: string): () => void {
  if (!process.env['DISPLAY'] && !process.env['WAYLAND_DISPLAY']) return () => undefined;
  const profile = mkdtempSync(join(tmpdir(), 'pa-browser-'));
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const browser = spawn(chromium, [...sandbox, `--user-data-dir=${profile}`, '--no-first-run', `--app=${url}`], {
    stdio: 'ignore',
  });
  browser.on('error', () => say('The browser could not be started: open the address in one of yours.'));
  return () => {
    browser.kill();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  };
}

const unknown = process.argv.slice(2).find((argument) => argument.startsWith('-') && argument !== '--stand-in');
if (unknown !== undefined) {
  fail(`Unknown option ${unknown}: npm run editor [folder] [-- --stand-in]`, WRONG_USAGE);
}
const folder = folderToOpen(process.argv.slice(2).find((argument) => !argument.startsWith('-')));

say('Preparing the editor (the first time takes about half a minute) ...');
const installation = await editorInstallation();
if ('missing' in installation) fail(`The editor cannot be started: ${installation.missing}`, NOT_AVAILABLE);
say('Packing the extension ...');
const extensions = await installExtensions(installation, [projectPackage()]);
const standIn = process.argv.includes('--stand-in') ? await MiniMaxStandIn.start() : undefined;
standIn?.otherwise((request) => reply(`/* the stand-in was told ${request.prompt.length} characters */`));

const editor = await Editor.start(installation, {
  extensions,
  settings: standIn === undefined ? {} : { 'projectAnchor.minimax.baseUrl': standIn.baseUrl },
});
const url = `${editor.url}/?folder=${encodeURIComponent(folder)}`;
say(`\nVS Code with ProjectAnchor, temporary data, ${folder}:\n\n  ${url}\n`);
if (standIn !== undefined) {
  say(`MiniMax is a stand-in. Its key, for "ProjectAnchor: Set MiniMax API Key":\n\n  ${standIn.apiKey}\n`);
}
say('Ctrl+C ends it and removes its data.');
const closeBrowser = openBrowser(installation.chromium, url);

await Promise.race(['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => once(process, signal)));
closeBrowser();
await editor.dispose();
await standIn?.close();
extensions.dispose();
say('\nEnded.');
process.exit(0);
