import { Emitter, type Event, type Logger, messageOf, ProjectAnchorError } from '../base/index.ts';
import { emptyState, stateHash } from './apply.ts';
import { genesis, sealDelta } from './chain.ts';
import { checkDraft } from './limits.ts';
import type { DeltaLog } from './log-port.ts';
import { advance, type Held } from './replay.ts';
import type { Ack, Delta, DeltaDraft, Head, StateView } from './types.ts';

const MAX_READ = 500;

interface Chain {
  readonly deltas: Delta[];
  readonly ids: Map<string, Ack>;
  held: Held;
}

/**
 * A log that lasts as long as the process: for the editor when its database cannot be used (protocol §6 otherwise
 * holds, numbers and hashes included), and for tests.
 */
export class MemoryDeltaLog implements DeltaLog {
  readonly onAppended: Event<string>;
  readonly #appended: Emitter<string>;
  readonly #deny: (draft: DeltaDraft) => string | null;
  readonly #chains = new Map<string, Chain>();

  constructor(logger: Logger, deny: (draft: DeltaDraft) => string | null = () => null) {
    this.#appended = new Emitter((error) => logger.error(`a listener of the log failed: ${messageOf(error)}`));
    this.onAppended = this.#appended.event;
    this.#deny = deny;
  }

  async append(raw: DeltaDraft): Promise<Ack> {
    const draft = checkDraft(raw);
    if (draft.ops.some((op) => op.op === 'checkpoint')) {
      throw new ProjectAnchorError('invalid', 'Only the log itself writes a checkpoint.');
    }
    const denied = this.#deny(draft);
    if (denied !== null) throw new ProjectAnchorError('denied', denied);
    const chain = this.#chain(draft.anchor);
    const known = chain.ids.get(draft.id);
    if (known !== undefined) return known;
    const delta = sealDelta(draft, chain.held);
    chain.held = advance(chain.held, delta);
    chain.deltas.push(delta);
    const ack = { id: delta.id, seq: delta.seq, hash: delta.hash };
    chain.ids.set(delta.id, ack);
    this.#appended.fire(draft.anchor);
    return ack;
  }

  async head(anchor: string): Promise<Head> {
    const { seq, hash } = this.#chain(anchor).held;
    return { seq, hash };
  }

  async read(anchor: string, after: number, limit: number): Promise<readonly Delta[]> {
    return this.#chain(anchor).deltas.slice(after, after + Math.min(limit, MAX_READ));
  }

  async state(anchor: string): Promise<StateView> {
    const { seq, hash, state } = this.#chain(anchor).held;
    return { seq, hash, stateHash: stateHash(state), pending: 0, state };
  }

  #chain(anchor: string): Chain {
    const known = this.#chains.get(anchor);
    if (known !== undefined) return known;
    const held: Held = { ...genesis(anchor), state: emptyState(anchor) };
    const chain: Chain = { deltas: [], ids: new Map(), held };
    this.#chains.set(anchor, chain);
    return chain;
  }
}
