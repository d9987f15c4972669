import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../support/temp.ts';

const LAUNCHER = join(import.meta.dirname, '../../../bin/project-anchor');

/** What the launcher may use of the system: no node and no code among them. */
const TOOLS = ['sh', 'dirname', 'readlink', 'uname'];

/** A VS Code installed on this very machine would be found before `node` on the PATH, as it should be. */
const withoutVsCode = test.skipIf(
  [
    '/usr/share/code/code',
    '/usr/lib/code/code',
    '/opt/visual-studio-code/code',
    '/snap/code',
    '/Applications/Visual Studio Code.app',
  ].some((path) => existsSync(path)),
);

interface Machine {
  readonly root: string;
  readonly home: string;
  readonly data: string;
  readonly path: string;
  readonly launcher: string;
}

/** A machine of its own: an installed extension, an empty home and a PATH with nothing but a few tools. */
function machine(): Machine {
  const root = tempDir();
  const at = (...parts: string[]) => join(root, ...parts);
  for (const folder of ['ext/bin', 'ext/dist', 'home', 'data', 'path']) mkdirSync(at(folder), { recursive: true });
  copyFileSync(LAUNCHER, at('ext/bin/project-anchor'));
  chmodSync(at('ext/bin/project-anchor'), 0o755);
  writeFileSync(at('ext/dist/cli.js'), '');
  for (const tool of TOOLS) {
    symlinkSync(execFileSync('sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).trim(), at('path', tool));
  }
  return { root, home: at('home'), data: at('data'), path: at('path'), launcher: at('ext/bin/project-anchor') };
}

/** A stand-in that answers `--version` and otherwise says who it is and what it was asked to run. */
function fakeNode(path: string, version: string, options: { readonly electron?: boolean } = {}): string {
  mkdirSync(dirname(path), { recursive: true });
  const guard = options.electron ? '[ "$ELECTRON_RUN_AS_NODE" = 1 ] || { echo "opens a window"; exit 0; }\n' : '';
  writeFileSync(
    path,
    `#!/bin/sh\n${guard}if [ "$1" = --version ]; then echo "${version}"; exit 0; fi\nprintf '%s' "$0"\nfor a in "$@"; do printf '|%s' "$a"; done\nexit 7\n`,
  );
  chmodSync(path, 0o755);
  return path;
}

function launch(
  on: Machine,
  env: Record<string, string> = {},
  args: readonly string[] = ['anchor'],
  file = on.launcher,
) {
  const { status, stdout, stderr } = spawnSync(file, args, {
    encoding: 'utf8',
    timeout: 20_000,
    env: { PATH: on.path, HOME: on.home, PROJECT_ANCHOR_HOME: on.data, ...env },
  });
  return { status, stdout, stderr };
}

/** What a stand-in prints when the launcher chose it. */
const chosen = (node: string, on: Machine, ...args: string[]) => ({
  status: 7,
  stdout: [node, join(on.root, 'ext/dist/cli.js'), ...(args.length > 0 ? args : ['anchor'])].join('|'),
  stderr: '',
});

test('PROJECT_ANCHOR_NODE comes first, and arguments and exit code pass through unchanged', () => {
  const on = machine();
  const node = fakeNode(join(on.root, 'my node/node'), 'v22.13.0');
  writeFileSync(join(on.data, 'node-path'), fakeNode(join(on.root, 'recorded/node'), 'v24.0.0'));
  const args = ['tag', 'add', '.', 'note=two  words', '', "it's", '*'];
  expect(launch(on, { PROJECT_ANCHOR_NODE: node }, args)).toEqual(chosen(node, on, ...args));
});

test('the one recorded at installation comes next', () => {
  const on = machine();
  const node = fakeNode(join(on.root, 'recorded one/node'), 'v24.21.0');
  writeFileSync(join(on.data, 'node-path'), `${node}\n`);
  fakeNode(join(on.path, 'node'), 'v24.0.0');
  expect(launch(on)).toEqual(chosen(node, on));
});

test('a recorded runtime of VS Code is started as Node', () => {
  const on = machine();
  const node = fakeNode(join(on.root, 'app/code'), 'v22.19.0', { electron: true });
  writeFileSync(join(on.data, 'node-path'), node);
  expect(launch(on)).toEqual(chosen(node, on));
});

test('the recorded path is looked up in the platform data folder when PROJECT_ANCHOR_HOME is not set', () => {
  const on = machine();
  const node = fakeNode(join(on.root, 'recorded/node'), 'v24.21.0');
  const folders = [
    { env: { XDG_DATA_HOME: join(on.root, 'xdg') }, folder: join(on.root, 'xdg/project-anchor') },
    { env: {}, folder: join(on.home, '.local/share/project-anchor') },
  ];
  for (const { env, folder } of folders) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'node-path'), node);
    expect(launch(on, { PROJECT_ANCHOR_HOME: '', ...env })).toEqual(chosen(node, on));
  }
});

test('in the shell of Git for Windows the data folder is where Windows programs have theirs', () => {
  const on = machine();
  rmSync(join(on.path, 'uname'));
  writeFileSync(join(on.path, 'uname'), '#!/bin/sh\necho MINGW64_NT-10.0-22631\n', { mode: 0o755 });
  const node = fakeNode(join(on.root, 'recorded/node'), 'v24.21.0');
  mkdirSync(join(on.root, 'local/ProjectAnchor'), { recursive: true });
  writeFileSync(join(on.root, 'local/ProjectAnchor/node-path'), node);
  expect(launch(on, { PROJECT_ANCHOR_HOME: '', LOCALAPPDATA: join(on.root, 'local') })).toEqual(chosen(node, on));
});

test("VS Code's own runtime: the one its terminals name", () => {
  const on = machine();
  const node = fakeNode(join(on.root, 'vscode/code'), 'v22.19.0', { electron: true });
  fakeNode(join(on.path, 'node'), 'v24.0.0');
  expect(launch(on, { VSCODE_GIT_ASKPASS_NODE: node })).toEqual(chosen(node, on));
});

test.each([
  { where: 'desktop', command: 'share/code/bin/code', runtime: 'share/code/code', found: 'share/code/bin/../code' },
  {
    where: 'server',
    command: 'server/bin/remote-cli/code',
    runtime: 'server/node',
    found: 'server/bin/remote-cli/../../node',
  },
])("VS Code's own runtime: beside the code command of a $where", ({ command, runtime, found }) => {
  const on = machine();
  fakeNode(join(on.root, runtime), 'v22.19.0', { electron: true });
  const script = join(on.root, command);
  mkdirSync(dirname(script), { recursive: true });
  writeFileSync(script, '#!/bin/sh\nexit 1\n');
  chmodSync(script, 0o755);
  symlinkSync(script, join(on.path, 'code'));
  expect(launch(on)).toEqual(chosen(`${on.root}/${found}`, on));
});

test("VS Code's own runtime: a server in the home folder", () => {
  const on = machine();
  const node = fakeNode(join(on.home, '.vscode-server/bin/abc/node'), 'v22.19.0');
  expect(launch(on)).toEqual(chosen(node, on));
});

withoutVsCode('node on the PATH comes last', () => {
  const on = machine();
  const node = fakeNode(join(on.path, 'node'), 'v22.13.0');
  expect(launch(on)).toEqual(chosen(node, on));
});

withoutVsCode.each(['v20.20.2', 'v22.12.9', 'v9.99.0', '1.104.0', 'v22', 'not a version', ''])(
  'a runtime that answers %j is passed over',
  (version) => {
    const on = machine();
    const old = fakeNode(join(on.root, 'old/node'), version);
    const node = fakeNode(join(on.path, 'node'), 'v24.0.0');
    writeFileSync(join(on.data, 'node-path'), old);
    expect(launch(on, { PROJECT_ANCHOR_NODE: old, VSCODE_GIT_ASKPASS_NODE: old })).toEqual(chosen(node, on));
  },
);

withoutVsCode('a path that does not exist, is a folder or does not run is passed over', () => {
  const on = machine();
  const broken = join(on.root, 'broken');
  writeFileSync(broken, '#!/no/such/interpreter\n');
  chmodSync(broken, 0o755);
  writeFileSync(join(on.data, 'node-path'), on.root);
  const node = fakeNode(join(on.path, 'node'), 'v24.0.0');
  expect(launch(on, { PROJECT_ANCHOR_NODE: join(on.root, 'gone'), VSCODE_GIT_ASKPASS_NODE: broken })).toEqual(
    chosen(node, on),
  );
});

withoutVsCode('without any, one sentence names the remedy', () => {
  const on = machine();
  fakeNode(join(on.path, 'node'), 'v20.20.2');
  const { status, stdout, stderr } = launch(on);
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toMatch(/^project-anchor: no Node 22\.13 or newer found: .*PROJECT_ANCHOR_NODE.*\n$/);
});

withoutVsCode('it finds its extension through symbolic links, absolute and relative', () => {
  const on = machine();
  const node = fakeNode(join(on.path, 'node'), 'v24.0.0');
  mkdirSync(join(on.root, 'links'));
  symlinkSync(on.launcher, join(on.root, 'links/absolute'));
  symlinkSync('absolute', join(on.root, 'links/relative'));
  expect(launch(on, {}, ['anchor'], join(on.root, 'links/relative'))).toEqual(chosen(node, on));
});

test('a missing program file is said in one sentence', () => {
  const on = machine();
  const bare = join(on.root, 'bare/bin/project-anchor');
  mkdirSync(dirname(bare), { recursive: true });
  copyFileSync(LAUNCHER, bare);
  chmodSync(bare, 0o755);
  const { status, stderr } = launch(on, {}, ['anchor'], bare);
  expect(status).toBe(1);
  expect(stderr).toMatch(/^project-anchor: .*cli\.js is missing: .*\n$/);
});

test('a real Node runs the program with the arguments given', () => {
  const on = machine();
  writeFileSync(join(on.root, 'ext/dist/cli.js'), 'process.stdout.write(JSON.stringify(process.argv.slice(2)))');
  const { status, stdout } = launch(on, { PROJECT_ANCHOR_NODE: process.execPath }, ['focus', 'add', 'src/ä b.ts']);
  expect({ status, stdout }).toEqual({ status: 0, stdout: '["focus","add","src/ä b.ts"]' });
});
