import * as z from 'zod/mini';
import { canonical, codeOf, hash, type Logger, messageOf, ProjectAnchorError } from '../base/index.ts';
import type { Receipt } from '../inject/index.ts';
import { parseSnapshot, unpackSnapshot } from '../snapshot/index.ts';
import type { AnchorRow, DeltaRow, ReceiptRow, SnapshotRow, Store, StoredObject } from '../store/index.ts';
import { checkLink, genesis } from './chain.ts';
import { EXPORT_SCHEMA, type ExportLine, exportLine } from './exchange-lines.ts';
import { receiptHash, receiptsGenesis, toReceiptRow } from './receipts.ts';
import { toRow } from './rows.ts';
import { knownOp, parseDelta } from './schema.ts';
import type { Head } from './types.ts';

export interface Imported extends Head {
  readonly anchor: string;
  /** How many deltas were new here. */
  readonly added: number;
}

/**
 * Reads an export and adds it to the store, all of it or nothing. Every line is checked before anything is written.
 * @throws ProjectAnchorError `invalid` with the number of the line at fault, `unsupported_op` where it is newer than
 *   this program, `import_conflict` when another log is here of which neither is the beginning of the other.
 */
export async function importLines(store: Store, lines: AsyncIterable<string>, logger: Logger): Promise<Imported> {
  const reader = new ExportReader();
  let number = 0;
  for await (const line of lines) {
    number++;
    if (line.trim() === '') continue;
    try {
      reader.read(line);
    } catch (error) {
      if (codeOf(error) === undefined) throw error;
      throw lineError(number, error);
    }
  }
  if (!reader.complete) {
    throw new ProjectAnchorError(
      'invalid',
      `The export ends early, after line ${number}; nothing was imported.`,
      'Export it again, or copy the whole file.',
    );
  }
  return await store.write(() => add(store, reader.content(), logger));
}

function lineError(number: number, error: unknown): ProjectAnchorError {
  const code = codeOf(error) === 'unsupported_op' ? 'unsupported_op' : 'invalid';
  return new ProjectAnchorError(
    code,
    `Line ${number} of the export: ${messageOf(error)} Nothing was imported.`,
    undefined,
    {
      cause: error,
    },
  );
}

interface Content {
  readonly anchor: AnchorRow;
  readonly aliases: readonly string[];
  readonly objects: readonly StoredObject[];
  readonly snapshots: readonly SnapshotRow[];
  readonly deltas: readonly DeltaRow[];
  readonly receipts: readonly ReceiptRow[];
}

/** Takes the lines of an export one by one and holds what they say, as rows. */
class ExportReader {
  #header: Extract<ExportLine, { t: 'header' }> | undefined;
  #anchor: Extract<ExportLine, { t: 'anchor' }> | undefined;
  readonly #objects = new Map<string, StoredObject>();
  readonly #snapshots: SnapshotRow[] = [];
  readonly #deltas: DeltaRow[] = [];
  readonly #receipts: ReceiptRow[] = [];
  #complete = false;

  get complete(): boolean {
    return this.#complete;
  }

  content(): Content {
    if (this.#anchor === undefined) throw new TypeError('an export without an anchor is not complete');
    const { t: _, aliases, ...anchor } = this.#anchor;
    return {
      anchor,
      aliases,
      objects: [...this.#objects.values()],
      snapshots: this.#snapshots,
      deltas: this.#deltas,
      receipts: this.#receipts,
    };
  }

  read(text: string): void {
    const line = parseLine(text);
    if (this.#complete) throw invalid('it comes after the end.');
    if (this.#header === undefined) {
      if (line.t !== 'header') throw invalid('it is not the beginning of a ProjectAnchor export.');
      this.#readHeader(line);
    } else if (this.#anchor === undefined) {
      if (line.t !== 'anchor' || genesis(line.id).hash !== this.#header.base.hash)
        throw invalid('it does not name the anchor.');
      this.#anchor = line;
    } else {
      this.#readBody(line, this.#header, this.#anchor.id);
    }
  }

  #readHeader(line: Extract<ExportLine, { t: 'header' }>): void {
    if (line.schema !== EXPORT_SCHEMA) {
      throw new ProjectAnchorError('unsupported_op', `this program reads ${EXPORT_SCHEMA} only. Update ProjectAnchor.`);
    }
    if (line.base.seq !== 0) throw invalid('its log does not begin at delta 1.');
    this.#header = line;
  }

  #readBody(line: ExportLine, header: Extract<ExportLine, { t: 'header' }>, anchor: string): void {
    switch (line.t) {
      case 'object':
        if (hash(line.value) !== line.hash) throw invalid('the object does not have the hash it says.');
        this.#objects.set(line.hash, { hash: line.hash, kind: line.kind, json: canonical(line.value) });
        break;
      case 'snapshot':
        this.#readSnapshot(line.value, anchor);
        break;
      case 'delta':
        this.#readDelta(line.delta, anchor);
        break;
      case 'receipt':
        this.#readReceipt(line.receipt as unknown as Receipt, anchor);
        break;
      case 'end':
        this.#readEnd(line, header.head, anchor);
        break;
      default:
        throw invalid(`there is a second ${line.t}.`);
    }
  }

  #readSnapshot(value: { readonly id: string }, anchor: string): void {
    const json = canonical(value);
    const part = (key: string): string => {
      const found = this.#objects.get(key);
      if (found === undefined) throw invalid('a part of the snapshot is not in the file before it.');
      return found.json;
    };
    const snapshot = parseSnapshot(unpackSnapshot(json, part));
    const { id, workspace, takenAt, trigger, git } = snapshot;
    if (snapshot.anchor !== anchor || hash({ ...snapshot, id: undefined }) !== id) {
      throw invalid('the snapshot does not have the id it says.');
    }
    this.#snapshots.push({ id, anchor, workspace, takenAt, trigger, commit: git.head.commit ?? null, json });
  }

  #readDelta(raw: unknown, anchor: string): void {
    const delta = parseDelta(raw);
    const link = checkLink(anchor, this.#deltas.at(-1) ?? genesis(anchor), delta);
    const misfit = 'reason' in link ? link.reason : `delta ${delta.seq} is out of its place`;
    if (link.kind !== 'next') throw invalid(`${misfit}.`);
    for (const op of delta.ops) knownOp(op);
    this.#deltas.push(toRow(delta));
  }

  #readReceipt(receipt: Receipt, anchor: string): void {
    const last = this.#receipts.at(-1);
    const fits = receipt.anchor === anchor && receipt.prev === (last?.hash ?? receiptsGenesis(anchor));
    if (!fits || receiptHash(receipt) !== receipt.hash) throw invalid('the receipt does not follow the one before it.');
    this.#receipts.push(toReceiptRow(receipt, (last?.n ?? 0) + 1));
  }

  #readEnd(line: Extract<ExportLine, { t: 'end' }>, head: Head, anchor: string): void {
    const here = this.#deltas.at(-1) ?? genesis(anchor);
    const whole =
      line.objects === this.#objects.size &&
      line.snapshots === this.#snapshots.length &&
      line.deltas === this.#deltas.length &&
      line.receipts === this.#receipts.length;
    if (!whole || here.seq !== head.seq || here.hash !== head.hash) throw invalid('lines before it are missing.');
    this.#complete = true;
  }
}

function parseLine(text: string): ExportLine {
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch {
    throw invalid('it is not JSON.');
  }
  const parsed = z.safeParse(exportLine, raw);
  if (parsed.success) return parsed.data;
  throw invalid('it is not a line of an export.');
}

function invalid(what: string): ProjectAnchorError {
  return new ProjectAnchorError('invalid', what);
}

/** Runs inside one transaction. */
function add(store: Store, content: Content, logger: Logger): Imported {
  const { anchor } = content;
  attach(store, content);
  const added = addDeltas(store, anchor.id, content.deltas);
  for (const object of content.objects) store.objects.put(object.hash, object.kind, object.json);
  for (const snapshot of content.snapshots) store.snapshots.insert(snapshot);
  addReceipts(store, anchor.id, content.receipts, logger);
  return { anchor: anchor.id, added, ...(store.deltas.head(anchor.id) ?? genesis(anchor.id)) };
}

function attach(store: Store, { anchor, aliases }: Content): void {
  for (const other of store.anchors.list()) {
    if (other.repository !== anchor.repository || other.id === anchor.id) continue;
    if (store.deltas.head(other.id) !== undefined) {
      throw conflict(`this machine already has another log of ${anchor.repository}`);
    }
    store.anchors.replace(other.id, anchor);
  }
  store.anchors.attach(anchor);
  for (const alias of aliases) store.anchors.addAlias(anchor.id, alias);
}

function addDeltas(store: Store, anchor: string, deltas: readonly DeltaRow[]): number {
  const here = store.deltas.head(anchor);
  const common = Math.min(here?.seq ?? 0, deltas.length);
  // One hash stands for everything before it.
  if (common > 0 && store.deltas.at(anchor, common)?.hash !== deltas[common - 1]?.hash) {
    throw conflict(`the log here and the one in the file differ at or before delta ${common}`);
  }
  const missing = deltas.slice(here?.seq ?? 0);
  for (const row of missing) store.deltas.insert(anchor, row);
  return missing.length;
}

function addReceipts(store: Store, anchor: string, receipts: readonly ReceiptRow[], logger: Logger): void {
  const here = store.receipts.head(anchor);
  const missing = receipts.slice(here?.n ?? 0);
  if (missing.length === 0) return;
  if (here !== undefined && receipts[here.n - 1]?.hash !== here.hash) {
    logger.warn('the receipts in the file were left out: this machine has receipts of its own for this project');
    return;
  }
  for (const row of missing) store.receipts.insert(anchor, row);
}

function conflict(why: string): ProjectAnchorError {
  return new ProjectAnchorError(
    'import_conflict',
    `Nothing was imported: ${why}.`,
    'Import it into a data folder of its own (PROJECT_ANCHOR_HOME).',
  );
}
