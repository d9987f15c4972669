import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ProjectSession } from '../../../src/agents/index.ts';
import { silentLogger } from '../../../src/base/index.ts';
import type { RecallService } from '../../../src/inject/index.ts';
import { type Folder, type OpenedProject, type Project, Projects } from '../../../src/ui/projects.ts';
import { repositoryFinder } from '../../../src/ui/repository-finder.ts';
import type { SnapshotScheduler } from '../../../src/ui/snapshot-scheduler.ts';
import { GitSandbox } from '../../support/git-repo.ts';
import { SnapshotBench } from '../../support/snapshot-service.ts';
import { tempDir } from '../../support/temp.ts';

/** A window over real folders; projects are the real identities, without anything that follows them. */
async function windowOn(...folders: readonly string[]) {
  const bench = await SnapshotBench.open();
  const world = { exclude: [] as readonly string[] };
  const host = {
    trusted: true,
    folders: (): readonly Folder[] => folders.map((path) => ({ path, name: path })),
  };
  const open = async ({ path }: Folder): Promise<OpenedProject> => {
    const identity = await bench.service.identify(path);
    const project: Project = {
      name: identity.toplevel,
      session: { identity } as unknown as ProjectSession,
      recall: {} as RecallService,
      scheduler: {} as SnapshotScheduler,
      problem: null,
      watching: null,
      settingsChanged: () => undefined,
      start: () => undefined,
      dispose: () => undefined,
    };
    return { root: { folder: path, realFolder: realpathSync(path), toplevel: identity.toplevel }, project };
  };
  const projects = new Projects(
    host,
    open,
    repositoryFinder(() => world.exclude),
    silentLogger(),
  );
  onTestFinished(() => projects.dispose());
  /** Where a file belongs: root of the working tree, path in it, repository of the anchor. */
  const where = async (file: string) => {
    const { project, path } = await projects.locate(file);
    const { toplevel, anchor, workspace } = project.session.identity;
    return { toplevel, path, repository: anchor.repository, workspace, anchor: anchor.id };
  };
  return { projects, where, world };
}

function repository(root: string, remote?: string): GitSandbox {
  const repo = GitSandbox.init(root).write('src/a.ts', 'export const a = 1;\n');
  if (remote !== undefined) repo.git('remote', 'add', 'origin', `https://example.com/${remote}.git`);
  repo.commit('one');
  return repo;
}

function withSubmodules(root: string): { outer: GitSandbox; lib: string; deep: string } {
  const allow = ['-c', 'protocol.file.allow=always'];
  const deepest = repository(join(root, 'sources', 'deep'));
  const library = repository(join(root, 'sources', 'lib'));
  library.git(...allow, 'submodule', '--quiet', 'add', deepest.root, 'deep');
  library.commit('a submodule');
  const outer = repository(join(root, 'outer'), 'outer');
  outer.git(...allow, 'submodule', '--quiet', 'add', library.root, 'lib');
  outer.git(...allow, 'submodule', '--quiet', 'update', '--init', '--recursive');
  outer.commit('a submodule');
  const lib = join(outer.root, 'lib');
  new GitSandbox(lib).git('remote', 'set-url', 'origin', 'https://example.com/lib.git');
  new GitSandbox(join(lib, 'deep')).git('remote', 'set-url', 'origin', 'https://example.com/deep.git');
  return { outer, lib, deep: join(lib, 'deep') };
}

describe('files of real repositories', () => {
  it('belong to the innermost: submodules, submodules of submodules, repositories that git knows nothing of', async () => {
    const root = tempDir();
    const { outer, lib, deep } = withSubmodules(root);
    const nested = repository(join(outer.root, 'vendor', 'nested'), 'nested');
    const { where } = await windowOn(outer.root);
    const all = await Promise.all([outer.root, lib, deep, nested.root].map((each) => where(join(each, 'src', 'a.ts'))));
    expect(all.map(({ toplevel, path }) => [toplevel, path])).toEqual(
      [outer.root, lib, deep, nested.root].map((each) => [each, 'src/a.ts']),
    );
    expect(all.map(({ repository: name }) => name)).toEqual(
      ['outer', 'lib', 'deep', 'nested'].map((name) => `https://example.com/${name}`),
    );
  });

  it('belong to their own linked working tree, which shares the project', async () => {
    const root = tempDir();
    const main = repository(join(root, 'main'), 'shop');
    // Inside of the other one, as some people keep them.
    const linked = join(main.root, '.trees', 'side');
    main.git('worktree', 'add', '--quiet', '-b', 'side', linked);
    const { where } = await windowOn(main.root);
    const [there, here] = [await where(join(linked, 'src', 'a.ts')), await where(join(main.root, 'src', 'a.ts'))];
    expect(there).toMatchObject({ toplevel: linked, path: 'src/a.ts', anchor: here.anchor });
    expect(there.workspace).not.toBe(here.workspace);
  });

  it('are found through a folder that is a symbolic link, repositories inside of it too', async () => {
    const root = tempDir();
    const { outer, lib } = withSubmodules(root);
    const link = join(root, 'link');
    symlinkSync(outer.root, link);
    const { where } = await windowOn(link);
    expect(await where(join(link, 'src', 'a.ts'))).toMatchObject({ toplevel: outer.root, path: 'src/a.ts' });
    expect(await where(join(link, 'lib', 'src', 'a.ts'))).toMatchObject({ toplevel: lib, path: 'src/a.ts' });
  });

  it('are found from a folder below the root, and around a single file', async () => {
    const root = tempDir();
    const repo = repository(join(root, 'repo'), 'repo');
    const below = await windowOn(join(repo.root, 'src'));
    expect(await below.where(join(repo.root, 'src', 'a.ts'))).toMatchObject({ toplevel: repo.root, path: 'src/a.ts' });
    const single = await windowOn();
    expect(await single.where(join(repo.root, 'src', 'a.ts'))).toMatchObject({ toplevel: repo.root, path: 'src/a.ts' });
    const lonely = join(root, 'lonely', 'a.ts');
    mkdirSync(dirname(lonely));
    writeFileSync(lonely, '');
    await expect(single.where(lonely)).rejects.toMatchObject({ code: 'outside' });
    await expect(below.where(join(repo.root, 'other.ts'))).rejects.toMatchObject({ code: 'outside' });
  });

  it('stay with whoever refuses the repository that they lie in, near or far', async () => {
    const root = tempDir();
    const { outer, lib, deep } = withSubmodules(root);
    const modules = repository(join(outer.root, 'node_modules', 'linked'));
    const { where, world } = await windowOn(outer.root);
    const owners = () =>
      Promise.all([lib, deep, modules.root].map(async (each) => (await where(join(each, 'src', 'a.ts'))).toplevel));
    // What is on the deny list is no project because somebody put a repository there.
    expect(await owners()).toEqual([lib, deep, outer.root]);
    writeFileSync(join(lib, '.projectanchorignore'), 'deep/\n');
    expect(await owners()).toEqual([lib, lib, outer.root]);
    outer.write('.projectanchorignore', 'lib\n');
    expect(await owners()).toEqual([outer.root, outer.root, outer.root]);
    outer.remove('.projectanchorignore');
    expect(await owners()).toEqual([lib, lib, outer.root]);
    world.exclude = ['lib/**'];
    expect(await owners()).toEqual([outer.root, outer.root, outer.root]);
  });

  it('stay with the repository above the folder of the window that refuses them', async () => {
    const root = tempDir();
    const repo = repository(join(root, 'repo'));
    const inner = repository(join(repo.root, 'packages', 'inner'));
    const { where } = await windowOn(join(repo.root, 'packages'));
    expect(await where(join(inner.root, 'src', 'a.ts'))).toMatchObject({ toplevel: inner.root });
    repo.write('.projectanchorignore', 'packages/inner/\n');
    expect(await where(join(inner.root, 'src', 'a.ts'))).toMatchObject({
      toplevel: repo.root,
      path: 'packages/inner/src/a.ts',
    });
  });

  it('stay with the folder where `.git` is there and no repository', async () => {
    const root = tempDir();
    const repo = repository(join(root, 'repo'), 'repo');
    mkdirSync(join(repo.root, 'odd', '.git'), { recursive: true });
    writeFileSync(join(repo.root, 'odd', 'a.ts'), '');
    const { where } = await windowOn(repo.root);
    expect(await where(join(repo.root, 'odd', 'a.ts'))).toMatchObject({ toplevel: repo.root, path: 'odd/a.ts' });
  });
});
