import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLogger, systemClock } from '../../../src/base/index.ts';
import {
  Injector,
  NetworkGate,
  PowerContextRecall,
  type PowerContextSettings,
  RecallService,
} from '../../../src/inject/index.ts';
import type { CodeExplainRequest } from '../../../src/inject/types.ts';
import { createGate } from '../../../src/snapshot/index.ts';
import { view } from '../../support/inject/project-view.ts';
import { PowerContextServer, powerContextAvailable } from '../../support/powercontext/server.ts';

const available = await powerContextAvailable();
const suite = available.ready ? 'memory from a real PowerContext Server' : `left out: ${available.reason}`;

const never = new AbortController().signal;
const TOKEN = 'integration-token';

const explain = (question: string): CodeExplainRequest => ({
  type: 'explain',
  file: 'src/cart.ts',
  language: 'typescript',
  selection: 'return sum;',
  line: 30,
  question,
});

describe.skipIf(!available.ready)(suite, () => {
  let server: PowerContextServer;
  let scopeId: string;

  beforeAll(async () => {
    server = await PowerContextServer.start({ token: TOKEN });
    scopeId = (await server.createScope('shop')).scope_id;
    await server.remember(scopeId, 'Totals are rounded down because the tax office asked for it in March.');
  }, 180_000);

  afterAll(async () => {
    await server?.dispose();
  });

  function client(changes: Partial<PowerContextSettings> = {}): PowerContextRecall {
    // A busy machine may take longer than the second a person waits; how long is waited has tests of its own.
    const settings = { url: server.url, scopeId, requestTimeoutMs: 10_000, authorization: TOKEN, ...changes };
    return new PowerContextRecall(
      () => settings,
      new NetworkGate(() => [settings.url]).fetch,
      systemClock(),
      silentLogger(),
    );
  }

  function service(recall: PowerContextRecall): RecallService {
    return new RecallService(
      recall,
      () => ({ mode: 'auto', maxBytes: 2400, budgetMs: 30_000 }),
      createGate,
      systemClock(),
    );
  }

  it('puts what was decided into the context of an explanation, and into its receipt', async () => {
    const request = explain('Why are totals rounded down?');
    const recalled = await service(client()).forTurn(request, view(), never);
    expect(recalled.outcome).toMatchObject({ status: 'ready', bytes: Buffer.byteLength(recalled.content) });
    const { projectContext, receipt } = new Injector().inject(request, view(), recalled);
    expect(projectContext).toContain('because the tax office asked for it in March');
    expect(projectContext).toContain(recalled.content);
    expect(receipt.recall.status).toBe('ready');
    expect(receipt.items.at(-1)).toMatchObject({ kind: 'recall' });
    expect(receipt.tokens).toBeLessThanOrEqual(1800);
  });

  it('fits its share however much is remembered', async () => {
    const { scope_id } = await server.createScope('much');
    for (let n = 0; n < 10; n++) {
      await server.remember(scope_id, `Decision ${n} about rounding: ${'totals are rounded, by rule; '.repeat(20)}`);
    }
    const request = explain('Why are totals rounded by rule?');
    const recalled = await service(client({ scopeId: scope_id })).forTurn(request, view(), never);
    const { receipt } = new Injector().inject(request, view(), recalled);
    const [recall] = receipt.items.filter(({ kind }) => kind === 'recall');
    expect(recall?.tokens).toBeGreaterThan(300);
    expect(recall?.tokens).toBeLessThanOrEqual(600);
  });

  it('remembers in Chinese', async () => {
    const { scope_id } = await server.createScope('支付');
    await server.remember(scope_id, '支付模块使用幂等键,因为重试会造成重复扣款。');
    const recalled = await service(client({ scopeId: scope_id })).forTurn(
      explain('为什么支付模块使用幂等键？'),
      view(),
      never,
    );
    expect(recalled.content).toContain('重复扣款');
  });

  it.each([
    ['an unrelated question', 'Why do ships float?', {}, 'empty'],
    ['a wrong token', 'Why are totals rounded?', { authorization: 'wrong' }, 'failed:unauthorized'],
    ['no token', 'Why are totals rounded?', { authorization: undefined }, 'failed:unauthorized'],
    ['an unknown scope', 'Why are totals rounded?', { scopeId: 'scp_nobody' }, 'failed:scope_not_found'],
    ['a scope that is too long', 'Why are totals rounded?', { scopeId: 'x'.repeat(257) }, 'failed:rejected'],
  ])('%s is an outcome, and the request goes out', async (_name, question, changes, status) => {
    const recalled = await service(client(changes)).forTurn(explain(question), view(), never);
    expect(recalled).toMatchObject({ content: '', outcome: { status } });
    const { request, receipt } = new Injector().inject(explain(question), view(), recalled);
    expect(request.context).toContain('Project shop');
    expect(receipt.recall.status).toBe(status);
  });

  it('takes another path of the server for no server of a known version', async () => {
    const { outcome } = await client({ url: `${server.url}/elsewhere` }).prepare('rounded totals', 2400, never);
    expect(outcome.status).toBe('failed:not_found');
  });

  it('fails open while the server hangs or is gone, and works again after', async () => {
    const question = 'Why are totals rounded down?';
    server.freeze();
    const hanging = await client({ requestTimeoutMs: 200 }).prepare(question, 2400, never);
    server.thaw();
    expect(hanging.outcome.status).toBe('failed:timeout');
    await server.stop('SIGKILL');
    expect((await client().prepare(question, 2400, never)).outcome.status).toBe('failed:network');
    await server.restart();
    expect((await client().prepare(question, 2400, never)).outcome.status).toBe('ready');
  }, 180_000);
});
