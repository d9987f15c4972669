// This machine's one database and data folder: anchors, snapshots, objects, deltas, receipts, lease, cached states.
// It never knows what the rows mean, never chains or checks them, and never deletes or changes a file it cannot read.
// Exports openStore and Store with its table families, openCache for what can be computed again, setAside, dataFolder, machineId and agentTag.
export { type AnchorRow, Anchors } from './anchors.ts';
export { Cache, type CacheOptions, openCache } from './cache.ts';
export { type CompileCacheHost, useCompileCache } from './compile-cache.ts';
export { agentTag, createOnce, DATABASE_NAME, dataFolder, ensureDataFolder, machineId } from './data-folder.ts';
export { DEFAULT_WAITS, type Waits } from './database.ts';
export { type ChainHead, type DeltaRow, Deltas, type PartsPlace } from './deltas.ts';
export { Lease, type LeaseRow } from './lease.ts';
export { Objects, type StoredObject } from './objects.ts';
export { MEMORY } from './open.ts';
export { type ReceiptHead, type ReceiptRow, Receipts, type ReceiptWriter } from './receipts.ts';
export { setAside } from './set-aside.ts';
export { type SnapshotAge, type SnapshotRow, Snapshots } from './snapshots.ts';
export { type StateRow, States } from './states.ts';
export { openStore, Store, type StoreOptions, type StorePlace } from './store.ts';
