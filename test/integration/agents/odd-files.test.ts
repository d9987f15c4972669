import { execFileSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { builtCommandLine, CommandLine } from '../../support/command-line.ts';
import { GitSandbox } from '../../support/git-repo.ts';
import { tempDir } from '../../support/temp.ts';

const cli = await builtCommandLine();

/** A project with what is in a folder besides readable source files. */
function project() {
  const root = tempDir();
  const repo = GitSandbox.init(join(root, 'app'));
  repo.write('src/a.ts', 'export const a = 1;\n').commit('first');
  writeFileSync(join(root, 'outside.ts'), 'export const outside = 1;\n');
  symlinkSync(join(root, 'outside.ts'), join(repo.root, 'link.ts'));
  symlinkSync(root, join(repo.root, 'up'));
  execFileSync('mkfifo', [join(repo.root, 'pipe.ts')]);
  repo.write('latin1.ts', Buffer.from('// caf\xe9\n', 'latin1'));
  repo.write('big.ts', 'export {};\n'.repeat(100_000));
  repo.write('minified.ts', `export const m = '${'x'.repeat(20_000)}';\n`);
  return new CommandLine(cli, { home: join(root, 'data'), cwd: repo.root });
}

test('only lines of readable files of the project are read, for a mark or a request', async () => {
  const pa = project();
  const reasons: Readonly<Record<string, RegExp>> = {
    'link.ts': /leads out of the project/,
    'up/outside.ts': /leads out of the project/,
    'pipe.ts': /not a file/,
    src: /./,
    'gone.ts': /no file gone\.ts/,
    'latin1.ts': /not UTF-8/,
    'big.ts': /1 MiB/,
    'minified.ts': /minified/,
  };
  for (const [file, reason] of Object.entries(reasons)) {
    for (const args of [
      ['focus', 'add', `${file}#L1`],
      ['context', '--type', 'completion', '--file', file, '--line', '1'],
      ['context', '--type', 'explain', '--file', file, '--line', '1'],
    ]) {
      const { code, stdout, stderr } = await pa.run(args);
      expect({ args, code, stdout }).toEqual({ args, code: 1, stdout: '' });
      expect(stderr, args.join(' ')).toMatch(/^project-anchor: \S.*[.]\n$/);
      expect(stderr, args.join(' ')).toMatch(reason);
      expect(stderr, args.join(' ')).not.toMatch(/E[A-Z]{4,}:/);
    }
  }
  expect(await pa.json(['focus', 'list'])).toEqual([]);
  expect(await pa.json(['receipts'])).toEqual([]);
}, 120_000);

test('nothing is said about a file that git ignores', async () => {
  const root = tempDir();
  const repo = GitSandbox.init(join(root, 'app'));
  repo.write('.gitignore', 'local.ts\n').write('local.ts', 'export const local = 1;\n').commit('first');
  const pa = new CommandLine(cli, { home: join(root, 'data'), cwd: repo.root });
  for (const type of ['completion', 'explain']) {
    const { code, stdout, stderr } = await pa.run(['context', '--type', type, '--file', 'local.ts', '--line', '1']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/Git ignores local\.ts/);
  }
  expect(await pa.json(['receipts'])).toEqual([]);
});
