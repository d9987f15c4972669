import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/index.ts';
import { createMiniMaxClient, type MiniMaxOptions } from '../../../src/inject/minimax-entry.ts';
import { NetworkGate } from '../../../src/inject/network.ts';
import type { ModelRequest, ModelUsage } from '../../../src/inject/types.ts';
import {
  type Answer,
  baseRespError,
  cut,
  garbage,
  httpError,
  leak,
  MiniMaxStandIn,
  overloaded,
  planExhausted,
  reply,
  serverError,
  silence,
  tooManyRequests,
  unauthorized,
} from '../../support/minimax/server.ts';
import { freePort } from '../../support/process.ts';
import { waitFor } from '../../support/wait.ts';

const REQUEST: ModelRequest = {
  messages: [
    { role: 'system', content: 'Complete.' },
    { role: 'user', content: 'const a = ' },
  ],
  maxTokens: 128,
  temperature: 0,
};

let standIn: MiniMaxStandIn;

beforeAll(async () => {
  standIn = await MiniMaxStandIn.start();
});
afterEach(() => standIn.reset());
afterAll(() => standIn.close());

function options(changes: Partial<MiniMaxOptions> & { baseUrl?: string; model?: string } = {}): MiniMaxOptions {
  const { baseUrl = standIn.baseUrl, model = 'MiniMax-M3', ...rest } = changes;
  return {
    target: () => ({ baseUrl, model }),
    apiKey: async () => standIn.apiKey,
    fetch: new NetworkGate(() => [baseUrl]).fetch,
    clock: systemClock(),
    ...rest,
  };
}

async function collect(
  stream: AsyncGenerator<string, ModelUsage, void>,
): Promise<{ text: string; pieces: number; usage: ModelUsage }> {
  let text = '';
  let pieces = 0;
  for (;;) {
    const { done, value } = await stream.next();
    if (done) return { text, pieces, usage: value };
    text += value;
    pieces++;
  }
}

const ask = (changes = {}, request = REQUEST, signal = new AbortController().signal) =>
  collect(createMiniMaxClient(options(changes)).stream(request, signal));

async function failure(promise: Promise<unknown>): Promise<{ code: string; message: string }> {
  try {
    await promise;
  } catch (error) {
    return error as { code: string; message: string };
  }
  throw new Error('it did not fail');
}

describe('MiniMax client against the stand-in', () => {
  it('sends what the contract asks for and nothing about this machine', async () => {
    standIn.answer(reply('b + c;'));
    const { text, usage } = await ask();
    expect(text).toBe('b + c;');
    expect(usage).toMatchObject({ finishReason: 'stop', completionTokens: 2 });
    expect(usage.promptTokens).toBeGreaterThan(0);
    const { body, headers } = standIn.completions[0] ?? {};
    expect(body).toEqual({
      model: 'MiniMax-M3',
      messages: REQUEST.messages,
      stream: true,
      stream_options: { include_usage: true },
      max_completion_tokens: 128,
      temperature: 0.01,
      thinking: { type: 'disabled' },
    });
    const own = ['accept', 'authorization', 'content-length', 'content-type', 'host', 'user-agent'];
    const undici = ['connection', 'accept-encoding', 'accept-language', 'sec-fetch-mode'];
    expect(Object.keys(headers ?? {}).filter((name) => ![...own, ...undici].includes(name))).toEqual([]);
    expect(headers?.['user-agent']).toBe('ProjectAnchor');
  });

  it('streams pieces as they come', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    standIn.answer(reply('one two three', { pieces: 4, pauseUntil: promise }));
    const stream = createMiniMaxClient(options()).stream(REQUEST, new AbortController().signal);
    expect((await stream.next()).value).toBe('one ');
    resolve();
    expect((await collect(stream)).text).toBe('two three');
  });

  it('leaves thinking to models that cannot do without, and shows none of it', async () => {
    standIn.answer(reply('a', { thinking: 'hm' }), reply('b', { thinking: 'hm' }));
    expect((await ask({ model: 'MiniMax-M3.1-Flash' })).text).toBe('a');
    expect((await ask({ model: 'MiniMax-M2.7' })).text.trim()).toBe('b');
  });

  it('strips reasoning and leaked markers split anywhere', async () => {
    standIn.answer(leak(['<th', 'ink>no', 'ise</thi', 'nk>yes]<]mini', 'max[>[!</mm:t', 'hink>']));
    expect((await ask()).text).toBe('yes!');
    standIn.answer(leak('<mm:think>noise</think>思考', { pieces: 1, bytesPerWrite: 1 }));
    expect((await ask()).text).toBe('思考');
  });

  it.each<[string, Answer]>([
    ['a missing [DONE]', reply('fine', { done: false })],
    ['a whole message repeated at the end', reply('fine', { repeatsWhole: true })],
    ['empty roles', reply('fine', { emptyRole: true })],
    ['single bytes', reply('fine', { bytesPerWrite: 1 })],
  ])('lives with %s', async (_name, answer) => {
    standIn.answer(answer);
    expect((await ask()).text).toBe('fine');
  });

  it('says when the answer reached its length', async () => {
    standIn.answer(reply('x'.repeat(1000)));
    const { text, usage } = await ask({}, { ...REQUEST, maxTokens: 2 });
    expect(text).toBe('x'.repeat(8));
    expect(usage.finishReason).toBe('length');
  });

  it.each<[string, Answer, string, RegExp]>([
    ['401', unauthorized(), 'model_auth', /refused the API key \(HTTP 401, code 2049.*Set a valid one/],
    ['402', httpError(402, 1008, 'insufficient balance'), 'model_quota', /HTTP 402.*Top up/],
    ['429', tooManyRequests(), 'model_rate_limit', /too many requests.*Wait a minute/],
    ['429 of a plan', planExhausted(), 'model_quota', /code 2056.*5-hour/],
    ['500', serverError(), 'model_server', /problem of its own.*Try again/],
    ['529', overloaded(), 'model_server', /HTTP 529/],
    ['404', garbage('not found', 'text/plain', 404), 'model_rejected', /HTTP 404.*baseUrl/],
    ['502 of a proxy', garbage('<html></html>', 'text/html', 502), 'model_server', /HTTP 502\)/],
    ['base_resp in JSON', baseRespError(1004, 'login fail'), 'model_auth', /code 1004, login fail/],
    ['base_resp of a filter', baseRespError(1026, 'input flagged'), 'model_filtered', /content filter/],
    ['base_resp in the stream', baseRespError(1002, 'rate limit', 'chunk', 'some text'), 'model_rate_limit', /1002/],
    ['base_resp as the first piece', baseRespError(2061, 'not on plan', 'chunk'), 'model_quota', /2061/],
    ['a sensitive output', reply('x', { outputSensitive: 2 }), 'model_filtered', /content filter/],
    ['a sensitive input', reply('x', { inputSensitive: 1 }), 'model_filtered', /content filter/],
    ['a page', garbage(), 'model_garbled', /not what MiniMax sends.*proxy/],
    ['half a document', garbage('{"choices":[', 'application/json'), 'model_garbled', /not what/],
    ['an empty stream', garbage('', 'text/event-stream'), 'model_garbled', /not what/],
    ['noise as a stream', garbage('data: {"choices": 7}\n\n', 'text/event-stream'), 'model_garbled', /not what/],
    ['broken JSON in a stream', garbage('data: {"a\n\n', 'text/event-stream'), 'model_garbled', /not what/],
    [
      'an error inside a stream',
      garbage('data: {"error":{"type":"rate_limit_error","message":"slow (1002)"}}\n\n', 'text/event-stream'),
      'model_rate_limit',
      /slow/,
    ],
    ['a cut stream', cut('a longer text that is cut', 700), 'model_cut', /ended before it was complete.*Try again/],
    [
      'a stream that just ends',
      garbage('data: {"choices":[{"delta":{"content":"a"}}]}\n\n', 'text/event-stream'),
      'model_cut',
      /ended/,
    ],
  ])('%s is an error that says what to do', async (_name, answer, code, words) => {
    standIn.answer(answer);
    const error = await failure(ask());
    expect(error.code).toBe(code);
    expect(error.message).toMatch(words);
    expect(error.message).not.toContain('\n');
    // Nothing is tried a second time.
    expect(standIn.completions).toHaveLength(1);
  });

  it('gives the text that came before a cut', async () => {
    standIn.answer(cut('a longer text that is cut', 700));
    const stream = createMiniMaxClient(options()).stream(REQUEST, new AbortController().signal);
    expect((await stream.next()).value).toMatch(/^a longer/);
    expect((await failure(collect(stream))).code).toBe('model_cut');
  });

  it('takes a whole JSON answer for a stream of one piece', async () => {
    const whole = {
      choices: [{ message: { content: 'whole' }, finish_reason: 'stop' }],
      base_resp: { status_code: 0 },
    };
    standIn.answer(garbage(JSON.stringify(whole), 'application/json'));
    expect((await ask()).text).toBe('whole');
  });

  it('ends without an error when it is aborted, and takes the request back', async () => {
    for (const answer of [silence(), reply('one two', { pieces: 3, pauseUntil: new Promise(() => undefined) })]) {
      standIn.reset();
      standIn.answer(answer);
      const abort = new AbortController();
      const result = ask({}, REQUEST, abort.signal);
      await standIn.waitForCompletion();
      abort.abort();
      await result;
      await waitFor(() => standIn.completions[0]?.aborted, {
        timeoutMs: 5000,
        what: () => 'the request to be taken back',
      });
    }
  });

  it('takes the request back when nobody reads on', async () => {
    standIn.answer(reply('one two three', { pieces: 4, pauseUntil: new Promise(() => undefined) }));
    for await (const _ of createMiniMaxClient(options()).stream(REQUEST, new AbortController().signal)) break;
    await waitFor(() => standIn.completions[0]?.aborted, {
      timeoutMs: 5000,
      what: () => 'the request to be taken back',
    });
  });

  it('sends nothing when it is aborted before it begins', async () => {
    expect((await ask({}, REQUEST, AbortSignal.abort())).text).toBe('');
    expect(standIn.requests).toHaveLength(0);
  });

  it('gives up on a silent connection', async () => {
    standIn.answer(silence());
    const error = await failure(ask({ silenceMs: 30 }));
    expect(error).toMatchObject({ code: 'model_network' });
    expect(error.message).toMatch(/nothing was heard/);
  });

  it('ends well when only the token counts stay out', async () => {
    const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n';
    const server: Server = createServer();
    server.on('request', (_request, response) => {
      response.socket?.write(`${head}data: {"choices":[{"delta":{"content":"ok"},"finish_reason":"stop"}]}\n\n`);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
      expect(await ask({ baseUrl })).toMatchObject({ text: 'ok', usage: { finishReason: 'stop' } });
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  it('says who could not be reached', async () => {
    const error = await failure(ask({ baseUrl: `http://127.0.0.1:${await freePort()}/v1` }));
    expect(error.code).toBe('model_network');
    expect(error.message).toMatch(/127\.0\.0\.1:\d+ \(.*ECONNREFUSED/);
  });

  it.each([
    ['no key', undefined, 'model_no_key'],
    ['an empty key', '  ', 'model_no_key'],
    ['a key that no header can carry', 'sk-\nx', 'model_auth'],
  ])('sends nothing with %s', async (_name, key, code) => {
    expect((await failure(ask({ apiKey: async () => key }))).code).toBe(code);
    expect(standIn.requests).toHaveLength(0);
  });

  it('never repeats the key, even when the server does', async () => {
    standIn.answer(httpError(401, 2049, `invalid api key ${standIn.apiKey}`));
    expect((await failure(ask())).message).toMatch(/invalid api key \[key\]/);
  });

  it('contacts no server that is not configured', async () => {
    const fetch = new NetworkGate(() => ['https://api.minimax.io/v1']).fetch;
    expect((await failure(ask({ fetch }))).code).toBe('network_refused');
    expect(standIn.requests).toHaveLength(0);
    expect((await failure(ask({ baseUrl: 'http://api.minimax.io/v1' }))).code).toBe('bad_url');
  });
});
