import {
  type Clock,
  codeOf,
  DisposableStore,
  Emitter,
  type Logger,
  messageOf,
  ProjectAnchorError,
  timestamp,
} from '../base/index.ts';
import type { Ack, Author, Head, HubStatus, LogService, Op, State } from '../delta/index.ts';
import {
  type Injected,
  Injector,
  type InjectRequest,
  type InjectSettings,
  type ProjectView,
  placeOf,
  type RecalledText,
  type Receipt,
} from '../inject/index.ts';
import {
  type CommitPair,
  createGate,
  type EditorView,
  type FileFacts,
  type Focus,
  type Gate,
  type LineRange,
  linesHash,
  loadGate,
  normaliseTag,
  type ProjectIdentity,
  parseTarget,
  type SnapshotService,
  type TakenSnapshot,
  type TakeRequest,
  type Trigger,
} from '../snapshot/index.ts';
import { autoTagOps } from './auto-tags.ts';
import { FactsCache } from './facts-cache.ts';
import { LiveState } from './live-state.ts';
import { enclosingSymbol, markRefused, markViews, opsToUnmark } from './marks.ts';
import { ReceiptQueue } from './receipt-queue.ts';
import type { MarkView, ProjectSession, TagInput } from './session-types.ts';

export interface SessionSettings extends InjectSettings {
  /** `projectAnchor.tags.dictionary`. */
  readonly dictionary: Readonly<Record<string, string>>;
  /** `projectAnchor.tags.complexityThreshold`. */
  readonly complexityThreshold: number;
  /** `projectAnchor.snapshot.exclude`. */
  readonly exclude: readonly string[];
}

export interface SessionServices {
  readonly snapshots: SnapshotService;
  readonly log: LogService;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly author: Author;
  /**
   * `known`: snapshots do not wait for the parser; when it has loaded, the outlines follow in one more (editor). `all` by
   * default.
   */
  readonly outlines?: 'all' | 'known';
  /** Asked at every use, so that a changed setting counts at once. */
  readonly settings: () => SessionSettings;
}

/**
 * Opens the project that a folder or file belongs to, with its state and latest snapshot in memory.
 * The caller owns the services and disposes them after the session; awaiting `flushReceipts()` between the two loses nothing.
 * @throws ProjectAnchorError of the services, when the project cannot be identified or its log cannot be read.
 */
export async function openProjectSession(folder: string, services: SessionServices): Promise<ProjectSession> {
  const identity = await services.snapshots.identify(folder);
  const session = new Session(identity, services);
  try {
    await session.start();
  } catch (error) {
    session.dispose();
    throw error;
  }
  return session;
}

class Session implements ProjectSession {
  readonly identity: ProjectIdentity;
  readonly #services: SessionServices;
  readonly #owned = new DisposableStore();
  readonly #changed: Emitter<void>;
  readonly #live: LiveState;
  readonly #receipts: ReceiptQueue;
  readonly #injector: Injector;
  readonly #facts = new FactsCache();
  /** Refuses everything until the workspace's rules are read. */
  #gate: Gate = createGate({ broken: 'its rules are being read' });
  #hub: HubStatus | null = null;
  #latest: TakenSnapshot | null = null;
  /** What the editor shows, as it was last told. */
  #editor: EditorView = { active: null, open: [] };
  #attaching = false;

  constructor(identity: ProjectIdentity, services: SessionServices) {
    const { log, clock, logger } = services;
    this.identity = identity;
    this.#services = services;
    this.#injector = new Injector({ gate: () => this.#gate });
    this.#changed = this.#owned.add(
      new Emitter<void>((error) => logger.error(`A listener failed: ${messageOf(error)}`)),
    );
    this.#receipts = this.#owned.add(new ReceiptQueue((draft) => log.appendReceipt(draft), clock, logger));
    this.#live = this.#owned.add(new LiveState(identity.anchor, log, clock, logger));
    this.#owned.add(this.#live.onDidChange(() => this.#changed.fire()));
    this.#owned.add(
      log.onHubStatus((status) => {
        this.#hub = status;
        this.#changed.fire();
      }),
    );
  }

  async start(): Promise<void> {
    const { log, snapshots } = this.#services;
    await this.#live.start();
    const [hub, latest] = await Promise.all([
      log.hubStatus(),
      latestSnapshot(snapshots, this.identity),
      this.#readGate(),
    ]);
    // What was told while the answer was on its way is newer.
    this.#hub ??= hub;
    this.#latest = latest;
  }

  get state(): State {
    return this.#live.state;
  }

  get head(): Head {
    return this.#live.head;
  }

  get hub(): HubStatus {
    const { stopped } = this.#live;
    const hub = this.#hub ?? { kind: 'alone', waiting: 0 };
    return stopped === null ? hub : { ...hub, kind: 'refused', reason: stopped.message };
  }

  get latest(): TakenSnapshot | null {
    return this.#latest;
  }

  get gate(): Gate {
    return this.#gate;
  }

  get onDidChange() {
    return this.#changed.event;
  }

  get onDeltas() {
    return this.#live.onDeltas;
  }

  take(trigger: Trigger, editor: EditorView, rewritten: readonly CommitPair[] = []) {
    this.#editor = editor;
    const { outlines = 'all' } = this.#services;
    return this.#take({ trigger, outlines, ...(rewritten.length === 0 ? {} : { rewritten }) });
  }

  async #take(how: Pick<TakeRequest, 'trigger' | 'outlines' | 'rewritten'>) {
    const { snapshots, log, author } = this.#services;
    const { tags = {}, focus = {} } = this.state;
    const request = { ...how, folder: this.identity.toplevel, editor: this.#editor, marks: { tags, focus } };
    const [taken] = await Promise.all([snapshots.take(request), this.#readGate()]);
    this.#latest = taken;
    this.#changed.fire();
    if (taken.waiting !== undefined) this.#attachOutlines(how.trigger);
    const publishing = log.publishSnapshot(this.identity.anchor.id, author, taken);
    const [ack] = await Promise.all([publishing, this.#addAliases()]);
    if (ack !== null) await this.#live.reach(ack.seq);
    return { taken, ack };
  }

  /** What a snapshot left out because the parser has to load, in one more that waits for it. */
  #attachOutlines(trigger: Trigger): void {
    if (this.#attaching) return;
    this.#attaching = true;
    this.#take({ trigger, outlines: 'all' })
      .catch((error: unknown) => {
        if (!this.#owned.disposed) this.#services.logger.warn(`Outlines are missing: ${messageOf(error)}`);
      })
      .finally(() => {
        this.#attaching = false;
      });
  }

  async mark(target: string, tags: readonly TagInput[], text?: string): Promise<Ack> {
    const parsed = parseTarget(target);
    const at = timestamp(this.#services.clock.now());
    const lines = parsed.kind === 'lines' ? await this.#linesDetail(parsed.path, parsed, text) : {};
    return this.#byHand([{ op: 'add_focus', target, by: 'user', at, ...lines }, ...this.#tagOps(target, tags, at)]);
  }

  async unmark(target: string): Promise<Ack | null> {
    const ops = opsToUnmark(this.state, target);
    return ops.length === 0 ? null : this.#byHand(ops);
  }

  async addTags(target: string, tags: readonly TagInput[]): Promise<Ack> {
    parseTarget(target);
    if (tags.length === 0) throw new ProjectAnchorError('invalid', 'No tag was given.', 'Give at least one key=value.');
    return this.#byHand(this.#tagOps(target, tags, timestamp(this.#services.clock.now())));
  }

  async removeTag(target: string, key: string): Promise<Ack | null> {
    const slots = own(this.state.tags, target);
    if (own(slots, key)?.set === undefined) return null;
    return this.#byHand([{ op: 'remove_tag', target, key }]);
  }

  async autoTagRound(): Promise<boolean> {
    const { snapshots, log, author, clock, settings } = this.#services;
    const { complexityThreshold } = settings();
    const found = await snapshots.autoTags(this.identity.toplevel, { complexityThreshold });
    if (!found.done) return false;
    const ops = autoTagOps(this.state.tags ?? {}, found, { by: author.agent, at: timestamp(clock.now()) });
    if (ops.length === 0) return true;
    const ack = await log.author(this.identity.anchor.id, author, ops, { byHand: false });
    await this.#live.reach(ack.seq);
    return true;
  }

  marks(): readonly MarkView[] {
    return markViews(this.state, this.#services.clock.now(), this.#services.settings().halfLifeDays);
  }

  async refreshFacts(path: string, text: string | null): Promise<FileFacts> {
    const { snapshots } = this.#services;
    const facts = await this.#facts.refresh(path, () => snapshots.facts(this.identity.toplevel, path, text));
    this.#changed.fire();
    return facts;
  }

  facts(path: string): FileFacts | null {
    return this.#facts.get(path);
  }

  imports(path: string) {
    return this.#services.snapshots.imports(this.identity.toplevel, path, false);
  }

  together(path: string) {
    return this.#services.snapshots.together(this.identity.toplevel, path);
  }

  why(path: string, symbol: string | null) {
    return this.#services.snapshots.why(this.identity.toplevel, path, symbol);
  }

  view(path: string | null): ProjectView {
    const { completionTokens, explainTokens, halfLifeDays } = this.#services.settings();
    return {
      anchor: this.identity.anchor,
      workspace: this.identity.workspace,
      toplevel: this.identity.toplevel,
      head: this.head,
      state: this.state,
      snapshot: this.#latest?.snapshot.id ?? null,
      facts: path === null ? null : this.facts(path),
      settings: { completionTokens, explainTokens, halfLifeDays },
      now: this.#services.clock.now(),
    };
  }

  check(request: InjectRequest): void {
    this.#injector.check(request, this.#viewFor(request));
  }

  inject<R extends InjectRequest>(request: R, recalled?: RecalledText): Injected<R> {
    const injected = this.preview(request, recalled);
    this.#receipts.enqueue(injected.receipt);
    return injected;
  }

  preview<R extends InjectRequest>(request: R, recalled?: RecalledText): Injected<R> {
    return this.#injector.inject(request, this.#viewFor(request), recalled);
  }

  flushReceipts(): Promise<void> {
    return this.#receipts.flush();
  }

  async receipts(last: number): Promise<readonly Receipt[]> {
    await this.flushReceipts();
    return this.#services.log.receipts(this.identity.anchor.id, last);
  }

  dispose(): void {
    this.#owned.dispose();
    this.#facts.clear();
  }

  #viewFor({ file }: InjectRequest): ProjectView {
    const place = placeOf(this.identity.toplevel, file);
    return this.view(place.kind === 'inside' ? place.path : null);
  }

  /** The rules of what may leave, as `.projectanchorignore` and the settings have them now. */
  async #readGate(): Promise<void> {
    this.#gate = await loadGate(this.identity.toplevel, this.#services.settings().exclude);
  }

  #tagOps(target: string, tags: readonly TagInput[], at: string): Op[] {
    const { dictionary } = this.#services.settings();
    return tags.map((tag) => {
      const { key, value } = normaliseTag(tag.key, tag.value, dictionary);
      return { op: 'add_tag', target, key, value, by: 'user', at, source: 'user' };
    });
  }

  async #byHand(ops: readonly Op[]): Promise<Ack> {
    if (this.#live.stopped !== null) throw this.#live.stopped;
    const { log, author } = this.#services;
    try {
      const ack = await log.author(this.identity.anchor.id, author, ops, { byHand: true });
      await this.#live.reach(ack.seq);
      return ack;
    } catch (error) {
      throw markRefused(error, ops);
    }
  }

  /** A project known by further ids says so in its log, so that others find it by any of them. */
  async #addAliases(): Promise<void> {
    const known = new Set(this.state.aliases);
    const ops: Op[] = this.identity.aliases.filter((id) => !known.has(id)).map((id) => ({ op: 'add_alias', id }));
    if (ops.length === 0) return;
    const { log, author } = this.#services;
    await log.author(this.identity.anchor.id, author, ops, { byHand: false });
  }

  /** What finds marked lines again: the symbol around them, as far as it is known, and their hash when the text is. */
  async #linesDetail(path: string, range: LineRange, text: string | undefined): Promise<Partial<Focus>> {
    const symbol = await this.#symbolAround(path, range, text);
    return {
      ...(symbol === undefined ? {} : { symbol }),
      ...(text === undefined ? {} : { linesHash: linesHash(text, range) }),
    };
  }

  async #symbolAround(path: string, { start, end }: LineRange, text: string | undefined): Promise<string | undefined> {
    try {
      const { outline } = this.facts(path) ?? (await this.refreshFacts(path, text ?? null));
      return outline === null ? undefined : enclosingSymbol(outline.items, start, end);
    } catch (error) {
      this.#services.logger.debug(`No symbol around ${path}:${start}-${end}: ${messageOf(error)}`);
      return undefined;
    }
  }
}

function own<T>(map: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return map !== undefined && Object.hasOwn(map, key) ? map[key] : undefined;
}

/** The stored latest snapshot in the shape of one just taken, or null before the first. */
async function latestSnapshot(snapshots: SnapshotService, identity: ProjectIdentity): Promise<TakenSnapshot | null> {
  try {
    const snapshot = await snapshots.show(identity.toplevel, 'latest');
    return { snapshot, stored: false, commits: [], rewritten: { pairs: [] }, changed: [], ms: 0 };
  } catch (error) {
    if (codeOf(error) === 'not_found') return null;
    throw error;
  }
}
