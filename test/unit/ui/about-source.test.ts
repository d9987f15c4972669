import { describe, expect, it } from 'vitest';
import type { ProjectSession } from '../../../src/agents/index.ts';
import type { FileFacts, FileImports, Why } from '../../../src/snapshot/index.ts';
import { AboutFile, INDEX_LOOK_MS } from '../../../src/ui/about-source.ts';
import { ASK_DEBOUNCE_MS } from '../../../src/ui/answers.ts';
import { someAbout, someFacts } from '../../support/about-file.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const PATH = 'src/cart.ts';

function about() {
  const clock = new FakeClock();
  const asked: string[] = [];
  const world = {
    facts: someFacts() as FileFacts | null,
    head: 'a'.repeat(40),
    snapshot: 's1',
    complete: true,
    changes: 0,
    visible: true,
  };
  const [tag] = someAbout().automatic;
  const session = {
    identity: { workspace: 'w' },
    get latest() {
      return { snapshot: { id: world.snapshot, git: { head: { kind: 'branch', commit: world.head } } } };
    },
    facts: () => world.facts,
    view: () => ({
      state: {
        tags: {
          [PATH]: {
            complexity: { auto: tag },
            churn: { auto: { ...tag, value: 'high' }, set: { ...tag, value: 'low', source: 'user' } },
          },
        },
      },
      now: clock.now(),
      settings: { halfLifeDays: 9 },
    }),
    imports: async (path: string) => {
      asked.push(`imports ${path}`);
      return { importedBy: [], index: { files: 2, indexed: 1, complete: world.complete } } as unknown as FileImports;
    },
    together: async (path: string) => {
      asked.push(`together ${path}`);
      return [];
    },
    why: async (path: string, symbol: string | null): Promise<Why> => {
      asked.push(`why ${path}#${symbol}`);
      return { path, symbol, commits: [] };
    },
  } as unknown as ProjectSession;
  const subject = new AboutFile(
    {
      isWanted: () => world.visible,
      changed: () => {
        world.changes += 1;
      },
    },
    clock,
  );
  const look = (line: number) => subject.now(session, PATH, line);
  const pause = () => clock.advanceAsync(ASK_DEBOUNCE_MS);
  return { subject, clock, world, asked, look, pause };
}

describe('what is known of the active file', () => {
  it('is nothing before its facts are, and of a file of which nothing may be said', async () => {
    const { look, pause, world, asked } = about();
    world.facts = null;
    expect(look(6)).toBeNull();
    world.facts = someFacts({ degraded: ['denied'] });
    expect(look(6)).toBeNull();
    await pause();
    expect(asked).toEqual([]);
  });

  it('is there at once as far as it is in memory; the rest comes, and is kept', async () => {
    const { look, pause, asked, world } = about();
    expect(look(6)).toMatchObject({ symbol: 'Cart.total', imports: null, together: null, why: null });
    await pause();
    expect(asked.sort()).toEqual([`imports ${PATH}`, `together ${PATH}`, `why ${PATH}#Cart.total`]);
    expect(world.changes).toBe(3);
    expect(look(6)).toMatchObject({ imports: { ok: true }, together: { ok: true }, why: { ok: true } });
    await pause();
    expect(asked).toHaveLength(3);
  });

  it('has the tags that the program set and nobody overruled', () => {
    expect(
      about()
        .look(6)
        ?.automatic.map(({ key, value }) => [key, value]),
    ).toEqual([['complexity', 'high']]);
  });

  it('asks only for the commits of another symbol when the cursor moves to one, and for all of another HEAD', async () => {
    const { look, pause, asked, world } = about();
    look(6);
    await pause();
    asked.length = 0;
    look(20);
    await pause();
    expect(look(35)?.symbol).toBeNull();
    await pause();
    expect(asked).toEqual([`why ${PATH}#Cart`, `why ${PATH}#null`]);
    look(6);
    await pause();
    expect(asked).toHaveLength(2);
    world.head = 'b'.repeat(40);
    look(6);
    await pause();
    expect(asked.slice(2).sort()).toEqual([`together ${PATH}`, `why ${PATH}#Cart.total`]);
  });

  it('looks again who imports it with every snapshot, and while the index grows', async () => {
    const { look, pause, asked, world, clock } = about();
    world.complete = false;
    look(6);
    await pause();
    const changes = world.changes;
    await clock.advanceAsync(INDEX_LOOK_MS);
    expect(world.changes).toBe(changes + 1);
    world.complete = true;
    look(6);
    await pause();
    await clock.advanceAsync(INDEX_LOOK_MS);
    look(6);
    await pause();
    world.snapshot = 's2';
    look(6);
    await pause();
    expect(asked.filter((each) => each.startsWith('imports'))).toHaveLength(3);
  });

  it('asks nothing while nobody looks, and leaves nothing behind', async () => {
    const { look, pause, asked, world, subject, clock } = about();
    world.visible = false;
    look(6);
    await pause();
    expect(asked).toEqual([]);
    look(6);
    subject.dispose();
    expect(clock.pending).toBe(0);
  });
});
