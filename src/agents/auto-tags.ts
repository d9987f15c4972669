import type { Clock, Disposable } from '../base/index.ts';
import type { Op } from '../delta/index.ts';
import type { AutoTags, Tags, TagValue } from '../snapshot/index.ts';
import type { ProjectSession } from './session-types.ts';

/**
 * Operations that make the automatic tags of a state those that should hold; none when they do. Only automatic values are
 * touched, and only of keys that something is known of: what a person or agent has set stays, and goes on to win.
 */
export function autoTagOps(tags: Tags, found: AutoTags, { by, at }: Pick<TagValue, 'by' | 'at'>): Op[] {
  const wanted = new Map(found.tags.map((tag) => [idOf(tag.target, tag.key), tag]));
  const keys = new Set<string>(found.keys);
  const ops: Op[] = [];
  for (const [target, slots] of Object.entries(tags)) {
    for (const [key, { auto }] of Object.entries(slots)) {
      if (auto === undefined || !keys.has(key)) continue;
      const tag = wanted.get(idOf(target, key));
      if (tag === undefined) ops.push({ op: 'remove_tag', target, key, auto: true });
      else if (tag.value === auto.value) wanted.delete(idOf(target, key));
    }
  }
  for (const { target, key, value } of wanted.values()) {
    if (keys.has(key)) ops.push({ op: 'add_tag', target, key, value, by, at, source: 'auto' });
  }
  return ops;
}

function idOf(target: string, key: string): string {
  return `${key}\0${target}`;
}

/** How long nothing must have happened in a project before its tags are worked out, in ms. */
export const IDLE_MS = 120_000;
/** Between two rounds, so that others have their turn. */
export const BETWEEN_ROUNDS_MS = 1_000;

/** Brings the automatic tags of one project up to date while it is idle. One round is under way at a time. */
export class IdleAutoTags implements Disposable {
  readonly #session: Pick<ProjectSession, 'autoTagRound'>;
  readonly #clock: Clock;
  readonly #failed: (error: unknown) => void;
  #timer: Disposable | null = null;
  #running = false;
  #disposed = false;

  constructor(session: Pick<ProjectSession, 'autoTagRound'>, clock: Clock, failed: (error: unknown) => void) {
    this.#session = session;
    this.#clock = clock;
    this.#failed = failed;
  }

  /** Something happened in the project: whatever was planned waits until it is idle again. */
  active(): void {
    this.#in(IDLE_MS);
  }

  dispose(): void {
    this.#disposed = true;
    this.#timer?.dispose();
    this.#timer = null;
  }

  #in(ms: number): void {
    this.#timer?.dispose();
    if (this.#disposed) return;
    this.#timer = this.#clock.timeout(ms, () => {
      this.#timer = null;
      void this.#round();
    });
  }

  /** Never rejects. */
  async #round(): Promise<void> {
    // A round that takes longer than it is idle.
    if (this.#running) return this.#in(BETWEEN_ROUNDS_MS);
    this.#running = true;
    try {
      const done = await this.#session.autoTagRound();
      // Unless something happened meanwhile.
      if (!done && this.#timer === null) this.#in(BETWEEN_ROUNDS_MS);
    } catch (error) {
      if (!this.#disposed) this.#failed(error);
    } finally {
      this.#running = false;
    }
  }
}
