import { describe, expect, it, vi } from 'vitest';
import type { ProjectSession } from '../../../src/agents/index.ts';
import type { RecallService } from '../../../src/inject/index.ts';
import type { TakenSnapshot, Trigger } from '../../../src/snapshot/index.ts';
import type { GitListener } from '../../../src/ui/git-watch.ts';
import { LiveProject } from '../../../src/ui/live-project.ts';
import { EDITOR_DEBOUNCE_MS } from '../../../src/ui/snapshot-scheduler.ts';
import { FakeClock, settle } from '../../support/fake-clock.ts';

const taken: TakenSnapshot = {
  snapshot: { active: 'a.ts', degraded: [], git: { head: { kind: 'none' } } },
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
    reopened: 0,
    active: 0,
    kind: 'none',
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
      const { snapshot } = taken;
      const seen = { ...taken, snapshot: { ...snapshot, git: { head: { kind: world.kind } } } };
      return world.failure === null ? Promise.resolve({ taken: seen, ack: null }) : Promise.reject(world.failure);
    },
    dispose: () => {
      world.disposed = true;
    },
  } as unknown as ProjectSession;
  const autoTags = {
    active: () => {
      world.active += 1;
    },
    dispose: () => undefined,
  };
  const subject: LiveProject = new LiveProject(
    { name: 'p', root: { folder: '/p', realFolder: '/p', toplevel: '/p' } },
    { session, recall: { clear: () => undefined } as unknown as RecallService, autoTags },
    {
      editorView: (locate) => ({ active: locate('/p/a.ts'), open: [locate('/p/lib/b.ts') ?? 'none'] }),
      owns: (_project, file) => !world.inner.includes(file),
      watchGit: (places, listener) => {
        world.watched.push(`${places.gitDir} ${places.commonDir}`);
        world.listener = listener;
        return { dispose: () => world.watched.pop() };
      },
      intervalMinutes: () => 15,
      reopen: () => {
        world.reopened += 1;
      },
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
    await vi.waitUntil(() => events.includes('snapshot'));
    expect(triggers).toEqual(['editor']);
    expect(events).toEqual(['opened', 'hub', 'snapshot']);
  });

  it('tells of what happens those who wait until nothing does', async () => {
    const { subject, world } = live('/p/.git');
    subject.start();
    await vi.waitUntil(() => world.active === 1);
    world.listener?.changed();
    expect(world.active).toBe(2);
  });

  it('leaves out of it what belongs to a repository inside', async () => {
    const { subject, world } = live();
    world.inner.push('/p/lib/b.ts');
    subject.start();
    await settle();
    await vi.waitUntil(() => world.views.length > 0);
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

  it('watches the git directory, and waits for one in a folder without, which is nothing to speak of', async () => {
    const { subject, world } = live('/p/.git');
    subject.start();
    expect(world.watched).toEqual(['/p/.git /p/.git']);
    const without = live();
    without.subject.start();
    expect(without.world.watched).toEqual(['/p/.git /p/.git']);
    without.world.listener?.polling('vanished');
    expect(without.subject.watching).toBeNull();
  });

  it('is opened anew when its folder has become a repository, and for nothing else', async () => {
    const { subject, triggers, world } = live();
    subject.start();
    await vi.waitUntil(() => triggers.length > 0);
    expect(world.reopened).toBe(0);
    world.kind = 'unborn';
    await subject.scheduler.manual();
    expect(world.reopened).toBe(1);
    const repository = live('/p/.git');
    repository.world.kind = 'branch';
    repository.subject.start();
    await vi.waitUntil(() => repository.triggers.length > 0);
    await settle();
    expect(repository.world.reopened).toBe(0);
  });

  it('tells a person of a failing snapshot, and takes it back when one succeeds', async () => {
    const { subject, clock, problems, world } = live();
    world.failure = new Error('The disk is full. Free some space.');
    subject.start();
    await settle();
    await vi.waitUntil(() => problems.length > 0);
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
