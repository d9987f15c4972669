import type { TakenSnapshot, TakeRequest } from './service.ts';

/** A request with its place in the order in which they were made. */
export interface Ticket {
  readonly number: number;
  readonly request: TakeRequest;
}

interface Waiting {
  ticket: Ticket;
  readonly outcome: Promise<TakenSnapshot>;
}

interface Running extends Ticket {
  readonly outcome: Promise<TakenSnapshot>;
  waiting: Waiting | null;
}

/**
 * The takes of each working tree: one runs and at most one more waits, whatever is asked for meanwhile. Requests may
 * arrive out of their order, because finding out which tree they mean takes a moment; the latest one made counts.
 */
export class TakeQueue {
  readonly #take: (request: TakeRequest) => Promise<TakenSnapshot>;
  readonly #running = new Map<string, Running>();

  constructor(take: (request: TakeRequest) => Promise<TakenSnapshot>) {
    this.#take = take;
  }

  enqueue(toplevel: string, ticket: Ticket): Promise<TakenSnapshot> {
    const running = this.#running.get(toplevel);
    if (running === undefined) return this.#run(toplevel, ticket);
    // What began after it was asked for, for somebody who asked later, is an answer to it too.
    if (ticket.number < running.number && covers(running.request, ticket.request)) return running.outcome;
    if (running.waiting !== null) {
      running.waiting.ticket = merged(running.waiting.ticket, ticket);
      return running.waiting.outcome;
    }
    const next = () => this.#run(toplevel, waiting.ticket);
    const waiting: Waiting = { ticket, outcome: running.outcome.then(next, next) };
    running.waiting = waiting;
    return waiting.outcome;
  }

  /** Resolves when nothing runs and nothing waits. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) {
      await Promise.allSettled(Array.from(this.#running.values(), ({ outcome }) => outcome));
    }
  }

  #run(toplevel: string, { number, request }: Ticket): Promise<TakenSnapshot> {
    const running: Running = { number, request, outcome: this.#take(request), waiting: null };
    this.#running.set(toplevel, running);
    const done = () => {
      if (this.#running.get(toplevel) === running && running.waiting === null) this.#running.delete(toplevel);
    };
    running.outcome.then(done, done);
    return running.outcome;
  }
}

function wantsAll({ outlines = 'all' }: TakeRequest): boolean {
  return outlines === 'all';
}

function covers(taken: TakeRequest, wanted: TakeRequest): boolean {
  return wanted.rewritten === undefined && (wantsAll(taken) || !wantsAll(wanted));
}

/** Who asked later knows better; that HEAD moved is told whatever else happened. */
function merged(a: Ticket, b: Ticket): Ticket {
  const later = a.number > b.number ? a : b;
  const both = [a.request, b.request];
  return {
    number: later.number,
    request: {
      ...later.request,
      ...(both.some(({ trigger }) => trigger === 'commit') ? { trigger: 'commit' } : {}),
      // Somebody waits for all outlines.
      ...(both.some(wantsAll) ? { outlines: 'all' } : {}),
      // A hook says it once.
      ...(both.some(({ rewritten }) => rewritten !== undefined) ? { rewritten: both.flatMap(rewrittenIn) } : {}),
    },
  };
}

function rewrittenIn({ rewritten = [] }: TakeRequest) {
  return rewritten;
}
