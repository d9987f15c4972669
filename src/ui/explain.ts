import { codeOf, messageOf } from '../base/index.ts';
import {
  type CodeExplainRequest,
  explainRequest,
  type Injected,
  type ModelClient,
  type ModelUsage,
  recallSentence,
} from '../inject/index.ts';
import type { SpeakingProject } from './completion-engine.ts';
import { countOf } from './status-text.ts';

/** Where a request goes, for people. */
export interface Destination {
  readonly host: string;
  readonly model: string;
}

/** Where the answer is written to. */
export interface AnswerPage {
  append(text: string): void;
}

export type ExplainOutcome = 'answered' | 'cancelled' | `failed:${string}`;

/**
 * Explains a piece of code: asks memory where the question calls for it, adds the project's context and writes the
 * answer to the page as it arrives, below a header that says what was sent. Never rejects: what went wrong is written
 * on the page too.
 */
export async function explain(
  request: CodeExplainRequest,
  { session, recall, path }: SpeakingProject,
  { model, destination }: { readonly model: ModelClient; readonly destination: Destination },
  page: AnswerPage,
  signal: AbortSignal,
): Promise<ExplainOutcome> {
  try {
    const asked = { ...request, file: path ?? request.file };
    // The facts say whether git ignores the file; nothing of it is sent before they are known.
    if (path !== null && session.facts(path) === null) await session.refreshFacts(path, null);
    session.check(asked);
    const injected = session.inject(asked, await recall.forTurn(asked, session.view(path), signal));
    if (signal.aborted) return cancelled(page);
    page.append(answerHeader(injected, destination));
    const usage = await copy(model.stream(explainRequest(injected.request), signal), page);
    if (signal.aborted) return cancelled(page);
    if (usage.finishReason === 'length') page.append('\n\n*The answer reached its length limit and ends here.*');
    page.append('\n');
    return 'answered';
  } catch (error) {
    if (signal.aborted) return cancelled(page);
    page.append(`\n\n**No answer.** ${plain(messageOf(error))}\n`);
    return `failed:${codeOf(error) ?? 'unknown'}`;
  }
}

async function copy(pieces: AsyncGenerator<string, ModelUsage, void>, page: AnswerPage): Promise<ModelUsage> {
  for (;;) {
    const { done, value } = await pieces.next();
    if (done) return value;
    page.append(value);
  }
}

function cancelled(page: AnswerPage): ExplainOutcome {
  page.append('\n\n*Cancelled.*\n');
  return 'cancelled';
}

/** What was sent along with the question, and where to. */
export function answerHeader({ request, receipt }: Injected<CodeExplainRequest>, { host, model }: Destination): string {
  const { items, dropped, tokens, recall } = receipt;
  const place = request.line === undefined ? request.file : `${request.file}, from line ${request.line}`;
  const question = (request.question ?? '').trim();
  const counts = Map.groupBy(items, ({ kind }) => kind);
  const kinds = [...counts].map(([kind, { length }]) => (length === 1 ? kind : `${kind} (${length})`)).join(', ');
  const context =
    items.length === 0
      ? 'No project context was sent.'
      : `Project context sent: ${countOf(tokens, 'token')} in ${countOf(items.length, 'item')}: ${kinds}.`;
  const left = dropped.length === 0 ? '' : ` Left out: ${countOf(dropped.length, 'item')}.`;
  const memory = recall.status === 'not_needed' || recall.status === 'off' ? '' : ` ${recallSentence(recall.status)}`;
  return [
    `# ${plain(place)}`,
    ...(question === '' ? [] : [quoted(question)]),
    `*Sent to ${plain(model)} at ${plain(host)}. ${context}${left}${plain(memory)}*`,
    '---',
    '',
  ].join('\n\n');
}

/** Text from outside on one line, with nothing in it that Markdown would take for markup. */
function plain(text: string): string {
  return text.replace(/\s+/gu, ' ').replace(/[\\`*_[\]<>#|~]/g, (character) => `\\${character}`);
}

function quoted(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => `> ${plain(line)}`)
    .join('\n');
}
