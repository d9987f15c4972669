import { type Clock, Emitter, type Logger, messageOf } from '../base/index.ts';
import { type Anchor, anchorId } from '../snapshot/index.ts';
import type { Store } from '../store/index.ts';
import type { DeltaGate } from './delta-gate.ts';
import { EmbeddedLog } from './embedded-log.ts';
import { exportLines } from './export.ts';
import type { Attach } from './frames.ts';
import { nextTurn } from './group-commit.ts';
import type { AnchorDirectory } from './hub-services.ts';
import { importLines } from './import.ts';
import type { LogBackend } from './log-backend.ts';
import { mayBeAlive, thisProcess } from './process-identity.ts';
import { ReceiptLog } from './receipts.ts';
import { verifyLog } from './verify.ts';

export interface StoreBackendOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly gate: DeltaGate;
  /** Called at the end, after everything has been written. */
  readonly closed: () => void;
}

/** Lines of an export between two turns of the event loop, so that others are served meanwhile. */
const LINES_PER_TURN = 50;

/** Keeps everything in this machine's database. */
export function storeBackend({ store, clock, logger, gate, closed }: StoreBackendOptions): LogBackend {
  const log = new EmbeddedLog({ store, clock, logger, deny: gate });
  const receipts = new ReceiptLog({ store, clock, self: thisProcess() });
  const appended = new Emitter<string>((error) => logger.error(`a listener of the log failed: ${messageOf(error)}`));
  const subscription = log.onAppended((anchor) => appended.fire(anchor));
  // Whoever had nothing to do with receipts has nothing to write at the end.
  let usedReceipts = false;
  return {
    log: {
      append: (draft) => log.append(draft),
      head: (anchor) => log.head(anchor),
      read: (anchor, after, limit) => log.read(anchor, after, limit),
      state: (anchor) => log.state(anchor),
      onAppended: appended.event,
    },
    anchors: storedAnchors(store),
    know(anchor) {
      const known = store.anchors.byId(anchor.id) ?? store.anchors.attach(anchor);
      return store.anchors.aliases(known.id);
    },
    look: () => log.lookForOthers(),
    verify: (anchor) => verifyLog(store, anchor),
    async holdReceipts(anchor) {
      usedReceipts = true;
      await receipts.leaveGaps(mayBeAlive);
      await receipts.announce(anchor);
    },
    appendReceipt(draft) {
      usedReceipts = true;
      return receipts.append(draft);
    },
    receipts: (anchor, last) => receipts.last(anchor, last),
    exportLines: (anchor) => inTurns(exportLines(store, anchor)),
    async importLines(lines) {
      const imported = await importLines(store, lines, logger);
      // Written by this connection, beside the log: nobody else would tell.
      if (imported.added > 0) appended.fire(imported.anchor);
      return imported;
    },
    async close() {
      await log.close();
      if (usedReceipts) await receipts.close();
      subscription.dispose();
      appended.dispose();
      closed();
    },
  };
}

/** The anchors of the database; what a client attaches to is found by its fields first, then by any of its names. */
function storedAnchors(store: Store): AnchorDirectory {
  const find = (wish: Pick<Attach, 'repository' | 'mainBranch' | 'attachedAt' | 'aliases'>): Anchor | undefined => {
    const { repository, mainBranch, attachedAt, aliases = [] } = wish;
    const same = store.anchors.byId(anchorId(repository, mainBranch, attachedAt));
    if (same !== undefined) return same;
    const first = store.anchors.byRepository(repository);
    if (first !== undefined) return first;
    for (const alias of aliases) {
      const known = store.anchors.byId(alias);
      if (known !== undefined) return known;
    }
    return undefined;
  };
  return {
    attach(wish) {
      const { repository, mainBranch, attachedAt } = wish;
      const id = anchorId(repository, mainBranch, attachedAt);
      return find(wish) ?? store.anchors.attach({ id, repository, mainBranch, attachedAt });
    },
    byId: (id) => store.anchors.byId(id),
  };
}

async function* inTurns(lines: Iterable<string>): AsyncGenerator<string> {
  let count = 0;
  for (const line of lines) {
    yield line;
    if (++count % LINES_PER_TURN === 0) await nextTurn();
  }
}
