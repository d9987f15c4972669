import { describe, expect, it } from 'vitest';
import { estimateTokens } from '../../../src/inject/budget.ts';
import { Injector } from '../../../src/inject/injector.ts';
import { RecallPrefetch } from '../../../src/inject/recall-prefetch.ts';
import { RecallService, type RecallSettings, recallQuery } from '../../../src/inject/recall-service.ts';
import type { CodeCompletionRequest, CodeExplainRequest, Recall, RecalledText } from '../../../src/inject/types.ts';
import { createGate } from '../../../src/snapshot/index.ts';
import { FakeClock, settle } from '../../support/fake-clock.ts';
import { view } from '../../support/inject/project-view.ts';

const never = new AbortController().signal;
const explain = (question: string, file = 'src/cart.ts'): CodeExplainRequest => ({
  type: 'explain',
  file,
  language: 'typescript',
  selection: 'return sum;',
  line: 30,
  question,
});
const completion: CodeCompletionRequest = {
  type: 'completion',
  file: 'src/cart.ts',
  language: 'typescript',
  line: 30,
  prefix: '',
  suffix: '',
};

const answer = (content: string, status = content === '' ? 'empty' : 'ready'): RecalledText => ({
  content,
  outcome: { status, ms: 5, bytes: Buffer.byteLength(content) },
});

const nothing: RecalledText = { content: '', outcome: { status: 'not_needed', ms: 0, bytes: 0 } };

/** Memory whose answers are given by hand. */
class Memory implements Recall {
  readonly asked: { query: string; maxBytes: number; signal: AbortSignal }[] = [];
  reply: (maxBytes: number) => RecalledText | Promise<RecalledText> = () => answer('We round up.');

  async prepare(query: string, maxBytes: number, signal: AbortSignal): Promise<RecalledText> {
    this.asked.push({ query, maxBytes, signal });
    return this.reply(maxBytes);
  }
}

function setUp(changes: Partial<RecallSettings> = {}) {
  const clock = new FakeClock();
  const memory = new Memory();
  const settings: RecallSettings = { mode: 'auto', maxBytes: 2400, budgetMs: 4000, ...changes };
  const service = new RecallService(memory, () => settings, createGate, clock);
  return { clock, memory, service };
}

describe('RecallService', () => {
  it('asks memory the question as it is, for what fits its share', async () => {
    const { memory, service } = setUp();
    const recalled = await service.forTurn(explain('Why is it rounded?'), view(), never);
    expect(recalled.content).toBe('We round up.');
    expect(memory.asked).toMatchObject([{ query: 'Why is it rounded?', maxBytes: 2400 }]);
  });

  it('asks nothing that is not needed', async () => {
    const { memory, service } = setUp();
    expect((await service.forTurn(explain('What does total do?'), view(), never)).outcome.status).toBe('not_needed');
    expect((await service.forTurn(explain('Why?', '/elsewhere/a.ts'), view(), never)).outcome.status).toBe(
      'not_needed',
    );
    expect(memory.asked).toEqual([]);
  });

  it('tells memory no credential and nothing about a protected file', async () => {
    const { memory, service } = setUp({ mode: 'always' });
    const secret = await service.forTurn(explain('Why is AKIAABCDEFGHIJKLMNOP used?'), view(), never);
    expect(secret.outcome.status).toBe('failed:credential');
    expect((await service.forTurn(explain('Why?', '.env'), view(), never)).outcome.status).toBe('failed:credential');
    expect(memory.asked).toEqual([]);
  });

  it('asks for less when the answer costs more tokens than its share', async () => {
    const { memory, service } = setUp();
    // Two characters a token: much dearer than prose.
    memory.reply = (maxBytes) => answer('a,'.repeat(Math.floor(maxBytes / 2)));
    const recalled = await service.forTurn(explain('Why?'), view(), never);
    expect(memory.asked.map(({ maxBytes }) => maxBytes)).toEqual([2400, expect.any(Number)]);
    expect(estimateTokens(recalled.content)).toBeLessThan(600);
    const { receipt } = new Injector().inject(explain('Why?'), view(), recalled);
    expect(receipt.items.map(({ kind }) => kind)).toContain('recall');
  });

  it('ends a turn after its budget', async () => {
    const { clock, memory, service } = setUp();
    memory.reply = () =>
      new Promise((resolve) =>
        memory.asked[0]?.signal.addEventListener('abort', () => resolve(answer('', 'failed:cancelled'))),
      );
    const turn = service.forTurn(explain('Why?'), view(), never);
    await clock.advanceAsync(3999);
    expect(memory.asked[0]?.signal.aborted).toBe(false);
    await clock.advanceAsync(1);
    expect((await turn).outcome).toEqual({ status: 'failed:timeout', ms: 4000, bytes: 0 });
    expect(clock.pending).toBe(0);
  });

  it('passes a cancellation on', async () => {
    const { memory, service } = setUp();
    const abort = new AbortController();
    memory.reply = () => {
      abort.abort();
      return answer('', 'failed:cancelled');
    };
    expect((await service.forTurn(explain('Why?'), view(), abort.signal)).outcome.status).toBe('failed:cancelled');
    expect(memory.asked[0]?.signal.aborted).toBe(true);
  });

  it('gives completions only what was fetched ahead, and waits for nothing', async () => {
    const { memory, service } = setUp({ mode: 'always' });
    const slow = Promise.withResolvers<RecalledText>();
    memory.reply = () => slow.promise;
    const fetching = service.fetchAhead(completion, view(), never);
    expect(service.ahead(completion, view())).toEqual(nothing);
    slow.resolve(answer('We round up.'));
    await fetching;
    expect(service.ahead(completion, view())).toEqual({
      content: 'We round up.',
      outcome: { status: 'prefetched', ms: 0, bytes: 12 },
    });
    expect(memory.asked).toMatchObject([{ maxBytes: 1200 }]);
    await service.fetchAhead(completion, view(), never);
    expect(memory.asked).toHaveLength(1);
    expect(service.ahead({ ...completion, file: 'src/other.ts' }, view()).content).toBe('');
    expect(service.ahead(completion, view({ anchor: { ...view().anchor, id: 'another' } })).content).toBe('');
    service.clear();
    expect(service.ahead(completion, view()).content).toBe('');
  });

  it('uses nothing that was fetched once the setting says never, and fetches nothing for a known file', async () => {
    const known = setUp({ mode: 'auto' });
    await known.service.fetchAhead(completion, view(), never);
    expect(known.memory.asked).toEqual([]);
    await known.service.fetchAhead(completion, view({ facts: null }), never);
    expect(known.memory.asked).toHaveLength(1);
    expect(known.service.ahead(completion, view()).content).toBe('');
    expect(known.service.ahead(completion, view({ facts: null })).content).toBe('We round up.');
  });

  it('asks for names where there is no question', () => {
    expect(recallQuery(completion, view())).toBe('src cart total');
    expect(recallQuery({ ...explain(''), selection: 'checkoutFee(sum)' }, view())).toBe(
      'src cart total checkoutfee checkout fee sum',
    );
  });
});

describe('RecallPrefetch', () => {
  it('keeps an answer for ten minutes of its own clock', async () => {
    const clock = new FakeClock();
    const prefetch = new RecallPrefetch(clock);
    await prefetch.ensure('a', 'f', async () => answer('x'));
    clock.set(0);
    clock.advance(600_000);
    expect(prefetch.get('a', 'f')?.content).toBe('x');
    clock.advance(1);
    expect(prefetch.get('a', 'f')).toBeNull();
    expect(clock.pending).toBe(0);
  });

  it('asks once at a time, and again after a failure', async () => {
    const prefetch = new RecallPrefetch(new FakeClock());
    let asked = 0;
    const ask = async (recalled: RecalledText) => {
      asked++;
      await settle();
      return recalled;
    };
    const failing = () => ask(answer('', 'failed:timeout'));
    await Promise.all([prefetch.ensure('a', 'f', failing), prefetch.ensure('a', 'f', failing)]);
    expect(asked).toBe(1);
    await expect(prefetch.ensure('a', 'f', () => Promise.reject(new Error('a bug')))).rejects.toThrow('a bug');
    await prefetch.ensure('a', 'f', () => ask(answer('')));
    await prefetch.ensure('a', 'f', () => ask(answer('never')));
    expect(asked).toBe(2);
    expect(prefetch.get('a', 'f')?.outcome.status).toBe('empty');
  });

  it('stays small', async () => {
    const prefetch = new RecallPrefetch(new FakeClock());
    const kept = () =>
      Array.from({ length: 100 }, (_, n) => prefetch.get('a', `f${n}`)).filter((each) => each !== null);
    for (let n = 0; n < 100; n++) await prefetch.ensure('a', `f${n}`, async () => answer('x'));
    expect(kept()).toHaveLength(50);
    for (let n = 0; n < 100; n++) await prefetch.ensure('a', `f${n}`, async () => answer('x'.repeat(30_000)));
    const bytes = kept().reduce((sum, { outcome }) => sum + outcome.bytes, 0);
    expect(bytes).toBeLessThanOrEqual(256 * 1024);
  });
});
