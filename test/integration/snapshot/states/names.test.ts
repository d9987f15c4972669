import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { askedEverywhere } from '../../../support/everywhere.ts';
import { GitSandbox } from '../../../support/git-repo.ts';
import { SnapshotBench } from '../../../support/snapshot-service.ts';
import { tempDir } from '../../../support/temp.ts';

let bench: SnapshotBench;
let repo: GitSandbox;
beforeEach(async () => {
  bench = await SnapshotBench.open();
  repo = GitSandbox.init(join(tempDir(), 'repo'));
});

const listed = async () => (await bench.service.files(repo.root, 'latest')).map(({ path }) => path);

/** A file whose name is bytes. */
function writeBytes(folder: string, name: Buffer, text: string): void {
  writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), name]), text);
}

/** Names that some layer between git and a snapshot could get wrong, with the form that a snapshot gives them. */
const NAMES: readonly (readonly [what: string, name: string | Buffer, shown: string])[] = [
  ['not ASCII', 'größe.ts', 'größe.ts'],
  ['another script', '登录.ts', '登录.ts'],
  ['beyond the basic plane', '😀.ts', '😀.ts'],
  ['a letter and its accent apart (NFD)', 'e\u0301.ts', 'e\u0301.ts'],
  ['a newline', 'line\nbreak.ts', 'line\nbreak.ts'],
  ['a tab and a quote', 'tab\t"quote".ts', 'tab\t"quote".ts'],
  ['a backslash', 'back\\slash.ts', 'back\\slash.ts'],
  ['a percent sign and a hash', '50%#1.ts', '50%#1.ts'],
  ['a leading dash', '-n.ts', '-n.ts'],
  ['a leading space and a trailing one', ' a .ts ', ' a .ts '],
  ['something like an option of a path', ':(top)a.ts', ':(top)a.ts'],
  ['an arrow', 'a -> b.ts', 'a -> b.ts'],
  ['not UTF-8', Buffer.from([0x62, 0xff, 0xe9, 0x2e, 0x74, 0x73]), 'b%FF%E9.ts'],
  ['__proto__', '__proto__', '__proto__'],
];

/** Those that quoting would touch. */
const QUOTED = new Set(['not ASCII', 'a newline', 'not UTF-8']);

describe.each([
  ['core.quotePath as it is', undefined, NAMES],
  ['core.quotePath=false', 'false', NAMES.filter(([what]) => QUOTED.has(what))],
])('%s', (_, quotePath, names) => {
  test.each(names)('%s', async (_what, name, shown) => {
    if (quotePath !== undefined) repo.git('config', 'core.quotePath', quotePath);
    repo.write('src/keep.ts', '').commit('base');
    const bytes = typeof name === 'string' ? Buffer.from(name) : name;
    writeBytes(join(repo.root, 'src'), bytes, 'export const x = 1;\n');
    const untracked = await askedEverywhere(bench, repo.root, 'src');
    expect(untracked.snapshot.git.untracked).toEqual([`src/${shown}`]);
    repo.git('add', '--all');
    expect((await bench.take(repo.root)).snapshot.git.staged).toEqual([`src/${shown}`]);
    repo.git('commit', '--quiet', '-m', 'named');
    const { snapshot, commits } = await bench.take(repo.root);
    expect(snapshot.git).toMatchObject({ untracked: [], staged: [], unstaged: [] });
    expect(commits.map(({ paths }) => paths)).toEqual([[`src/${shown}`]]);
    writeBytes(join(repo.root, 'src'), bytes, 'export const y = 22;\n');
    const changed = await bench.take(repo.root);
    expect(changed.snapshot.git.unstaged).toEqual([`src/${shown}`]);
    expect(changed.changed).toEqual([`src/${shown}`]);
    expect([...(await listed())].sort()).toEqual([`src/${shown}`, 'src/keep.ts'].sort());
    // Editors cannot open a name that is no text, so it is listed and has no outline.
    const outlined = typeof name === 'string' && shown.endsWith('.ts');
    expect(Object.keys(changed.snapshot.outlines)).toEqual(outlined ? [`src/${shown}`] : []);
  });
});

describe('renamed in case only', () => {
  beforeEach(() => {
    repo.write('src/Readme.ts', 'export const a = 1;\n'.repeat(9)).commit('base');
  });

  test('by git mv: the old path is gone, the new one there, in state and commit', async () => {
    await bench.take(repo.root);
    repo.git('mv', 'src/Readme.ts', 'src/README.ts');
    const staged = await askedEverywhere(bench, repo.root, 'src');
    expect(staged.snapshot.git.staged).toEqual(['src/README.ts']);
    expect(await listed()).toEqual(['src/README.ts']);
    repo.git('commit', '--quiet', '-m', 'case');
    const { commits } = await bench.take(repo.root);
    expect(commits[0]?.paths).toEqual(['src/README.ts', 'src/Readme.ts']);
  });

  test('on the disk alone', async () => {
    await bench.take(repo.root);
    renameSync(join(repo.root, 'src/Readme.ts'), join(repo.root, 'src/README.ts'));
    const { snapshot, changed } = await bench.take(repo.root);
    expect(snapshot.git).toMatchObject({ unstaged: ['src/Readme.ts'], untracked: ['src/README.ts'] });
    expect(await listed()).toEqual(['src/README.ts']);
    expect(changed).toEqual(['src/README.ts', 'src/Readme.ts']);
  });

  test('of a folder', async () => {
    repo.git('mv', 'src', 'tmp');
    repo.git('mv', 'tmp', 'SRC');
    expect((await askedEverywhere(bench, repo.root, 'SRC')).snapshot.git.staged).toEqual(['SRC/Readme.ts']);
    expect(await listed()).toEqual(['SRC/Readme.ts']);
  });

  test('two names that differ in case only are two files', async () => {
    repo.write('src/readme.ts', 'export const b = 2;\n').commit('both');
    await bench.take(repo.root);
    expect(await listed()).toEqual(['src/Readme.ts', 'src/readme.ts']);
  });
});

test('the folder of a repository may have any name itself', async () => {
  for (const name of ['with space', 'line\nbreak', '登录', '-dash', 'qu"ote', 'a#b%20c']) {
    const odd = GitSandbox.init(join(tempDir(), name));
    odd.write('src/a.ts', '').commit('one');
    const { identity, snapshot } = await askedEverywhere(bench, odd.root, 'src');
    expect(identity.toplevel).toBe(odd.root);
    expect(snapshot).toMatchObject({ git: { head: { commit: odd.head() } }, files: { count: 1 }, degraded: [] });
  }
});
