import { createHash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { timestamp } from '../base/index.ts';
import { createGate, type Gate } from '../snapshot/index.ts';
import { type Budget, budgetFor, choose, estimateTokens, type Left } from './budget.ts';
import { type Place, placeOf } from './paths.ts';
import { refuseUnfit } from './refusal.ts';
import { joined, PREAMBLE, render } from './render.ts';
import { anchorSection } from './sections/anchor.ts';
import { dependenciesSection } from './sections/dependencies.ts';
import { focusSection } from './sections/focus.ts';
import { gitSection } from './sections/git.ts';
import { importsSection } from './sections/imports.ts';
import { marksSection } from './sections/marks.ts';
import { outlineSection } from './sections/outline.ts';
import { recallSection } from './sections/recall.ts';
import type { Item, Scene, Section } from './sections/section.ts';
import type {
  Injected,
  InjectRequest,
  ProjectView,
  RecalledText,
  RecallOutcome,
  ReceiptDraft,
  ReceiptItem,
} from './types.ts';
import { Warm } from './warm.ts';
import { openText } from './window.ts';

export interface InjectorOptions {
  /** The workspace's gate as it is now; without one, the built-in rules alone. */
  readonly gate?: () => Gate;
  /** Id of a receipt made at a wall time in ms. */
  readonly newId?: (now: number) => string;
}

const HOUR_MS = 3_600_000;
/** Items left out are listed one by one up to here, then counted: a receipt stays small. */
const LISTED = 200;

/**
 * Puts what matters of a project into a model request, within a hard budget, and says in a receipt what went in and what did not.
 * Everything comes from memory: no file, process or network is touched. The same state, request, settings, recalled text and hour
 * give the same bytes.
 */
export class Injector {
  readonly #gate: () => Gate;
  readonly #newId: (now: number) => string;
  readonly #warm = new Warm();

  constructor({ gate, newId = (now) => uuidv7({ msecs: now }) }: InjectorOptions = {}) {
    const standard = createGate();
    this.#gate = gate ?? (() => standard);
    this.#newId = newId;
  }

  /**
   * Checks a request without building anything, for who asks memory first: what is refused here must not be asked anywhere.
   * @throws ProjectAnchorError as `inject`.
   */
  check(request: InjectRequest, view: ProjectView): void {
    refuseUnfit(request, placeOf(view.toplevel, request.file), this.#gate(), view.facts);
  }

  /**
   * Fills in the request's `context` and makes its file path relative. A file outside of the project gets no context.
   * @throws ProjectAnchorError `file_refused` or `credential_found` when the request must not go out, see `isRefusal`.
   */
  inject<R extends InjectRequest>(request: R, view: ProjectView, recalled?: RecalledText): Injected<R> {
    const place = placeOf(view.toplevel, request.file);
    const gate = this.#gate();
    refuseUnfit(request, place, gate, view.facts);
    const context =
      place.kind === 'outside' ? outside() : build(request, place, view, { recalled, gate, warm: this.#warm });
    const { text } = context;
    return {
      request: filledIn(request, place, text),
      projectContext: text,
      receipt: { id: this.#newId(view.now), ...receiptOf(request, place, view, context) },
    };
  }
}

/** What a context is built with beside the project. */
interface Means {
  readonly recalled: RecalledText | undefined;
  readonly gate: Gate;
  readonly warm: Warm;
}

/** A project context with its account. */
interface Built {
  readonly text: string;
  readonly items: readonly ReceiptItem[];
  readonly dropped: readonly ReceiptItem[];
  readonly recall: RecallOutcome;
}

const NOT_NEEDED: RecallOutcome = { status: 'not_needed', ms: 0, bytes: 0 };

function outside(): Built {
  const why = 'the file is outside of the project, so nothing was added';
  return { text: '', items: [], dropped: [{ kind: 'file', ref: 'outside', tokens: 0, why }], recall: NOT_NEEDED };
}

function sceneOf(request: InjectRequest, place: Place, view: ProjectView): Scene {
  return {
    view,
    path: place.kind === 'inside' ? place.path : null,
    line: request.type === 'chat' ? null : (request.line ?? null),
    open: openText(request),
    numbered: request.type !== 'completion',
  };
}

function hourOf(ms: number): number {
  return Math.floor(ms / HOUR_MS) * HOUR_MS;
}

/** Stable sections first, volatile last, so that a provider's prefix cache holds (protocol §8). */
function sectionsOf(scene: Scene, request: InjectRequest, recalled: RecalledText | undefined): readonly Section[] {
  return [
    anchorSection(scene),
    dependenciesSection(scene),
    focusSection(scene),
    marksSection(scene),
    importsSection(scene),
    gitSection(scene),
    outlineSection(scene),
    recallSection(recalled, request.type),
  ];
}

const IN_SIGHT = 'already in the open text';
const PROTECTED = 'about a path that never leaves this machine';
const CREDENTIAL = 'looks like a credential';

function build(request: InjectRequest, place: Place, view: ProjectView, means: Means): Built {
  const { recalled, warm, gate } = means;
  const budget = budgetFor(request.type, view.settings);
  const scene = sceneOf(request, place, view);
  const { sections, left } = choose(sectionsOf(scene, request, recalled), {
    budget,
    preamble: PREAMBLE,
    cost: warm.cost,
    objection: (item) => (item.inSight?.() ? IN_SIGHT : gateReason(item, gate, warm)),
  });
  const text = render(sections);
  const recall = outcomeOf(recalled, left, budget);
  // The parts were checked one by one; together they must pass too.
  if (!gate.text(text).ok) {
    const whole = { kind: 'context', ref: REFUSED, tokens: estimateTokens(text), why: CREDENTIAL };
    return { text: '', items: [], dropped: [whole], recall };
  }
  return {
    text,
    items: sections.flatMap(({ items }) => items).map((item) => entry(item, warm.cost(item.text), item.why)),
    dropped: [...unknownFacts(scene), ...listed(left, (item) => gateReason(item, gate, warm) === null)],
    recall,
  };
}

function gateReason({ paths, text, ref }: Item, gate: Gate, warm: Warm): string | null {
  if (paths.some((path) => !warm.passes(gate, 'path', path))) return PROTECTED;
  return warm.passes(gate, 'text', text) && warm.passes(gate, 'text', ref) ? null : CREDENTIAL;
}

/** An open file whose facts are still being gathered: the receipt says why its outline is missing. */
function unknownFacts({ path, view }: Scene): ReceiptItem[] {
  if (path === null || view.facts !== null) return [];
  return [{ kind: 'outline', ref: path, tokens: 0, why: 'the facts of this file are still being gathered' }];
}

function entry(item: Item, tokens: number, why: string): ReceiptItem {
  return { kind: item.kind, ref: item.ref, tokens, why };
}

/** Stands for what must not be named in a receipt either. */
const REFUSED = 'refused';

/** What was left out, one by one; what is in sight, and what goes past the limit, as one line for each kind and reason. */
function listed(left: readonly Left[], nameable: (item: Item) => boolean): ReceiptItem[] {
  const single = left.filter(({ why }) => why !== IN_SIGHT);
  const summed = [...left.filter(({ why }) => why === IN_SIGHT), ...single.slice(LISTED)];
  const groups = Map.groupBy(summed, ({ item, why }) => `${item.kind}: ${why}`);
  return [
    ...single.slice(0, LISTED).map(({ item, tokens, why }) => {
      const named = entry(item, tokens, why);
      return nameable(item) ? named : { ...named, ref: REFUSED };
    }),
    ...[...groups.values()].flatMap((group) => {
      const [one] = group;
      if (one === undefined) return [];
      const tokens = group.reduce((sum, { tokens: each }) => sum + each, 0);
      return [{ kind: one.item.kind, ref: `${group.length} items`, tokens, why: one.why }];
    }),
  ];
}

function outcomeOf(recalled: RecalledText | undefined, left: readonly Left[], budget: Budget): RecallOutcome {
  if (recalled === undefined) return NOT_NEEDED;
  const tooLarge = left.some(({ item }) => item.kind === 'recall') || (recalled.content !== '' && budget.ceiling === 0);
  return tooLarge ? { ...recalled.outcome, status: 'too_large' } : recalled.outcome;
}

function filledIn<R extends InjectRequest>(request: R, place: Place, projectContext: string): R {
  const context = joined(projectContext, request.context);
  const file = place.kind === 'inside' ? place.path : place.kind === 'outside' ? place.name : request.file;
  return {
    ...request,
    ...(file === undefined ? {} : { file }),
    ...(context === '' && request.context === undefined ? {} : { context }),
  };
}

function receiptOf(
  request: InjectRequest,
  place: Place,
  view: ProjectView,
  { text, items, dropped, recall }: Built,
): Omit<ReceiptDraft, 'id'> {
  return {
    at: timestamp(view.now),
    anchor: view.anchor.id,
    workspace: view.workspace,
    snapshot: view.snapshot,
    head: view.head,
    asOf: timestamp(hourOf(view.now)),
    type: request.type,
    file: place.kind === 'inside' ? place.path : null,
    items,
    dropped,
    tokens: estimateTokens(text),
    bytes: Buffer.byteLength(text, 'utf8'),
    recall,
    contextHash: createHash('sha256').update(text, 'utf8').digest('hex'),
  };
}
