import type { MarkView } from '../agents/index.ts';
import { type Injected, type Receipt, type ReceiptItem, recallSentence } from '../inject/index.ts';
import { describeDegraded } from '../snapshot/index.ts';
import { type AboutModel, aboutModel } from './about-model.ts';
import type { AboutInput } from './about-source.ts';
import { type CommandId, Commands } from './ids.ts';
import { countOf, headWords, type ReadyStatus, type StatusInput, statusText, syncWords } from './status-text.ts';

/** A sentence with at most one thing to do about it. */
export interface Notice {
  readonly text: string;
  readonly tone: 'info' | 'warning' | 'error';
  readonly action: { readonly command: CommandId; readonly label: string } | null;
}

export interface ContextItem {
  readonly kind: string;
  readonly ref: string;
  readonly tokens: string;
  readonly why: string;
}

/** What the next request about the active file would carry. */
export interface NextContext {
  readonly path: string;
  readonly summary: string;
  readonly items: readonly ContextItem[];
  readonly dropped: readonly ContextItem[];
  /** The block as a model would read it. */
  readonly text: string;
}

export interface SentRequest {
  readonly id: string;
  /** ISO time. */
  readonly at: string;
  readonly title: string;
  readonly summary: string;
  readonly items: readonly ContextItem[];
  readonly dropped: readonly ContextItem[];
}

export interface MarkLine {
  readonly target: string;
  readonly tags: readonly string[];
  /** Whole percent. */
  readonly weight: string;
}

/** Everything that the context view shows. */
export interface ContextModel {
  readonly project: string | null;
  readonly facts: readonly string[];
  readonly notices: readonly Notice[];
  readonly next: NextContext | null;
  /** What is known of the active file, whether or not models are told. */
  readonly about: AboutModel | null;
  readonly marks: readonly MarkLine[];
  readonly moreMarks: number;
  readonly sent: readonly SentRequest[];
}

export interface ContextInput {
  readonly status: StatusInput;
  /** Codes of the latest snapshot and of the active file's facts. */
  readonly degraded: readonly string[];
  readonly problems: readonly string[];
  /** Host that requests would go to, and whether a key for it is stored. */
  readonly model: { readonly host: string; readonly hasKey: boolean };
  readonly active: ActiveFile | null;
  readonly about: AboutInput | null;
  readonly marks: readonly MarkView[];
  /** Newest first. */
  readonly receipts: readonly Receipt[];
}

export type ActiveFile =
  | { readonly path: string; readonly injected: Injected; readonly ceiling: number }
  /** The gate or the facts say why models are told nothing about it. */
  | { readonly path: string; readonly refused: string };

/** Sentences about what could not be read; the rest is counted. */
const DEGRADED_SHOWN = 10;
/** Marks in the list; the rest is counted. */
const MARKS_SHOWN = 30;

/** What the view shows of what is known; every sentence of it is made here. */
export function contextModel(input: ContextInput): ContextModel {
  const { status } = input;
  if (status.kind !== 'ready') {
    const nothing = { facts: [], next: null, about: null, marks: [], moreMarks: 0, sent: [] };
    return { project: null, notices: [stateNotice(status)], ...nothing };
  }
  return {
    project: status.project,
    facts: [`${headWords(status.head)} · ${countOf(status.marks, 'mark')}`, syncWords(status.hub).sentence],
    notices: notices(input, status),
    next: input.active === null || 'refused' in input.active ? null : nextContext(input.active),
    about: input.about === null ? null : aboutModel(input.about),
    marks: input.marks.slice(0, MARKS_SHOWN).map(markLine),
    moreMarks: Math.max(0, input.marks.length - MARKS_SHOWN),
    sent: input.receipts.map(sentRequest),
  };
}

function stateNotice(status: Exclude<StatusInput, { kind: 'ready' }>): Notice {
  const text = statusText(status).tooltip.join(' ');
  if (status.kind !== 'failed') return { text, tone: 'info', action: null };
  return { text: status.sentence, tone: 'error', action: { command: Commands.showLog, label: 'Show Log' } };
}

function notices({ problems, degraded, model, active, marks }: ContextInput, status: ReadyStatus): Notice[] {
  const list: Notice[] = problems.map((text) => ({ text, tone: 'error', action: null }));
  const { notice } = status;
  // Why a file is refused is said below, of the file itself.
  if (notice !== null && notice.source !== 'refused') {
    list.push({ text: notice.sentence, tone: 'warning', action: { command: Commands.showLog, label: 'Show Log' } });
  }
  if (status.watching !== null) list.push({ text: status.watching, tone: 'info', action: null });
  for (const code of degraded.slice(0, DEGRADED_SHOWN)) {
    list.push({ text: describeDegraded(code), tone: 'warning', action: null });
  }
  const more = degraded.length - DEGRADED_SHOWN;
  if (more > 0) list.push({ text: `${countOf(more, 'more thing')} could not be read.`, tone: 'warning', action: null });
  if (active === null) {
    list.push({ text: 'Open a file to see what a model would be told about it.', tone: 'info', action: null });
  } else if ('refused' in active) {
    list.push({ text: active.refused, tone: 'warning', action: null });
  } else if (marks.length === 0) {
    list.push({
      text: 'Nothing is marked yet. Mark what matters, and every request will say so.',
      tone: 'info',
      action: { command: Commands.markFocus, label: 'Mark This File' },
    });
  }
  if (!model.hasKey) {
    list.push({
      text: `Nothing is sent: no key for ${model.host} is set.`,
      tone: 'info',
      action: { command: Commands.setKey, label: 'Set MiniMax API Key' },
    });
  }
  return list;
}

function nextContext({ path, injected, ceiling }: Extract<ActiveFile, { injected: Injected }>): NextContext {
  const { items, dropped, tokens } = injected.receipt;
  return {
    path,
    summary: `${grouped(tokens)} of at most ${grouped(ceiling)} tokens, ${countOf(items.length, 'item')}`,
    items: items.map(contextItem),
    dropped: dropped.map(contextItem),
    text: injected.projectContext,
  };
}

function grouped(n: number): string {
  return n.toLocaleString('en');
}

/** A target for people: `.` is the whole project. */
function placeWords(target: string): string {
  return target === '.' ? 'the whole project' : target;
}

function contextItem({ kind, ref, tokens, why }: ReceiptItem): ContextItem {
  return { kind, ref: placeWords(ref), tokens: grouped(tokens), why };
}

function markLine({ target, tags, weight }: MarkView): MarkLine {
  const inForce = Object.entries(tags).flatMap(([key, { set, auto }]) => {
    if (set !== undefined) return [`${key}: ${set.value}`];
    return auto === undefined ? [] : [`${key}: ${auto.value} (automatic)`];
  });
  return { target: placeWords(target), tags: inForce, weight: `${Math.round(weight / 10)} %` };
}

function recallWords({ status, ms, bytes }: Receipt['recall']): string {
  if (status === 'ready' || status === 'prefetched') {
    return ` ${grouped(bytes)} bytes from memory in ${ms} ms.`;
  }
  return status === 'not_needed' || status === 'off' ? '' : ` ${recallSentence(status)}`;
}

function sentRequest(receipt: Receipt): SentRequest {
  const { id, at, type, file, items, dropped, tokens, recall } = receipt;
  return {
    id,
    at,
    title: `${type} · ${file ?? 'no file'}`,
    summary: `${countOf(tokens, 'token')}.${recallWords(recall)}`,
    items: items.map(contextItem),
    dropped: dropped.map(contextItem),
  };
}
