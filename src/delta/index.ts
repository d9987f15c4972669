// What changed: operations, the pure reducer, diffs, the hash chain, the log, the hub and its client.
// It knows nothing of git, editors or models: it moves operations.
// Exports the delta types, the reducer, the LogService and what the command line needs to run a hub.

export { apply, emptyState, StateBuilder, stateHash } from './apply.ts';
export { checkingLink, checkLink, deltaHash, genesis, genesisHash, type Link, sealDelta } from './chain.ts';
export { createLogService, type LogServiceOptions } from './create-service.ts';
export { type DeltaGate, gateDeltas, machineGate } from './delta-gate.ts';
export { diff } from './diff.ts';
export { diffSnapshot, news, takenOps } from './diff-snapshot.ts';
export { EmbeddedLog, type EmbeddedLogOptions } from './embedded-log.ts';
export { exportLines } from './export.ts';
export { hubUrlRefusal } from './hub-door.ts';
export { hubFile } from './hub-file.ts';
export { type Imported, importLines } from './import.ts';
export { checkDraft } from './limits.ts';
export type * from './log-port.ts';
export { mergeOps, splitOps } from './merge.ts';
export { MergeWindow, type Publish } from './merge-window.ts';
export { mayBeAlive, thisProcess } from './process-identity.ts';
export { type ProcessIdentity, ReceiptLog, receiptHash, receiptsGenesis } from './receipts.ts';
export { advance, type Held } from './replay.ts';
export { knownOp, parseDelta, parseDraft, parseState } from './schema.ts';
export type * from './service.ts';
export type * from './types.ts';
export { verifyLog } from './verify.ts';
export { connectLogWorker, type LogWorkerOptions } from './worker-client.ts';
