import { setImmediate as eventsHandled } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { type Clock, type Logger, ProjectAnchorError, timestamp } from '../base/index.ts';
import type { Store } from '../store/index.ts';
import { NO_NEWS, type Seen, seenBeforeRebase } from './history.ts';
import { isOutlined, languageOf } from './languages.ts';
import type { Read } from './outlines.ts';
import {
  contentHash,
  earlierParts,
  type Packed,
  type PackedOutlines,
  packSnapshot,
  partsOf,
  unpackSnapshot,
} from './pack.ts';
import { phase } from './phases.ts';
import type { TakenSnapshot, TakeRequest } from './service.ts';
import { jsonPath, parseTarget, type Target, targetPath } from './targets.ts';
import { changedPaths, entryAt, type ReadNode } from './tree.ts';
import type { Dependencies, DirectoryNode, Marks, Outline, Snapshot } from './types.ts';
import type { Observed, Since, Workspace } from './workspace.ts';

/** Protocol §3. */
const MAX_OUTLINES = 50;
/** Protocol §5, `update_files`. */
const MAX_CHANGED = 50;
/** A project of many packages has the manifests of those a person works in. */
const MAX_MANIFESTS = 20;
const MAX_DEGRADED = 50;
/** Directory nodes that are kept in memory: those of a large project are some 10,000. */
const MAX_NODES = 1_000;
/** Another process may store a snapshot in between, whereupon this one looks again; so often, then it stores what it has. */
const MAX_ATTEMPTS = 5;
/** The same at another HEAD. Each time somebody else has got on; it only ends where a hundred others never rest. */
const MAX_ATTEMPTS_AT_ANOTHER_HEAD = 100;

export interface BuilderOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The last stored snapshot of a workspace, with what it is compared by. */
interface Previous {
  readonly snapshot: Snapshot;
  readonly content: string;
}

/** Outlines that were read while git looked, by path. */
type Early = ReadonlyMap<string, Read>;

/** A snapshot before it has an id, and how many of its outlines wait for the parser. */
interface Draft {
  readonly body: Omit<Snapshot, 'id' | 'parent'>;
  readonly waiting: number;
}

/**
 * Whether a look that another one overtook is thrown away: a few times in any case, and as good as always where HEAD is
 * another one, because then nobody could say which of the two is older.
 */
function mustLookAgain(attempt: number, theirs: string | null, ours: string | null): boolean {
  return attempt < (theirs === ours ? MAX_ATTEMPTS : MAX_ATTEMPTS_AT_ANOTHER_HEAD);
}

/** Where a snapshot was stored: after the one that it was compared with, or behind one that came in between. */
type Place = 'next' | 'behind another' | 'refused';

/** Takes snapshots of workspaces and stores those that say something new. */
export class SnapshotBuilder {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #previous = new Map<string, Previous>();
  readonly #packed: PackedOutlines = new WeakMap();
  /** Stored nodes by their hash: those on the way to what changes are read again with every snapshot. */
  readonly #nodes = new LRUCache<string, DirectoryNode>({ max: MAX_NODES });

  constructor({ store, clock, logger }: BuilderOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#logger = logger;
  }

  take(workspace: Workspace, request: TakeRequest): Promise<TakenSnapshot> {
    return phase('take', () => this.#take(workspace, request));
  }

  /** Looks, and stores what it saw. When another one was stored meanwhile, that may have been seen later: it looks again. */
  async #take(workspace: Workspace, request: TakeRequest): Promise<TakenSnapshot> {
    const start = this.#clock.monotonic();
    for (let attempt = 1; ; attempt++) {
      const before = this.#latest(workspace);
      const { body, waiting: count } = await this.#look(workspace, request, before);
      const waiting = count === 0 ? {} : { waiting: count };
      const parts = phase('pack', () => partsOf(body, this.#packed));
      const latest = this.#latest(workspace);
      const ms = () => this.#clock.monotonic() - start;
      if (latest?.content === parts.content) {
        return { snapshot: latest.snapshot, stored: false, ...NO_NEWS, changed: [], ...waiting, ms: ms() };
      }
      const isOvertaken = latest?.snapshot.id !== before?.snapshot.id;
      const commit = body.git.head.commit ?? null;
      if (isOvertaken && mustLookAgain(attempt, latest?.snapshot.git.head.commit ?? null, commit)) continue;
      const parent = latest?.snapshot ?? null;
      const packed = phase('pack', () => packSnapshot(body, parts, parent?.id ?? null));
      const place = await this.#insert(workspace, packed, parent, attempt);
      if (place === 'refused') continue;
      const { snapshot } = packed;
      this.#previous.set(snapshot.workspace, { snapshot, content: parts.content });
      // The news of one that came in between were told with that one.
      const isTold = parent === null || isOvertaken || place === 'behind another';
      const told = isTold ? NO_NEWS : await workspace.newsSince(this.#since(parent, request), snapshot.git);
      const changed = parent === null ? [] : this.#changedPaths(parent.files.tree, snapshot.files.tree);
      this.#logger.debug(`snapshot ${snapshot.id.slice(0, 12)} (${request.trigger}) in ${Math.round(ms())} ms`);
      return { snapshot, stored: true, ...told, changed, ...waiting, ms: ms() };
    }
  }

  async #look(workspace: Workspace, request: TakeRequest, before: Previous | null): Promise<Draft> {
    const since = before === null ? null : this.#since(before.snapshot, request);
    const observing = workspace.observe(before?.snapshot ?? null, since);
    const [observed, early] = await Promise.all([observing, readEarly(workspace, request)]);
    return this.#draft(workspace, request, observed, early);
  }

  /** What the snapshot that is stored after `parent` reports the news of: each move of HEAD is told by exactly one. */
  #since(parent: Snapshot, { rewritten = [] }: TakeRequest): Since {
    const before = seenBeforeRebase(parent, (id) => {
      const row = this.#store.snapshots.byId(id);
      return row === undefined ? undefined : (JSON.parse(row.json) as Seen);
    });
    return { before, told: rewritten };
  }

  /** The newest stored snapshot of the workspace, whoever stored it. */
  #latest(workspace: Workspace): Previous | null {
    const row = this.#store.snapshots.latest(workspace.identity.workspace);
    if (row === undefined) return null;
    const known = this.#previous.get(row.workspace);
    if (known?.snapshot.id === row.id) return known;
    const snapshot = unpackSnapshot(row.json, (key) => this.#store.objects.get(key)?.json);
    for (const [path, outline] of Object.entries(snapshot.outlines)) {
      const entry = entryAt(this.#readNode, snapshot.files.tree, path);
      workspace.outlines.remember(path, outline, entry?.oid);
    }
    const previous = { snapshot, content: contentHash(row.json, snapshot.marks) };
    this.#previous.set(row.workspace, previous);
    return previous;
  }

  async #draft(workspace: Workspace, request: TakeRequest, observed: Observed, early: Early): Promise<Draft> {
    const { editor, marks, trigger, outlines: which } = request;
    const { anchor, workspace: id } = workspace.identity;
    // What is not in a complete listing is ignored, denied, or no file of this project.
    const isListed = (path: string) =>
      workspace.gate.path(path).ok && (workspace.files.has(path) || !observed.complete);
    const active = editor.active !== null && isListed(editor.active) ? editor.active : null;
    const wanted = [...(active === null ? [] : [active]), ...focusedPaths(marks), ...editor.open, ...observed.touched];
    const listed = [...new Set(wanted)].filter(isListed);
    const read = await readOutlines(workspace, listed, which !== 'known', early);
    const { outlines, degraded, waiting } = summaryOf(read);
    const applying = ['package.json', ...Object.keys(outlines), ...listed.slice(0, MAX_OUTLINES)];
    const manifests = await phase('manifests', () => workspace.manifests.above(applying, MAX_MANIFESTS, isListed));
    const dependencies = manifests.found.map(({ path, dependencies: each }): [string, Dependencies] => [path, each]);
    const codes = [...observed.degraded, ...observed.listing.degraded, ...degraded, ...manifests.degraded];
    const body: Draft['body'] = {
      schema: 'projectanchor.snapshot.v1',
      anchor: anchor.id,
      workspace: id,
      takenAt: timestamp(this.#clock.now()),
      trigger,
      git: observed.git,
      files: observed.listing.view,
      active,
      outlines,
      dependencies: Object.fromEntries(dependencies),
      marks,
      degraded: [...new Set(codes)].slice(0, MAX_DEGRADED),
    };
    return { body, waiting };
  }

  /** Stores a snapshot with its parts; when another one has come after `parent`, only if it need not look again. */
  #insert(workspace: Workspace, packed: Packed, parent: Snapshot | null, attempt: number): Promise<Place> {
    const { snapshot, json, objects } = packed;
    const { snapshots, objects: stored } = this.#store;
    const write = (): Place => {
      const latest = snapshots.latest(snapshot.workspace);
      const follows = latest?.id === parent?.id;
      const commit = snapshot.git.head.commit ?? null;
      if (!follows && mustLookAgain(attempt, latest?.commit ?? null, commit)) return 'refused';
      const before = latest === undefined ? null : earlierParts(latest.json, this.#readNode);
      for (const { hash: key, kind, json: part, path } of objects) {
        stored.put(key, kind, part, before?.part(kind, path));
      }
      for (const { hash: key, json: node, path, node: parsed } of workspace.files.unstored((each) =>
        stored.has(each),
      )) {
        stored.put(key, 'node', node, before?.node(path));
        // Those of a first snapshot are too many; of a later one they are read at once, to tell what has changed.
        if (before !== null) this.#nodes.set(key, parsed);
      }
      const { id, anchor, workspace: tree, takenAt, trigger, git } = snapshot;
      snapshots.insert({ id, anchor, workspace: tree, takenAt, trigger, commit: git.head.commit ?? null, json });
      return follows ? 'next' : 'behind another';
    };
    return phase('store', () => this.#store.write(write));
  }

  readonly #readNode: ReadNode = (key) => {
    const known = this.#nodes.get(key);
    if (known !== undefined) return known;
    const object = this.#store.objects.get(key);
    if (object === undefined) return null;
    const node = JSON.parse(object.json) as DirectoryNode;
    this.#nodes.set(key, node);
    return node;
  };

  #changedPaths(before: string, after: string): readonly string[] {
    const paths: string[] = [];
    for (const path of changedPaths(this.#readNode, before, after)) {
      if (paths.length >= MAX_CHANGED) break;
      paths.push(path);
    }
    return paths;
  }
}

/** Files with a focus on them, or on lines or symbols in them. */
function focusedPaths(marks: Marks): readonly string[] {
  return Object.keys(marks.focus).flatMap((key) => {
    const target = readTarget(key);
    const path = target === null || target.kind === 'directory' ? null : targetPath(target);
    return path === null ? [] : [path];
  });
}

/** Null for what is not well formed: marks come from outside. */
function readTarget(text: string): Target | null {
  try {
    return parseTarget(text);
  } catch (error) {
    if (error instanceof ProjectAnchorError) return null;
    throw error;
  }
}

/** Reads what will most likely be wanted as soon as git is at work: what is open, focused, or was changed before. */
async function readEarly(workspace: Workspace, { editor, marks, outlines }: TakeRequest): Promise<Early> {
  await eventsHandled();
  const { active, open } = editor;
  const wanted = new Set([
    ...(active === null ? [] : [active]),
    ...focusedPaths(marks),
    ...open,
    ...workspace.files.touched,
  ]);
  const listed = [...wanted].filter((path) => workspace.gate.path(path).ok && workspace.files.has(path));
  const read = await readOutlines(workspace, listed, outlines !== 'known', new Map());
  // Whether a file is the same as before is not known until git has said whether it is clean.
  return new Map([...read].filter(([, { waiting }]) => waiting !== true));
}

/** @param load whether the parser may be loaded for them */
function readOutlines(workspace: Workspace, paths: readonly string[], load: boolean, early: Early): Promise<Early> {
  return phase('outlines', async () => {
    const read = new Map<string, Read>();
    for (const path of paths.filter((each) => isOutlined(languageOf(each))).slice(0, MAX_OUTLINES)) {
      const look = { load, blob: workspace.files.blob(path) };
      read.set(path, early.get(path) ?? (await workspace.outlines.ofFile(path, look)));
    }
    return read;
  });
}

/** What a snapshot says of outlines that were read, and how many of them wait for the parser. */
function summaryOf(read: Early) {
  const outlines: [string, Outline][] = [];
  const degraded: string[] = [];
  let waiting = 0;
  for (const [path, { outline, degraded: codes, waiting: waits }] of read) {
    if (outline !== null) outlines.push([jsonPath(path), outline]);
    // A file that is gone or stays here is nothing that could not be read.
    degraded.push(...codes.filter((code) => !/^(?:missing:|denied$|outside$)/.test(code)));
    if (waits === true) waiting++;
  }
  return { outlines: Object.fromEntries(outlines), degraded, waiting };
}
