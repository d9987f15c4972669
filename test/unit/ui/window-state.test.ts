import { describe, expect, it } from 'vitest';
import { silentLogger } from '../../../src/base/index.ts';
import { Notices } from '../../../src/ui/notices.ts';
import { type Project, Projects } from '../../../src/ui/projects.ts';
import { WindowState } from '../../../src/ui/window-state.ts';
import { ownerAmong } from './support.ts';

function window(paths: readonly string[]) {
  const world = {
    trusted: true,
    active: null as string | null,
    repositories: [] as string[],
    problem: null as string | null,
    watching: null as string | null,
  };
  const host = {
    get trusted() {
      return world.trusted;
    },
    folders: () => paths.map((path) => ({ path, name: path.slice(1) })),
  };
  const project = (name: string) =>
    ({
      name,
      session: {
        identity: { workspace: name },
        latest: { snapshot: { git: { head: { kind: 'branch', branch: 'main' } }, degraded: ['shallow'] } },
        state: {},
        hub: { kind: 'alone', waiting: 0 },
        marks: () => [{}, {}],
      },
      recall: {},
      problem: world.problem,
      watching: world.watching,
      start: () => undefined,
      dispose: () => undefined,
    }) as unknown as Project;
  const projects = new Projects(
    host,
    async ({ path }) => ({ root: { folder: path, realFolder: path, toplevel: path }, project: project(path) }),
    { ownerOf: (path, top) => ownerAmong(world, path, top) },
    silentLogger(),
  );
  const notices = new Notices(() => undefined);
  return { world, projects, notices, state: new WindowState(host, projects, notices, () => world.active) };
}

describe('WindowState', () => {
  it('is about the folder of the active file, else about the first', () => {
    const { world, state } = window(['/a', '/b']);
    expect(state.folder()?.path).toBe('/a');
    world.active = '/b/x.ts';
    expect(state.folder()?.path).toBe('/b');
    world.active = '/elsewhere/x.ts';
    expect(state.folder()?.path).toBe('/a');
  });

  it('is about the repository of the active file, inside of a folder and, without folders, around it', async () => {
    const { world, projects, state } = window(['/a']);
    world.repositories = ['/a/lib'];
    world.active = '/a/lib/x.ts';
    // Until it is looked for only the folder is known.
    expect(state.folder()).toEqual({ path: '/a', name: 'a' });
    await projects.discover('/a/lib/x.ts');
    expect(state.folder()).toEqual({ path: '/a/lib', name: 'lib' });
    expect(state.status()).toEqual({ kind: 'starting', project: 'lib' });

    const single = window([]);
    single.world.repositories = ['/r'];
    single.world.active = '/r/src/x.ts';
    await single.projects.locate('/r/src/x.ts');
    expect(single.state.folder()).toEqual({ path: '/r', name: 'r' });
    expect(single.state.status()).toMatchObject({ kind: 'ready', project: '/r' });
  });

  it('says of a single file that it is in no repository', async () => {
    const { world, projects, state } = window([]);
    world.active = '/tmp/x.ts';
    await expect(projects.locate('/tmp/x.ts')).rejects.toThrow(/in no folder of this window and in no repository/);
    expect(state.status()).toEqual({ kind: 'no-repository' });
    expect(state.speaking('/tmp/x.ts')).toBeNull();
    world.trusted = false;
    expect(state.status()).toEqual({ kind: 'restricted' });
  });

  it('opens the project that counts when nobody did, once, and no other one', async () => {
    const { world, projects, state } = window(['/a', '/b']);
    const names = () => projects.all().map(({ name }) => name);
    world.active = '/b/x.ts';
    await state.ensure();
    expect(names()).toEqual(['/b']);
    // Its last file is closed: the window is about its first folder.
    world.active = null;
    expect(state.status()).toEqual({ kind: 'starting', project: 'a' });
    await state.ensure();
    await state.ensure();
    expect(names()).toEqual(['/b', '/a']);
    expect(state.status()).toMatchObject({ kind: 'ready', project: '/a' });
  });

  it('opens the first folder for a file outside of all, and only the inner repository for one inside of it', async () => {
    const { world, projects, state } = window(['/a']);
    const names = () => projects.all().map(({ name }) => name);
    world.repositories = ['/a/lib'];
    world.active = '/a/lib/x.ts';
    await state.ensure();
    expect(names()).toEqual(['/a/lib']);
    world.active = '/elsewhere/x.ts';
    await state.ensure();
    expect(names()).toEqual(['/a/lib', '/a']);
  });

  it('opens nothing where there is nothing to open', async () => {
    const { world, projects, state } = window([]);
    await state.ensure();
    world.active = '/tmp/x.ts';
    await state.ensure();
    expect(projects.all()).toEqual([]);
  });

  it('passes on what is wrong with the project itself', async () => {
    const { world, projects, state } = window(['/a']);
    Object.assign(world, { problem: 'No snapshot (editor): it failed.', watching: 'It is polled.' });
    await projects.locate('/a/x.ts');
    expect(state.status()).toMatchObject({
      notice: { source: 'snapshot', sentence: 'No snapshot (editor): it failed.' },
      watching: 'It is polled.',
      degraded: ['shallow'],
    });
  });

  it('says which state the window is in', async () => {
    const { world, projects, notices, state } = window(['/a']);
    world.trusted = false;
    expect(state.status()).toEqual({ kind: 'restricted' });
    world.trusted = true;
    expect(state.status()).toEqual({ kind: 'starting', project: 'a' });
    await projects.locate('/a/x.ts');
    expect(state.status()).toMatchObject({ kind: 'ready', project: '/a', marks: 2, notice: null });
    notices.set('snapshot', 'No snapshot.');
    expect(state.status()).toMatchObject({
      head: { branch: 'main' },
      notice: { source: 'snapshot', sentence: 'No snapshot.' },
    });
    expect(window([]).state.status()).toEqual({ kind: 'no-folder' });
  });

  it('lets the window speak for documents of no project, without a path', async () => {
    const { world, projects, state } = window(['/a']);
    expect(state.speaking('untitled:Untitled-1')).toBeNull();
    const { project } = await projects.locate('/a/x.ts');
    expect(state.speaking('/a/x.ts')).toEqual({ session: project.session, recall: project.recall, path: 'x.ts' });
    expect(state.speaking('untitled:Untitled-1')).toMatchObject({ session: project.session, path: null });
    expect(state.speaking('/elsewhere/x.ts')).toMatchObject({ session: project.session, path: null });
    expect(state.status()).toMatchObject({ outside: false });
    world.active = '/elsewhere/x.ts';
    expect(state.status()).toMatchObject({ project: '/a', outside: true });
    world.active = '/a/x.ts';
    expect(state.status()).toMatchObject({ outside: false });
  });

  it('has nobody speak for a file whose own project is not open yet', async () => {
    const { world, projects, state } = window(['/a']);
    world.repositories = ['/a/lib'];
    await projects.locate('/a/x.ts');
    // Nobody knows yet that it is not of /a.
    expect(state.speaking('/a/lib/x.ts')).toBeNull();
    await projects.discover('/a/lib/x.ts');
    expect(state.speaking('/a/lib/x.ts')).toBeNull();
    const { project } = await projects.locate('/a/lib/x.ts');
    expect(state.speaking('/a/lib/x.ts')).toMatchObject({ session: project.session, path: 'x.ts' });
  });
});
