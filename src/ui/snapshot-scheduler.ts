import type { Clock, Disposable } from '../base/index.ts';
import type { TakenSnapshot, Trigger } from '../snapshot/index.ts';
import { Timer } from './timer.ts';

/** Two editors are 45 ms apart with `undefined` between them (measured); quick flips through tabs are one switch. */
export const EDITOR_DEBOUNCE_MS = 250;
/** Git writes HEAD, the ref and the reflog one after the other. */
export const HEAD_DEBOUNCE_MS = 50;

export interface SchedulerPorts {
  take(trigger: Trigger): Promise<TakenSnapshot>;
  /** What HEAD points to now, or null when that cannot be told. */
  head(): Promise<string | null>;
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
 * meanwhile becomes one more afterwards. Saving a file is no trigger: it only makes the next interval look.
 */
export class SnapshotScheduler implements Disposable {
  readonly #ports: SchedulerPorts;
  readonly #editorTimer: Timer;
  readonly #headTimer: Timer;
  readonly #intervalTimer: Timer;
  #active: string | null = null;
  #head: string | null = null;
  #touched = false;
  #running = false;
  #next: Wish | null = null;
  #disposed = false;

  constructor(ports: SchedulerPorts, clock: Clock) {
    this.#ports = ports;
    this.#editorTimer = new Timer(clock);
    this.#headTimer = new Timer(clock);
    this.#intervalTimer = new Timer(clock);
  }

  /** Notes where HEAD and the active editor stand and takes the first snapshot. */
  async start(active: string | null): Promise<void> {
    this.#active = active;
    try {
      this.#head = await this.#ports.head();
      await this.#request('editor');
    } catch (error) {
      this.#failed('editor', error);
    }
  }

  /** From now on takes one every so many minutes (0 = never), if anything was touched since the last. */
  setInterval(minutes: number): void {
    this.#intervalTimer.cancel();
    if (minutes <= 0) return;
    const ms = minutes * 60_000;
    this.#intervalTimer.start(ms, () => {
      if (this.#touched) this.#wish('interval');
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

  /** Something says that HEAD may have moved; whether it did is looked up here. */
  headMayHaveMoved(): void {
    this.#headTimer.start(HEAD_DEBOUNCE_MS, () => {
      void this.#compareHead();
    });
  }

  /** Files of the working tree or git's index may have changed. */
  filesTouched(): void {
    this.#touched = true;
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
    for (const timer of [this.#editorTimer, this.#headTimer, this.#intervalTimer]) timer.dispose();
  }

  async #compareHead(): Promise<void> {
    try {
      const head = await this.#ports.head();
      // Where HEAD cannot be read the snapshot itself finds out; an equal one is not stored.
      if (head !== null && head === this.#head) return;
      this.#head = head;
      this.#wish('commit');
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
      this.#touched = false;
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
