import { type Clock, type Disposable, disposable } from '../../src/base/index.ts';

/** A clock that moves only when told; timers run in order of their time. */
export class FakeClock implements Clock {
  #now: number;
  #monotonic = 0;
  #next = 1;
  readonly #timers = new Map<number, { at: number; callback: () => void }>();

  constructor(start = Date.UTC(2026, 10, 30, 12, 0, 0)) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  timeout(ms: number, callback: () => void): Disposable {
    const id = this.#next++;
    this.#timers.set(id, { at: this.#monotonic + ms, callback });
    return disposable(() => this.#timers.delete(id));
  }

  /** How many timers wait. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Moves wall and monotonic time, running due timers in order, those they start included. */
  advance(ms: number): void {
    const end = this.#monotonic + ms;
    for (;;) {
      const due = [...this.#timers].filter(([, t]) => t.at <= end).sort(([a, x], [b, y]) => x.at - y.at || a - b)[0];
      if (due === undefined) break;
      const [id, timer] = due;
      this.#timers.delete(id);
      this.#move(Math.max(0, timer.at - this.#monotonic));
      timer.callback();
    }
    this.#move(end - this.#monotonic);
  }

  /** Like `advance`, letting promises settle after every timer. */
  async advanceAsync(ms: number): Promise<void> {
    const end = this.#monotonic + ms;
    await settle();
    for (;;) {
      const next = Math.min(...[...this.#timers.values()].map((t) => t.at));
      if (next > end) break;
      this.advance(Math.max(0, next - this.#monotonic));
      await settle();
    }
    this.advance(end - this.#monotonic);
    await settle();
  }

  /** The machine sleeps and wakes: everything that was due meanwhile runs once, now. */
  async sleepAsync(ms: number): Promise<void> {
    this.#move(ms);
    await this.advanceAsync(0);
  }

  /** Jumps the wall clock alone, as a person or NTP does. */
  set(now: number): void {
    this.#now = now;
  }

  #move(ms: number): void {
    this.#now += ms;
    this.#monotonic += ms;
  }
}

/** Lets queued promise reactions run. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}
