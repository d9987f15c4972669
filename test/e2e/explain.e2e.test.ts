import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { GitSandbox } from '../support/git-repo.ts';
import { cut, leak, MiniMaxStandIn, reply, serverError, unauthorized } from '../support/minimax/server.ts';
import { PowerContextServer, powerContextAvailable } from '../support/powercontext/server.ts';
import type { Editor } from './support/editor.ts';
import { BODY_MARK, Product, STATUS, whyNoEditor } from './support/product.ts';
import { keepEvidence } from './support/report.ts';
import type { EditorUser } from './support/user.ts';
import type { EditorWindow } from './support/window.ts';

const noMemory = await powerContextAvailable();
const missing = (await whyNoEditor()) ?? (noMemory.ready ? undefined : noMemory.reason);

const DECISION = 'We chose integer cents for the price because rounding once lost a customer money.';
const QUESTION = 'Why did we choose integer cents for the price?';

describe.skipIf(missing !== undefined)(missing ? `left out: ${missing}` : 'explanations in the real editor', () => {
  let product: Product;
  let project: GitSandbox;
  let minimax: MiniMaxStandIn;
  let memory: PowerContextServer;
  let editor: Editor;
  let user: EditorUser;
  let window: EditorWindow;

  beforeAll(async () => {
    [minimax, memory, product] = await Promise.all([
      MiniMaxStandIn.start(),
      PowerContextServer.start(),
      Product.install(),
    ]);
    const { scope_id: scope } = await memory.defaultScope();
    await memory.remember(scope, DECISION);
    await memory.warmUp();
    project = product.project('shop');
    editor = await product.editor({
      machineSettings: {
        'projectAnchor.minimax.baseUrl': minimax.baseUrl,
        'projectAnchor.minimax.completions.enabled': false,
        'projectAnchor.powercontext.url': memory.url,
        'projectAnchor.powercontext.scopeId': scope,
        'projectAnchor.powercontext.requestTimeoutMs': 5000,
      },
    });
    user = await editor.user(product.browser);
    window = await user.open({ folder: project.root });
    await window.statusBar.waitForText(STATUS, 'main');
  });

  afterAll(async () => {
    await editor?.dispose();
    await product?.dispose();
    await memory?.dispose();
    await minimax?.close();
  });

  beforeEach(async () => {
    keepEvidence(editor, window);
    minimax.reset();
    await window.runCommand('View: Close All Editors');
  });

  /** Selects the function `price` and asks about it. */
  async function ask(question: string): Promise<number> {
    await window.editors.selectLines('src/pricing.ts', 2, 5);
    const from = editor.log.mark();
    await (await window.editors.selectionContextMenu('src/pricing.ts')).choose('Explain Selection');
    await window.quickInput.waitFor('Explain Selection');
    await window.quickInput.fill(question);
    await window.quickInput.accept();
    return from;
  }

  const explained = (from: number) => editor.log.wait('explained', { from });

  /** The whole of the page with the answer, which stands beside. */
  async function page(): Promise<string> {
    const lines = window.page.locator('.monaco-editor[data-uri^="projectanchor-explain:"] .view-line');
    await lines.first().waitFor();
    const texts = await lines.evaluateAll((elements) =>
      elements
        .map((element) => ({ top: element.getBoundingClientRect().top, text: element.textContent ?? '' }))
        .sort((a, b) => a.top - b.top)
        .map(({ text }) => text),
    );
    // Long lines are wrapped where the editor is narrow.
    return texts.join(' ').replaceAll('\u00a0', ' ').replace(/\s+/g, ' ');
  }

  /** Waits until the page says something. */
  async function pageSays(text: string): Promise<void> {
    await expect.poll(page, { timeout: 20_000 }).toContain(text);
  }

  it('sends nothing and says what to do before a key is set', async () => {
    await window.editors.selectLines('src/pricing.ts', 2, 5);
    await window.runCommand('ProjectAnchor: Explain Selection');
    const { host } = new URL(minimax.baseUrl);
    await window.notices.waitForToast(`No key for ${host} is set, so nothing is sent.`);
    await window.notices.clickToastButton('No key for', 'Set Key');
    await window.quickInput.waitFor('Set MiniMax API Key');
    await window.quickInput.fill(minimax.apiKey);
    await window.quickInput.accept();
    await window.page.getByText(`Key for ${host} stored`).waitFor();
    expect(minimax.requests).toHaveLength(0);
  });

  it('streams the answer into a document beside, below what was sent along', async () => {
    const rest = Promise.withResolvers<void>();
    minimax.answer(reply('It measures the name.\n\nThen it adds.', { pauseUntil: rest.promise }));
    const from = await ask('');
    await pageSays('It measures');
    rest.resolve();
    expect(await explained(from)).toMatchObject({ outcome: 'answered' });
    await pageSays('Then it adds.');
    const text = await page();
    const { host } = new URL(minimax.baseUrl);
    expect(text).toContain(`Sent to MiniMax-M3 at ${host}. Project context sent:`);
    await window.screenshot('explanation');
    const [request] = minimax.completions;
    expect(request?.prompt).toContain('https://example.com/shop');
    expect(request?.prompt).toContain('Explain this code.');
    // The selection goes, bodies of other files do not.
    expect(request?.prompt).toContain(BODY_MARK);
    expect(request?.prompt).not.toContain('this.lines.push(line)');
  });

  it('carries what the real PowerContext Server remembers to a question about a past decision', async () => {
    minimax.otherwise(reply('Because of rounding.'));
    const from = await ask(QUESTION);
    expect(await explained(from)).toMatchObject({ outcome: 'answered' });
    const [request] = minimax.completions;
    expect(request?.prompt).toContain(DECISION);
    expect(request?.prompt).toContain(QUESTION);
    await pageSays('PowerContext remembered something.');
    await window.screenshot('explanation with memory');
    const [receipt] = await product
      .commandLine(editor, project.root)
      .json<{ recall: { status: string; bytes: number } }[]>('receipts');
    expect(receipt?.recall).toMatchObject({ status: 'ready' });
  });

  it('asks no memory about the code as it is', async () => {
    minimax.otherwise(reply('A price.'));
    const from = await ask('What does price return?');
    await explained(from);
    expect(minimax.completions[0]?.prompt).not.toContain(DECISION);
  });

  it('still asks the model when the memory server is stopped, and says so', async () => {
    await memory.stop();
    minimax.otherwise(reply('I do not know why.'));
    const from = await ask(QUESTION);
    expect(await explained(from)).toMatchObject({ outcome: 'answered' });
    expect(minimax.completions).toHaveLength(1);
    expect(minimax.completions[0]?.prompt).not.toContain(DECISION);
    await pageSays('PowerContext could not be reached.');
  });

  it('shows no reasoning of the model, wherever its tags are cut', async () => {
    minimax.answer(leak(['<thi', 'nk>secret plan</th', 'ink>The ', 'answer.']));
    const from = await ask('');
    await explained(from);
    await pageSays('The answer.');
    expect(await page()).not.toContain('secret plan');
  });

  it.each([
    ['401', unauthorized(), 'MiniMax refused the API key'],
    ['500', serverError(), 'MiniMax has a problem of its own'],
    [
      'a stream that is cut',
      cut('The first half of it. '.repeat(60), 2000),
      "MiniMax's answer ended before it was complete.",
    ],
  ])('says on the page what went wrong and what to do: %s', async (_name, answer, sentence) => {
    minimax.answer(answer);
    const from = await ask('');
    await explained(from);
    await pageSays(sentence);
    expect(await page()).not.toContain(minimax.apiKey);
  });

  it('stops when cancelled and ends the request', async () => {
    minimax.answer(reply('word '.repeat(200), { pauseUntil: new Promise(() => undefined) }));
    const from = await ask('');
    await pageSays('word');
    await window.notices.clickToastButton('Explain pricing.ts', 'Cancel');
    expect(await explained(from)).toMatchObject({ outcome: 'cancelled' });
    await pageSays('Cancelled.');
    await expect.poll(() => minimax.completions[0]?.aborted, { timeout: 20_000 }).toBe(true);
  });

  it('stops a question that holds a credential before anything is asked anywhere', async () => {
    const from = await ask('Why is the key AKIAIOSFODNN7EXAMPLE in there?');
    expect(await explained(from)).toMatchObject({ outcome: 'failed:credential_found' });
    expect(minimax.requests).toHaveLength(0);
    await pageSays('The request was stopped because of the question.');
  });
});
