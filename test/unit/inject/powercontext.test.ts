import { describe, expect, it } from 'vitest';
import { type Logger, silentLogger } from '../../../src/base/index.ts';
import type { Fetch } from '../../../src/inject/network.ts';
import { PowerContextRecall, type PowerContextSettings } from '../../../src/inject/powercontext.ts';
import { MAX_QUERY, preparedText, queryText } from '../../../src/inject/prepared-context.ts';
import { failureOfStatus, recallSentence } from '../../../src/inject/recall-outcome.ts';
import { FakeClock, settle } from '../../support/fake-clock.ts';

const SECRET = 'token-that-nobody-may-see';
const ready = (content: string) =>
  JSON.stringify({
    schema: 'powercontext.prepared-context.v1',
    status: 'ready',
    content,
    content_bytes: Buffer.byteLength(content),
  });

/** A server of which every answer is given by hand. */
class Server {
  readonly clock = new FakeClock();
  readonly asked: { url: string; init: RequestInit }[] = [];
  readonly logged: string[] = [];
  settings: PowerContextSettings = {
    url: 'https://memory.test',
    scopeId: 'scp_1',
    requestTimeoutMs: 1000,
    authorization: SECRET,
  };
  /** Null never answers. */
  answer: (() => Response) | null = () => new Response(ready('remembered'));

  readonly fetch: Fetch = (url, init = {}) => {
    this.asked.push({ url: String(url), init });
    const { signal } = init;
    return new Promise((resolve, reject) => {
      if (this.answer !== null) resolve(this.answer());
      signal?.addEventListener('abort', () => reject(signal.reason as Error));
    });
  };

  readonly recall = new PowerContextRecall(() => this.settings, this.fetch, this.clock, this.#logger());

  async status(query = 'why?', signal = new AbortController().signal): Promise<string> {
    return (await this.recall.prepare(query, 2400, signal)).outcome.status;
  }

  #logger(): Logger {
    const log = (message: string) => {
      this.logged.push(message);
    };
    return { debug: log, info: log, warn: log, error: log };
  }
}

describe('PowerContextRecall', () => {
  it('contacts nobody without an address, a scope or a question', async () => {
    const server = new Server();
    const changed = async (changes: Partial<PowerContextSettings>) => {
      server.settings = { ...new Server().settings, ...changes };
      return server.status();
    };
    expect(await changed({ url: ' ' })).toBe('off');
    expect(await changed({ scopeId: '' })).toBe('failed:no_scope');
    expect(await changed({ authorization: 'a\nb' })).toBe('failed:bad_authorization');
    for (const url of [
      'http://memory.test',
      'http://192.168.1.5:8000',
      'https://user:pw@memory.test',
      'https://memory.test?a=1',
      'https://memory.test#a',
      'https://memory.test?',
      'ftp://memory.test',
      'memory.test',
    ]) {
      expect(await changed({ url })).toBe('failed:bad_url');
    }
    server.settings = new Server().settings;
    expect(await server.status(' \n')).toBe('not_needed');
    expect(server.asked).toEqual([]);
    expect(server.logged.join()).not.toMatch(/user:|pw@|memory\.test/);
  });

  it.each([
    'http://localhost:8000',
    'http://127.0.0.1:1',
    'http://127.9.9.9',
    'http://[::1]:8000',
    'https://memory.test/a',
  ])('asks at %s', async (url) => {
    const server = new Server();
    server.settings = { ...server.settings, url };
    expect(await server.status()).toBe('ready');
    expect(server.asked[0]?.url).toBe(`${url}/v1/context/prepare`);
  });

  it('gives up after the time of a request, to the millisecond', async () => {
    const server = new Server();
    server.answer = null;
    const result = server.recall.prepare('why?', 2400, new AbortController().signal);
    await server.clock.advanceAsync(999);
    let settled = false;
    result.then(
      () => {
        settled = true;
      },
      () => undefined,
    );
    await settle();
    expect(settled).toBe(false);
    await server.clock.advanceAsync(1);
    expect((await result).outcome).toEqual({ status: 'failed:timeout', ms: 1000, bytes: 0 });
    expect(server.clock.pending).toBe(0);
  });

  it('leaves a failed server alone for 30 seconds, whatever the wall clock does', async () => {
    const server = new Server();
    server.answer = () => new Response(null, { status: 503 });
    expect(await server.status()).toBe('failed:unavailable');
    server.answer = () => new Response(ready('back'));
    server.clock.set(server.clock.now() + 3_600_000);
    expect(await server.status()).toBe('backoff');
    server.clock.advance(29_999);
    expect(await server.status()).toBe('backoff');
    server.clock.advance(1);
    expect(await server.status()).toBe('ready');
    expect(server.asked).toHaveLength(2);
  });

  it('asks at once after a cancellation and after other settings', async () => {
    const server = new Server();
    server.answer = null;
    const abort = new AbortController();
    const cancelled = server.status('why?', abort.signal);
    abort.abort();
    expect(await cancelled).toBe('failed:cancelled');
    server.answer = () => new Response(null, { status: 401 });
    expect(await server.status()).toBe('failed:unauthorized');
    expect(await server.status()).toBe('backoff');
    server.answer = () => new Response(ready('back'));
    server.settings = { ...server.settings, authorization: 'another' };
    expect(await server.status()).toBe('ready');
    expect(await server.status('why?', AbortSignal.abort())).toBe('failed:cancelled');
    expect(server.asked).toHaveLength(3);
  });

  it('asks a server that never answered a second time when the question is Chinese', async () => {
    const server = new Server();
    server.answer = null;
    const first = server.recall.prepare('为什么取整', 2400, new AbortController().signal);
    await server.clock.advanceAsync(1000);
    server.answer = () => new Response(ready('因为'));
    // The second request was sent before the answer was prepared; it runs out too.
    await server.clock.advanceAsync(1000);
    expect((await first).outcome.status).toBe('failed:timeout');
    expect(server.asked).toHaveLength(2);
    await server.clock.advanceAsync(30_000);
    expect(await server.status('为什么取整')).toBe('ready');
    server.answer = null;
    const later = server.status('为什么取整');
    await server.clock.advanceAsync(1000);
    expect(await later).toBe('failed:timeout');
    expect(server.asked).toHaveLength(4);
  });

  it('never logs a question, an answer or the token', async () => {
    const server = new Server();
    server.answer = () => new Response(ready('the answer'), { headers: { 'x-powercontext-request-id': '0123abcd' } });
    await server.status('the question');
    server.answer = () => {
      throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') });
    };
    await server.status('the question');
    expect(server.logged).toEqual([
      'PowerContext answered 200 (request 0123abcd).',
      'PowerContext could not be reached: connect ECONNREFUSED',
    ]);
    expect(server.asked[0]?.init.headers).toMatchObject({ authorization: `Bearer ${SECRET}` });
  });

  it('cuts a long question from its beginning, by characters', () => {
    expect(queryText('x'.repeat(100_000))).toHaveLength(MAX_QUERY);
    expect(queryText(`${'x'.repeat(MAX_QUERY)} why?`)).toMatch(/ why\?$/);
    expect([...(queryText('😀'.repeat(10_000)) ?? '')]).toHaveLength(MAX_QUERY);
    expect(queryText('\ud800 a')?.isWellFormed()).toBe(true);
    expect(queryText('  ')).toBeNull();
  });

  it('takes an answer only when it is right in every point', () => {
    expect(preparedText(ready('é'), 512)).toBe('é');
    expect(preparedText(ready('é').replace(':2}', ':1}'), 512)).toBeUndefined();
    expect(preparedText('null', 512)).toBeUndefined();
  });

  it('has a sentence for every outcome', () => {
    for (const status of ['off', 'not_needed', 'ready', 'empty', 'backoff', 'prefetched', 'too_large']) {
      expect(recallSentence(status)).toMatch(/^[A-Z].*\.$/);
    }
    for (const status of [401, 403, 404, 418, 422, 500, 503]) {
      expect(recallSentence(failureOfStatus(status, ''))).toMatch(new RegExp(`HTTP ${status}`));
    }
    expect(recallSentence('__proto__')).toBe('Memory could not be used (__proto__).');
  });

  it('is silent about nothing that fails in its own code', async () => {
    const broken = new PowerContextRecall(
      () => {
        throw new RangeError('a bug');
      },
      fetch,
      new FakeClock(),
      silentLogger(),
    );
    await expect(broken.prepare('q', 512, new AbortController().signal)).rejects.toThrow('a bug');
  });
});
