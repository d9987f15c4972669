import OpenAI from 'openai';
import type { ChatCompletionChunk, ChatCompletionCreateParams } from 'openai/resources/chat/completions';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import * as minimax from '../../support/minimax/server.ts';
import { waitFor } from '../../support/wait.ts';

/** A chunk with what the vendor adds to it. */
type Chunk = Omit<ChatCompletionChunk, 'choices'> & {
  choices: { delta: { content: string; role: string; reasoning_content?: string }; finish_reason?: string }[] | null;
  base_resp?: { status_code: number };
};

let standIn: minimax.MiniMaxStandIn;
let client: OpenAI;

beforeAll(async () => {
  standIn = await minimax.MiniMaxStandIn.start();
  client = new OpenAI({ baseURL: standIn.baseUrl, apiKey: standIn.apiKey, maxRetries: 0 });
});
afterAll(() => standIn.close());
beforeEach(() => standIn.reset());

const ASK = { model: 'MiniMax-M3', messages: [{ role: 'user', content: 'hello' }], thinking: { type: 'disabled' } };

/** The vendor's parameters are not in the types of the library. */
function params<T extends object>(changes: T): ChatCompletionCreateParams & T {
  return { ...ASK, ...changes } as unknown as ChatCompletionCreateParams & T;
}

async function ask(changes: object = {}): Promise<Record<string, never>> {
  return (await client.chat.completions.create(params(changes))) as unknown as Record<string, never>;
}

async function stream(changes: object = {}): Promise<Chunk[]> {
  const answer = await client.chat.completions.create(params({ ...changes, stream: true as const }));
  const chunks: Chunk[] = [];
  for await (const chunk of answer as unknown as AsyncIterable<Chunk>) chunks.push(chunk);
  return chunks;
}

const contentOf = (chunks: readonly Chunk[]) =>
  chunks.map((chunk) => chunk.choices?.[0]?.delta?.content ?? '').join('');

describe('a reply', () => {
  it('is one message with the fields of the vendor', async () => {
    standIn.answer(minimax.reply('world();'));
    expect(await ask()).toMatchObject({
      object: 'chat.completion',
      model: 'MiniMax-M3',
      choices: [
        { finish_reason: 'stop', index: 0, message: { content: 'world();', role: 'assistant', name: 'MiniMax AI' } },
      ],
      usage: { prompt_tokens: expect.any(Number), completion_tokens: 2 },
      input_sensitive: false,
      base_resp: { status_code: 0, status_msg: '' },
    });
  });

  it('streams in pieces, repeats the role, and puts the reason to finish on the last one', async () => {
    standIn.answer(minimax.reply('one two three', { pieces: 4 }));
    const chunks = await stream();
    expect(chunks.map(({ choices }) => choices?.[0]?.delta.content)).toEqual(['one ', 'two ', 'thre', 'e']);
    expect(chunks.map(({ choices }) => choices?.[0]?.finish_reason)).toEqual([null, null, null, 'stop']);
    expect(chunks.every(({ choices }) => choices?.[0]?.delta.role === 'assistant')).toBe(true);
    expect(chunks.every(({ usage }) => usage === null)).toBe(true);
  });

  it('tells its usage only in the last piece and only when asked', async () => {
    standIn.answer(minimax.reply('one two three'));
    const last = (await stream({ stream_options: { include_usage: true } })).at(-1);
    expect(last).toMatchObject({ choices: [], usage: { completion_tokens: 4 } });
  });

  it('survives writes of one byte, characters of several bytes included', async () => {
    standIn.answer(minimax.reply('退款 😀 é', { bytesPerWrite: 1, pieces: 1 }));
    expect(contentOf(await stream())).toBe('退款 😀 é');
  });

  it.each([
    ['without [DONE]', { done: false }, 'hello'],
    ['with empty roles', { emptyRole: true }, 'hello'],
  ])('comes %s', async (_name, options, expected) => {
    standIn.answer(minimax.reply('hello', { ...options, pieces: 2 }));
    expect(contentOf(await stream())).toBe(expected);
  });

  it('can end with the whole message once more', async () => {
    standIn.answer(minimax.reply('hello', { repeatsWhole: true }));
    const last = (await stream()).at(-1) as unknown as { object: string; choices: { message: { content: string } }[] };
    expect([last.object, last.choices[0]?.message.content]).toEqual(['chat.completion', 'hello']);
  });

  it('is cut at the limit of tokens, in the middle of the thinking when that comes first', async () => {
    standIn.answer(minimax.reply('12345678', {}), minimax.reply('answer', { thinking: 'a long thought' }));
    expect(await ask({ max_completion_tokens: 1 })).toMatchObject({
      choices: [{ finish_reason: 'length', message: { content: '1234' } }],
    });
    const thought = await ask({ max_completion_tokens: 4, thinking: { type: 'adaptive' } });
    expect(thought).toMatchObject({
      choices: [{ finish_reason: 'length', message: { content: '<think>\na long t' } }],
    });
  });

  it('carries tool calls', async () => {
    standIn.answer(minimax.reply('', { toolCalls: [{ id: 'call_1', name: 'look', arguments: '{}' }] }));
    const [chunk] = await stream();
    expect(chunk?.choices).toMatchObject([
      {
        finish_reason: 'tool_calls',
        delta: { tool_calls: [{ id: 'call_1', function: { name: 'look', arguments: '{}' } }] },
      },
    ]);
  });

  it('waits for what the test waits for', async () => {
    const gate = Promise.withResolvers<void>();
    standIn.answer(minimax.reply('one two', { pieces: 4, pauseUntil: gate.promise }));
    const answer = await client.chat.completions.create(params({ stream: true as const }));
    const iterator = (answer as unknown as AsyncIterable<Chunk>)[Symbol.asyncIterator]();
    expect((await iterator.next()).value?.choices?.[0]?.delta.content).toBe('one ');
    expect(standIn.completions[0]?.closedAt).toBeUndefined();
    gate.resolve();
    expect((await iterator.next()).value?.choices?.[0]?.delta.content).toBe('two');
  });
});

describe('thinking', () => {
  const thinking = 'I think.';

  it('is in the content of M3 unless it is disabled', async () => {
    standIn.otherwise(minimax.reply('Done.', { thinking }));
    expect(contentOf(await stream({ thinking: undefined }))).toBe('<think>\nI think.\n</think>\n\nDone.');
    expect(contentOf(await stream())).toBe('Done.');
  });

  it('goes into fields of its own with reasoning_split, never together with content', async () => {
    standIn.otherwise(minimax.reply('Done.', { thinking }));
    const chunks = await stream({ thinking: { type: 'adaptive' }, reasoning_split: true });
    const deltas = chunks.map(({ choices }) => choices?.[0]?.delta);
    expect(deltas.map((delta) => delta?.reasoning_content ?? '').join('')).toBe(thinking);
    expect(contentOf(chunks)).toBe('Done.');
    expect(deltas.some((delta) => delta?.reasoning_content && delta.content)).toBe(false);
    const whole = await ask({ thinking: { type: 'adaptive' }, reasoning_split: true });
    expect(whole).toMatchObject({
      choices: [
        { message: { content: 'Done.', reasoning_content: thinking, reasoning_details: [{ text: thinking }] } },
      ],
      usage: { completion_tokens_details: { reasoning_tokens: 2 } },
    });
  });

  it('cannot be switched off in M2.x', async () => {
    standIn.otherwise(minimax.reply('Done.', { thinking }));
    expect(contentOf(await stream({ model: 'MiniMax-M2.7' }))).toContain('<think>');
  });

  it.each([['<think>a</think>b'], ['<mm:think>a</mm:think>b'], ['a</think>b'], ['a]<]minimax[>[<tool_call>b']])(
    'leaks %s as it stands, split anywhere',
    async (content) => {
      for (let at = 1; at < content.length; at += 1) {
        standIn.answer(minimax.leak([content.slice(0, at), content.slice(at)]));
        const chunks = await stream();
        expect(chunks).toHaveLength(2);
        expect(contentOf(chunks)).toBe(content);
      }
    },
  );
});

describe('a request that the service refuses', () => {
  it.each([
    ['thinking enabled', { thinking: { type: 'enabled' } }],
    ['a thinking budget', { thinking: { type: 'adaptive', budget_tokens: 100 } }],
    ['thinking disabled for M3.1-Flash', { model: 'MiniMax-M3.1-Flash' }],
    ['reasoning_effort none', { reasoning_effort: 'none' }],
    ['an unknown model', { model: 'gpt-4' }],
    ['temperature over 2', { temperature: 2.1 }],
    ['temperature 0 for M2.x', { model: 'MiniMax-M2.7', temperature: 0 }],
    ['two choices', { n: 2 }],
    ['no room for an answer', { max_completion_tokens: -1 }],
    ['no messages', { messages: [] }],
    ['the role developer', { messages: [{ role: 'developer', content: 'x' }] }],
    ['a tool result that nobody asked for', { messages: [{ role: 'tool', tool_call_id: 'x', content: 'y' }] }],
    [
      'two system messages for M2.x',
      { model: 'MiniMax-M2.7', messages: ['a', 'b'].map((content) => ({ role: 'system', content })) },
    ],
    ['functions', { functions: [] }],
  ])('%s: 400 with code 2013, and the queue is kept', async (_name, changes) => {
    standIn.answer(minimax.reply('kept'));
    const error = await ask(changes).catch((refused: unknown) => refused);
    expect(error).toBeInstanceOf(OpenAI.BadRequestError);
    expect((error as Error).message).toMatch(/^400 invalid params, .*\(2013\)$/);
    expect(await ask()).toMatchObject({ choices: [{ message: { content: 'kept' } }] });
  });

  it('ignores what it does not know or does not support', async () => {
    standIn.answer(minimax.reply('fine'));
    const ignored = {
      presence_penalty: 9,
      logit_bias: { 1: 1 },
      context: 'x',
      stop: ['fi'],
      response_format: { type: 'json_object' },
    };
    expect(await ask(ignored)).toMatchObject({ choices: [{ message: { content: 'fine' } }] });
  });

  it('401 without a key, with another key, and for the list of models', async () => {
    const stranger = new OpenAI({ baseURL: standIn.baseUrl, apiKey: 'sk-other', maxRetries: 0 });
    await expect(stranger.models.list()).rejects.toThrow('401 invalid api key (2049)');
    expect(
      await (await fetch(`${standIn.baseUrl}/chat/completions`, { method: 'POST', body: '{}' })).json(),
    ).toMatchObject({
      type: 'error',
      error: { type: 'authorized_error', message: expect.stringContaining('(1004)'), http_code: '401' },
      request_id: expect.any(String),
    });
  });

  it('404 for paths that do not exist, 400 for a body that is no JSON', async () => {
    const headers = { authorization: `Bearer ${standIn.apiKey}` };
    expect((await fetch(`${standIn.baseUrl}/completions`, { method: 'POST', headers })).status).toBe(404);
    const post = { method: 'POST', headers, body: '{"model":' };
    expect((await fetch(`${standIn.baseUrl}/chat/completions`, post)).status).toBe(400);
    expect(standIn.requests.at(-1)?.body).toBe('{"model":');
  });
});

describe('a fault', () => {
  it.each([
    [minimax.unauthorized(), 401, '(2049)'],
    [minimax.tooManyRequests(), 429, '(1002)'],
    [minimax.planExhausted(), 429, '(2056)'],
    [minimax.serverError(), 500, '(1000)'],
    [minimax.overloaded(), 529, '(1024)'],
  ])('is an HTTP error: %o', async (answer, status, code) => {
    standIn.answer(answer);
    const error = (await ask().catch((failed: unknown) => failed)) as InstanceType<typeof OpenAI.APIError>;
    expect(error.status).toBe(status);
    expect(error.message).toContain(code);
  });

  it('hides behind HTTP 200 as a whole answer or as a piece of a stream', async () => {
    standIn.answer(
      minimax.baseRespError(1008, 'insufficient balance'),
      minimax.baseRespError(1002, 'rate limit', 'chunk', 'text before'),
    );
    expect(await ask()).toMatchObject({
      choices: null,
      base_resp: { status_code: 1008, status_msg: 'insufficient balance' },
    });
    const chunks = await stream();
    expect(contentOf(chunks)).toBe('text before');
    expect(chunks.at(-1)).toMatchObject({ choices: null, base_resp: { status_code: 1002 } });
  });

  it('is garbage', async () => {
    standIn.answer(minimax.garbage(), minimax.garbage('data: {"choices":[{"del\n\n', 'text/event-stream'));
    expect(await ask()).toContain('Bad Gateway');
    await expect(stream()).rejects.toThrow();
  });

  it('is a stream that breaks', async () => {
    standIn.answer(minimax.cut('never seen whole', 50));
    await expect(stream()).rejects.toThrow();
    await waitFor(() => standIn.completions[0]?.closedAt, { timeoutMs: 5_000, what: 'the end of the connection' });
    expect(standIn.completions[0]?.aborted).toBe(false);
  });

  it('is silence, and the stand-in sees the client go', async () => {
    standIn.answer(minimax.silence());
    const abort = new AbortController();
    const asked = client.chat.completions.create(params({}), { signal: abort.signal });
    const request = await standIn.waitForCompletion();
    expect([request.aborted, request.status]).toEqual([false, undefined]);
    abort.abort();
    await expect(asked).rejects.toThrow(OpenAI.APIUserAbortError);
    await waitFor(() => request.aborted, { timeoutMs: 5_000, what: 'the abort to be seen' });
  });

  it('is content that the vendor objects to', async () => {
    standIn.answer(
      minimax.reply('bad', { outputSensitive: minimax.SENSITIVE.severe }),
      minimax.reply('', { inputSensitive: minimax.SENSITIVE.ads }),
    );
    expect(await ask()).toMatchObject({
      output_sensitive: true,
      output_sensitive_type: 1,
      choices: [{ finish_reason: 'content_filter', message: { content: '' } }],
    });
    expect(await ask()).toMatchObject({ input_sensitive: true, input_sensitive_type: 3 });
  });
});

describe('the record', () => {
  it('holds path, headers, body and the text of all messages', async () => {
    standIn.answer(minimax.reply('x'));
    const messages = [
      { role: 'system', content: 'rules' },
      { role: 'user', content: [{ type: 'text', text: 'the question' }] },
    ];
    await ask({ messages });
    const [request] = standIn.completions;
    expect(request).toMatchObject({
      method: 'POST',
      url: '/v1/chat/completions',
      status: 200,
      aborted: false,
      body: { messages },
    });
    expect(request?.headers.authorization).toBe(`Bearer ${standIn.apiKey}`);
    expect(request?.prompt).toBe('[system]\nrules\n[user]\nthe question');
  });

  it('counts as cached what an earlier prompt began with, from 512 tokens on', async () => {
    standIn.otherwise(minimax.reply('x'));
    const system = { role: 'system', content: 'context '.repeat(400) };
    const cached = async (content: string) =>
      (
        (await ask({ messages: [system, { role: 'user', content }] })) as unknown as {
          usage: { prompt_tokens_details: { cached_tokens: number } };
        }
      ).usage.prompt_tokens_details.cached_tokens;
    expect(await cached('first')).toBe(0);
    expect(await cached('second')).toBeGreaterThan(700);
  });

  it('lists the models', async () => {
    const ids = (await client.models.list()).data.map(({ id }) => id);
    expect(ids).toContain('MiniMax-M3');
  });
});
