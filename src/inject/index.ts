// What a model gets: selection, budget, rendering, receipts, and the clients of MiniMax and PowerContext.
// It never waits on the network for a completion longer than its deadline and never reads files or git itself.
// Exports the request and receipt types, the Injector and the clients.
export type * from './types.ts';
