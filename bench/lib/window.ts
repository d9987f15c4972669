import { join } from 'node:path';
import type { EditorView, Marks, SnapshotService, TakenSnapshot, Trigger } from '../../src/snapshot/index.ts';
import { type Core, DIST } from './core.ts';
import type { Corpus } from './corpus.ts';

/** B0, as plain as it gets. Its one option keeps it from refreshing the index under the snapshot that it is measured with. */
export const STATUS = ['--no-optional-locks', 'status', '--porcelain=v2', '-z', '--branch'];
export const LIST = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];

/** Files open beside the active one. */
const OPEN = 4;
/** Files switched to lie this far apart in the listing, so that they come from everywhere. */
const STEP = 37;

/** The usual state has five marks (protocol §3, compact form). */
export function fiveMarks(sources: readonly string[]): Marks {
  const at = '2026-11-30T09:00:00.000Z';
  const [a = '', b = '', c = '', d = ''] = [1, 3, 5, 7].map((part) => sources[Math.floor((part * sources.length) / 8)]);
  const tag = (value: string) => ({ set: { value, by: 'user', at, source: 'user' as const } });
  return {
    focus: { [a]: { by: 'user', at }, [`${b}#L3-L9`]: { by: 'user', at }, [c]: { by: 'user', at, pinned: true } },
    tags: { [a]: { priority: tag('high') }, [d]: { status: tag('in_progress') } },
  };
}

/**
 * A window on a corpus as the snapshot worker sees it: which files are open, and snapshots through the worker, as the
 * editor takes them. Every switch goes to a file that was not looked at before.
 */
export class Window {
  readonly service: SnapshotService;
  readonly taken: TakenSnapshot[] = [];
  readonly #corpus: Corpus;
  readonly #marks: Marks;
  #turn = 0;

  constructor(service: SnapshotService, corpus: Corpus) {
    this.service = service;
    this.#corpus = corpus;
    this.#marks = fiveMarks(corpus.sources);
  }

  /** @param data the data folder */
  static async open(core: Core, corpus: Corpus, data: string): Promise<Window> {
    const file = join(DIST, 'snapshot-worker.js');
    const service = core.connectSnapshotWorker({ file, folder: data, logger: core.silentLogger() });
    await service.configure(core.DEFAULT_SETTINGS);
    await service.identify(corpus.root);
    return new Window(service, corpus);
  }

  /** The next file becomes the active one, and a snapshot is taken. */
  async switch(): Promise<TakenSnapshot> {
    this.#turn++;
    return this.take('editor');
  }

  /** @param outlines `known` leaves out what the parser would have to load for */
  async take(trigger: Trigger, outlines: 'all' | 'known' = 'all'): Promise<TakenSnapshot> {
    const taken = await this.service.take({
      folder: this.#corpus.root,
      trigger,
      editor: this.#editor(),
      marks: this.#marks,
      outlines,
    });
    this.taken.push(taken);
    return taken;
  }

  #editor(): EditorView {
    const { sources } = this.#corpus;
    const at = (turn: number) => sources[(turn * STEP) % sources.length] ?? '';
    const open = Array.from({ length: OPEN }, (_, back) => at(Math.max(0, this.#turn - back)));
    return { active: at(this.#turn), open: [...new Set(open)] };
  }
}
