import { describe, expect, it } from 'vitest';
import type { ProjectSession } from '../../../src/agents/index.ts';
import type { RecallService } from '../../../src/inject/index.ts';
import type { TakenSnapshot, Trigger } from '../../../src/snapshot/index.ts';
import type { GitListener } from '../../../src/ui/git-watch.ts';
import { LiveProject } from '../../../src/ui/live-project.ts';
import { EDITOR_DEBOUNCE_MS } from '../../../src/ui/snapshot-scheduler.ts';
import { FakeClock, settle } from '../../support/fake-clock.ts';

const taken: TakenSnapshot = {
  snapshot: { active: 'a.ts', degraded: [] },
  stored: true,
  commits: [],
  rewritten: { pairs: [] },
  changed: [],
  ms: 5,
} as unknown as TakenSnapshot;

function live(gitDir: string | null = null) {
  const clock = new FakeClock();
  const triggers: Trigger[] = [];
  const events: string[] = [];
  const problems: (string | null)[] = [];
  const world = {
    failure: null as Error | null,
    disposed: false,
    watched: [] as string[],
    listener: null as GitListener | null,
    inner: [] as string[],
    views: [] as unknown[],
  };
  const session = {
    identity: { anchor: { id: 'x' }, workspace: 'w', toplevel: '/p', gitDir, commonDir: gitDir },
    hub: { kind: 'hub', waiting: 0, agents: 2 },
    onDeltas: () => ({ dispose: () => undefined }),
    onDidChange: (listener: () => void) => {
      listener();
      listener();
      return { dispose: () => undefined };
    },
    take: (trigger: Trigger, view: { active: string | null }) => {
      triggers.push(trigger);
      world.views.push(view);
      return world.failure === null ? Promise.resolve({ taken, ack: null }) : Promise.reject(world.failure);
    },
    dispose: () => {
      world.disposed = true;
    },
  } as unknown as ProjectSession;
  const subject: LiveProject = new LiveProject(
    { name: 'p', root: { folder: '/p', realFolder: '/p', toplevel: '/p' } },
    { session, recall: { clear: () => undefined } as unknown as RecallService },
    {
      editorView: (locate) => ({ active: locate('/p/a.ts'), open: [locate('/p/lib/b.ts') ?? 'none'] }),
      owns: (_project, file) => !world.inner.includes(file),
      watchGit: (places, listener) => {
        world.watched.push(`${places.gitDir} ${places.commonDir}`);
        world.listener = listener;
        return { dispose: () => world.watched.pop() };
      },
      intervalMinutes: () => 15,
      tell: () => problems.push(subject.problem),
    },
    (event) => events.push(event),
    clock,
  );
  return { subject, clock, triggers, events, problems, world };
}

describe('LiveProject', () => {
  it('takes a snapshot at the start, with what the editor shows, and reports each thing once', async () => {
    const { subject, triggers, events } = live();
    subject.start();
    await settle();
    expect(triggers).toEqual(['editor']);
    expect(events).toEqual(['opened', 'hub', 'snapshot']);
  });

  it('leaves out of it what belongs to a repository inside', async () => {
    const { subject, world } = live();
    world.inner.push('/p/lib/b.ts');
    subject.start();
    await settle();
    expect(world.views).toEqual([{ active: 'a.ts', open: ['none'] }]);
  });

  it('says why its repository is only looked at now and then, while it is', () => {
    const { subject, events, world } = live('/p/.git');
    subject.start();
    expect(subject.watching).toBeNull();
    world.listener?.polling('limit');
    expect(subject.watching).toContain('out of file watches');
    expect(events).toContain('polling');
    world.listener?.polling(null);
    expect(subject.watching).toBeNull();
  });

  it('watches the git directory, and a folder without one not', () => {
    const { subject, world } = live('/p/.git');
    subject.start();
    expect(world.watched).toEqual(['/p/.git /p/.git']);
    const without = live();
    without.subject.start();
    expect(without.world.watched).toEqual([]);
  });

  it('tells a person of a failing snapshot, and takes it back when one succeeds', async () => {
    const { subject, clock, problems, world } = live();
    world.failure = new Error('The disk is full. Free some space.');
    subject.start();
    await settle();
    expect(problems).toEqual(['No snapshot (editor): The disk is full. Free some space.']);
    world.failure = null;
    subject.scheduler.editorChanged('b.ts');
    await clock.advanceAsync(EDITOR_DEBOUNCE_MS);
    expect(problems.at(-1)).toBeNull();
  });

  it('leaves nothing behind', async () => {
    const { subject, clock, events, world } = live('/p/.git');
    subject.start();
    await settle();
    subject.dispose();
    expect(events.at(-1)).toBe('ended');
    expect(world).toMatchObject({ disposed: true, watched: [] });
    expect(clock.pending).toBe(0);
  });
});
