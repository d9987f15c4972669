import { v7 as uuidv7 } from 'uuid';
import { type Clock, timestamp } from '../base/index.ts';
import { apply } from './apply.ts';
import { checkOps } from './limits.ts';
import { MergeWindow } from './merge-window.ts';
import { keepAlive } from './timers.ts';
import type { Ack, Author, DeltaDraft, Op, State } from './types.ts';

export interface AuthoringOptions {
  /** Appends durably. */
  readonly append: (draft: DeltaDraft) => Promise<Ack>;
  readonly clock: Clock;
  /** The seq of an anchor that this process has seen, for the `base` of marks. */
  readonly seen: (anchor: string) => number;
  /** Called whenever more or fewer operations wait. */
  readonly changed: () => void;
}

/** One author on one anchor. */
interface Desk {
  readonly window: MergeWindow;
  /** The latest snapshot that what waits in the window leads to. */
  snapshot: string | undefined;
}

/** Operations that somebody waits for, until they are durable. */
interface Unsettled {
  readonly anchor: string;
  readonly ops: readonly Op[];
}

/** Makes deltas of what is authored in this process: one merge window per anchor and author. */
export class Authoring {
  readonly #options: AuthoringOptions;
  readonly #desks = new Map<string, Desk>();
  readonly #unsettled = new Set<Unsettled>();

  constructor(options: AuthoringOptions) {
    this.#options = options;
  }

  /** How many operations are not durable yet, on one anchor or on all. */
  waiting(anchor?: string): number {
    let count = 0;
    for (const each of this.#unsettled) if (anchor === undefined || each.anchor === anchor) count += each.ops.length;
    return count;
  }

  /** A state with everything on top that is authored here and not in the log yet. */
  ahead(anchor: string, state: State): State {
    let ahead = state;
    for (const each of this.#unsettled) {
      if (each.anchor === anchor) ahead = apply(ahead, each.ops);
    }
    return ahead;
  }

  /**
   * Adds operations; resolves when the delta that holds them is durable.
   * @param now closes the merge window at once, everything pending first in the same delta
   * @param snapshot id of the snapshot that they lead to
   * @throws ProjectAnchorError `invalid`, `unsupported_op` or `too_large`, and whatever the log throws.
   */
  async add(anchor: string, author: Author, ops: readonly Op[], now: boolean, snapshot?: string): Promise<Ack> {
    const desk = this.#desk(anchor, author);
    if (snapshot !== undefined) desk.snapshot = snapshot;
    checkOps(ops);
    const unsettled = { anchor, ops };
    const alive = keepAlive();
    this.#unsettled.add(unsettled);
    this.#options.changed();
    try {
      return await desk.window.add(ops, { byHand: now });
    } finally {
      alive.dispose();
      this.#unsettled.delete(unsettled);
      this.#options.changed();
    }
  }

  /** Closes every window; resolves when everything added so far is durable or has failed. */
  async flush(): Promise<void> {
    await Promise.all([...this.#desks.values()].map(({ window }) => window.flush()));
  }

  #desk(anchor: string, author: Author): Desk {
    const key = JSON.stringify([anchor, author.agent, author.session]);
    const known = this.#desks.get(key);
    if (known !== undefined) return known;
    const desk: Desk = {
      window: new MergeWindow(this.#options.clock, (ops) => this.#publish(anchor, author, desk, ops)),
      snapshot: undefined,
    };
    this.#desks.set(key, desk);
    return desk;
  }

  #publish(anchor: string, author: Author, desk: Desk, ops: readonly Op[]): Promise<Ack> {
    const { append, clock, seen } = this.#options;
    const draft: DeltaDraft = {
      schema: 'projectanchor.delta.v1',
      anchor,
      id: uuidv7(),
      author: { agent: author.agent, session: author.session },
      at: timestamp(clock.now()),
      ...(ops.some(isMark) && { base: seen(anchor) }),
      ...(desk.snapshot !== undefined && ops.some(isFact) && { snapshot: desk.snapshot }),
      ops,
    };
    return append(draft);
  }
}

function isMark(op: Op): boolean {
  return (
    (op.op === 'add_tag' && op.source !== 'auto') ||
    (op.op === 'remove_tag' && op.auto === undefined) ||
    op.op.endsWith('_focus')
  );
}

function isFact(op: Op): boolean {
  return 'workspace' in op;
}
