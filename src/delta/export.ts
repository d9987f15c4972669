import { canonical, ProjectAnchorError } from '../base/index.ts';
import type { Store } from '../store/index.ts';
import { genesis } from './chain.ts';
import { EXPORT_SCHEMA, type ExportLine } from './exchange-lines.ts';
import { fromReceiptRow } from './receipts.ts';
import { fromRow } from './rows.ts';

const PAGE = 100;

/**
 * An anchor's log with its snapshots and receipts, as the lines of a file, without line ends. What is appended while it
 * runs is left out.
 * @throws ProjectAnchorError `unknown_anchor`, `chain_broken`.
 */
export function* exportLines(store: Store, anchorId: string): Generator<string, void> {
  const anchor = store.anchors.byId(anchorId);
  if (anchor === undefined) {
    throw new ProjectAnchorError('unknown_anchor', 'There is no log of this project yet.', 'Take a snapshot first.');
  }
  const base = genesis(anchor.id);
  const head = store.deltas.head(anchor.id) ?? base;
  const lastReceipt = store.receipts.head(anchor.id)?.n ?? 0;
  const counts = { objects: 0, snapshots: 0, deltas: 0, receipts: 0 };

  yield line({ t: 'header', schema: EXPORT_SCHEMA, base, head });
  yield line({ t: 'anchor', ...anchor, aliases: [...store.anchors.aliases(anchor.id)] });
  for (const piece of piecesOf(store, anchor.id)) {
    counts[piece.t === 'object' ? 'objects' : 'snapshots']++;
    yield line(piece);
  }
  for (let seq = 0; seq < head.seq; ) {
    for (const row of store.deltas.read(anchor.id, seq, Math.min(PAGE, head.seq - seq))) {
      yield line({ t: 'delta', delta: fromRow(row) });
      counts.deltas++;
      seq = row.seq;
    }
    if (seq > counts.deltas)
      throw new ProjectAnchorError('chain_broken', `Delta ${counts.deltas} is missing in the log.`);
  }
  for (let n = 0; n < lastReceipt; ) {
    for (const row of store.receipts.read(anchor.id, n, Math.min(PAGE, lastReceipt - n))) {
      yield line({ t: 'receipt', receipt: { ...fromReceiptRow(row) } });
      counts.receipts++;
      n = row.n;
    }
    if (n > counts.receipts) throw new ProjectAnchorError('chain_broken', `Receipt ${counts.receipts} is missing.`);
  }
  yield line({ t: 'end', ...counts });
}

type Piece = Extract<ExportLine, { t: 'object' | 'snapshot' }>;

/**
 * Snapshots in the order they were stored, each after the objects it leads to; every object once. One that is thinned out
 * while its parts are read is left out: its row goes first, and parts only after that.
 */
function* piecesOf(store: Store, anchor: string): Generator<Piece, void> {
  const seen = new Set<string>();
  for (const id of store.snapshots.ids(anchor)) {
    const row = store.snapshots.byId(id);
    if (row === undefined) continue;
    const value = JSON.parse(row.json) as Extract<Piece, { t: 'snapshot' }>['value'];
    const objects = objectsIn(store, value, seen);
    if (store.snapshots.byId(id) === undefined) continue;
    for (const [hash, piece] of objects) {
      seen.add(hash);
      yield piece;
    }
    yield { t: 'snapshot', value };
  }
}

/** Whatever in a value is the hash of a stored object, that object and the ones in it, without those seen before. */
function objectsIn(store: Store, value: unknown, seen: ReadonlySet<string>): ReadonlyMap<string, Piece> {
  const found = new Map<string, Piece>();
  const open: unknown[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next === 'object' && next !== null) {
      for (const member of Object.values(next)) if (member !== null && member !== undefined) open.push(member);
    }
    if (typeof next !== 'string' || seen.has(next) || found.has(next) || !/^[0-9a-f]{64}$/.test(next)) continue;
    const object = store.objects.get(next);
    if (object === undefined) continue;
    const inside: unknown = JSON.parse(object.json);
    open.push(inside);
    found.set(next, { t: 'object', hash: object.hash, kind: object.kind, value: inside });
  }
  return found;
}

function line(content: ExportLine): string {
  return canonical(content);
}
