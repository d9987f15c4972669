/**
 * A process like the editor's extension host, with one project open as the extension opens it: a session over the real
 * workers. It takes snapshots when told to and says for how long its event loop stood still meanwhile.
 */

import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import type { EditorView, Trigger } from '../../src/snapshot/index.ts';
import { DIST, loadCore } from './core.ts';

/** What the host is told to do. */
export type Order =
  | { readonly kind: 'open'; readonly folder: string; readonly data: string }
  | { readonly kind: 'take'; readonly trigger: Trigger; readonly editor: EditorView }
  /** Does nothing for so many ms: how still the machine itself lets a loop stand. */
  | { readonly kind: 'idle'; readonly ms: number }
  /** The first pass of the index of the whole tree. */
  | { readonly kind: 'index' }
  | { readonly kind: 'outline'; readonly path: string }
  | { readonly kind: 'close' };

/** While the order was carried out, in ms. */
export interface Report {
  /** The longest time in which the loop stood still, for whatever reason. */
  readonly stall: number;
  /** The longest time that this thread itself was at work between two turns of its loop. */
  readonly own: number;
  /** How long it took. */
  readonly ms: number;
  /** The most memory of the process that was seen, in bytes. */
  readonly rss: number;
}

/** The finest the histogram offers, in ms; what it reads includes it. */
const RESOLUTION = 1;
/** What follows a snapshot (deltas applied, listeners told) belongs to it. */
const SETTLE_MS = 50;

/** Processor time of this thread, in ms. */
function atWork(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** Finds the longest stretch of work between two turns of the loop. */
class Work {
  longest = 0;
  rss = 0;
  readonly #timer: NodeJS.Timeout;

  constructor() {
    let before = atWork();
    this.#timer = setInterval(() => {
      const now = atWork();
      this.longest = Math.max(this.longest, now - before);
      before = now;
      this.rss = Math.max(this.rss, process.memoryUsage.rss());
    }, RESOLUTION);
  }

  end(): void {
    clearInterval(this.#timer);
  }
}

const core = loadCore();
const delay = monitorEventLoopDelay({ resolution: RESOLUTION });
let close: () => Promise<void> = async () => undefined;
let take: (trigger: Trigger, editor: EditorView) => Promise<unknown> = async () => undefined;
let index: () => Promise<unknown> = async () => undefined;
let outline: (path: string) => Promise<unknown> = async () => undefined;

async function open(folder: string, data: string): Promise<void> {
  const logger = core.silentLogger();
  const author = core.authorOf('vscode', core.agentTag(data), core.newId());
  const snapshots = core.connectSnapshotWorker({ file: join(DIST, 'snapshot-worker.js'), folder: data, logger });
  await snapshots.configure(core.DEFAULT_SETTINGS);
  const hub = { who: author, hub: 'compete', hubUrl: '', hubPort: 0 } as const;
  const log = core.connectLogWorker({ file: join(DIST, 'log-worker.js'), folder: data, logger, ...hub });
  const session = await core.openProjectSession(folder, {
    snapshots,
    log,
    clock: core.systemClock(),
    logger,
    author,
    outlines: 'known',
    settings: () => ({
      completionTokens: 1_200,
      explainTokens: 1_800,
      halfLifeDays: 9,
      complexityThreshold: 15,
      dictionary: {},
      exclude: [],
    }),
  });
  // The editor's status bar and view listen as well.
  session.onDidChange(() => void session.view(null));
  index = () => snapshots.index(folder, 'run');
  outline = (path) => snapshots.outline(folder, path);
  take = (trigger, editor) => session.take(trigger, editor);
  close = async () => {
    session.dispose();
    await Promise.all([snapshots.dispose(), log.dispose()]);
  };
}

/** Returns how long it took, in ms. */
async function carryOut(order: Order): Promise<number> {
  const start = performance.now();
  if (order.kind === 'open') await open(order.folder, order.data);
  else if (order.kind === 'take') await take(order.trigger, order.editor);
  else if (order.kind === 'idle') await pause(order.ms);
  else if (order.kind === 'index') await index();
  else if (order.kind === 'outline') await outline(order.path);
  else await close();
  const ms = performance.now() - start;
  await pause(SETTLE_MS);
  return ms;
}

process.on('message', (order: Order) => {
  delay.reset();
  delay.enable();
  const work = new Work();
  carryOut(order).then(
    (ms) => {
      delay.disable();
      work.end();
      process.send?.({ stall: delay.max / 1e6, own: work.longest, ms, rss: work.rss } satisfies Report);
      if (order.kind === 'close') process.disconnect();
    },
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
