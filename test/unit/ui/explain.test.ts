import { describe, expect, it } from 'vitest';
import { type CodeExplainRequest, CREDENTIAL_FOUND, type Injected } from '../../../src/inject/index.ts';
import { answerHeader, explain } from '../../../src/ui/explain.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { failure, fakeProject, ScriptedModel } from './support.ts';

const request: CodeExplainRequest = {
  type: 'explain',
  file: '/shop/src/a.ts',
  language: 'typescript',
  selection: 'const total = 1;',
  line: 10,
};
const destination = { host: 'api.minimax.io', model: 'MiniMax-M3' };

function explaining(remembered = '') {
  const project = fakeProject(new FakeClock(), remembered);
  const model = new ScriptedModel();
  const page = {
    text: '',
    append(text: string) {
      this.text += text;
    },
  };
  const cancel = new AbortController();
  const run = (change: Partial<CodeExplainRequest> = {}) =>
    explain({ ...request, ...change }, project, { model, destination }, page, cancel.signal);
  return { project, model, page, cancel, run };
}

describe('explain', () => {
  it('writes the answer below a header that says what was sent where', async () => {
    const { run, model, page } = explaining();
    model.pieces = ['It ', 'adds.'];
    expect(await run()).toBe('answered');
    expect(page.text).toContain('# src/a.ts, from line 10');
    expect(page.text).toContain(
      'Sent to MiniMax-M3 at api.minimax.io. Project context sent: 4 tokens in 1 item: anchor.',
    );
    expect(page.text.endsWith('---\n\nIt adds.\n')).toBe(true);
  });

  it('asks memory for a question about a reason, and says so', async () => {
    const { run, project, model, page } = explaining('We chose SQLite because of backups.');
    model.pieces = ['Because.'];
    await run({ question: 'Why did we choose SQLite?' });
    expect(project.askedMemory).toEqual(['Why did we choose SQLite?']);
    expect(project.injected[0]?.recalled?.content).toContain('because of backups');
    expect(page.text).toContain('> Why did we choose SQLite?');
    expect(page.text).toContain('PowerContext remembered something.');
  });

  it('learns first whether the file may leave, when that is not known yet', async () => {
    const { run, project, model } = explaining();
    model.pieces = ['It adds.'];
    project.facts = null;
    expect(await run()).toBe('answered');
    expect(project.facts).not.toBeNull();
  });

  it('asks nobody, memory included, about what the gate refuses', async () => {
    const { run, project, model, page } = explaining('secret');
    project.refusal = failure(CREDENTIAL_FOUND, 'The selection holds a credential. Remove it.');
    expect(await run({ question: 'Why?' })).toBe(`failed:${CREDENTIAL_FOUND}`);
    expect(project.askedMemory).toEqual([]);
    expect(model.requests).toHaveLength(0);
    expect(project.injected).toHaveLength(0);
    expect(page.text).toContain('**No answer.** The selection holds a credential. Remove it.');
  });

  it.each(['model_auth', 'model_rate_limit', 'model_server', 'model_garbled', 'model_cut', 'model_network'])(
    'keeps what has arrived and says what went wrong: %s',
    async (code) => {
      const { run, model, page } = explaining();
      model.pieces = ['Half an ans'];
      model.failure = failure(code);
      expect(await run()).toBe(`failed:${code}`);
      expect(page.text).toContain('Half an ans');
      expect(page.text).toContain(`**No answer.** It failed with ${code.replaceAll('_', '\\_')}. Do something.`);
    },
  );

  it('stops when cancelled, keeps what has arrived and says so', async () => {
    const { run, model, page, cancel } = explaining();
    model.pieces = ['one ', 'two '];
    const append = page.append.bind(page);
    page.append = (text) => {
      append(text);
      if (text === 'one ') cancel.abort();
    };
    expect(await run()).toBe('cancelled');
    expect(page.text).toContain('one ');
    expect(page.text).not.toContain('two');
    expect(page.text).toContain('*Cancelled.*');
  });

  it('says when the answer was cut at its limit', async () => {
    const { run, model, page } = explaining();
    model.pieces = ['Long'];
    model.usage = { finishReason: 'length' };
    await run();
    expect(page.text).toContain('reached its length limit');
  });
});

describe('answerHeader', () => {
  it('counts kinds, says what was left out, and lets no text from outside become markup', () => {
    const items = ['mark', 'mark', 'git'].map((kind) => ({ kind, ref: 'r', tokens: 1, why: 'w' }));
    const injected = {
      request: { ...request, file: 'a_b*[x](http://evil).ts', question: '# Title\n<script>' },
      receipt: { items, dropped: items, tokens: 30, recall: { status: 'failed:timeout', ms: 1, bytes: 0 } },
    } as unknown as Injected<CodeExplainRequest>;
    const header = answerHeader(injected, destination);
    expect(header).toContain('30 tokens in 3 items: mark (2), git. Left out: 3 items.');
    expect(header).toContain('did not answer in time');
    expect(header).toContain('a\\_b\\*\\[x\\](http://evil).ts');
    expect(header).toContain('> \\# Title\n> \\<script\\>');
  });
});
