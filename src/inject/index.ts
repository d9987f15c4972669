// What a model gets: selection, budget, rendering, receipts, and the clients of MiniMax and PowerContext.
// It never waits on the network for a completion longer than its deadline and never reads files or git itself.
// Exports the request and receipt types, the Injector, memory, prompts and the model client, whose library loads at the first request.
export { estimateTokens } from './budget.ts';
export { complete } from './complete.ts';
export { completionText } from './completion-text.ts';
export { endpoint } from './endpoint.ts';
export { Injector, type InjectorOptions } from './injector.ts';
export { LatestWins } from './latest-wins.ts';
export type { MiniMaxOptions } from './minimax-entry.ts';
export { createLazyMiniMaxClient } from './minimax-lazy.ts';
export { type Fetch, NetworkGate } from './network.ts';
export { type Place, placeOf } from './paths.ts';
export { PowerContextRecall, type PowerContextSettings } from './powercontext.ts';
export { completionRequest, explainRequest } from './prompts.ts';
export { recallSentence } from './recall-outcome.ts';
export { asksForHistory, type RecallMode, type RecallNeed, recallNeed } from './recall-policy.ts';
export { RecallService, type RecallSettings } from './recall-service.ts';
export { CREDENTIAL_FOUND, FILE_REFUSED, isRefusal } from './refusal.ts';
export type * from './types.ts';
