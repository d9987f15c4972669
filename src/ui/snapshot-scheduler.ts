import type { Clock, Disposable } from '../base/index.ts';
import type { TakenSnapshot, Trigger } from '../snapshot/index.ts';
import type { GitMoment, GitWork } from './git-moment.ts';
import { Settle, type SettleNeeds } from './settle.ts';
import { Timer } from './timer.ts';

/** Two editors are 45 ms apart with `undefined` between them (measured); quick flips through tabs are one switch. */
export const EDITOR_DEBOUNCE_MS = 250;
/** Git writes HEAD, the ref and the reflog one after the other. */
export const HEAD_DEBOUNCE_MS = 50;
/** Between two commits of a rebase; one that is quiet for longer runs a command of the person's, or waits for them. */
export const REPLAY_QUIET_MS = 1000;
/** Before a snapshot that only looks: one `git add` is rarely alone, and neither is one written file. */
export const LOOK_QUIET_MS = 1000;
/** Nothing is put off for longer: a lock may have been left behind by a git that was killed. */
export const BURST_CAP_MS = 10_000;
/** A rebase that goes on is waited for: what it has made so far is no state that anybody works in. */
export const REPLAY_CAP_MS = 600_000;

/** What it takes for git's work to be over. */
const WORK_NEEDS: Readonly<Record<GitWork, SettleNeeds>> = {
  none: { quietMs: 0, capMs: BURST_CAP_MS },
  replaying: { quietMs: REPLAY_QUIET_MS, capMs: REPLAY_CAP_MS },
  writing: { quietMs: Number.POSITIVE_INFINITY, capMs: BURST_CAP_MS },
};

export interface SchedulerPorts {
  take(trigger: Trigger): Promise<TakenSnapshot>;
  /** Where git stands now. */
  git(): Promise<GitMoment>;
  /** A snapshot that nobody waits for failed. */
  failed(trigger: Trigger, error: unknown): void;
}

/** A snapshot that covers several wishes carries the most telling of their triggers. */
const PRECEDENCE: readonly Trigger[] = ['commit', 'manual', 'mark', 'editor', 'interval'];

function stronger(a: Trigger, b: Trigger): Trigger {
  return PRECEDENCE.indexOf(a) <= PRECEDENCE.indexOf(b) ? a : b;
}

interface Wish {
  readonly trigger: Trigger;
  readonly outcome: PromiseWithResolvers<TakenSnapshot>;
}

/**
 * Decides when one workspace takes a snapshot (protocol §3, Triggers). One is in flight at a time; what is wished for
 * meanwhile becomes one more afterwards. A burst of git's, such as a rebase, is waited for and makes one. Saving a file is
 * no trigger.
 */
export class SnapshotScheduler implements Disposable {
  readonly #ports: SchedulerPorts;
  readonly #editorTimer: Timer;
  readonly #intervalTimer: Timer;
  /** Signals of git, until it is at rest. */
  readonly #git: Settle;
  /** What is worth a look, until nothing is written any more. */
  readonly #look: Settle;
  #active: string | null = null;
  /** Where git stood when it was last looked at; null before the start. */
  #seen: Pick<GitMoment, 'head' | 'index'> | null = null;
  /** The interval is over. */
  #due = false;
  #running = false;
  #next: Wish | null = null;
  #disposed = false;

  constructor(ports: SchedulerPorts, clock: Clock) {
    this.#ports = ports;
    this.#editorTimer = new Timer(clock);
    this.#intervalTimer = new Timer(clock);
    const usual = { quietMs: HEAD_DEBOUNCE_MS, capMs: BURST_CAP_MS };
    const work = async () => WORK_NEEDS[(await ports.git()).work];
    this.#git = new Settle({ ...usual, needs: work }, clock, () => void this.#compare());
    const look = { quietMs: LOOK_QUIET_MS, capMs: BURST_CAP_MS };
    // While git works there is nothing to look at.
    const rest = async () => (this.#git.pending ? { ...look, capMs: REPLAY_CAP_MS } : look);
    this.#look = new Settle({ ...look, needs: rest }, clock, () => this.#wish('interval'));
  }

  /** Notes where git and the active editor stand and takes the first snapshot. */
  async start(active: string | null): Promise<void> {
    this.#active = active;
    try {
      this.#seen = await this.#ports.git();
      await this.#request('editor');
    } catch (error) {
      this.#seen ??= { head: null, index: null };
      this.#failed('editor', error);
    }
  }

  /**
   * From now on takes one every so many minutes (0 = never). It looks first: one that finds nothing new is not stored.
   * However long the machine slept, one is due when it wakes.
   */
  setInterval(minutes: number): void {
    this.#intervalTimer.cancel();
    if (minutes <= 0) return;
    this.#intervalTimer.start(minutes * 60_000, () => {
      this.#due = true;
      this.#git.call();
      this.setInterval(minutes);
    });
  }

  /** The active editor shows this file of the project now. */
  editorChanged(path: string): void {
    this.#editorTimer.start(EDITOR_DEBOUNCE_MS, () => {
      if (path === this.#active) return;
      this.#active = path;
      this.#wish('editor');
    });
  }

  /** Something says that HEAD or the index may have changed; whether they did is looked up here, when git is at rest. */
  gitMayHaveChanged(): void {
    this.#git.call();
    this.#look.extend();
  }

  /** Files of the working tree are being written: a look that is due waits until that is over. */
  filesTouched(): void {
    this.#look.extend();
  }

  marked(): void {
    this.#wish('mark');
  }

  /** Takes one because a person asked; resolves with it. */
  manual(): Promise<TakenSnapshot> {
    return this.#request('manual');
  }

  dispose(): void {
    this.#disposed = true;
    for (const timer of [this.#editorTimer, this.#intervalTimer, this.#git, this.#look]) timer.dispose();
  }

  async #compare(): Promise<void> {
    try {
      const before = this.#seen;
      // What happens before the start is in the first snapshot.
      if (before === null) return;
      const now = await this.#ports.git();
      this.#seen = now;
      // Where HEAD cannot be read the snapshot itself finds out; an equal one is not stored.
      const unknown = now.head === null && !this.#due;
      if (unknown || now.head !== before.head) this.#wish('commit');
      else if (this.#due || now.index !== before.index) this.#look.call();
      this.#due = false;
    } catch (error) {
      this.#failed('commit', error);
    }
  }

  #wish(trigger: Trigger): void {
    this.#request(trigger).catch((error) => this.#failed(trigger, error));
  }

  #request(trigger: Trigger): Promise<TakenSnapshot> {
    if (this.#disposed) return Promise.reject(new Error('The project was closed.'));
    const outcome = this.#next?.outcome ?? Promise.withResolvers<TakenSnapshot>();
    this.#next = { trigger: this.#next === null ? trigger : stronger(this.#next.trigger, trigger), outcome };
    if (!this.#running) void this.#run();
    return outcome.promise;
  }

  /** Never rejects: every outcome goes to those who wished for it. */
  async #run(): Promise<void> {
    this.#running = true;
    for (let wish = this.#next; wish !== null; wish = this.#next) {
      this.#next = null;
      // What was seen before it begins is in it.
      this.#look.cancel();
      try {
        wish.outcome.resolve(await this.#ports.take(wish.trigger));
      } catch (error) {
        wish.outcome.reject(error);
      }
    }
    this.#running = false;
  }

  #failed(trigger: Trigger, error: unknown): void {
    if (!this.#disposed) this.#ports.failed(trigger, error);
  }
}
