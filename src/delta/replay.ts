import { canonical, codeOf, type Logger, messageOf, ProjectAnchorError } from '../base/index.ts';
import type { DeltaRow, Store } from '../store/index.ts';
import { apply, emptyState, StateBuilder, stateHash } from './apply.ts';
import { checkLink, genesis } from './chain.ts';
import { fromRow } from './rows.ts';
import { parseState } from './schema.ts';
import type { Delta, Head, State, StateView } from './types.ts';

/** A page of deltas shares one copy of what they change. */
const PAGE = 500;
/** A state is cached again when it is this many deltas ahead of what is cached. */
const CACHE_EVERY = 100;

/** A place in a chain and what it makes. */
export interface Held extends Head {
  readonly state: State;
}

/**
 * The delta applied, when it is the next one; a delta whose seq is not above the one held changes nothing.
 * @throws ProjectAnchorError `chain_broken` for one that does not fit, `unsupported_op` and `invalid` as `apply`.
 */
export function advance(held: Held, delta: Delta): Held {
  if (delta.seq <= held.seq) return held;
  const head = follow(held.state.anchor, held, delta);
  return { ...head, state: apply(held.state, delta) };
}

/** The place of a delta, which must be the next one. */
function follow(anchor: string, head: Head, delta: Delta): Head {
  const link = checkLink(anchor, head, delta);
  if (link.kind === 'next') return { seq: delta.seq, hash: delta.hash };
  const reason = 'reason' in link ? link.reason : `delta ${head.seq + 1} is missing`;
  throw new ProjectAnchorError('chain_broken', `The log is not whole: ${reason}.`, 'Run project-anchor verify.');
}

/** What is kept between two looks at one anchor. */
interface Kept {
  held: Held;
  hashOfState: string | undefined;
  cachedSeq: number;
  stopped: ProjectAnchorError | undefined;
}

/** The states that a store's logs make, brought up to date on demand and cached in the store now and then. */
export class Replay {
  readonly #store: Store;
  readonly #logger: Logger;
  readonly #kept = new Map<string, Kept>();

  constructor(store: Store, logger: Logger) {
    this.#store = store;
    this.#logger = logger;
  }

  /** What all deltas up to the head make; `stopped` says why when they cannot all be applied. */
  view(anchor: string): StateView {
    const kept = this.#kept.get(anchor) ?? this.#begin(anchor);
    this.#catchUp(anchor, kept);
    kept.hashOfState ??= stateHash(kept.held.state);
    const { seq, hash, state } = kept.held;
    const view = { seq, hash, stateHash: kept.hashOfState, pending: 0, state };
    const { stopped } = kept;
    return stopped === undefined ? view : { ...view, stopped: { code: stopped.code, message: stopped.message } };
  }

  /** Why nothing may be appended to an anchor's log, if it has been looked at and cannot be followed. */
  stopped(anchor: string): ProjectAnchorError | undefined {
    return this.#kept.get(anchor)?.stopped;
  }

  #catchUp(anchor: string, kept: Kept): void {
    while (kept.stopped === undefined) {
      const rows = this.#store.deltas.read(anchor, kept.held.seq, PAGE);
      if (rows.length === 0) break;
      kept.hashOfState = undefined;
      this.#applyRows(anchor, kept, rows);
    }
    if (kept.held.seq - kept.cachedSeq >= CACHE_EVERY) this.#cache(anchor, kept);
  }

  #applyRows(anchor: string, kept: Kept, rows: readonly DeltaRow[]): void {
    const builder = new StateBuilder(kept.held.state);
    let head: Head = kept.held;
    for (const row of rows) {
      try {
        const delta = fromRow(row);
        const next = follow(anchor, head, delta);
        builder.apply(delta);
        head = next;
      } catch (error) {
        kept.stopped = stopReason(error, row.seq);
        break;
      }
    }
    kept.held = { seq: head.seq, hash: head.hash, state: builder.build() };
  }

  #begin(anchor: string): Kept {
    const held = this.#cached(anchor) ?? { ...genesis(anchor), state: emptyState(anchor) };
    const kept: Kept = { held, hashOfState: undefined, cachedSeq: held.seq, stopped: undefined };
    this.#kept.set(anchor, kept);
    return kept;
  }

  /** The cached state, if the log still has the delta that it was made after. */
  #cached(anchor: string): Held | undefined {
    const row = this.#store.states.get(anchor);
    if (row === undefined || this.#store.deltas.at(anchor, row.seq)?.hash !== row.hash) return undefined;
    try {
      const state = parseState(JSON.parse(row.json));
      return state.anchor === anchor ? { seq: row.seq, hash: row.hash, state } : undefined;
    } catch (error) {
      this.#logger.warn(`a cached state could not be read and is made again: ${messageOf(error)}`);
      return undefined;
    }
  }

  #cache(anchor: string, kept: Kept): void {
    const { seq, hash, state } = kept.held;
    kept.cachedSeq = seq;
    try {
      this.#store.states.put(anchor, { seq, hash, json: canonical(state) });
    } catch (error) {
      // Only a cache: the next one will do.
      this.#logger.debug(`a state was not cached: ${messageOf(error)}`);
    }
  }
}

function stopReason(error: unknown, seq: number): ProjectAnchorError {
  const code = codeOf(error);
  if (code === 'unsupported_op') {
    return new ProjectAnchorError(
      'unsupported_op',
      `Delta ${seq} was written by a newer version; what follows it is not shown and nothing can be added.`,
      'Update ProjectAnchor.',
      { cause: error },
    );
  }
  if (code !== 'chain_broken' && code !== 'invalid') throw error;
  return new ProjectAnchorError(
    'chain_broken',
    `The log is damaged at delta ${seq}: ${messageOf(error)} What follows it is not shown and nothing can be added.`,
    'Run project-anchor verify, and restore the log from an export.',
    { cause: error },
  );
}
