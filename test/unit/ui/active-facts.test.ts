import { describe, expect, it } from 'vitest';
import { silentLogger } from '../../../src/base/index.ts';
import { ActiveFacts, FACTS_DEBOUNCE_MS } from '../../../src/ui/active-facts.ts';
import { FakeClock, settle } from '../../support/fake-clock.ts';

function facts() {
  const clock = new FakeClock();
  const asked: string[] = [];
  const waiting: PromiseWithResolvers<void>[] = [];
  const subject = new ActiveFacts(
    (file, text) => {
      asked.push(`${file}=${text}`);
      const answer = Promise.withResolvers<void>();
      waiting.push(answer);
      return answer.promise;
    },
    clock,
    silentLogger(),
  );
  const file = (name: string, text: string | null) => ({ file: name, text: () => text });
  return { subject, clock, asked, waiting, file };
}

describe('ActiveFacts', () => {
  it('works a file out at once when a person comes to it', () => {
    const { subject, asked, file } = facts();
    subject.opened(file('a', null));
    expect(asked).toEqual(['a=null']);
  });

  it('waits for a pause in typing and takes the text as it is then', async () => {
    const { subject, clock, asked } = facts();
    let text = '';
    for (const letter of 'hello') {
      text += letter;
      subject.changed({ file: 'a', text: () => text });
      await clock.advanceAsync(FACTS_DEBOUNCE_MS - 1);
    }
    expect(asked).toEqual([]);
    await clock.advanceAsync(1);
    expect(asked).toEqual(['a=hello']);
  });

  it('has one in flight, and afterwards does only the newest', async () => {
    const { subject, asked, waiting, file } = facts();
    for (const name of ['a', 'b', 'c']) subject.opened(file(name, null));
    expect(asked).toEqual(['a=null']);
    waiting[0]?.resolve();
    await settle();
    expect(asked).toEqual(['a=null', 'c=null']);
  });

  it('goes on after a failure', async () => {
    const { subject, asked, waiting, file } = facts();
    subject.opened(file('a', null));
    waiting[0]?.reject(new Error('not UTF-8'));
    await settle();
    subject.opened(file('b', null));
    expect(asked).toEqual(['a=null', 'b=null']);
  });

  it('does nothing after its end', async () => {
    const { subject, clock, asked, file } = facts();
    subject.changed(file('a', 'x'));
    subject.dispose();
    await clock.advanceAsync(FACTS_DEBOUNCE_MS * 2);
    expect(asked).toEqual([]);
    expect(clock.pending).toBe(0);
  });
});
