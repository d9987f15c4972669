import { describe, expect, it } from 'vitest';
import { FILE_REFUSED } from '../../../src/inject/index.ts';
import { COMPLETION_DEBOUNCE_MS, CompletionEngine, type CompletionQuery } from '../../../src/ui/completion-engine.ts';
import { FakeClock, settle } from '../../support/fake-clock.ts';
import { failure, fakeProject, ScriptedModel } from './support.ts';

const query: CompletionQuery = {
  file: '/shop/src/a.ts',
  language: 'typescript',
  line: 3,
  prefix: 'const total = ',
  suffix: '\n',
  explicit: false,
};

function engine(options: { hasKey?: boolean; hasProject?: boolean } = {}) {
  const clock = new FakeClock();
  const model = new ScriptedModel();
  const project = fakeProject(clock);
  const reports: (string | null)[] = [];
  const refusals: (string | null)[] = [];
  const outcomes: string[] = [];
  const subject = new CompletionEngine(
    {
      project: () => (options.hasProject === false ? null : project),
      model: () => Promise.resolve(options.hasKey === false ? null : model),
      report: (sentence) => reports.push(sentence),
      refused: (sentence) => refusals.push(sentence),
      observe: (outcome) => outcomes.push(outcome),
    },
    clock,
  );
  const ask = async (change: Partial<CompletionQuery> = {}, signal = new AbortController().signal) => {
    const answer = subject.complete({ ...query, ...change }, signal);
    await clock.advanceAsync(COMPLETION_DEBOUNCE_MS);
    return answer;
  };
  return { subject, clock, model, project, reports, refusals, outcomes, ask };
}

describe('CompletionEngine', () => {
  it('asks after a pause in typing, with the project context, and gives the text between the tags', async () => {
    const { ask, model, project, reports, outcomes } = engine();
    model.pieces = ['<COMPLE', 'TION>price * ', 'count;</COMPLETION>', ' and chatter'];
    expect(await ask()).toBe('price * count;');
    expect(model.requests).toHaveLength(1);
    expect(JSON.stringify(model.requests[0])).toContain('the project context');
    expect(project.injected[0]?.request).toMatchObject({
      type: 'completion',
      file: 'src/a.ts',
      prefix: 'const total = ',
    });
    expect(project.injected[0]?.request).not.toHaveProperty('explicit');
    expect(reports).toEqual([null]);
    expect(outcomes).toEqual(['asked', 'offered']);
  });

  it('sends nothing of a file before its facts say whether it may leave', async () => {
    const { ask, model, project } = engine();
    model.pieces = ['x</COMPLETION>'];
    const { facts } = project;
    project.facts = null;
    expect(await ask()).toBeNull();
    expect(model.requests).toHaveLength(0);
    project.facts = facts;
    expect(await ask()).toBe('x');
  });

  it('asks nothing before the pause is over, and only the newest of a burst', async () => {
    const { subject, clock, model, outcomes } = engine();
    model.pieces = ['x</COMPLETION>'];
    const answers = ['a', 'ab', 'abc'].map((prefix) =>
      subject.complete({ ...query, prefix }, new AbortController().signal),
    );
    await clock.advanceAsync(COMPLETION_DEBOUNCE_MS - 1);
    expect(model.requests).toHaveLength(0);
    await clock.advanceAsync(1);
    expect(await Promise.all(answers)).toEqual([null, null, 'x']);
    expect(model.requests).toHaveLength(1);
    expect(outcomes).toEqual(['asked', 'offered']);
  });

  it('ends the request when the editor cancels, and says nothing about it', async () => {
    const { subject, clock, model, reports } = engine();
    const held = Promise.withResolvers<void>();
    model.gate = held.promise;
    model.pieces = ['late</COMPLETION>'];
    const cancel = new AbortController();
    const answer = subject.complete(query, cancel.signal);
    await clock.advanceAsync(COMPLETION_DEBOUNCE_MS);
    cancel.abort();
    held.resolve();
    expect(await answer).toBeNull();
    expect(model.aborted).toEqual([true]);
    expect(reports).toEqual([]);
  });

  it('a newer question takes the place of one that is being answered', async () => {
    const { subject, clock, model } = engine();
    const held = Promise.withResolvers<void>();
    model.gate = held.promise;
    model.pieces = ['x</COMPLETION>'];
    const older = subject.complete(query, new AbortController().signal);
    await clock.advanceAsync(COMPLETION_DEBOUNCE_MS);
    const newer = subject.complete({ ...query, prefix: 'let y = ' }, new AbortController().signal);
    held.resolve();
    await clock.advanceAsync(COMPLETION_DEBOUNCE_MS);
    expect(await older).toBeNull();
    expect(await newer).toBe('x');
    expect(model.aborted[0]).toBe(true);
  });

  it('never asks without a key, nor without a project', async () => {
    for (const options of [{ hasKey: false }, { hasProject: false }]) {
      const { ask, model, project, reports } = engine(options);
      expect(await ask()).toBeNull();
      expect(model.requests).toHaveLength(0);
      expect(project.injected).toHaveLength(0);
      expect(reports).toEqual([]);
    }
  });

  it('is silent when the filter of the service stops an answer', async () => {
    const { ask, model, reports } = engine();
    model.failure = failure('model_filtered');
    expect(await ask()).toBeNull();
    expect(reports).toEqual([null]);
  });

  it('says why the gate refused a file, sends nothing, and goes on with the next', async () => {
    const { subject, ask, model, project, reports, refusals } = engine();
    project.refusal = failure(FILE_REFUSED, 'Nothing is sent about .env.');
    expect(await ask()).toBeNull();
    expect(model.requests).toHaveLength(0);
    expect(reports).toEqual([]);
    expect(refusals).toEqual(['Nothing is sent about .env.']);
    subject.moved();
    expect(refusals.at(-1)).toBeNull();
    project.refusal = null;
    model.pieces = ['x</COMPLETION>'];
    expect(await ask()).toBe('x');
    expect(model.requests).toHaveLength(1);
  });

  it.each([
    ['model_rate_limit', 30_000],
    ['model_server', 5_000],
    ['model_network', 5_000],
    ['model_cut', 5_000],
    ['model_garbled', 5_000],
  ])('rests after %s and then tries again', async (code, ms) => {
    const { ask, clock, model, reports } = engine();
    model.failure = failure(code);
    expect(await ask()).toBeNull();
    expect(reports).toEqual([`It failed with ${code}. Do something.`]);
    await clock.advanceAsync(ms - COMPLETION_DEBOUNCE_MS - 1);
    expect(await ask()).toBeNull();
    expect(model.requests).toHaveLength(1);
    model.failure = null;
    model.pieces = ['x</COMPLETION>'];
    await clock.advanceAsync(1);
    expect(await ask()).toBe('x');
    expect(reports.at(-1)).toBeNull();
  });

  it('rests for good when the key is refused, until a key or setting changes', async () => {
    const { subject, ask, clock, model } = engine();
    model.failure = failure('model_auth');
    await ask();
    await clock.advanceAsync(24 * 3_600_000);
    await ask();
    expect(model.requests).toHaveLength(1);
    subject.resume();
    await ask();
    expect(model.requests).toHaveLength(2);
  });

  it('asks although it rests when a person asks by hand', async () => {
    const { ask, model } = engine();
    model.failure = failure('model_rate_limit');
    await ask();
    await ask({ explicit: true });
    expect(model.requests).toHaveLength(2);
  });

  it('rests no longer once a request by hand has worked', async () => {
    const { ask, model } = engine();
    model.failure = failure('model_auth');
    await ask();
    model.failure = null;
    model.pieces = ['x</COMPLETION>'];
    await ask({ explicit: true });
    expect(await ask()).toBe('x');
  });

  it('leaves no timer and no request behind', async () => {
    const { subject, clock, model } = engine();
    const answer = subject.complete(query, new AbortController().signal);
    await settle();
    subject.dispose();
    await clock.advanceAsync(COMPLETION_DEBOUNCE_MS * 2);
    expect(await answer).toBeNull();
    expect(model.requests).toHaveLength(0);
    expect(clock.pending).toBe(0);
  });
});
