import { describe, expect, it } from 'vitest';
import { GhostText, type Withdrawal } from '../../../src/ui/ghost-text.ts';
import { settle } from '../../support/fake-clock.ts';

/** A request of the editor, which it may take back. */
function wish(): Withdrawal & { withdraw(): void } {
  const callbacks = new Set<() => void>();
  let withdrawn = false;
  return {
    get withdrawn() {
      return withdrawn;
    },
    onWithdrawn: (callback) => {
      callbacks.add(callback);
      return { dispose: () => callbacks.delete(callback) };
    },
    withdraw: () => {
      withdrawn = true;
      for (const callback of callbacks) callback();
    },
  };
}

function ghosts() {
  const world = { place: 'a@1', again: 0 };
  const asked: { query: string; signal: AbortSignal; answer: PromiseWithResolvers<string | null> }[] = [];
  const subject = new GhostText<string>({
    ask: (query, signal) => {
      const answer = Promise.withResolvers<string | null>();
      signal.addEventListener('abort', () => answer.resolve(null));
      asked.push({ query, signal, answer });
      return answer.promise;
    },
    stillAt: (place) => place === world.place,
    askAgain: () => {
      world.again++;
    },
  });
  return { subject, world, asked };
}

describe('GhostText', () => {
  it('gives the answer to who still wants it', async () => {
    const { subject, asked, world } = ghosts();
    const text = subject.at('a@1', 'q', wish());
    asked[0]?.answer.resolve('x');
    expect(await text).toBe('x');
    expect(world.again).toBe(0);
  });

  it('goes on when the editor loses patience, and offers the answer when it is made to ask again', async () => {
    const { subject, asked, world } = ghosts();
    const first = wish();
    const text = subject.at('a@1', 'q', first);
    first.withdraw();
    expect(asked[0]?.signal.aborted).toBe(false);
    asked[0]?.answer.resolve('late');
    expect(await text).toBeNull();
    expect(world.again).toBe(1);
    expect(await subject.at('a@1', 'q', wish())).toBe('late');
    expect(asked).toHaveLength(1);
  });

  it('does not make it ask again for nothing', async () => {
    const { subject, asked, world } = ghosts();
    const first = wish();
    const text = subject.at('a@1', 'q', first);
    first.withdraw();
    asked[0]?.answer.resolve(null);
    await text;
    expect(world.again).toBe(0);
  });

  it('ends a request as soon as the person has moved on, whoever says so first', async () => {
    for (const order of ['moved first', 'withdrawn first']) {
      const { subject, asked, world } = ghosts();
      const first = wish();
      const text = subject.at('a@1', 'q', first);
      if (order === 'withdrawn first') first.withdraw();
      world.place = 'a@2';
      subject.moved();
      expect(asked[0]?.signal.aborted, order).toBe(true);
      expect(await text).toBeNull();
      expect(world.again).toBe(0);
    }
  });

  it('forgets a late answer when the person has moved on', async () => {
    const { subject, asked, world } = ghosts();
    const first = wish();
    const text = subject.at('a@1', 'q', first);
    first.withdraw();
    asked[0]?.answer.resolve('late');
    await text;
    world.place = 'a@2';
    subject.moved();
    world.place = 'a@1';
    void subject.at('a@1', 'q', wish());
    expect(asked).toHaveLength(2);
  });

  it('makes one request of two wishes for the same place, and ends the one for another place', async () => {
    const { subject, asked, world } = ghosts();
    const [one, two] = [wish(), wish()];
    const texts = [subject.at('a@1', 'q', one), subject.at('a@1', 'q', two)];
    expect(asked).toHaveLength(1);
    world.place = 'a@2';
    void subject.at('a@2', 'r', wish());
    expect(asked.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    expect(await Promise.all(texts)).toEqual([null, null]);
  });

  it('asks nothing for a wish that is already taken back, and leaves nothing running', async () => {
    const { subject, asked } = ghosts();
    const gone = wish();
    gone.withdraw();
    expect(await subject.at('a@1', 'q', gone)).toBeNull();
    expect(asked).toHaveLength(0);
    void subject.at('a@1', 'q', wish());
    subject.dispose();
    await settle();
    expect(asked[0]?.signal.aborted).toBe(true);
  });
});
