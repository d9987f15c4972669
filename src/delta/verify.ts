import { canonical, codeOf, messageOf } from '../base/index.ts';
import type { DeltaRow, Store } from '../store/index.ts';
import { emptyState, StateBuilder, stateHash } from './apply.ts';
import { checkLink, genesis } from './chain.ts';
import { nextTurn } from './group-commit.ts';
import { fromReceiptRow, receiptHash, receiptsGenesis } from './receipts.ts';
import { fromRow } from './rows.ts';
import type { Head, State, VerifyReport } from './types.ts';

const PAGE = 200;

/** Something that is not as it must be. `seq` is a delta's, or a receipt's number when every delta is in order. */
interface Fault {
  readonly seq: number;
  readonly reason: string;
  readonly need?: 'witness' | 'peer';
}

/** How far the chain is whole, and what it says about itself. */
interface ChainReport {
  readonly head: Head;
  readonly fault: Fault | undefined;
  /** What checkpoints claim, by the seq they are about, each with the seq that claims it. */
  readonly claims: ReadonlyMap<number, { readonly stateHash: string; readonly by: number }>;
  /** The hash at every seq from 0, so that receipts can be held against them. */
  readonly hashes: readonly string[];
}

/**
 * Recomputes everything from genesis: hashes, links and numbers of the deltas, the states that checkpoints claim, the
 * cached state, and the receipts with the places in the log that they saw. Lets others run between its pages.
 * It repairs nothing, but forgets a cached state that is not what the deltas make.
 */
export async function verifyLog(store: Store, anchor: string): Promise<VerifyReport> {
  const chain = await verifyChain(store, anchor);
  const states = await verifyStates(store, anchor, chain);
  const receipts = await verifyReceipts(store, anchor, chain);
  const fault = firstOf(chain.fault, states.fault) ?? receipts.fault;
  const reason = fault?.reason ?? states.note;
  return {
    ok: fault === undefined,
    base: 0,
    deltas: chain.head.seq,
    head: chain.head,
    pending: 0,
    receipts: receipts.count,
    ...(fault && { firstBad: fault.seq }),
    ...(reason !== undefined && { reason }),
    ...(fault?.need && { need: fault.need }),
  };
}

function firstOf(a: Fault | undefined, b: Fault | undefined): Fault | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return b.seq < a.seq ? b : a;
}

async function verifyChain(store: Store, anchor: string): Promise<ChainReport> {
  const claims = new Map<number, { stateHash: string; by: number }>();
  let head = genesis(anchor);
  const hashes = [head.hash];
  for await (const row of eachDelta(store, anchor)) {
    const reason = linkFault(anchor, head, row);
    if (reason !== undefined) return { head, fault: { seq: head.seq + 1, reason }, claims, hashes };
    for (const op of fromRow(row).ops) {
      if (op.op === 'checkpoint') claims.set(op.seq, { stateHash: op.stateHash, by: row.seq });
    }
    head = { seq: row.seq, hash: row.hash };
    hashes.push(row.hash);
  }
  return { head, fault: lostTail(head, store.states.get(anchor)?.seq ?? 0, 'its state was known'), claims, hashes };
}

/** Why a row is not the next link, or undefined when it is. */
function linkFault(anchor: string, head: Head, row: DeltaRow): string | undefined {
  if (row.seq > head.seq + 1) return `delta ${head.seq + 1} is missing`;
  try {
    const link = checkLink(anchor, head, fromRow(row));
    if (link.kind === 'next') return undefined;
    return 'reason' in link ? link.reason : `delta ${row.seq} is out of its place`;
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return `delta ${row.seq} cannot be read: ${messageOf(error)}`;
  }
}

/** A log cannot tell by itself that its newest deltas are gone; whatever saw them can. */
function lostTail(head: Head, seen: number, who: string): Fault | undefined {
  if (seen <= head.seq) return undefined;
  const reason = `the log ends at delta ${head.seq}, but ${who} up to delta ${seen}; only a peer may still have the rest`;
  return { seq: head.seq + 1, reason, need: 'peer' };
}

interface StatesReport {
  readonly fault?: Fault | undefined;
  readonly note?: string;
}

async function verifyStates(store: Store, anchor: string, chain: ChainReport): Promise<StatesReport> {
  const cached = store.states.get(anchor);
  const builder = new StateBuilder(emptyState(anchor));
  for await (const row of eachDelta(store, anchor, chain.head.seq)) {
    try {
      builder.apply(fromRow(row));
    } catch (error) {
      const code = codeOf(error);
      if (code === 'unsupported_op') {
        return { note: `the chain is whole, but from delta ${row.seq} on only a newer version can tell its state` };
      }
      if (code !== 'invalid') throw error;
      return { fault: { seq: row.seq, reason: `delta ${row.seq} cannot be applied: ${messageOf(error)}` } };
    }
    const claim = chain.claims.get(row.seq);
    if (claim !== undefined && claim.stateHash !== stateHash(builder.build())) {
      const reason = `delta ${claim.by} announces another state after delta ${row.seq} than the one it has`;
      return { fault: { seq: claim.by, reason } };
    }
    if (cached?.seq === row.seq) {
      const fault = cacheFault(store, anchor, cached, row, builder.build());
      if (fault !== undefined) return { fault };
    }
  }
  return {};
}

function cacheFault(
  store: Store,
  anchor: string,
  cached: { readonly hash: string; readonly json: string },
  row: DeltaRow,
  state: State,
): Fault | undefined {
  if (cached.hash === row.hash && cached.json === canonical(state)) return undefined;
  store.states.drop(anchor);
  const reason = `the state kept for delta ${row.seq} was not the one that the deltas make; it was dropped and is made again`;
  return { seq: row.seq, reason };
}

async function verifyReceipts(
  store: Store,
  anchor: string,
  chain: ChainReport,
): Promise<{ count: number; fault?: Fault }> {
  let n = 0;
  let prev = receiptsGenesis(anchor);
  for (;;) {
    const rows = store.receipts.read(anchor, n, PAGE);
    if (rows.length === 0) return { count: n };
    for (const row of rows) {
      const fault = receiptFault(n + 1, prev, row, chain);
      if (fault !== undefined) return { count: n, fault };
      n = row.n;
      prev = row.hash;
    }
    await nextTurn();
  }
}

function receiptFault(
  expected: number,
  prev: string,
  row: Parameters<typeof fromReceiptRow>[0],
  chain: ChainReport,
): Fault | undefined {
  const fault = (reason: string): Fault => ({ seq: expected, reason });
  if (row.n !== expected) return fault(`receipt ${expected} is missing`);
  if (row.prev !== prev) return fault(`receipt ${expected} does not follow the one before it`);
  try {
    const receipt = fromReceiptRow(row);
    if (receiptHash(receipt) !== row.hash) return fault(`receipt ${expected} does not have the hash it says`);
    const { head } = receipt;
    const lost = chain.fault === undefined ? lostTail(chain.head, head.seq, `receipt ${expected} saw it`) : undefined;
    if (lost !== undefined) return lost;
    const known = chain.hashes[head.seq];
    if (known !== undefined && known !== head.hash) return fault(`receipt ${expected} saw another delta ${head.seq}`);
    return undefined;
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return fault(`receipt ${expected} cannot be read: ${messageOf(error)}`);
  }
}

/** Rows of an anchor's log in order, a page a turn; up to and with `last`. */
async function* eachDelta(store: Store, anchor: string, last = Number.POSITIVE_INFINITY): AsyncGenerator<DeltaRow> {
  let after = 0;
  for (;;) {
    const rows = store.deltas.read(anchor, after, PAGE);
    for (const row of rows) {
      if (row.seq > last) return;
      yield row;
      after = row.seq;
    }
    if (rows.length === 0) return;
    await nextTurn();
  }
}
