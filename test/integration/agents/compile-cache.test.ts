import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { version } from '../../../package.json';
import { builtCommandLine, CommandLine } from '../../support/command-line.ts';
import { HookedProject, installedProgram } from '../../support/hooked-project.ts';
import { tempDir } from '../../support/temp.ts';
import { waitFor } from '../../support/wait.ts';

const cli = await builtCommandLine();
const program = await installedProgram();

/** The tests have one cache for all their processes; here the program decides, and Node tells what it does. */
const OWN = {
  NODE_COMPILE_CACHE: undefined,
  NODE_DISABLE_COMPILE_CACHE: undefined,
  NODE_DEBUG_NATIVE: 'COMPILE_CACHE',
};

function machine({ data = true } = {}) {
  const root = tempDir();
  const home = join(root, 'data');
  if (data) mkdirSync(home, { mode: 0o700 });
  const pa = new CommandLine(cli, { home, cwd: root, env: OWN });
  return {
    root,
    home,
    cache: join(home, 'compile-cache'),
    /** Whether the core came out of the cache. */
    async start(env: NodeJS.ProcessEnv = {}): Promise<boolean> {
      const { code, stdout, stderr } = await pa.run(['--version'], { env });
      const lines = stderr.trimEnd().split('\n');
      const said = lines.filter((line) => line !== '' && !line.startsWith('[compile cache]'));
      expect({ code, stdout, said }).toEqual({ code: 0, stdout: `${version}\n`, said: [] });
      return lines.some((line) => /code cache for CommonJS .*core\.js was accepted/.test(line));
    },
  };
}

/** What there is below a folder, without what is in Node's own folders. */
const within = (folder: string) => readdirSync(folder).sort();
const cached = (cache: string) =>
  readdirSync(join(cache, version), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

describe('the compiled program', () => {
  test('is kept in the data folder for its owner alone, and used from the second start on', async () => {
    const { start, cache } = machine();
    expect(await start()).toBe(false);
    for (const folder of [cache, join(cache, version)]) expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(await start()).toBe(true);
  });

  test('is not kept where there is no data folder yet: nothing is written', async () => {
    const { start, home } = machine({ data: false });
    expect(await start()).toBe(false);
    expect(existsSync(home)).toBe(false);
  });

  test('is not kept where the person has another cache, or wants none', async () => {
    const { start, root, home } = machine();
    await start({ NODE_COMPILE_CACHE: join(root, 'other') });
    expect(await start({ NODE_COMPILE_CACHE: join(root, 'other') })).toBe(true);
    await start({ NODE_DISABLE_COMPILE_CACHE: '1' });
    expect(within(home)).toEqual([]);
  });

  test('goes with its version', async () => {
    const { start, cache } = machine();
    mkdirSync(join(cache, '0.0.9', 'v22.13.0'), { recursive: true, mode: 0o700 });
    writeFileSync(join(cache, '0.0.9', 'v22.13.0', 'old'), 'old');
    await start();
    expect(within(cache)).toEqual([version]);
  });

  test('counts as missing when it is damaged, and is made anew', async () => {
    const { start, cache } = machine();
    await start();
    const files = cached(cache);
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) truncateSync(file, statSync(file).size / 2);
    expect(await start()).toBe(false);
    expect(await start()).toBe(true);
    for (const file of files) writeFileSync(file, 'x'.repeat(statSync(file).size));
    expect(await start()).toBe(false);
    expect(await start()).toBe(true);
  });

  test('is done without where it cannot be written', async () => {
    const { start, cache } = machine();
    writeFileSync(cache, 'in the way');
    expect([await start(), await start()]).toEqual([false, false]);
  });

  test('is not taken from a folder that others may write, or that a link leads to', async () => {
    const { start, cache, root } = machine();
    mkdirSync(cache);
    chmodSync(cache, 0o777);
    expect([await start(), await start()]).toEqual([false, false]);
    expect(within(cache)).toEqual([]);

    const linked = machine();
    mkdirSync(join(root, 'elsewhere'), { mode: 0o700 });
    symlinkSync(join(root, 'elsewhere'), linked.cache);
    expect([await linked.start(), await linked.start()]).toEqual([false, false]);
    expect(within(join(root, 'elsewhere'))).toEqual([]);
  });

  test("is used by the hooks' processes too", async () => {
    const project = new HookedProject(program);
    await project.pa.text(['hook', 'install'], { env: OWN });
    project.repo.write('b.ts', 'export const b = 1;\n');
    project.git(['add', '-A']);
    expect(project.git(['commit', '-qm', 'second'], { env: OWN }).code).toBe(0);
    await project.idle();
    expect(await project.count()).toBe(1);
    // It is written when the process ends, which goes on with what nobody waits for.
    const isKept = () => cached(join(project.home, 'compile-cache')).length > 0;
    await waitFor(isKept, { timeoutMs: 20_000, what: 'the compiled form of the program' });
  });
});
