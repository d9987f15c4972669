import { describe, expect, it, vi } from 'vitest';
import type { ProjectSession } from '../../../src/agents/index.ts';
import { ProjectAnchorError, silentLogger } from '../../../src/base/index.ts';
import type { RecallService } from '../../../src/inject/index.ts';
import { type Folder, type OpenedProject, type Project, Projects } from '../../../src/ui/projects.ts';
import type { SnapshotScheduler } from '../../../src/ui/snapshot-scheduler.ts';
import { ownerAmong } from './support.ts';

/** Folder → root of its working tree; two folders may lie in one tree. */
const TREES: Record<string, string> = {
  '/a': '/a',
  '/a/packages/x': '/a',
  '/a/vendor/lib': '/a/vendor/lib',
  '/b': '/b',
};

function window(paths: readonly string[]) {
  const world = {
    trusted: true,
    paths: [...paths],
    opened: [] as string[],
    events: [] as string[],
    failure: null as Error | null,
    /** Folders with a `.git`. */
    repositories: ['/a', '/a/vendor/lib', '/b', '/single'],
    looked: [] as string[],
    /** Openings wait for it. */
    held: Promise.resolve(),
  };
  const host = {
    get trusted() {
      return world.trusted;
    },
    folders: (): readonly Folder[] => world.paths.map((path) => ({ path, name: path.slice(1) })),
  };
  const open = async (folder: Folder): Promise<OpenedProject> => {
    world.opened.push(folder.path);
    await world.held;
    if (world.failure !== null) throw world.failure;
    const toplevel = TREES[folder.path] ?? folder.path;
    const project: Project = {
      name: toplevel,
      session: { identity: { workspace: toplevel } } as unknown as ProjectSession,
      recall: {} as RecallService,
      problem: null,
      watching: null,
      scheduler: {} as SnapshotScheduler,
      settingsChanged: () => undefined,
      start: () => world.events.push(`start ${folder.path}`),
      dispose: () => world.events.push(`end ${folder.path}`),
    };
    return { root: { folder: folder.path, realFolder: folder.path, toplevel }, project };
  };
  const finder = { ownerOf: (path: string, top: string | null) => ownerAmong(world, path, top) };
  return { world, projects: new Projects(host, open, finder, silentLogger()) };
}

describe('Projects', () => {
  it('opens nothing until a file of a folder is used, and then once', async () => {
    const { world, projects } = window(['/a', '/b']);
    expect(projects.find('/a/x.ts')).toBeNull();
    expect(world.opened).toEqual([]);
    const [first, second] = await Promise.all([projects.locate('/a/x.ts'), projects.locate('/a/sub/y.ts')]);
    expect(first.path).toBe('x.ts');
    expect(second).toMatchObject({ path: 'sub/y.ts', project: first.project });
    expect(world.opened).toEqual(['/a']);
    expect(world.events).toEqual(['start /a']);
    expect(projects.find('/a/x.ts')?.project).toBe(first.project);
  });

  it('opens nothing before the folder is trusted', async () => {
    const { world, projects } = window(['/a']);
    world.trusted = false;
    await expect(projects.locate('/a/x.ts')).rejects.toMatchObject({ code: 'restricted' });
    await expect(projects.discover('/a/x.ts')).resolves.toBeNull();
    expect(world.opened).toEqual([]);
    expect(world.looked).toEqual([]);
    world.trusted = true;
    await expect(projects.locate('/a/x.ts')).resolves.toMatchObject({ path: 'x.ts' });
  });

  it('keeps one project for two folders of one working tree, also when both are opened at once', async () => {
    const { world, projects } = window(['/a', '/a/packages/x']);
    const [outer, inner] = await Promise.all([projects.locate('/a/r.ts'), projects.locate('/a/packages/x/y.ts')]);
    expect(inner.project).toBe(outer.project);
    expect(inner.path).toBe('packages/x/y.ts');
    expect(projects.all()).toHaveLength(1);
    expect(world.events).toEqual(['start /a', 'end /a/packages/x']);
  });

  it('gives a file to the deepest tree that contains it', async () => {
    const { projects } = window(['/a', '/a/vendor/lib']);
    const outer = await projects.locate('/a/r.ts');
    const inner = await projects.locate('/a/vendor/lib/y.ts');
    expect(inner.project).not.toBe(outer.project);
    expect(inner.path).toBe('y.ts');
  });

  it('says when a file is in no folder of the window, and opens nothing for it, repository or not', async () => {
    const { world, projects } = window(['/a']);
    for (const file of ['/elsewhere/x.ts', '/single/x.ts', '/a2/x.ts']) {
      await expect(projects.locate(file)).rejects.toMatchObject({ code: 'outside' });
      expect(projects.find(file)).toBeNull();
    }
    expect(world.opened).toEqual([]);
    expect(world.looked).toEqual([]);
  });

  it('gives a file to the repository inside of a folder that it lies in, without a folder of its own', async () => {
    const { projects } = window(['/a']);
    const outer = await projects.locate('/a/r.ts');
    const inner = await projects.locate('/a/vendor/lib/src/y.ts');
    expect(inner).toMatchObject({ path: 'src/y.ts', project: { name: '/a/vendor/lib' } });
    expect(outer).toMatchObject({ path: 'r.ts', project: { name: '/a' } });
    expect((await projects.locate('/a/vendor/other.ts')).project).toBe(outer.project);
    // The folder of the repository is its own, too.
    expect(await projects.locate('/a/vendor/lib')).toMatchObject({ path: '', project: { name: '/a/vendor/lib' } });
    expect(projects.folderOf('/a/vendor/lib/src/y.ts')).toEqual({ path: '/a/vendor/lib', name: 'lib' });
    expect(projects.owns(outer.project, '/a/vendor/lib/src/y.ts')).toBe(false);
    expect(projects.owns(outer.project, '/a/r.ts')).toBe(true);
    expect(projects.at('/a/vendor/lib')).toBe(inner.project);
    expect(projects.at('/a')).toBe(outer.project);
    expect(projects.at('/a/vendor')).toBeNull();
  });

  it('never takes a file for the outer project before it was looked for', async () => {
    const { projects } = window(['/a']);
    await projects.locate('/a/r.ts');
    expect(projects.find('/a/vendor/lib/y.ts')).toBeNull();
    await projects.discover('/a/vendor/lib/y.ts');
    expect(projects.find('/a/vendor/lib/y.ts')).toBeNull();
    await projects.locate('/a/vendor/lib/y.ts');
    expect(projects.find('/a/vendor/lib/z.ts')).toMatchObject({ path: 'z.ts' });
  });

  it('sees a repository that was made, or went, meanwhile', async () => {
    const { world, projects } = window(['/a']);
    const before = await projects.locate('/a/new/x.ts');
    world.repositories.push('/a/new');
    TREES['/a/new'] = '/a/new';
    const after = await projects.locate('/a/new/x.ts');
    expect(after).toMatchObject({ path: 'x.ts', project: { name: '/a/new' } });
    world.repositories = ['/a'];
    expect((await projects.locate('/a/new/x.ts')).project).toBe(before.project);
  });

  it('looks no higher than the folder of the window', async () => {
    const { world, projects } = window(['/a/packages/x']);
    await projects.locate('/a/packages/x/src/y.ts');
    expect(world.looked).toEqual(['/a/packages/x/src/y.ts', '/a/packages/x/src']);
    expect(world.opened).toEqual(['/a/packages/x']);
  });

  it('finds the repository around a single file in a window without folders, and nothing where there is none', async () => {
    const { world, projects } = window([]);
    const located = await projects.locate('/single/src/x.ts');
    expect(located).toMatchObject({ path: 'src/x.ts', project: { name: '/single' } });
    expect(world.looked).toEqual(['/single/src/x.ts', '/single/src', '/single']);
    await expect(projects.locate('/nowhere/x.ts')).rejects.toThrow(/in no repository/);
    expect(world.opened).toEqual(['/single']);
    world.paths = ['/b'];
    projects.foldersChanged();
    expect(world.events.at(-1)).toBe('end /single');
  });

  it('opens nothing around an untitled document', async () => {
    const { world, projects } = window([]);
    await expect(projects.locate('untitled:Untitled-1')).rejects.toMatchObject({ code: 'outside' });
    expect(world.opened).toEqual([]);
  });

  it('ends the repositories inside of a folder with it, unless another folder has them', async () => {
    const { world, projects } = window(['/a', '/b']);
    await projects.locate('/a/r.ts');
    await projects.locate('/a/vendor/lib/y.ts');
    world.events.length = 0;
    world.paths = ['/b', '/a/vendor'];
    projects.foldersChanged();
    expect(world.events).toEqual(['end /a']);
    world.paths = ['/b'];
    projects.foldersChanged();
    expect(world.events).toEqual(['end /a', 'end /a/vendor/lib']);
  });

  it('gives files to a folder that was added while running', async () => {
    const { world, projects } = window(['/b']);
    await expect(projects.locate('/a/x.ts')).rejects.toMatchObject({ code: 'outside' });
    world.paths = ['/b', '/a'];
    projects.foldersChanged();
    await expect(projects.locate('/a/x.ts')).resolves.toMatchObject({ path: 'x.ts', project: { name: '/a' } });
  });

  it('shows why a project could not be opened, and tries again at the next use', async () => {
    const { world, projects } = window(['/a']);
    world.failure = new ProjectAnchorError('git_missing', 'There is no git.', 'Install it.');
    await expect(projects.locate('/a/x.ts')).rejects.toThrow('There is no git. Install it.');
    const folder = { path: '/a', name: 'a' };
    expect(projects.state(folder)).toEqual({ kind: 'failed', name: 'a', sentence: 'There is no git. Install it.' });
    world.failure = null;
    await projects.locate('/a/x.ts');
    expect(projects.state(folder)).toMatchObject({ kind: 'open' });
    expect(world.opened).toEqual(['/a', '/a']);
  });

  it('ends a project with its last folder only', async () => {
    const { world, projects } = window(['/a', '/a/packages/x', '/b']);
    await projects.locate('/a/r.ts');
    await projects.locate('/a/packages/x/y.ts');
    await projects.locate('/b/z.ts');
    world.events.length = 0;
    world.paths = ['/a/packages/x', '/b'];
    projects.foldersChanged();
    expect(world.events).toEqual([]);
    world.paths = ['/b'];
    projects.foldersChanged();
    expect(world.events).toEqual(['end /a']);
    projects.dispose();
    expect(world.events).toEqual(['end /a', 'end /b']);
  });

  it('ends a project whose folder went while it was being opened', async () => {
    const { world, projects } = window(['/a']);
    const held = Promise.withResolvers<void>();
    world.held = held.promise;
    const opening = projects.locate('/a/x.ts');
    await vi.waitUntil(() => world.opened.length > 0);
    world.paths = [];
    projects.foldersChanged();
    held.resolve();
    await expect(opening).rejects.toMatchObject({ code: 'closed' });
    expect(world.events).toEqual(['end /a']);
    expect(projects.all()).toEqual([]);
  });

  it('opens a project anew, for all folders of its tree', async () => {
    const { world, projects } = window(['/a', '/a/packages/x', '/b']);
    const { project } = await projects.locate('/a/r.ts');
    await projects.locate('/a/packages/x/y.ts');
    const other = await projects.locate('/b/z.ts');
    world.events.length = 0;
    const reopening = projects.reopen(project);
    expect(projects.find('/a/r.ts')).toBeNull();
    await reopening;
    expect(world.events.slice(0, 2)).toEqual(['end /a', 'start /a']);
    const fresh = projects.find('/a/r.ts')?.project;
    expect(fresh).not.toBe(project);
    expect(projects.find('/a/packages/x/y.ts')?.project).toBe(fresh);
    expect(projects.find('/b/z.ts')?.project).toBe(other.project);
  });

  it('tells of every change of state', async () => {
    const { projects } = window(['/a']);
    const folder = { path: '/a', name: 'a' };
    const seen: string[] = [];
    projects.onDidChange(() => seen.push(projects.state(folder).kind));
    expect(projects.state(folder)).toEqual({ kind: 'closed' });
    await projects.locate('/a/x.ts');
    expect(seen).toEqual(['closed', 'starting', 'open']);
    await projects.locate('/a/y.ts');
    expect(seen).toHaveLength(3);
  });

  it('tells when it becomes known that a file belongs elsewhere', async () => {
    const { world, projects } = window(['/a']);
    await projects.locate('/a/new/x.ts');
    const seen: (string | undefined)[] = [];
    projects.onDidChange(() => seen.push(projects.folderOf('/a/new/x.ts')?.path));
    world.repositories.push('/a/new');
    await projects.discover('/a/new/x.ts');
    await projects.discover('/a/new/x.ts');
    expect(seen).toEqual(['/a/new']);
  });

  it('attaches to every open project once, and detaches with it', async () => {
    const { world, projects } = window(['/a', '/b']);
    await projects.locate('/a/x.ts');
    const log: string[] = [];
    const all = projects.each(({ name }) => {
      log.push(`+${name}`);
      return { dispose: () => log.push(`-${name}`) };
    });
    await projects.locate('/b/x.ts');
    expect(log).toEqual(['+/a', '+/b']);
    world.paths = ['/b'];
    projects.foldersChanged();
    expect(log).toEqual(['+/a', '+/b', '-/a']);
    all.dispose();
    expect(log.at(-1)).toBe('-/b');
  });
});
