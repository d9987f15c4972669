import { silentLogger } from '../../src/base/index.ts';
import {
  createSnapshotService,
  type Marks,
  type SnapshotService,
  type SnapshotServiceOptions,
  type TakenSnapshot,
  type TakeRequest,
} from '../../src/snapshot/index.ts';
import { MEMORY, openStore, type Store } from '../../src/store/index.ts';
import { FakeClock } from './fake-clock.ts';
import { tempDir } from './temp.ts';

export const NO_MARKS: Marks = { tags: {}, focus: {} };

/** A snapshot service over a database in memory, with shorthands for what tests ask most. */
export class SnapshotBench {
  readonly service: SnapshotService;
  readonly store: Store;
  readonly clock: FakeClock;
  readonly warnings: readonly string[];

  constructor(service: SnapshotService, store: Store, clock: FakeClock, warnings: readonly string[]) {
    this.service = service;
    this.store = store;
    this.clock = clock;
    this.warnings = warnings;
  }

  /** `options` may replace anything; another bench's store makes both see the same database. */
  static async open(options: Partial<SnapshotServiceOptions> = {}): Promise<SnapshotBench> {
    const warnings: string[] = [];
    const logger = { ...silentLogger(), warn: (message: string) => warnings.push(message) };
    const store = options.store ?? (await openStore({ file: MEMORY, logger }));
    const clock = new FakeClock();
    const env = options.env ?? atHome(tempDir());
    const service = createSnapshotService({ store, machine: 'a'.repeat(32), clock, logger, ...options, env });
    return new SnapshotBench(service, store, clock, warnings);
  }

  /** Takes a snapshot; a second passes first, so that no two are taken at the same time. */
  async take(folder: string, request: Partial<TakeRequest> = {}): Promise<TakenSnapshot> {
    this.clock.advance(1_000);
    const editor = { active: null, open: [] };
    return this.service.take({ folder, trigger: 'manual', editor, marks: NO_MARKS, ...request });
  }

  /** The same with one file in the editor. */
  async look(folder: string, active: string): Promise<TakenSnapshot> {
    return this.take(folder, { trigger: 'editor', editor: { active, open: [active] } });
  }
}

/** An environment with a home of its own, and so without the person's settings of git. */
function atHome(home: string): NodeJS.ProcessEnv {
  return { ...process.env, HOME: home, XDG_CONFIG_HOME: home };
}
