import { describe, expect, it } from 'vitest';
import type { ProjectSession } from '../../../src/agents/index.ts';
import { ProjectAnchorError, silentLogger } from '../../../src/base/index.ts';
import type { RecallService } from '../../../src/inject/index.ts';
import { type Folder, type OpenedProject, type Project, Projects } from '../../../src/ui/projects.ts';
import type { SnapshotScheduler } from '../../../src/ui/snapshot-scheduler.ts';

/** Folder → root of its working tree; two folders may lie in one tree. */
const TREES: Readonly<Record<string, string>> = {
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
  };
  const host = {
    get trusted() {
      return world.trusted;
    },
    folders: (): readonly Folder[] => world.paths.map((path) => ({ path, name: path.slice(1) })),
  };
  const open = async (folder: Folder): Promise<OpenedProject> => {
    world.opened.push(folder.path);
    await Promise.resolve();
    if (world.failure !== null) throw world.failure;
    const toplevel = TREES[folder.path] ?? folder.path;
    const project: Project = {
      name: toplevel,
      session: { identity: { workspace: toplevel } } as unknown as ProjectSession,
      recall: {} as RecallService,
      scheduler: {} as SnapshotScheduler,
      settingsChanged: () => undefined,
      start: () => world.events.push(`start ${folder.path}`),
      dispose: () => world.events.push(`end ${folder.path}`),
    };
    return { root: { folder: folder.path, realFolder: folder.path, toplevel }, project };
  };
  return { world, projects: new Projects(host, open, silentLogger()) };
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
    expect(world.opened).toEqual([]);
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

  it('says when a file is in no folder of the window', async () => {
    const { projects } = window(['/a']);
    await expect(projects.locate('/elsewhere/x.ts')).rejects.toMatchObject({ code: 'outside' });
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
    const opening = projects.locate('/a/x.ts');
    world.paths = [];
    projects.foldersChanged();
    await expect(opening).rejects.toMatchObject({ code: 'closed' });
    expect(world.events).toEqual(['end /a']);
    expect(projects.all()).toEqual([]);
  });

  it('tells of every change of state', async () => {
    const { projects } = window(['/a']);
    const folder = { path: '/a', name: 'a' };
    const seen: string[] = [];
    projects.onDidChange(() => seen.push(projects.state(folder).kind));
    expect(projects.state(folder)).toEqual({ kind: 'closed' });
    await projects.locate('/a/x.ts');
    expect(seen).toEqual(['starting', 'open']);
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
