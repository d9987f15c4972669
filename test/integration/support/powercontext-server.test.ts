import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type PowerContextAnswer,
  PowerContextServer,
  powerContextAvailable,
} from '../../support/powercontext/server.ts';

const available = await powerContextAvailable();
const suite = available.ready ? 'a real PowerContext Server' : `left out: ${available.reason}`;

const PREPARE = '/v1/context/prepare';

/** The code in the error envelope that every routed operation answers with. */
function errorCode(answer: PowerContextAnswer): unknown {
  return (answer.body as { error?: { code?: unknown } }).error?.code;
}

describe.skipIf(!available.ready)(suite, () => {
  let server: PowerContextServer;

  beforeAll(async () => {
    server = await PowerContextServer.start();
  }, 180_000);

  afterAll(async () => {
    await server?.dispose();
  });

  async function rememberedScope(): Promise<string> {
    const { scope_id } = await server.createScope('refunds');
    await server.remember(scope_id, 'Validate refund eligibility before offering a refund action.');
    return scope_id;
  }

  it('recalls in exactly four fields what it was told to remember', async () => {
    const scope_id = await rememberedScope();
    const answer = await server.call('POST', PREPARE, { scope_id, query: 'why do we check refund eligibility?' });
    expect(answer.status).toBe(200);
    const body = answer.body as { content: string };
    expect(answer.body).toEqual({
      schema: 'powercontext.prepared-context.v1',
      status: 'ready',
      content: expect.stringContaining('Validate refund eligibility before offering a refund action.'),
      content_bytes: Buffer.byteLength(body.content),
    });
    expect(answer.headers.get('x-powercontext-request-id')).toMatch(/^[0-9a-f]{16}$/);
  });

  it.each([
    ['nothing fits the question', { query: 'kubernetes helm charts' }],
    ['the smallest budget, which holds no entry beside its notice', { query: 'refund eligibility', max_bytes: 512 }],
  ])('is empty when %s', async (_name, request) => {
    const scope_id = await rememberedScope();
    expect((await server.call('POST', PREPARE, { scope_id, ...request })).body).toEqual({
      schema: 'powercontext.prepared-context.v1',
      status: 'empty',
      content: null,
      content_bytes: 0,
    });
  });

  it('keeps Scopes apart and gives the first start a default one', async () => {
    await rememberedScope();
    const { scope_id, title } = await server.defaultScope();
    expect(title).toBe('Default');
    const answer = await server.call('POST', PREPARE, { scope_id, query: 'refund eligibility' });
    expect(answer.body).toMatchObject({ status: 'empty' });
  });

  it('finds Chinese words', async () => {
    const { scope_id } = await server.createScope('支付');
    await server.remember(scope_id, '支付模块使用幂等键,因为重试会造成重复扣款。');
    const answer = await server.call('POST', PREPARE, { scope_id, query: '为什么支付模块使用幂等键' });
    expect(answer.body).toMatchObject({ status: 'ready', content: expect.stringContaining('重复扣款') });
  });

  it('answers 404 for an unknown Scope', async () => {
    const answer = await server.call('POST', PREPARE, { scope_id: 'git:github.com/acme/app', query: 'refund' });
    expect([answer.status, errorCode(answer)]).toEqual([404, 'scope_not_found']);
  });

  it.each([
    ['an unknown field', { query: 'refund', context: 'x' }],
    ['no query', {}],
    ['a blank query', { query: '  ' }],
    ['a query over 8192 characters', { query: 'x'.repeat(8_193) }],
    ['a budget under 512 bytes', { query: 'refund', max_bytes: 511 }],
    ['a budget over 32768 bytes', { query: 'refund', max_bytes: 32_769 }],
    ['a budget that is no integer', { query: 'refund', max_bytes: '4000' }],
    ['a null assembly', { query: 'refund', assembly: null }],
  ])('answers 422 to %s', async (_name, request) => {
    const { scope_id } = await server.defaultScope();
    const answer = await server.call('POST', PREPARE, { scope_id, ...request });
    expect([answer.status, errorCode(answer)]).toEqual([422, 'invalid_request']);
  });

  it('counts the query in code points', async () => {
    const { scope_id } = await server.defaultScope();
    expect((await server.call('POST', PREPARE, { scope_id, query: '😀'.repeat(8_192) })).status).toBe(200);
    expect((await server.call('POST', PREPARE, { scope_id, query: '😀'.repeat(8_193) })).status).toBe(422);
  });

  it('never gives more bytes than asked for', async () => {
    const { scope_id } = await server.createScope('budget');
    for (let rule = 0; rule < 10; rule += 1) {
      await server.remember(scope_id, `Refund eligibility rule number ${rule}: ${'detail '.repeat(300)}`);
    }
    for (const max_bytes of [700, 2_400, 8_000, 32_768]) {
      const { body } = await server.call('POST', PREPARE, { scope_id, query: 'refund eligibility rule', max_bytes });
      const prepared = body as { status: string; content: string; content_bytes: number };
      expect(prepared.status).toBe('ready');
      expect(prepared.content_bytes).toBe(Buffer.byteLength(prepared.content));
      expect(prepared.content_bytes).toBeLessThanOrEqual(max_bytes);
    }
  });

  it('hangs while frozen and goes on when thawed', async () => {
    server.freeze();
    const slow = server.call('GET', '/health/live');
    const first = await Promise.race([slow, new Promise((resolve) => setTimeout(resolve, 300, 'silence'))]);
    expect(first).toBe('silence');
    server.thaw();
    expect((await slow).status).toBe(200);
  });

  it('keeps its database, port and Scopes over a restart, even after a kill, and then with a token', async () => {
    const scope_id = await rememberedScope();
    const { url } = server;
    await server.stop('SIGKILL');
    await expect(server.call('GET', '/health/live')).rejects.toThrow('fetch failed');
    await server.restart({ token: 'a-token-of-this-test' });
    expect(server.url).toBe(url);
    const answer = await server.call('POST', PREPARE, { scope_id, query: 'refund eligibility' });
    expect(answer.body).toMatchObject({ status: 'ready' });
  });

  it('with a token lets only that in, and tells its health to everybody', async () => {
    expect(server.token).toBe('a-token-of-this-test');
    const { scope_id } = await server.defaultScope();
    const request = { scope_id, query: 'refund' };
    expect((await server.call('POST', PREPARE, request)).status).toBe(200);
    for (const headers of [{}, { authorization: 'Bearer wrong' }, { authorization: 'a-token-of-this-test' }]) {
      const refused = await server.call('POST', PREPARE, request, headers as Record<string, string>);
      expect([refused.status, errorCode(refused)]).toEqual([401, 'unauthorized']);
      expect(refused.headers.get('www-authenticate')).toBe('Bearer');
    }
    expect((await server.call('GET', '/health/live', undefined, {})).status).toBe(200);
    expect((await server.call('GET', '/openapi.json', undefined, {})).status).toBe(401);
  });
});
