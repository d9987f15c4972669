import { describe, expect, it } from 'vitest';
import { silentLogger } from '../../../src/base/index.ts';
import { Notices } from '../../../src/ui/notices.ts';
import { type Project, Projects } from '../../../src/ui/projects.ts';
import { WindowState } from '../../../src/ui/window-state.ts';

function window(paths: readonly string[]) {
  const world = { trusted: true, active: null as string | null };
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
        latest: { snapshot: { git: { head: { kind: 'branch', branch: 'main' } } } },
        state: {},
        hub: { kind: 'alone', waiting: 0 },
        marks: () => [{}, {}],
      },
      recall: {},
      start: () => undefined,
      dispose: () => undefined,
    }) as unknown as Project;
  const projects = new Projects(
    host,
    async ({ path }) => ({ root: { folder: path, realFolder: path, toplevel: path }, project: project(path) }),
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
    const { projects, state } = window(['/a']);
    expect(state.speaking('untitled:Untitled-1')).toBeNull();
    const { project } = await projects.locate('/a/x.ts');
    expect(state.speaking('/a/x.ts')).toEqual({ session: project.session, recall: project.recall, path: 'x.ts' });
    expect(state.speaking('untitled:Untitled-1')).toMatchObject({ session: project.session, path: null });
  });
});
