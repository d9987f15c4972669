import { describe, expect, test } from 'vitest';
import type { TakenSnapshot, TakeRequest, Trigger } from '../../../src/snapshot/index.ts';
import { TakeQueue } from '../../../src/snapshot/take-queue.ts';
import { settle } from '../../support/fake-clock.ts';

/** Takes that end when the test says so. */
function bench() {
  const started: { readonly request: TakeRequest; readonly end: PromiseWithResolvers<TakenSnapshot> }[] = [];
  const queue = new TakeQueue((request) => {
    const end = Promise.withResolvers<TakenSnapshot>();
    started.push({ request, end });
    return end.promise;
  });
  const ask = (number: number, active: string, trigger: Trigger = 'editor', tree = '/one') =>
    queue.enqueue(tree, {
      number,
      request: { folder: tree, trigger, editor: { active, open: [] }, marks: { tags: {}, focus: {} } },
    });
  const known = (number: number, active: string) =>
    queue.enqueue('/one', {
      number,
      request: {
        folder: '/one',
        trigger: 'editor',
        editor: { active, open: [] },
        marks: { tags: {}, focus: {} },
        outlines: 'known',
      },
    });
  const finish = async (index: number) => {
    started[index]?.end.resolve({ ms: index } as TakenSnapshot);
    await settle();
  };
  const seen = () => started.map(({ request }) => `${request.trigger} ${request.editor.active}`);
  return { queue, ask, known, finish, seen, started };
}

describe('the queue of takes', () => {
  test('one runs, the others become one more: the latest, and that HEAD moved', async () => {
    const { ask, finish, seen } = bench();
    const first = ask(1, 'a');
    const rest = [ask(2, 'b'), ask(3, 'c', 'commit'), ask(4, 'd')];
    expect(seen()).toEqual(['editor a']);
    await finish(0);
    expect(seen()).toEqual(['editor a', 'commit d']);
    await finish(1);
    expect((await first).ms).toBe(0);
    expect((await Promise.all(rest)).map(({ ms }) => ms)).toEqual([1, 1, 1]);
  });

  test('who asked earlier but arrives later changes nothing', async () => {
    const { ask, finish, seen } = bench();
    void ask(2, 'b');
    const late = ask(1, 'a');
    void ask(5, 'e');
    void ask(3, 'c');
    await finish(0);
    expect(seen()).toEqual(['editor b', 'editor e']);
    expect((await late).ms).toBe(0);
  });

  test('who wants all outlines gets all, whoever else asks', async () => {
    const { ask, known, finish, started } = bench();
    void known(2, 'b');
    // What runs leaves some out, so it is no answer.
    void ask(1, 'a');
    void known(3, 'c');
    await finish(0);
    expect(started.map(({ request }) => [request.editor.active, request.outlines])).toEqual([
      ['b', 'known'],
      ['c', 'all'],
    ]);
    await finish(1);
  });

  test('trees do not wait for one another', () => {
    const { ask, seen } = bench();
    void ask(1, 'a', 'editor', '/one');
    void ask(2, 'b', 'editor', '/two');
    expect(seen()).toEqual(['editor a', 'editor b']);
  });

  test('after a failure the next one runs, and it is settled when all is done', async () => {
    const { queue, ask, finish, seen, started } = bench();
    const first = ask(1, 'a');
    const second = ask(2, 'b');
    const settled = queue.settled();
    started[0]?.end.reject(new Error('no'));
    await expect(first).rejects.toThrow('no');
    await settle();
    expect(seen()).toEqual(['editor a', 'editor b']);
    await finish(1);
    expect((await second).ms).toBe(1);
    await settled;
    void ask(3, 'c');
    expect(seen()).toHaveLength(3);
  });

  test('what a hook said is taken along, by whichever of them', async () => {
    const { queue, ask, finish, started } = bench();
    const hook = (number: number, old: string) =>
      queue.enqueue('/one', {
        number,
        request: {
          folder: '/one',
          trigger: 'hook',
          editor: { active: null, open: [] },
          marks: { tags: {}, focus: {} },
          rewritten: [{ old, new: 'n' }],
        },
      });
    void ask(2, 'a');
    void hook(1, 'x');
    void hook(3, 'y');
    void ask(4, 'b');
    await finish(0);
    expect(started.map(({ request }) => request.rewritten?.map((pair) => pair.old))).toEqual([undefined, ['x', 'y']]);
  });
});
