import type { Clock } from '../base/index.ts';
import type { Gate } from '../snapshot/index.ts';
import { budgetFor, costOfLines } from './budget.ts';
import { placeOf } from './paths.ts';
import { MAX_BYTES } from './prepared-context.ts';
import { type RecallMode, recallNeed, termsOf } from './recall-policy.ts';
import { RecallPrefetch } from './recall-prefetch.ts';
import { enclosing, outlineOf } from './sections/outline.ts';
import { recallText } from './sections/recall.ts';
import type { InjectRequest, ProjectView, Recall, RecalledText } from './types.ts';

/** `projectAnchor.powercontext.recall`, `.maxBytes` and `.budgetMs`. */
export interface RecallSettings {
  readonly mode: RecallMode;
  /** Most bytes that are asked for. */
  readonly maxBytes: number;
  /** All requests of one turn together. */
  readonly budgetMs: number;
}

/** UTF-8 bytes that a token of remembered text takes at least in practice: asking for more than fits would waste it whole. */
const BYTES_PER_TOKEN = 4;
/** How often less is asked for when an answer costs more tokens than its share. */
const SMALLER = 2;

/** The next answer may be a little dearer by the byte. */
const MARGIN = 0.9;

const nothing = (status: string, ms = 0): RecalledText => ({ content: '', outcome: { status, ms, bytes: 0 } });

/**
 * Decides when memory is asked, within which time and for how much, and keeps what completions may use.
 * Nothing here throws: a request goes out without memory when there is none.
 */
export class RecallService {
  readonly #recall: Recall;
  readonly #settings: () => RecallSettings;
  readonly #gate: () => Gate;
  readonly #clock: Clock;
  readonly #ahead: RecallPrefetch;

  constructor(recall: Recall, settings: () => RecallSettings, gate: () => Gate, clock: Clock) {
    this.#recall = recall;
    this.#settings = settings;
    this.#gate = gate;
    this.#clock = clock;
    this.#ahead = new RecallPrefetch(clock);
  }

  /** Memory for an explanation or a chat turn, when it needs any; asked in line, never longer than the turn's budget. */
  async forTurn(request: InjectRequest, view: ProjectView, signal: AbortSignal): Promise<RecalledText> {
    if (!recallNeed(request, view, this.#settings().mode).needed) return nothing('not_needed');
    return this.#ask(request, view, signal);
  }

  /** What was fetched ahead for a completion's file; never waits and never asks. */
  ahead(request: InjectRequest, view: ProjectView): RecalledText {
    const place = placeOf(view.toplevel, request.file);
    const kept = place.kind === 'inside' ? this.#ahead.get(view.anchor.id, place.path) : null;
    if (kept === null || !recallNeed(request, view, this.#settings().mode).needed) return nothing('not_needed');
    if (kept.content === '') return nothing('empty');
    return { content: kept.content, outcome: { status: 'prefetched', ms: 0, bytes: kept.outcome.bytes } };
  }

  /** Fetches memory for completions in a file, when they need any. Call it when a person opens or moves to a file. */
  async fetchAhead(request: InjectRequest, view: ProjectView, signal: AbortSignal): Promise<void> {
    const place = placeOf(view.toplevel, request.file);
    if (place.kind !== 'inside' || !recallNeed(request, view, this.#settings().mode).needed) return;
    await this.#ahead.ensure(view.anchor.id, place.path, () => this.#ask(request, view, signal));
  }

  /** Forgets what was fetched ahead, for when scope or server change. */
  clear(): void {
    this.#ahead.clear();
  }

  async #ask(request: InjectRequest, view: ProjectView, signal: AbortSignal): Promise<RecalledText> {
    const place = placeOf(view.toplevel, request.file);
    // What is outside of the project gets no context, so there is nothing to remember for it.
    if (place.kind === 'outside') return nothing('not_needed');
    const query = recallQuery(request, view);
    const refused = (place.kind === 'inside' && !this.#gate().path(place.path).ok) || !this.#gate().text(query).ok;
    if (refused) return nothing('failed:credential');
    const { maxBytes, budgetMs } = this.#settings();
    const started = this.#clock.monotonic();
    const late = new AbortController();
    const timer = this.#clock.timeout(budgetMs, () => late.abort());
    try {
      const share = budgetFor(request.type, view.settings).recall;
      const asked = await this.#fitting(query, maxBytes, share, AbortSignal.any([signal, late.signal]));
      const ms = Math.round(this.#clock.monotonic() - started);
      if (late.signal.aborted && asked.content === '') return nothing('failed:timeout', ms);
      return { ...asked, outcome: { ...asked.outcome, ms } };
    } finally {
      timer.dispose();
    }
  }

  /** Asks, and asks for less while the answer costs more tokens than its share: it goes in whole or not at all. */
  async #fitting(query: string, maxBytes: number, share: number, signal: AbortSignal): Promise<RecalledText> {
    let bytes = Math.max(MAX_BYTES.least, Math.min(maxBytes, share * BYTES_PER_TOKEN));
    let asked = await this.#recall.prepare(query, bytes, signal);
    for (let turn = 0; turn < SMALLER; turn++) {
      const cost = asked.content === '' ? 0 : costOfLines(recallText(asked.content));
      if (cost <= share || bytes <= MAX_BYTES.least) break;
      bytes = Math.max(MAX_BYTES.least, Math.floor(((bytes * share) / cost) * MARGIN));
      const smaller = await this.#recall.prepare(query, bytes, signal);
      if (smaller.content === '') break;
      asked = smaller;
    }
    return asked;
  }
}

/** Names in a question to memory that has no words of its own. */
const NAMES = 12;

/**
 * What memory is asked for a request: the person's question as it is, since memory finds by its words; where there is none,
 * the names that the code is about.
 */
export function recallQuery(request: InjectRequest, view: ProjectView): string {
  const question = request.type === 'completion' ? '' : (request.question ?? '').trim();
  if (question !== '') return question;
  const place = placeOf(view.toplevel, request.file);
  const path = place.kind === 'inside' ? place.path : null;
  const outline = outlineOf(view, path);
  const line = request.type === 'chat' ? null : (request.line ?? null);
  const around = outline === null ? null : enclosing(outline, line);
  const selection = request.type === 'explain' ? request.selection : '';
  return [...termsOf(`${path ?? ''} ${around?.name ?? ''} ${selection}`)].slice(0, NAMES).join(' ');
}
