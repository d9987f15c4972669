import { LRUCache } from 'lru-cache';
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
import type { Ack, Author, DeltaBatch, Head, HubStatus, LogService, Op, State } from '../delta/index.ts';
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
  type Trigger,
} from '../snapshot/index.ts';
import { enclosingSymbol, markViews, opsToUnmark } from './marks.ts';
import { ReceiptQueue } from './receipt-queue.ts';
import { Replica } from './replica.ts';
import type { MarkView, ProjectSession, TagInput } from './session-types.ts';

/** Facts of this many files are kept: those a person has open and moves between. */
const FACTS_KEPT = 200;
/** Most deltas the log gives in one answer (protocol §7, `fetch`). */
const FETCH_LIMIT = 500;

export interface SessionSettings extends InjectSettings {
  /** `projectAnchor.tags.dictionary`. */
  readonly dictionary: Readonly<Record<string, string>>;
  /** `projectAnchor.snapshot.exclude`. */
  readonly exclude: readonly string[];
}

export interface SessionServices {
  readonly snapshots: SnapshotService;
  readonly log: LogService;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly author: Author;
  /** Asked at every use, so that a changed setting counts at once. */
  readonly settings: () => SessionSettings;
}

/**
 * Opens the project that a folder or file belongs to, with its state and latest snapshot in memory.
 * The caller owns the services and disposes them after the session; `flushReceipts()` before that loses nothing.
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
  readonly #deltas: Emitter<DeltaBatch>;
  readonly #receipts: ReceiptQueue;
  readonly #injector: Injector;
  readonly #facts = new LRUCache<string, FileFacts>({ max: FACTS_KEPT });
  /** Refuses everything until the workspace's rules are read. */
  #gate: Gate = createGate({ broken: 'its rules are being read' });
  /** Per path, which request for facts was the last: an older answer never replaces a newer one. */
  readonly #asked = new LRUCache<string, number>({ max: FACTS_KEPT });
  #requests = 0;
  #replica: Replica | null = null;
  #hub: HubStatus = { kind: 'alone', waiting: 0 };
  #latest: TakenSnapshot | null = null;
  #catchingUp: Promise<void> | null = null;
  /** Highest seq announced while deltas were being fetched. */
  #announced = 0;
  /** Why the replica stopped following, when it met an operation of a newer version. */
  #stopped: ProjectAnchorError | null = null;

  constructor(identity: ProjectIdentity, services: SessionServices) {
    const { log, clock, logger } = services;
    const listenerFailed = (error: unknown) => logger.error(`A listener failed: ${messageOf(error)}`);
    this.identity = identity;
    this.#services = services;
    this.#injector = new Injector({ gate: () => this.#gate });
    this.#changed = this.#owned.add(new Emitter<void>(listenerFailed));
    this.#deltas = this.#owned.add(new Emitter<DeltaBatch>(listenerFailed));
    this.#receipts = this.#owned.add(new ReceiptQueue((draft) => log.appendReceipt(draft), clock, logger));
    this.#owned.add(log.onDeltas((batch) => this.#receive(batch)));
    this.#owned.add(
      log.onHubStatus((status) => {
        this.#hub = status;
        this.#changed.fire();
      }),
    );
  }

  async start(): Promise<void> {
    const { log, snapshots } = this.#services;
    const { seq, hash, state } = await log.open(this.identity.anchor);
    this.#replica = new Replica(state, { seq, hash });
    const [hub, latest] = await Promise.all([
      log.hubStatus(),
      latestSnapshot(snapshots, this.identity),
      this.#readGate(),
    ]);
    this.#hub = hub;
    this.#latest = latest;
    // Deltas that arrived between the answer to `open` and now were only announced.
    if (this.#announced > this.head.seq) await this.#catchUp();
  }

  get #held(): Replica {
    if (this.#replica === null) throw new Error('the session is not started');
    return this.#replica;
  }

  get state(): State {
    return this.#held.state;
  }

  get head(): Head {
    return this.#held.head;
  }

  get hub(): HubStatus {
    return this.#stopped === null ? this.#hub : { ...this.#hub, kind: 'refused', reason: this.#stopped.message };
  }

  get latest(): TakenSnapshot | null {
    return this.#latest;
  }

  get onDidChange() {
    return this.#changed.event;
  }

  get onDeltas() {
    return this.#deltas.event;
  }

  async take(trigger: Trigger, editor: EditorView) {
    const { snapshots, log, author } = this.#services;
    const { tags = {}, focus = {} } = this.state;
    await this.#readGate();
    const taken = await snapshots.take({
      folder: this.identity.toplevel,
      trigger,
      editor,
      marks: { tags, focus },
    });
    this.#latest = taken;
    this.#changed.fire();
    await this.#addAliases();
    const ack = await log.publishSnapshot(this.identity.anchor.id, author, taken);
    if (ack !== null) await this.#reach(ack.seq);
    return { taken, ack };
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
    const slots = this.state.tags?.[target];
    if (slots === undefined || !Object.hasOwn(slots, key) || slots[key]?.set === undefined) return null;
    return this.#byHand([{ op: 'remove_tag', target, key }]);
  }

  marks(): readonly MarkView[] {
    return markViews(this.state, this.#services.clock.now(), this.#services.settings().halfLifeDays);
  }

  async refreshFacts(path: string, text: string | null): Promise<FileFacts> {
    const request = ++this.#requests;
    this.#asked.set(path, request);
    const facts = await this.#services.snapshots.facts(this.identity.toplevel, path, text);
    if (this.#asked.get(path) === request) {
      this.#facts.set(path, facts);
      this.#changed.fire();
    }
    return facts;
  }

  facts(path: string): FileFacts | null {
    return this.#facts.get(path) ?? null;
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

  inject<R extends InjectRequest>(request: R, recalled?: RecalledText): Injected<R> {
    const injected = this.preview(request, recalled);
    this.#receipts.enqueue(injected.receipt);
    return injected;
  }

  preview<R extends InjectRequest>(request: R, recalled?: RecalledText): Injected<R> {
    return this.#injector.inject(request, this.#viewFor(request), recalled);
  }

  check(request: InjectRequest): void {
    this.#injector.check(request, this.#viewFor(request));
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
    if (this.#stopped !== null) throw this.#stopped;
    const { log, author } = this.#services;
    const ack = await log.author(this.identity.anchor.id, author, ops, { byHand: true });
    await this.#reach(ack.seq);
    return ack;
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

  /** Resolves when the replica holds everything up to `seq`: whoever made a change sees it at once. */
  async #reach(seq: number): Promise<void> {
    if (this.head.seq < seq) await this.#catchUp();
  }

  #receive(batch: DeltaBatch): void {
    if (batch.anchor !== this.identity.anchor.id || this.#stopped !== null) return;
    if (this.#replica === null || this.#catchingUp !== null) {
      this.#announced = Math.max(this.#announced, batch.head.seq);
      return;
    }
    if (this.#apply(batch.items) === 'applied') return;
    this.#catchUp().catch((error: unknown) =>
      this.#services.logger.error(`The project's log could not be followed: ${messageOf(error)}`),
    );
  }

  #apply(batch: DeltaBatch['items']): 'applied' | 'gap' | 'mismatch' {
    const before = this.head;
    try {
      return this.#held.accept(batch).kind;
    } catch (error) {
      if (codeOf(error) !== 'unsupported_op') throw error;
      this.#stopped = new ProjectAnchorError(
        'needs_update',
        'The log of this project holds a change that this version does not know.',
        'Update ProjectAnchor; until then it reads only what came before.',
        { cause: error },
      );
      return 'applied';
    } finally {
      const items = batch.filter(({ seq }) => seq > before.seq && seq <= this.head.seq);
      if (items.length > 0) this.#deltas.fire({ anchor: this.identity.anchor.id, items, head: this.head });
      if (items.length > 0 || this.#stopped !== null) this.#changed.fire();
    }
  }

  #catchUp(): Promise<void> {
    this.#catchingUp ??= this.#fetchToHead().finally(() => {
      this.#catchingUp = null;
    });
    return this.#catchingUp;
  }

  async #fetchToHead(): Promise<void> {
    const { log, logger } = this.#services;
    const anchor = this.identity.anchor.id;
    do {
      const items = await log.deltas(anchor, this.head.seq, FETCH_LIMIT);
      if (this.#apply(items) !== 'applied') {
        logger.warn('hash mismatch, resyncing');
        const { seq, hash, state } = await log.state(anchor);
        this.#held.reset(state, { seq, hash });
        this.#changed.fire();
        return;
      }
      if (this.#stopped !== null) return;
      if (items.length < FETCH_LIMIT && this.#announced <= this.head.seq) return;
      if (items.length === 0) return;
    } while (!this.#owned.disposed);
  }
}

/** The stored latest snapshot in the shape of one just taken, or null before the first. */
async function latestSnapshot(snapshots: SnapshotService, identity: ProjectIdentity): Promise<TakenSnapshot | null> {
  try {
    const snapshot = await snapshots.show(identity.toplevel, 'latest');
    return { snapshot, stored: false, commits: [], changed: [], ms: 0 };
  } catch (error) {
    if (codeOf(error) === 'not_found') return null;
    throw error;
  }
}
