import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Receipt } from '../../../src/inject/index.ts';
import { builtCommandLine, CommandLine } from '../../support/command-line.ts';
import { GitSandbox } from '../../support/git-repo.ts';
import { PowerContextServer, powerContextAvailable } from '../../support/powercontext/server.ts';
import { tempDir } from '../../support/temp.ts';

const cli = await builtCommandLine();
const available = await powerContextAvailable();
const TOKEN = 'pa-recall-test-token';
const DECISION =
  'Refund eligibility is checked before a refund, because the payment provider charges for refused refunds.';

interface Context {
  readonly context: string;
  readonly receipt: Receipt;
}

const suite = available.ready ? 'context with a real PowerContext Server' : `left out: ${available.reason}`;

describe.skipIf(!available.ready)(suite, () => {
  let server: PowerContextServer;
  let scopeId: string;

  beforeAll(async () => {
    server = await PowerContextServer.start({ token: TOKEN });
    scopeId = (await server.defaultScope()).scope_id;
    await server.remember(scopeId, DECISION);
    await server.warmUp();
  }, 180_000);

  afterAll(async () => {
    await server?.dispose();
  });

  function commandLine(authorization = `Bearer ${TOKEN}`): CommandLine {
    const root = tempDir();
    const repo = GitSandbox.init(join(root, 'app'));
    repo
      .write('src/refund.ts', 'export function refund(cents: number): number {\n  return cents;\n}\n')
      .commit('first');
    const env = {
      PROJECT_ANCHOR_POWERCONTEXT_URL: server.url,
      PROJECT_ANCHOR_POWERCONTEXT_SCOPE_ID: scopeId,
      PROJECT_ANCHOR_POWERCONTEXT_AUTHORIZATION: authorization,
      // The machine that runs the tests may be busy.
      PROJECT_ANCHOR_POWERCONTEXT_REQUEST_TIMEOUT_MS: '20000',
      PROJECT_ANCHOR_POWERCONTEXT_BUDGET_MS: '25000',
    };
    return new CommandLine(cli, { home: join(root, 'data'), cwd: repo.root, env });
  }

  const explain = ['context', '--type', 'explain', '--file', 'src/refund.ts', '--line', '1'];

  test('carries what was remembered when the question is about a reason', async () => {
    const pa = commandLine();
    const { context, receipt } = await pa.json<Context>([
      ...explain,
      '--question',
      'why is refund eligibility checked?',
    ]);
    expect(context).toContain(DECISION);
    expect(receipt.recall).toMatchObject({ status: 'ready' });
    expect(receipt.items.some(({ kind }) => kind === 'recall')).toBe(true);
    const chat = await pa.json<Context>([
      'context',
      '--type',
      'chat',
      '--question',
      'why is refund eligibility checked?',
    ]);
    expect(chat.context).toContain(DECISION);
  });

  test('asks nothing when the project itself has the answer, when told not to, and for a completion', async () => {
    const pa = commandLine();
    const [known, off, completion] = await Promise.all([
      pa.json<Context>([...explain, '--question', 'what does refund take?']),
      pa.json<Context>([...explain, '--question', 'why is refund eligibility checked?', '--no-recall']),
      pa.json<Context>(['context', '--type', 'completion', '--file', 'src/refund.ts', '--line', '2']),
    ]);
    expect(known.receipt.recall.status).toBe('not_needed');
    expect(off.receipt.recall.status).toBe('off');
    expect(completion.receipt.recall.status).toBe('not_needed');
    for (const { context } of [known, off, completion]) expect(context).not.toContain('payment provider');
  });

  test('goes out without memory when the token is wrong, and says what to do', async () => {
    const pa = commandLine('Bearer wrong');
    const { code, stdout, stderr } = await pa.run([...explain, '--question', 'why is refund eligibility checked?']);
    expect(code).toBe(0);
    expect(stdout).toContain('Project context');
    expect(stderr).toContain('memory: PowerContext refused the authorization (HTTP 401). Set a valid token');
    expect(stdout + stderr).not.toContain('Bearer wrong');
  });
});
