import { randomUUID } from 'node:crypto';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { ProjectAnchorError } from '../../base/index.ts';
import {
  type InjectRequest,
  NetworkGate,
  PowerContextRecall,
  type RecalledText,
  RecallService,
  type Receipt,
  recallSentence,
} from '../../inject/index.ts';
import type { FileFacts, OutlineItem } from '../../snapshot/index.ts';
import type { ProjectSession } from '../session-types.ts';
import { type Call, type CommandHost, type CommonOptions, run } from './command.ts';
import { TextLines } from './lines.ts';
import { wholeNumber } from './log.ts';
import { projectText } from './project-text.ts';
import { pathInProject } from './targets.ts';
import { bytes, plural, short, table, visible, when } from './text.ts';

interface ContextOptions extends CommonOptions {
  readonly type: InjectRequest['type'];
  readonly file?: string;
  readonly line?: number;
  readonly question?: string;
  /** `--no-recall` makes it false. */
  readonly recall: boolean;
}

/** `context` and `receipts`: what a model would be told, and what was handed out. */
export function addContextCommands(program: Command, host: CommandHost): void {
  const type = new Option('--type <type>', 'the kind of request').choices(['completion', 'explain', 'chat']);
  run<ContextOptions, []>(
    host,
    program
      .command('context')
      .description('exactly what a model would be told, with its receipt')
      .addOption(type.makeOptionMandatory())
      .option('--file <file>', 'the file it is about')
      .option('--line <line>', 'the line it is about, 1-based', lineNumber)
      .option('--question <text>', 'what is asked (explain, chat)')
      .option('--no-recall', 'ask no memory server'),
    async (call) => {
      const session = await call.runtime.session();
      const request = await requestFrom(call, session);
      session.check(request);
      const injected = session.inject(request, await remembered(call, session, request));
      await session.flushReceipts();
      const receipt = (await session.receipts(RECENT)).find(({ id }) => id === injected.receipt.id);
      if (receipt === undefined)
        throw new ProjectAnchorError('receipt_missing', 'The receipt was not stored.', 'Run verify.');
      if (session.latest === null) {
        call.note('note: there is no snapshot of this working tree yet; "project-anchor snapshot" takes one');
      }
      const context = injected.projectContext;
      if (call.output.json) return call.output.document({ context, receipt });
      await call.output.line(context);
      // The context alone goes to stdout, so that it can be piped into a model; what explains it goes beside.
      for (const line of receiptLines(receipt, call)) call.note(line);
    },
  );

  run<CommonOptions & { last: number }, []>(
    host,
    program
      .command('receipts')
      .description('what was handed out to models, newest first')
      .option('--last <n>', 'how many', wholeNumber, 20),
    async (call) => {
      const { anchor } = await call.runtime.identity();
      const receipts = await (await call.runtime.log()).receipts(anchor.id, call.options.last);
      if (call.output.json) return call.output.document(receipts);
      if (receipts.length === 0) return call.output.line('no receipts yet: every request of a model leaves one');
      for (const receipt of receipts) await call.output.lines([...receiptLines(receipt, call), '']);
    },
  );
}

/** Receipts in which the one just written is looked for; other programs may write at the same time. */
const RECENT = 100;

function lineNumber(text: string): number {
  const line = wholeNumber(text);
  if (line < 1) throw new InvalidArgumentError('Lines are numbered from 1.');
  return line;
}

async function requestFrom(
  { options, runtime }: Call<ContextOptions>,
  session: ProjectSession,
): Promise<InjectRequest> {
  const { type, file, line, question } = options;
  if (type !== 'chat' && file === undefined) throw usage(`--type ${type} needs --file FILE.`);
  if (type === 'completion' && line === undefined) throw usage('--type completion needs --line N.');
  if (type === 'chat' && (question ?? '').trim() === '') throw usage('--type chat needs --question TEXT.');
  if (type === 'completion' && question !== undefined) throw usage('A completion has no --question.');
  const path =
    file === undefined ? undefined : pathInProject({ toplevel: session.identity.toplevel, cwd: runtime.cwd }, file);
  if (path === undefined || type === 'chat') {
    const facts = path === undefined ? {} : { file: (await session.refreshFacts(path, null)).path };
    return { type: 'chat', question: question ?? '', session: runtime.author.session, turn: randomUUID(), ...facts };
  }
  const facts = await session.refreshFacts(path, null);
  const lines = new TextLines(await projectText(session, path, 'Nothing is sent about it; name another file.'));
  if (line !== undefined) lines.demandCursor(path, line);
  const { language } = facts;
  if (type === 'explain')
    return {
      type,
      file: path,
      language,
      ...selected(facts, lines, line),
      ...(question === undefined ? {} : { question }),
    };
  const cursor = line ?? 1;
  return { type: 'completion', file: path, language, line: cursor, ...lines.around(cursor) };
}

function usage(what: string): ProjectAnchorError {
  return new ProjectAnchorError('usage', what, 'See "project-anchor context --help".');
}

/** What somebody would select to ask about a line: the function, class or type around it, else the line. */
function selected({ outline }: FileFacts, lines: TextLines, line: number | undefined) {
  if (line === undefined) return { selection: '' };
  const around = (outline?.items ?? []).filter(({ start, end }) => start <= line && line <= end);
  const smallest = around.reduce<Pick<OutlineItem, 'start' | 'end'>>(
    (best, item) => (item.end - item.start <= best.end - best.start ? item : best),
    around[0] ?? { start: line, end: line },
  );
  return { selection: lines.between(smallest.start, smallest.end), line: smallest.start };
}

/** Memory, when a server is set and the request needs the past; a completion only ever has what was fetched ahead. */
async function remembered(
  { options, runtime, io, stopping }: Call<ContextOptions>,
  session: ProjectSession,
  request: InjectRequest,
): Promise<RecalledText | undefined> {
  if (request.type === 'completion') return undefined;
  const { settings, secrets, logger } = runtime;
  const off = !options.recall || settings['powercontext.url'] === '';
  if (off) return { content: '', outcome: { status: 'off', ms: 0, bytes: 0 } };
  const network = new NetworkGate(() => [settings['powercontext.url']]);
  const server = () => ({
    url: settings['powercontext.url'],
    scopeId: settings['powercontext.scopeId'],
    requestTimeoutMs: settings['powercontext.requestTimeoutMs'],
    authorization: secrets.powercontextAuthorization?.reveal(),
  });
  const policy = () => ({
    mode: settings['powercontext.recall'],
    maxBytes: settings['powercontext.maxBytes'],
    budgetMs: settings['powercontext.budgetMs'],
  });
  const memory = new PowerContextRecall(server, network.fetch, io.clock, logger);
  const recall = new RecallService(memory, policy, () => session.gate, io.clock);
  return recall.forTurn(request, session.view(request.file ?? null), stopping);
}

/** A receipt for people: what went in and why, what was left out, what it cost. */
function receiptLines(receipt: Receipt, { io, output }: Call<CommonOptions>): string[] {
  const { style } = output;
  const row = ({ kind, ref, tokens, why }: Receipt['items'][number]) => [
    String(tokens).padStart(5),
    visible(kind),
    visible(ref),
    style.dim(visible(why)),
  ];
  const { recall } = receipt;
  const quiet = recall.status === 'off' || recall.status === 'not_needed';
  return [
    `${style.bold(`receipt ${receipt.id}`)}  ${receipt.type}${receipt.file === null ? '' : ` in ${visible(receipt.file)}`}, ${when(receipt.at, io.clock.now())}`,
    `  ${plural(receipt.tokens, 'token')}, ${bytes(receipt.bytes)}, at #${receipt.head.seq}, hash ${short(receipt.contextHash)}`,
    ...table(receipt.items.map(row), '  '),
    ...(receipt.dropped.length === 0 ? [] : ['  left out:', ...table(receipt.dropped.map(row), '  ')]),
    ...(quiet ? [] : [`  memory: ${recallSentence(recall.status)}`]),
  ];
}
