import { type Logger, ProjectAnchorError } from '../base/index.ts';
import type { Receipt, ReceiptDraft } from '../inject/index.ts';
import { type Anchor, anchorId } from '../snapshot/index.ts';
import { checkLink, genesis } from './chain.ts';
import type { DeltaGate } from './delta-gate.ts';
import { MAX_FETCH } from './hub-limits.ts';
import type { LogBackend } from './log-backend.ts';
import { MemoryDeltaLog } from './memory-log.ts';
import { receiptHash, receiptsGenesis } from './receipts.ts';
import type { VerifyReport } from './types.ts';

/** Keeps everything as long as the process lasts, for an editor whose database cannot be used. */
export function memoryBackend(logger: Logger, gate: DeltaGate): LogBackend {
  const log = new MemoryDeltaLog(logger, gate);
  const anchors = new Map<string, Anchor>();
  const receipts = new Map<string, Receipt[]>();
  return {
    log,
    anchors: {
      attach({ repository, mainBranch, attachedAt }) {
        const known = [...anchors.values()].find((anchor) => anchor.repository === repository);
        const anchor = known ?? {
          id: anchorId(repository, mainBranch, attachedAt),
          repository,
          mainBranch,
          attachedAt,
        };
        anchors.set(anchor.id, anchor);
        return anchor;
      },
      byId: (id) => anchors.get(id),
    },
    know(anchor) {
      anchors.set(anchor.id, anchor);
      return [];
    },
    look: () => undefined,
    verify: (anchor) => verify(log, anchor, receipts.get(anchor) ?? []),
    holdReceipts: async () => undefined,
    async appendReceipt(draft) {
      const chain = receipts.get(draft.anchor) ?? [];
      receipts.set(draft.anchor, chain);
      return chain.find(({ id }) => id === draft.id) ?? link(chain, draft);
    },
    receipts: (anchor, last) => (receipts.get(anchor) ?? []).slice(-last).reverse(),
    exportLines: () => refuse('exported from'),
    importLines: () => refuse('imported into'),
    close: async () => undefined,
  };
}

function link(chain: Receipt[], draft: ReceiptDraft): Receipt {
  const linked = { ...draft, prev: chain.at(-1)?.hash ?? receiptsGenesis(draft.anchor) };
  const receipt = { ...linked, hash: receiptHash(linked) };
  chain.push(receipt);
  return receipt;
}

async function verify(log: MemoryDeltaLog, anchor: string, receipts: readonly Receipt[]): Promise<VerifyReport> {
  let head = genesis(anchor);
  for (;;) {
    const deltas = await log.read(anchor, head.seq, MAX_FETCH);
    for (const delta of deltas) {
      if (checkLink(anchor, head, delta).kind !== 'next') {
        return { ok: false, base: 0, deltas: head.seq, head, pending: 0, receipts: 0, firstBad: head.seq + 1 };
      }
      head = { seq: delta.seq, hash: delta.hash };
    }
    if (deltas.length === 0) break;
  }
  return { ok: true, base: 0, deltas: head.seq, head, pending: 0, receipts: receipts.length };
}

function refuse(what: string): never {
  throw new ProjectAnchorError(
    'memory_only',
    `Nothing can be ${what} a log that is kept in memory only.`,
    'Repair the database first; the log of ProjectAnchor says what is wrong with it.',
  );
}
